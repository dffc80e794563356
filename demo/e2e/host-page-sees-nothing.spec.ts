/**
 * What the shop's page can observe while its customer pays: every message it receives, every request it makes, every
 * change of its document, storage, URL and console. None of it may contain card data. Three runs use different numbers,
 * codes and expiries, so that a coincidental digit can't hide a leak.
 *
 * It also checks how the page is notified: always over the port, with documented fields only, and never by window
 * messages. None of our windows ever posts to `"*"`.
 */
import { expect, test } from "@playwright/test";
import { completeChallenge, expectPaid, goToForm, pay, type Card } from "./checkout.ts";
import { type PortMessage, undocumented } from "./recorder-port-messages.ts";
import { addresses } from "./urls.ts";

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
  test(`the shop's page learns no digit of the card, ${name}`, { tag: "@quick" }, async ({ page, browserName }) => {
    const outside: string[] = [];
    page.on("console", (message) => outside.push(message.text()));
    page.on("request", (request) => {
      // Every request of the shop's own document, and every requested URL, whoever requests it.
      outside.push(request.url());
      if (request.frame() === page.mainFrame())
        outside.push(request.postData() ?? "", JSON.stringify(request.headers()));
    });
    const targets: { in: string; target: unknown }[] = [];
    await page.exposeFunction("noteTarget", (where: string, target: unknown) => targets.push({ in: where, target }));
    // Our iframes run the same code in every browser, but only Chromium allows replacing windows with stand-ins.
    if (browserName === "chromium") await page.addInitScript(recordTargets, addresses.checkout);
    await page.addInitScript(record, addresses.shop);

    const form = await goToForm(page, "script");
    await pay(form, card);
    if (challenge) await completeChallenge(page, "111111");
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
    // The recorder works: it saw events from the iframe, the iframe's insertion and requests.
    expect(inside.join("\n")).toContain("complete");
    expect(inside.length).toBeGreaterThan(20);
    expect(outside.length).toBeGreaterThan(5);
    expect(everything.flatMap((text) => findCard(text, card))).toEqual([]);

    // One message is posted to the iframe's origin, and the rest go over the port. Messages among our iframes stay on
    // our origins.
    expect(inside.filter((line) => line.startsWith("message "))).toEqual([]);
    const posted = inside
      .filter((line) => line.startsWith("posted "))
      .map((line) => JSON.parse(line.slice("posted ".length)) as unknown);
    expect(posted).toEqual([[{ type: "oriel:init", protocol: [1] }, addresses.checkout]]);
    expect(targets.filter(({ target }) => target !== addresses.checkout)).toEqual([]);
    if (challenge && browserName === "chromium") expect(targets.length).toBeGreaterThan(1);
    const messages = inside.flatMap(readPortMessage);
    expect(messages.length).toBeGreaterThan(10);
    expect(undocumented(messages)).toEqual([]);
  });
}

test("the check of port messages finds undocumented ones", { tag: "@quick" }, () => {
  const call = (way: "in" | "out", method: string, ...args: unknown[]): PortMessage => ({
    way,
    data: { namespace: "penpal", type: "CALL", id: "1", methodPath: [method], args },
  });
  const documented = [
    call("in", "event", "focus", { field: "cvc" }),
    call("in", "event", "grow", {}),
    call("out", "room", { width: 1, height: 1, full: null }),
    call("out", "update", { locale: "fr" }),
    call("out", "destroy"),
    { way: "in", data: { type: "oriel:here", protocol: 1 } },
  ] as const;
  expect(undocumented(documented)).toEqual([]);
  const others: PortMessage[] = [
    call("in", "event", "focus", { field: "cvc", value: "1" }),
    call("in", "event", "key", { field: "cvc" }),
    call("in", "event", "change", { complete: true }),
    call("in", "tell", "focus", { field: "cvc" }),
    call("out", "update", { number: "1" }),
    call("out", "destroy", { number: "1" }),
    call("out", "setAmount", 1),
    { way: "in", data: { type: "oriel:here", protocol: 1, origin: "x" } },
    { way: "in", data: { namespace: "penpal", type: "REPLY", callId: "9", value: "4242" } },
    { way: "in", data: { namespace: "penpal", type: "REPLY", callId: "1", value: undefined, stack: "x" } },
    { way: "in", data: "4242" },
  ];
  expect(undocumented(others)).toHaveLength(others.length);
});

