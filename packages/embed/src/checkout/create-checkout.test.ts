/** The handle's lifecycle: mount, events, move, destroy. The iframe is simulated; see ../../test/simulated-frame.ts. */
import { expect, test, vi } from "vitest";
import { task } from "../../test/empty-page.ts";
import {
  frameElement,
  mount,
  mountAndPlay,
  mountWithBrokenAppend,
  playCheckouts,
} from "../../test/simulated-checkout.ts";
import { embedUrl, origin, otherEmbedUrl, play, readyDetail } from "../../test/simulated-frame.ts";
import type { CheckoutError } from "../api/checkout-error.ts";
import type { AnyCheckoutEvent } from "../api/checkout-events.ts";
import { createCheckout } from "./create-checkout.ts";

const readyEvent = { ...readyDetail, protocol: "1" };
const container = playCheckouts();
const iframe = () => container().querySelector("iframe");

test("the iframe has the exact URL and policy, a title, no sandbox, and styles set through CSSOM", () => {
  mount({ title: "Pay for the cup" });
  const element = iframe();
  expect(element?.getAttribute("src")).toBe(embedUrl);
  expect(element?.hasAttribute("sandbox")).toBe(false);
  expect(element?.title).toBe("Pay for the cup");
  expect(element?.referrerPolicy).toBe("strict-origin");
  expect(element?.getAttribute("allow")).toBe(
    `payment ${origin}; publickey-credentials-get ${origin}; publickey-credentials-create ${origin}; otp-credentials ${origin}`,
  );
  const { display, width, height, border } = element?.style ?? {};
  expect({ display, width, height, border }).toEqual({
    display: "block",
    width: "100%",
    height: "420px",
    border: "0px",
  });
  expect(document.querySelector("style")).toBe(null);
});

test("posts one init with one port to the iframe's exact origin per load", async () => {
  const { element, frame } = await mountAndPlay();
  expect(frame.inits).toEqual([{ message: { type: "oriel:init", protocol: [1] }, targetOrigin: origin }]);
  const again = await play(element);
  expect(again.inits).toHaveLength(1);
  expect(frame.inits).toHaveLength(1);
});

test("a reload closes the old connection, whose messages are ignored", async () => {
  const onDecline = vi.fn();
  const { element, frame } = await mountAndPlay({ onDecline });
  const decline = { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 };
  await frame.send("decline", decline);
  expect(onDecline).toHaveBeenCalledOnce();
  await play(element, { speaks: "mute" });
  void frame.send("decline", decline).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(onDecline).toHaveBeenCalledOnce();
});

test("passes events with only documented fields to callbacks, listeners and the wildcard", async () => {
  const onReady = vi.fn();
  const { checkout, frame, element } = await mountAndPlay({ onReady });
  const received: AnyCheckoutEvent[] = [];
  checkout.on("*", (event) => received.push(event));
  expect(checkout.state).toBe("loading");

  await frame.send("ready", { ...readyDetail, number: "4242424242424242", extra: 1 });
  await expect(checkout.ready).resolves.toBeUndefined();
  expect(checkout.state).toBe("ready");
  expect(onReady).toHaveBeenCalledExactlyOnceWith(readyEvent);

  await frame.send("resize", { height: 333 });
  expect(element.style.height).toBe("333px");
  expect(checkout.state).toBe("ready");
  await frame.send("submit", {});
  expect(checkout.state).toBe("submitting");
  await frame.send("challengestart", { windowSize: "02", presentation: "inline" });
  expect(checkout.state).toBe("challenge");
  await frame.send("challengeend", { outcome: "failed" });
  expect(checkout.state).toBe("submitting");
  await frame.send("decline", {
    code: "authentication_failed",
    message: "Try again.",
    retryable: true,
    attempt: 1,
    attemptsLeft: 4,
  });
  expect(checkout.state).toBe("ready");
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  expect(checkout.state).toBe("complete");
  expect(received.map((event) => event.type)).toEqual([
    "ready",
    "resize",
    "submit",
    "challengestart",
    "challengeend",
    "decline",
    "complete",
  ]);
  expect(JSON.stringify(received)).not.toContain("4242");
});

