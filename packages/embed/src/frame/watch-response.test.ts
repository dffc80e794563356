/**
 * Unresponsive iframes: the diagnosis, the retry, the replacement and the error codes. Uses fake timers.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageWithContainer } from "../../test/empty-page.ts";
import { embedUrl, origin, play, readyDetail } from "../../test/simulated-frame.ts";
import type { CheckoutErrorCode } from "../api/checkout-error.ts";
import type { CheckoutHandle } from "../api/checkout-handle.ts";
import type { CheckoutOptions } from "../api/checkout-options.ts";
import { mountCheckout } from "../checkout/create-checkout.ts";

let container: HTMLElement;
let checkout: CheckoutHandle;
const received: CheckoutErrorCode[] = [];

beforeEach(() => {
  container = pageWithContainer();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  received.length = 0;
});

afterEach(() => {
  checkout.destroy();
  if (vi.isFakeTimers()) vi.runAllTimers();
  vi.useRealTimers();
});

function mount(options: Partial<CheckoutOptions> = {}): void {
  checkout = mountCheckout(container, { embedUrl, onError: ({ code }) => void received.push(code), ...options });
}

const frames = () => [...container.querySelectorAll("iframe")];
const form = () => frames().find((frame) => !frame.hidden);
const why = () => frames().find((frame) => frame.hidden);
const link = () => container.querySelector("a")?.getAttribute("href") ?? null;

/** The form's iframe, which exists until the checkout gives up. */
function formFrame(): HTMLIFrameElement {
  const frame = form();
  if (!frame) throw new Error("the form's iframe was removed");
  return frame;
}

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await turn();
};

/** Ports respond in real time. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Simulates the hidden diagnostic iframe. */
async function playWhy() {
  const diagnosis = why();
  if (!diagnosis) throw new Error("no diagnosis was started");
  const playing = play(diagnosis);
  for (let turns = 0; turns < 20; turns++) await pass(0);
  return { diagnosis, frame: await playing };
}

/** Lets the hidden iframe report the session's status. */
async function answerWhy(detail: { session: string; listed: boolean }): Promise<void> {
  const { frame } = await playWhy();
  await frame.send("why", detail);
  await pass(0);
}

/** The same page with a different URL, because navigating to the same one would only jump to the fragment. */
const again = embedUrl.replace("#", "?&again=1#");

const well = { session: "open", listed: true };

test("reloads once, then shows the link and reports network if neither iframe responds", async () => {
  mount();
  const { replaced } = await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  expect(why()?.style.display).toBe("none");
  expect(why()?.getAttribute("src")).toMatch(
    /^https:\/\/pay\.example\.com\/embed\/v1\/why\?session=cs_one&d=[0-9a-z]{10}$/,
  );
  await pass(4_000);
  expect(replaced).toEqual([again]);
  await play(formFrame(), { speaks: "mute" });
  await pass(7_000);
  expect(received).toEqual(["network"]);
  expect(form()).toBe(undefined);
  expect(link()).toBe(embedUrl);
  expect(checkout.state).toBe("error");
});

test("in a prerendered page, the time starts when the customer arrives", async () => {
  Object.defineProperty(Document.prototype, "prerendering", { configurable: true, value: true });
  mount();
  await pass(60_000);
  expect(why()).toBe(undefined);
  expect(received).toEqual([]);
  document.dispatchEvent(new Event("prerenderingchange"));
  Reflect.deleteProperty(Document.prototype, "prerendering");
  await pass(60_000);
  expect(received).toEqual(["network"]);
});

test("the link is in the form's language", async () => {
  mount({ locale: "ar-EG" });
  await play(formFrame(), { speaks: "mute" });
  await pass(60_000);
  const { lang, dir, textContent } = container.querySelector("a") ?? {};
  expect({ lang, dir, textContent }).toEqual({ lang: "ar", dir: "auto", textContent: "المتابعة إلى الدفع" });
});

test("the link doesn't expose this page's path or window, and is announced to screen readers", async () => {
  mount();
  await play(formFrame(), { speaks: "mute" });
  await pass(60_000);
  const anchor = container.querySelector("a");
  expect(anchor?.rel).toBe("noopener");
  expect(anchor?.referrerPolicy).toBe("strict-origin");
  expect(anchor?.parentElement?.getAttribute("role")).toBe("status");
});

