/**
 * What the shop's page can see while its customer pays: every message it receives, every request it makes, every change of its document, its
 * storage, address and console. None of it may hold the card. Three runs, each with another number, code and expiry, so that nothing is missed
 * because a digit happened to stand there anyway.
 */
import { expect, test } from "@playwright/test";
import { addresses } from "./addresses.ts";
import { answerChallenge, expectPaid, goToTill, pay, type Card } from "./checkout.ts";

const runs: { name: string; card: Card; challenge: boolean }[] = [
  { name: "with a challenge", card: { number: "4000002760003184", expiry: "0731", cvc: "927" }, challenge: true },
  { name: "without 3-D Secure", card: { number: "5555555555554444", expiry: "1133", cvc: "864" }, challenge: false },
  { name: "frictionless", card: { number: "4000000032200000", expiry: "0932", cvc: "739" }, challenge: false },
];

interface Recorder {
  seen: string[];
}

declare global {
  interface Window {
    recorder: Recorder;
  }
}

for (const { name, card, challenge } of runs) {
  test(`the shop's page learns no digit of the card, ${name}`, async ({ page }) => {
    const outside: string[] = [];
    page.on("console", (message) => outside.push(message.text()));
    page.on("request", (request) => {
      // Everything the shop's own document asks for, and every address whoever asks for it.
      outside.push(request.url());
      if (request.frame() === page.mainFrame()) outside.push(request.postData() ?? "", JSON.stringify(request.headers()));
    });
    await page.addInitScript(record, addresses.shop);

    const till = await goToTill(page, "script");
    await pay(till, card);
    if (challenge) await answerChallenge(page, "111111");
    await expectPaid(page);

    const inside = await page.evaluate(() => [
      ...(JSON.parse(sessionStorage.getItem("recorder") ?? "[]") as string[]),
      ...window.recorder.seen,
      document.documentElement.outerHTML,
      document.cookie,
      JSON.stringify(Object.entries(localStorage)),
      JSON.stringify(history.state),
      location.href,
    ]);
    const everything = [...inside, ...outside, page.url()];
    // The recorder did record: the hand-over's events, the frame's arrival, requests.
    expect(inside.join("\n")).toContain("complete");
    expect(inside.length).toBeGreaterThan(20);
    expect(outside.length).toBeGreaterThan(5);
    expect(everything.flatMap((text) => findCard(text, card))).toEqual([]);
  });
}

test("the check that looks for a card finds one", () => {
  const [{ card }] = runs as [(typeof runs)[number]];
  const digits = card.number;
  expect(findCard(`x ${digits} y`, card)).not.toEqual([]);
  expect(findCard(`{"n":"${digits.slice(3, 9)}"}`, card)).not.toEqual([]);
  expect(findCard(`${digits.slice(0, 4)} ${digits.slice(4, 8)} ${digits.slice(8)}`, card)).not.toEqual([]);
  expect(findCard(`cvc=${card.cvc}&`, card)).not.toEqual([]);
  expect(findCard(`exp: 07/31`, card)).not.toEqual([]);
  expect(findCard(`"${card.expiry}"`, card)).not.toEqual([]);
  expect(findCard(`x${card.cvc}y`, card)).not.toEqual([]);
  expect(findCard(`1${card.cvc}4`, card)).toEqual([]);
  expect(findCard(`id 0f9a${card.cvc}e-0000-4000-8000-0123456789ab`, card)).toEqual([]);
});

/**
 * Six or more digits of the number in a row (also across spaces and dashes), or the code or the expiry as a whole value. Random names (message ids,
 * object ids, client secrets) are left out: three digits stand in one of them by chance sooner or later, and none is made from a card.
 */
function findCard(text: string, { number, expiry, cvc }: Card): string[] {
  const said = randomNames.reduce((rest, name) => rest.replace(name, "(random)"), text);
  const joined = said.replace(/(?<=\d)[ -](?=\d)/g, "");
  const found: string[] = [];
  for (let at = 0; at + 6 <= number.length; at++) {
    const run = number.slice(at, at + 6);
    if (said.includes(run) || joined.includes(run)) found.push(`digits ${at} to ${at + 6} of the number`);
  }
  const [month, year] = [expiry.slice(0, 2), expiry.slice(2)];
  const wholes = {
    cvc,
    expiry,
    slashed: `${month}/${year}`,
    spaced: `${month} / ${year}`,
    long: `${month}/20${year}`,
    iso: `20${year}-${month}`,
  };
  for (const [name, value] of Object.entries(wholes)) {
    const at = said.search(new RegExp(`(?<!\\d)${value.replace("/", "\\/")}(?!\\d)`));
    if (at !== -1) found.push(`the ${name} in …${said.slice(Math.max(0, at - 30), at + 30)}…`);
  }
  return found;
}

const randomNames = [
  /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, // UUIDs
  /\b[a-z]{2,4}_[0-9a-z]{26,32}\b/g, // our ids and the shop's
  /#[\w-]{43}/g, // the client secret in an embed_url
  /\bpay-[\w-]{8}\.js/g, // a script's name has a piece of its hash
];

/** Runs in the shop's page before any script of it. Survives the page's own navigation in its session storage. */
function record(shopOrigin: string): void {
  if (location.origin !== shopOrigin) return;
  const seen: string[] = [];
  window.recorder = { seen };
  const note = (what: string, value: unknown) => {
    try {
      seen.push(`${what} ${typeof value === "string" ? value : JSON.stringify(value)}`);
    } catch {
      seen.push(`${what} (not JSON)`);
    }
  };

  window.addEventListener("message", (event) => note("message", { origin: event.origin, data: event.data as unknown }), true);
  const addListener = MessagePort.prototype.addEventListener;
  MessagePort.prototype.addEventListener = function (this: MessagePort, ...args: Parameters<typeof addListener>) {
    if (args[0] === "message")
      addListener.call(this, "message", (event) => note("port in", (event as MessageEvent<unknown>).data));
    addListener.apply(this, args);
  };
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
    note("port out", args[0]);
    return Reflect.apply(post, this, args) as undefined;
  };
  const changes = new MutationObserver((records) => {
    for (const { type, target, attributeName, addedNodes } of records) {
      const element = target instanceof Element ? target : null;
      note(`dom ${type}`, [
        attributeName,
        attributeName === null ? null : element?.getAttribute(attributeName),
        [...addedNodes].map((node) => (node instanceof Element ? node.outerHTML : node.textContent)),
      ]);
    }
  });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  window.addEventListener("pagehide", () =>
    sessionStorage.setItem(
      "recorder",
      JSON.stringify([...(JSON.parse(sessionStorage.getItem("recorder") ?? "[]") as string[]), ...seen]),
    ),
  );
}