test.each([
  ["an unknown name", "paid", {}],
  ["a name from the prototype", "constructor", {}],
  ["a missing detail", "ready", undefined],
  ["a wrong type", "resize", { height: "300" }],
  ["a number that isn't an integer", "resize", { height: 1.5 }],
  ["a string that is too long", "error", { code: "x".repeat(2049) }],
  [
    "a list that is too long",
    "change",
    { complete: true, empty: false, errors: [], networkChoices: Array(17).fill("visa") },
  ],
  [
    "data that is nested too deeply",
    "change",
    { complete: true, empty: false, errors: [[[[[1]]]]], networkChoices: [] },
  ],
  ["a missing field", "ready", { sessionId: "cs_one", livemode: false }],
  ["an event that only the diagnostic iframe may send", "why", { session: "open", listed: true }],
])("ignores an invalid event: %s", async (_what, name, detail) => {
  const { checkout, frame } = await mountAndPlay();
  const received = vi.fn();
  checkout.on("*", received);
  await expect(frame.send(name, detail)).resolves.toBeUndefined();
  expect(received).not.toHaveBeenCalled();
  expect(checkout.state).toBe("loading");
});

test("emits complete once per status, even if the iframe is reloaded", async () => {
  const onComplete = vi.fn();
  const { element, frame } = await mountAndPlay({ onComplete });
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  const again = await play(element);
  await again.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  expect(onComplete).toHaveBeenCalledOnce();
});

test("emits a payment that awaits confirmation once, although the reloaded form is ready again", async () => {
  const onComplete = vi.fn();
  const { element, frame } = await mountAndPlay({ onComplete });
  const detail = {
    sessionId: "cs_one",
    status: "requires_confirmation",
    paymentMethodId: "pm_1",
    decisionId: "dec_1",
    returnUrl: null,
  };
  await frame.send("submit", {});
  await frame.send("complete", detail);
  const again = await play(element);
  await again.send("ready", { ...readyDetail, isPaymentPending: false });
  await again.send("complete", detail);
  expect(onComplete).toHaveBeenCalledOnce();
});

test("after a reload during a slow payment, `submit` is followed by `complete`", async () => {
  const { checkout, element, frame } = await mountAndPlay();
  const received: string[] = [];
  checkout.on("*", ({ type }) => void received.push(type));
  const processing = { sessionId: "cs_one", status: "processing", returnUrl: null };
  await frame.send("submit", {});
  await frame.send("complete", processing);
  const again = await play(element);
  await again.send("ready", { ...readyDetail, isPaymentPending: true });
  await again.send("submit", {});
  await again.send("complete", processing);
  expect(received.slice(-3)).toEqual(["ready", "submit", "complete"]);
});

test("a checkout that mounts a completed session's iframe receives complete too", async () => {
  const { frame } = await mountAndPlay();
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  const onComplete = vi.fn();
  const joined = mount({ onComplete });
  await joined.ready;
  expect(onComplete).toHaveBeenCalledOnce();
  expect(joined.state).toBe("complete");
});

test("a mount that fails halfway can be repeated", async () => {
  const append = vi.spyOn(container(), "append").mockImplementationOnce(() => {
    throw new Error("replaced by the page");
  });
  const checkout = mount({ onError() {} });
  await task();
  expect(append).toHaveBeenCalled();
  expect(checkout.state).toBe("error");
  checkout.mount(container());
  await task();
  expect(checkout.state).toBe("loading");
  expect(document.querySelectorAll("iframe")).toHaveLength(1);
});

test("a mount that fails halfway during a payment can be repeated", async () => {
  const { checkout, frame } = await mountAndPlay({ onError() {} });
  await frame.send("submit", {});
  const other = document.body.appendChild(document.createElement("div"));
  vi.spyOn(other, "append").mockImplementationOnce(() => {
    throw new Error("replaced by the page");
  });
  checkout.mount(other);
  await task();
  expect(other.querySelector("iframe")).toBe(null);
  checkout.mount(other);
  await task();
  expect(other.querySelectorAll("iframe")).toHaveLength(1);
  expect(checkout.isPaymentPending).toBe(true);
});

test("two checkouts of a session share the iframe in a container that isn't in the page yet", async () => {
  const detached = document.createElement("div");
  const first = mount({}, detached);
  mount({}, detached);
  await task();
  expect(first.state).toBe("loading");
  expect(detached.querySelectorAll("iframe")).toHaveLength(1);
});