test("the card check finds a card", { tag: "@quick" }, () => {
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
  expect(findCard(`port in {"type":"CALL","id":"0.qx3gcla${card.cvc}"}`, card)).toEqual([]);
  expect(findCard(`"{\\"type\\":\\"REPLY\\",\\"callId\\":\\"0.qx3gcla${card.cvc}\\"}"`, card)).toEqual([]);
  expect(findCard(`{"id":"${card.cvc}","callId":"${card.number}"}`, card)).not.toEqual([]);
});

/**
 * Finds six or more consecutive digits of the number (also across spaces and dashes), or the code or the expiry as a
 * whole value. Random names (message IDs, object IDs, client secrets) are excluded, because they contain any three
 * digits sooner or later and none is derived from a card.
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
  /\b[a-z]{2,4}_[0-9a-z]{26,33}\b/g, // our IDs and the shop's
  /"(?:id|callId)\\?":\\?"0\.[0-9a-z]+/g, // penpal's message IDs
  /#[\w-]{43}/g, // the client secret in an embed_url
  /\bpay-[\w-]{8}\.js/g, // a script's name contains part of its hash
];

/** Parses a recorded line if it's about a port message. */
function readPortMessage(line: string): PortMessage[] {
  const [, way, data] = /^port (in|out) (.*)$/s.exec(line) ?? [];
  return data === undefined ? [] : [{ way: way === "in" ? "in" : "out", data: JSON.parse(data) as unknown }];
}

/**
 * Runs in each of our iframes before its scripts and replaces other windows by stand-ins that record the target of
 * messages. The stand-ins stay comparable: a message's sender is always the same one.
 */
function recordTargets(checkoutOrigin: string): void {
  if (location.origin !== checkoutOrigin) return;
  // The test exposes this function.
  const noteTarget = Reflect.get(window, "noteTarget") as (where: string, target: unknown) => void;
  const known = new WeakMap<object, Window>();
  const proxyOf = (real: Window | null): Window | null => {
    if (real === null || real === window) return real;
    const before = known.get(real);
    if (before) return before;
    const made: Window = new Proxy(real, {
      get(target, key) {
        if (key === "parent" || key === "top") return proxyOf(target[key]);
        if (key !== "postMessage") return Reflect.get(target, key) as unknown;
        return (message: unknown, origin: string, ...rest: [Transferable[]]) => {
          noteTarget(location.pathname, origin);
          target.postMessage(message, origin, ...rest);
        };
      },
    });
    known.set(real, made);
    return made;
  };
  const replace = (owner: object, name: string) => {
    const getter = Object.getOwnPropertyDescriptor(owner, name)?.get;
    Object.defineProperty(owner, name, {
      get(this: unknown) {
        return proxyOf(getter?.call(this) as Window | null); // all of these getters return a window or null
      },
    });
  };
  replace(window, "parent");
  replace(HTMLIFrameElement.prototype, "contentWindow");
  replace(MessageEvent.prototype, "source");
}

/** Runs in the shop's page before its scripts. Keeps its records in session storage across navigation. */
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

  window.addEventListener(
    "message",
    (event) => note("message", { origin: event.origin, data: event.data as unknown }),
    true,
  );
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
  // A window of another origin can't be patched, so the page gets one that records what's posted to it.
  const getter = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, "contentWindow")?.get;
  Object.defineProperty(HTMLIFrameElement.prototype, "contentWindow", {
    get(this: HTMLIFrameElement) {
      const inner = getter?.call(this) as Window | null; // this getter's type
      return (
        inner &&
        new Proxy(inner, {
          get: (target, key) =>
            key === "postMessage"
              ? (message: unknown, origin: string, ports: Transferable[]) => {
                  note("posted", [message, origin]);
                  target.postMessage(message, origin, ports);
                }
              : (Reflect.get(target, key) as unknown),
        })
      );
    },
  });
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