test('fallback "link" doesn\'t navigate', async () => {
  const onRedirect = vi.fn<NonNullable<CheckoutOptions["onRedirect"]>>(({ preventDefault }) => preventDefault());
  mount({ onRedirect });
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy({ session: "open", listed: false });
  await pass(10);
  expect(link()).toBe(embedUrl);
  expect(onRedirect).not.toHaveBeenCalled();
});

test("emits frame_refused after one reload if the service reports no problem", async () => {
  mount();
  const first = await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy(well);
  expect(first.replaced).toEqual([again]);
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy(well);
  expect(received).toEqual(["frame_refused"]);
  expect(link()).toBe(embedUrl);
});

test.each([
  [{ session: "open", listed: false }, "origin_not_allowed"],
  [{ session: "expired", listed: true }, "session_expired"],
  [{ session: "invalid", listed: false }, "session_invalid"],
] as const)("if the service reports %j, emits %s immediately without a reload", async (detail, code) => {
  mount();
  const { replaced } = await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy(detail);
  expect(received).toEqual([code]);
  expect(replaced).toEqual([]);
  expect(why()).toBe(undefined);
});

test("keeps an iframe that sent its receipt but never becomes ready, with the link below it", async () => {
  mount();
  const frame = formFrame();
  await play(frame, { speaks: "receipt" });
  await pass(14_999);
  expect(received).toEqual([]);
  await pass(1);
  await answerWhy(well);
  expect(received).toEqual(["handshake_timeout"]);
  expect(form()).toBe(frame);
  expect(link()).toBe(embedUrl);
});

test("shows a kept iframe without the skeleton", async () => {
  mount({ loader: "always" });
  const frame = formFrame();
  await play(frame, { speaks: "receipt" });
  expect(frame.style.visibility).toBe("hidden");
  expect(frame.parentElement?.style.background).not.toBe("");
  await pass(15_000);
  await answerWhy(well);
  expect(received).toEqual(["handshake_timeout"]);
  expect(frame.style.visibility).toBe("");
  expect(frame.parentElement?.style.background).toBe("");
});

test('loader "never" shows no skeleton', () => {
  mount({ loader: "never" });
  expect(formFrame().style.visibility).toBe("");
  expect(formFrame().parentElement?.style.background).toBe("");
});

test("reloads once and gives up without a load event, which some browsers don't fire for a blocked iframe", async () => {
  mount();
  const replaced: string[] = [];
  Object.defineProperty(formFrame(), "contentWindow", {
    value: { location: { replace: (href: string) => replaced.push(href) } },
  });
  await pass(7_499);
  expect(why()).toBe(undefined);
  await pass(1);
  await answerWhy(well);
  expect(replaced).toEqual([again]);
  await pass(7_500);
  await answerWhy(well);
  expect(received).toEqual(["frame_refused"]);
  expect(form()).toBe(undefined);
  expect(link()).toBe(embedUrl);
});

test("doesn't reload an iframe that has the focus", async () => {
  mount();
  const frame = formFrame();
  frame.focus();
  const { replaced } = await play(frame, { speaks: "mute" });
  await pass(3_000);
  await answerWhy(well);
  expect(received).toEqual([]);
  await pass(12_000);
  await answerWhy(well);
  expect(replaced).toEqual([]);
  expect(received).toEqual(["frame_refused"]);
  expect(form()).toBe(frame);
});

test("removes the link if the iframe responds after all", async () => {
  vi.useRealTimers();
  mount({ timeout: 40 });
  const frame = await play(formFrame());
  await vi.waitFor(() => expect(why()).not.toBe(undefined));
  const diagnosis = why();
  if (diagnosis) await (await play(diagnosis)).send("why", well);
  await vi.waitFor(() => expect(received).toEqual(["handshake_timeout"]));
  await frame.send("ready", readyDetail);
  expect(link()).toBe(null);
  expect(checkout.state).toBe("ready");
});

test("reports a violation of this page's policy immediately, for its own iframe only", async () => {
  mount();
  const refuse = (blockedURI: string, effectiveDirective = "frame-src", disposition = "enforce") =>
    document.dispatchEvent(
      Object.assign(new Event("securitypolicyviolation"), { blockedURI, effectiveDirective, disposition }),
    );
  refuse("https://other.example.com/");
  refuse(origin, "img-src");
  refuse(origin, "frame-src", "report");
  refuse(origin, "fenced-frame-src");
  expect(received).toEqual([]);
  refuse(origin);
  expect(received).toEqual(["csp_blocked"]);
  expect(link()).toBe(embedUrl);
});