test("a joining checkout that is destroyed on `loadstart` receives nothing more", async () => {
  const { frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  const onReady = vi.fn();
  const joined = mount({ onLoadStart: () => joined.destroy(), onReady });
  await task();
  expect(onReady).not.toHaveBeenCalled();
});

test("emits complete for each attempt, even with the same status", async () => {
  const onComplete = vi.fn();
  const { frame } = await mountAndPlay({ onComplete });
  const processing = { sessionId: "cs_one", status: "processing", returnUrl: null };
  for (const attempt of [1, 2]) {
    await frame.send("submit", {});
    await frame.send("complete", processing);
    await frame.send("complete", processing);
    expect(onComplete).toHaveBeenCalledTimes(attempt);
    await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt, attemptsLeft: 4 });
  }
});

test("a payment is pending until its outcome is known, also when the session is mounted again", async () => {
  const errors: CheckoutError[] = [];
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const { checkout, frame } = await mountAndPlay({
    embedUrl,
    fetchEmbedUrl,
    onError: (error) => void errors.push(error),
  });
  await frame.send("ready", readyDetail);
  expect(checkout.isPaymentPending).toBe(false);
  await frame.send("submit", {});
  expect(checkout.isPaymentPending).toBe(true);
  checkout.unmount();
  await task();
  expect(checkout).toMatchObject({ state: "idle", isPaymentPending: true });
  checkout.mount(container());
  const again = await play(frameElement());
  await again.send("error", { code: "network" });
  expect(errors).toMatchObject([{ mayHavePaid: true, retryable: false }]);
  checkout.mount(document.body);
  await task();
  expect(fetchEmbedUrl).not.toHaveBeenCalled();
  const last = await play(frameElement());
  await last.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  expect(checkout.isPaymentPending).toBe(false);
  await last.send("submit", {});
  checkout.destroy();
  expect(checkout.isPaymentPending).toBe(false);
});

test.each([true, false])(
  "after a reload during a payment, `ready` says whether it's still pending: %s",
  async (isPaymentPending) => {
    const { checkout, element, frame } = await mountAndPlay();
    await frame.send("ready", readyDetail);
    await frame.send("submit", {});
    const again = await play(element);
    expect(checkout).toMatchObject({ state: "loading", isPaymentPending: true });
    const pending: boolean[] = [];
    checkout.on("ready", () => pending.push(checkout.isPaymentPending));
    await again.send("ready", { ...readyDetail, isPaymentPending });
    expect(pending).toEqual([isPaymentPending]);
  },
);

test("reports a listener that throws and still calls the next one", async () => {
  const thrown: string[] = [];
  const later = setTimeout;
  vi.stubGlobal("setTimeout", (job: () => void, ms?: number) => {
    if (ms !== undefined) return later(job, ms);
    try {
      job();
    } catch (error) {
      thrown.push((error as Error).message); // the listener throws nothing else
    }
  });
  const received = vi.fn();
  const { checkout, frame } = await mountAndPlay({
    onReady: () => {
      throw new Error("the merchant's bug");
    },
  });
  checkout.on("ready", received);
  await expect(frame.send("ready", readyDetail)).resolves.toBeUndefined();
  expect(received).toHaveBeenCalledOnce();
  expect(thrown).toEqual(["the merchant's bug"]);
  vi.unstubAllGlobals();
});

test("an error from the iframe rejects ready and keeps the iframe, which shows the error", async () => {
  const { checkout, frame } = await mountAndPlay({ onError() {} });
  await frame.send("error", { code: "session_expired" });
  await expect(checkout.ready).rejects.toMatchObject({
    name: "CheckoutError",
    code: "session_expired",
    retryable: false,
  });
  expect(iframe()).not.toBe(null);
});

test("destroy notifies the iframe, removes it a task later, is idempotent and makes all methods safe", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.destroy();
  checkout.destroy();
  expect(iframe()).not.toBe(null);
  expect(checkout.state).toBe("destroyed");
  await task();
  expect(iframe()).toBe(null);
  await vi.waitFor(() => expect(frame.received).toContain("destroy"));

  expect(checkout.mount(container())).toBe(checkout);
  expect(iframe()).toBe(null);
  checkout.unmount();
  checkout.redirect();
  checkout.cancelChallenge();
  checkout.on("ready", () => {})();
  expect(location.href).not.toContain("pay.example.com");
});

test("destroying before ready rejects ready without an unhandled rejection", async () => {
  const { ready, destroy } = mount();
  destroy();
  await expect(ready).rejects.toMatchObject({ code: "destroyed", retryable: false, mayHavePaid: false });
});

test("mount, destroy and mount in one task reuse the iframe", async () => {
  const first = mount();
  const element = iframe();
  first.destroy();
  const onReady = vi.fn();
  const second = mount({ onReady });
  await task();
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()).toBe(element);
  const frame = await play(frameElement());
  await frame.send("ready", readyDetail);
  expect(onReady).toHaveBeenCalledOnce();
  expect(second.state).toBe("ready");
});

test("a checkout that reuses a ready iframe receives ready, too", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.destroy();
  const onReady = vi.fn();
  const second = mount({ onReady });
  await expect(second.ready).resolves.toBeUndefined();
  expect(onReady).toHaveBeenCalledExactlyOnceWith({ ...readyEvent, isPaymentPending: false });
});

test("`ready` can be read before mounting, and resolves when the form is ready", async () => {
  const checkout = createCheckout({ embedUrl });
  const { ready } = checkout;
  checkout.mount(container());
  await (await play(frameElement())).send("ready", readyDetail);
  await expect(ready).resolves.toBeUndefined();
  checkout.destroy();
});

test("a checkout that is destroyed during an event doesn't receive it", async () => {
  const late = vi.fn();
  mount({
    onReady() {
      second.destroy();
      second.on("ready", late);
    },
  });
  const second = mount({ onReady: late });
  await (await play(frameElement())).send("ready", readyDetail);
  expect(second.state).toBe("destroyed");
  expect(late).not.toHaveBeenCalled();
});

test("mounting the same session again doesn't move or change the iframe", () => {
  mount({ locale: "fr" });
  const element = frameElement();
  const below = container().appendChild(document.createElement("p"));
  mount({ locale: "de" });
  expect(JSON.parse(element.name)).toMatchObject({ locale: "fr" });
  expect(container().lastElementChild).toBe(below);
});

test("doesn't connect to an iframe that loads after being removed", async () => {
  const { checkout, element } = await mountAndPlay();
  checkout.destroy();
  await task();
  await expect(play(element)).rejects.toThrow("posted no init");
});

test("keeps an iframe until the last checkout that uses it is destroyed", async () => {
  const first = mount();
  const second = mount();
  first.destroy();
  await task();
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  second.destroy();
  await task();
  expect(iframe()).toBe(null);
});