test("ignores events from a removed iframe", async () => {
  vi.useRealTimers();
  mount();
  const frame = await play(formFrame());
  document.dispatchEvent(
    Object.assign(new Event("securitypolicyviolation"), {
      blockedURI: origin,
      effectiveDirective: "frame-src",
      disposition: "enforce",
    }),
  );
  void frame.send("ready", readyDetail).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(received).toEqual(["csp_blocked"]);
  expect(checkout.state).toBe("error");
});

test("emits protocol_mismatch without a common version, and keeps the form, which works without the loader", async () => {
  mount();
  await play(formFrame(), { protocol: null });
  await vi.waitUntil(() => received.length > 0);
  expect(received).toEqual(["protocol_mismatch"]);
  expect(form()).not.toBe(undefined);
  expect(link()).toBe(embedUrl);
});

test('fallback "error" shows nothing instead of the iframe', async () => {
  mount({ fallback: "error" });
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy({ session: "open", listed: false });
  expect(received).toEqual(["origin_not_allowed"]);
  expect(container.childElementCount).toBe(0);
});

test("keeps an iframe that has the focus, regardless of the diagnosis", async () => {
  mount();
  const frame = formFrame();
  frame.focus();
  await play(frame, { speaks: "mute" });
  await pass(3_000);
  await answerWhy({ session: "open", listed: false });
  expect(form()).toBe(frame);
  expect(link()).toBe(embedUrl);
});

test("doesn't give up outside the document, where the iframe loads again when it's inserted", async () => {
  mount();
  container.remove();
  await pass(60_000);
  expect(received).toEqual([]);
  expect(frames()).toHaveLength(1);
});

test('fallback "redirect" navigates to the full page once, and never for an ended session', async () => {
  const goes: string[] = [];
  const onRedirect: NonNullable<CheckoutOptions["onRedirect"]> = ({ url, reason, preventDefault }) => {
    goes.push(`${reason} ${url}`);
    preventDefault();
  };
  const giveUp = async (detail: { session: string; listed: boolean }) => {
    mount({ fallback: "redirect", onRedirect });
    await play(formFrame(), { speaks: "mute" });
    await pass(3_000);
    await answerWhy(detail);
    await pass(10);
    checkout.destroy();
    await pass(10);
  };
  await giveUp({ session: "expired", listed: true });
  expect(goes).toEqual([]);
  await giveUp({ session: "open", listed: false });
  await giveUp({ session: "open", listed: false });
  expect(goes).toEqual([`fallback ${embedUrl}`]);
});

test("a failure is an unhandled rejection only without an error listener", async () => {
  vi.useRealTimers();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  const before = process.listeners("unhandledRejection");
  process.on("unhandledRejection", note);
  for (const listener of before) process.off("unhandledRejection", listener);
  const refuse = () =>
    document.dispatchEvent(
      Object.assign(new Event("securitypolicyviolation"), {
        blockedURI: origin,
        effectiveDirective: "frame-src",
        disposition: "enforce",
      }),
    );
  try {
    mount();
    refuse();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);
    checkout.destroy();
    checkout = mountCheckout(container, { embedUrl });
    refuse();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([expect.objectContaining({ code: "csp_blocked" })]);
  } finally {
    process.off("unhandledRejection", note);
    for (const listener of before) process.on("unhandledRejection", listener);
  }
});

/** Simulates the form's iframe with fake timers. */
async function playForm() {
  const playing = play(formFrame());
  for (let turns = 0; turns < 20; turns++) await pass(0);
  return playing;
}

test.each([
  ["the service would refuse the page", { session: "open", listed: false }],
  ["there is no problem", well],
])("keeps a form that becomes ready during the diagnosis, even if the result is that %s", async (_what, detail) => {
  mount();
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  const diagnosis = why();
  if (!diagnosis) throw new Error("no diagnosis was started");
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  await answerWhy(detail);
  expect(received).toEqual([]);
  expect(frame.replaced).toEqual([]);
  expect(checkout.state).toBe("ready");
});