test("another session in the same container replaces the first", () => {
  const first = mount();
  mount({ embedUrl: otherEmbedUrl });
  expect(first.state).toBe("destroyed");
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("reuses the iframe of a session that replaced another one", async () => {
  mount();
  mount({ embedUrl: otherEmbedUrl });
  const element = iframe();
  await task();
  mount({ embedUrl: otherEmbedUrl });
  expect(iframe()).toBe(element);
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
});

test("unmount removes the iframe and keeps the listeners for the next mount", async () => {
  const onReady = vi.fn();
  const { checkout } = await mountAndPlay({ onReady });
  checkout.unmount();
  await task();
  expect(iframe()).toBe(null);
  expect(checkout.state).toBe("idle");
  checkout.mount(container());
  const element = frameElement();
  const frame = await play(element);
  await frame.send("ready", readyDetail);
  expect(onReady).toHaveBeenCalledOnce();
});

test("mounting in the same container again does nothing", async () => {
  const { checkout, element, frame } = await mountAndPlay();
  const onReady = vi.fn();
  checkout.on("ready", onReady);
  await frame.send("ready", readyDetail);
  checkout.mount("#checkout");
  await task();
  expect(iframe()).toBe(element);
  expect(onReady).toHaveBeenCalledOnce();
});

test("mounting in another container moves the checkout", async () => {
  const { checkout } = await mountAndPlay();
  const other = document.createElement("div");
  document.body.append(other);
  checkout.mount(other);
  await task();
  expect(iframe()).toBe(null);
  expect(other.querySelectorAll("iframe")).toHaveLength(1);
});

test("mounting without a document, as on a server, throws that it needs a browser", () => {
  const checkout = createCheckout({ embedUrl });
  vi.stubGlobal("document", undefined);
  expect(() => checkout.mount("#checkout")).toThrow("mount needs a browser");
  vi.unstubAllGlobals();
});

test("an element of another window throws a clear error", () => {
  const other = document.implementation.createHTMLDocument().createElement("div");
  expect(() => mount({}, other)).toThrow("in this window");
});

test("an element that isn't an instance of this page's `Element` is a container, if it's in the page", () => {
  // Another window created it, or a library replaced `Element`.
  vi.stubGlobal("Element", function Other() {});
  expect(mount({}, container()).state).toBe("loading");
  expect(iframe()).not.toBe(null);
  vi.unstubAllGlobals();
});

test.each([
  ["link", embedUrl],
  ["error", undefined],
] as const)(
  "if the page's scripts broke something, mount doesn't throw, and the page gets an error (fallback: %s)",
  async (fallback, href) => {
    const cause = new TypeError("styles is not iterable");
    const broken = vi.spyOn(window, "getComputedStyle").mockImplementation(() => {
      throw cause;
    });
    const onError = vi.fn();
    const checkout = mount({ fallback, onError });
    await expect(checkout.ready).rejects.toMatchObject({ code: "internal", cause });
    expect(onError).toHaveBeenCalledOnce();
    expect(container().querySelector("a")?.href).toBe(href);
    expect(iframe()).toBe(null);
    broken.mockRestore();
    checkout.mount(container());
    expect(container().querySelectorAll("iframe, a")).toHaveLength(1);
  },
);

test("a page that broke what follows the appearance still gets a form, and the error is logged", async () => {
  const cause = new TypeError("matchMedia is not a function");
  const broken = vi.spyOn(window, "matchMedia").mockImplementation(() => {
    throw cause;
  });
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const onError = vi.fn();
  const { checkout, frame } = await mountAndPlay({ onError });
  await frame.send("ready", readyDetail);
  await checkout.ready;
  expect(onError).not.toHaveBeenCalled();
  expect(logged).toHaveBeenCalledExactlyOnceWith(cause);
  broken.mockRestore();
  logged.mockRestore();
  expect(() => checkout.destroy()).not.toThrow();
});

test("an iframe whose insertion the page broke still gets settings after the checkout was unmounted", async () => {
  const checkout = await mountWithBrokenAppend({ onError() {} });
  const element = frameElement();
  checkout.unmount();
  const { received } = await play(element);
  await vi.waitFor(() => expect(received).toContain('update {"appearance":{}}'));
});

test("`ready` names no protocol if the iframe sent no valid receipt", async () => {
  const onReady = vi.fn();
  const { frame } = await mountAndPlay({ onReady }, { protocol: 0.5 });
  await frame.send("ready", readyDetail);
  expect(onReady).toHaveBeenCalledExactlyOnceWith({ ...readyDetail, protocol: "null" });
});

test("works in a page whose library replaced `remove` with one that needs a parent", async () => {
  // Like Prototype.js, on HTMLElement instead of Element.
  Object.defineProperty(HTMLElement.prototype, "remove", {
    configurable: true,
    value(this: HTMLElement) {
      (this.parentNode as Node).removeChild(this);
    },
  });
  const checkout = mount();
  frameElement().remove();
  container().replaceChildren();
  expect(() => checkout.destroy()).not.toThrow();
  await task();
  Reflect.deleteProperty(HTMLElement.prototype, "remove");
});

test("a missing or invalid container throws a clear error and leaves nothing behind", () => {
  expect(() => mount({}, "#missing")).toThrow("no element #missing");
  expect(() => mount({}, "#[")).toThrow("#[");
  // @ts-expect-error a number isn't a target
  expect(() => mount({}, 5)).toThrow("no element 5");
  expect(document.querySelector("iframe")).toBe(null);
});

test("aborting the signal destroys the checkout, and an aborted signal prevents mounting", async () => {
  const stop = new AbortController();
  const checkout = mount({ signal: stop.signal });
  stop.abort();
  await task();
  expect(checkout.state).toBe("destroyed");
  expect(iframe()).toBe(null);
  expect(mount({ signal: AbortSignal.abort() }).state).toBe("destroyed");
  expect(iframe()).toBe(null);
});

test("on returns an unsubscribe function, supports once and signal, and refuses unknown options", async () => {
  const { checkout, frame } = await mountAndPlay();
  const [always, once, stopped, aborted] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const abort = new AbortController();
  checkout.on("resize", always);
  checkout.on("resize", once, { once: true });
  const stop = checkout.on("resize", stopped);
  checkout.on("resize", aborted, { signal: abort.signal });
  checkout.on("resize", aborted, { signal: AbortSignal.abort() });
  stop();
  abort.abort();
  await frame.send("resize", { height: 1 });
  await frame.send("resize", { height: 2 });
  expect(always).toHaveBeenCalledTimes(2);
  expect(once).toHaveBeenCalledTimes(1);
  expect(stopped).not.toHaveBeenCalled();
  expect(aborted).not.toHaveBeenCalled();
  // @ts-expect-error unknown event
  expect(() => checkout.on("paid", () => {})).toThrow('unknown event "paid"');
  // @ts-expect-error unknown option
  expect(() => checkout.on("ready", () => {}, { passive: true })).toThrow('unknown option "passive"');
});

test("cancels the challenge and reports the available space to the iframe", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.cancelChallenge();
  await vi.waitFor(() => expect(frame.received).toContain("cancelChallenge"));
  await vi.waitFor(() => expect(frame.received.some((call) => call.startsWith("room "))).toBe(true));
});

test("reports the available space to an iframe that connects late", async () => {
  mount();
  await new Promise((resolve) => setTimeout(resolve, 200)); // The space is measured long before the iframe connects.
  const element = frameElement();
  const frame = await play(element, { connectAfterMs: 200 });
  await vi.waitFor(() => expect(frame.received.some((call) => call.startsWith("room "))).toBe(true));
});

test("200 mounts leave no iframe, observer or listener on window or document behind", async () => {
  const observed = vi.spyOn(MutationObserver.prototype, "observe");
  const disconnected = vi.spyOn(MutationObserver.prototype, "disconnect");
  const added = vi.spyOn(window, "addEventListener");
  const removed = vi.spyOn(window, "removeEventListener");
  const addedAnywhere = vi.spyOn(EventTarget.prototype, "addEventListener");
  const removedAnywhere = vi.spyOn(EventTarget.prototype, "removeEventListener");
  const onDocument = ({ mock }: typeof addedAnywhere | typeof removedAnywhere) =>
    mock.contexts.filter((target) => target === document).length;
  for (let count = 0; count < 200; count++) mount().destroy();
  for (let count = 0; count < 200; count++) {
    const checkout = createCheckout({ embedUrl });
    checkout.mount(container()).destroy();
    if (count % 50 === 0) await task();
  }
  await task();
  expect(container().childElementCount).toBe(0);
  expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  expect(onDocument(addedAnywhere)).toBeGreaterThan(0);
  expect(onDocument(removedAnywhere)).toBe(onDocument(addedAnywhere));
  const observers = new Set(observed.mock.contexts); // each watches several elements
  expect(observers.size).toBeGreaterThan(0);
  expect(new Set(disconnected.mock.contexts)).toEqual(observers);
  for (const spy of [added, removed, addedAnywhere, removedAnywhere, observed, disconnected]) spy.mockRestore();
});

test("an already paid session resolves ready without a form", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  await expect(checkout.ready).resolves.toBeUndefined();
});