test("waits until the timeout if the receipt arrives during the diagnosis", async () => {
  mount();
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  const { replaced } = await play(formFrame(), { speaks: "receipt" });
  await answerWhy({ session: "open", listed: false });
  expect(received).toEqual([]);
  expect(replaced).toEqual([]);
});

test.each([
  ["visibility: hidden", ["frame_hidden"]],
  ["opacity: 0", ["frame_hidden"]],
  ["visibility: visible", []],
])(
  "keeps a ready form that the page gives the style %s, with the errors %j after two seconds",
  async (style, codes) => {
    mount();
    const frame = await playForm();
    await frame.send("ready", readyDetail);
    formFrame().style.cssText += `; ${style}`;
    await pass(1_999);
    expect(received).toEqual([]);
    await pass(1);
    expect(received).toEqual(codes);
    expect(form()).not.toBe(undefined);
    expect(link()).toBe(codes.length === 0 ? null : embedUrl);
  },
);

test("a hidden container, such as a closed tab panel, isn't a failure", async () => {
  mount();
  container.style.visibility = "hidden";
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  await pass(2_000);
  expect(received).toEqual([]);
});

test("hiding the form during a payment isn't a failure", async () => {
  mount();
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  formFrame().style.visibility = "hidden";
  await pass(2_000);
  expect(received).toEqual([]);
});

test("a reloaded form is loading and has the full timeout again", async () => {
  mount();
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  await pass(10_000);
  await play(formFrame(), { speaks: "receipt" });
  expect(checkout.state).toBe("loading");
  await pass(14_999);
  expect(why()).toBe(undefined);
  await pass(1);
  await answerWhy(well);
  expect(received).toEqual(["handshake_timeout"]);
});

test("a reloaded form that is refused is retried, even if its first load was retried", async () => {
  mount();
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy(well);
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  const { replaced } = await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy(well);
  expect(replaced).toEqual([again]);
  expect(received).toEqual([]);
});

test("a challenge that is reloaded before a form was ready has the full timeout again", async () => {
  mount();
  const frame = await playForm();
  await frame.send("challengestart", { windowSize: "05", presentation: "inline" });
  await pass(10_000);
  await play(formFrame(), { speaks: "receipt" });
  await pass(14_999);
  expect(why()).toBe(undefined);
  await pass(1);
  expect(why()).not.toBe(undefined);
});

test("runs no diagnosis once the form is ready", async () => {
  mount();
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  await pass(15_000);
  expect(why()).toBe(undefined);
  expect(received).toEqual([]);
});

test("runs no diagnosis after an error", async () => {
  mount();
  await play(formFrame(), { protocol: null });
  await pass(0);
  expect(received).toEqual(["protocol_mismatch"]);
  await pass(15_000);
  expect(why()).toBe(undefined);
});

test("a reloaded paid checkout stays complete without a diagnosis", async () => {
  mount();
  const frame = await playForm();
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  const { replaced } = await play(formFrame(), { speaks: "mute" });
  expect(checkout.state).toBe("complete");
  await pass(3_000);
  expect(why()).toBe(undefined);
  await pass(12_000);
  expect(replaced).toEqual([]);
  expect(checkout.state).toBe("complete");
});

test("doesn't reload an iframe that is destroyed during the diagnosis", async () => {
  mount();
  const { replaced } = await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  checkout.destroy();
  await pass(10_000);
  expect(replaced).toEqual([]);
  expect(frames()).toEqual([]);
});

test("doesn't give up before the second load or the timeout", async () => {
  mount();
  const { replaced } = await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  await answerWhy(well);
  expect(replaced).toEqual([again]);
  await pass(4_500);
  await answerWhy(well);
  expect(received).toEqual([]);
  await pass(7_500);
  await answerWhy(well);
  expect(received).toEqual(["frame_refused"]);
});

test("accepts only the why event from the diagnostic iframe", async () => {
  mount();
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  const { diagnosis, frame } = await playWhy();
  await frame.send("ready", readyDetail);
  await frame.send("nothing of ours", {});
  await pass(0);
  expect(why()).toBe(diagnosis);
  await frame.send("why", { session: "open", listed: false });
  await pass(0);
  expect(received).toEqual(["origin_not_allowed"]);
});

test("ignores the first load of a diagnostic iframe that was reloaded", async () => {
  mount();
  await play(formFrame(), { speaks: "mute" });
  await pass(3_000);
  const { diagnosis, frame: first } = await playWhy();
  await play(diagnosis, { speaks: "mute" });
  void first.send("why", { session: "expired", listed: true }).catch(() => {});
  for (let turns = 0; turns < 20; turns++) await pass(0);
  expect(received).toEqual([]);
  await answerWhy({ session: "open", listed: false });
  expect(received).toEqual(["origin_not_allowed"]);
});

test.each([
  ["leave", {}, false],
  ["expire", {}, false],
  ["expire", {}, true],
  ["error", { code: "sandboxed" }, true],
])("ignores %s from the iframe between destroy and the next task", async (name, detail, isReady) => {
  mount();
  const frame = await playForm();
  if (isReady) await frame.send("ready", readyDetail);
  checkout.destroy();
  await expect(frame.send(name, detail)).resolves.toBe(undefined);
  expect(received).toEqual([]);
  expect(link()).toBe(null);
});

test("sends no settings to an iframe that connects between destroy and the next task", async () => {
  mount();
  const { port } = await play(formFrame(), { speaks: "receipt" });
  checkout.destroy();
  const sent: unknown[] = [];
  port.addEventListener("message", ({ data }) => void sent.push(data));
  port.start();
  port.postMessage({ namespace: "penpal", type: "ACK1" });
  await turn();
  await turn();
  expect(sent).toContainEqual(expect.objectContaining({ type: "CALL", methodPath: ["update"], args: [undefined] }));
});

test("removes an iframe and its dialog as soon as tasks can run", async () => {
  mount();
  checkout.destroy();
  vi.advanceTimersByTime(0);
  expect(frames()).toEqual([]);
  mount({ presentation: "modal" });
  checkout.destroy();
  vi.advanceTimersByTime(1);
  expect(container.childElementCount).toBe(0);
});

test("doesn't report a hidden form if the browser lacks checkVisibility", async () => {
  mount();
  const frame = await playForm();
  Object.defineProperty(formFrame().parentElement, "checkVisibility", { value: undefined });
  Object.defineProperty(formFrame(), "checkVisibility", { value: undefined });
  await frame.send("ready", readyDetail);
  await pass(2_000);
  expect(received).toEqual([]);
  expect(checkout.state).toBe("ready");
});

test('fallback "error" also keeps an iframe without a common version', async () => {
  mount({ fallback: "error" });
  const frame = formFrame();
  await play(frame, { protocol: null });
  await pass(0);
  expect(received).toEqual(["protocol_mismatch"]);
  expect(form()).toBe(frame);
  expect(link()).toBe(null);
});

test.each([
  [
    "failed",
    async () => {
      await play(formFrame(), { speaks: "mute" });
      await pass(3_000);
      await answerWhy({ session: "open", listed: false });
    },
  ],
  ["was removed by the page", async () => container.replaceChildren()],
])("mounting again replaces an iframe that %s", async (_what, end) => {
  mount();
  const first = formFrame();
  await end();
  checkout.mount(container);
  expect(form()).not.toBe(undefined);
  expect(form()).not.toBe(first);
  expect(form()?.getAttribute("src")).toBe(embedUrl);
  expect(link()).toBe(null);
});

test("gives up on a form that doesn't respond after a reload while its payment was processing", async () => {
  mount();
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  await frame.send("complete", { sessionId: "cs_one", status: "processing", returnUrl: null });
  await play(formFrame(), { speaks: "mute" });
  expect(checkout).toMatchObject({ state: "loading", isPaymentPending: true });
  await pass(15_000);
  await pass(4_000); // the diagnosis doesn't respond either
  expect(received).toEqual(["network"]);
});

test("sends concurrent changes together after 100 ms", async () => {
  mount();
  const frame = await playForm();
  await frame.send("ready", readyDetail);
  const before = frame.received.length;
  const sent = () => frame.received.slice(before).filter((call) => call.startsWith("update "));
  const updates = [checkout.update({ locale: "fr" }), checkout.update({ locale: "de" })];
  await pass(99);
  expect(sent()).toEqual([]);
  await pass(1);
  await Promise.all(updates);
  expect(sent()).toEqual([expect.stringContaining('"locale":"de"')]);
});