test("each mount has its own `ready`, after success and after failure", async () => {
  const { checkout, frame } = await mountAndPlay({ onError() {} });
  const first = checkout.ready;
  await frame.send("ready", readyDetail);
  await expect(first).resolves.toBeUndefined();
  checkout.mount(document.body);
  const second = checkout.ready;
  expect(second).not.toBe(first);
  await task(); // the first iframe is removed
  await (await play(frameElement())).send("error", { code: "network" });
  await expect(second).rejects.toMatchObject({ code: "network" });
  checkout.mount(container());
  const third = checkout.ready;
  expect(third).not.toBe(second);
  await task();
  await (await play(frameElement())).send("ready", readyDetail);
  await expect(third).resolves.toBeUndefined();
});

test("a checkout that is unmounted in the same task receives no loadstart", async () => {
  const onLoadStart = vi.fn();
  mount({ onLoadStart }).unmount();
  await task();
  expect(onLoadStart).not.toHaveBeenCalled();
});

test("reports the available space again when the iframe is reloaded", async () => {
  const { element, frame } = await mountAndPlay();
  const sizeCalls = (calls: string[]) => calls.filter((call) => call.startsWith("room "));
  await vi.waitFor(() => expect(sizeCalls(frame.received)).toHaveLength(1));
  const again = await play(element);
  await vi.waitFor(() => expect(sizeCalls(again.received)).toEqual(sizeCalls(frame.received)));
});

test("redirect navigates to the full page, unless there is no session or the checkout was destroyed", () => {
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  mount({ fetchEmbedUrl: () => new Promise(() => {}) }).redirect();
  const checkout = mount();
  expect(assign).not.toHaveBeenCalled();
  checkout.redirect();
  expect(assign).toHaveBeenCalledExactlyOnceWith(embedUrl);
  checkout.destroy();
  checkout.redirect();
  expect(assign).toHaveBeenCalledOnce();
  assign.mockRestore();
});
