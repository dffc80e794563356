/**
 * The handle against a frame that is played here: happy-dom loads no page, so the test stands in for the window inside the iframe,
 * takes the port out of the `init` message and speaks real penpal over it. The real frame is met in the browser tests.
 */
import { connect, PortMessenger } from "penpal";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type CheckoutHandle, createCheckout, mountCheckout } from "./create-checkout.ts";
import type { AnyCheckoutEvent } from "./checkout-events.ts";
import type { CheckoutOptions } from "./checkout-options.ts";

const origin = "https://pay.example.com";
const embedUrl = `${origin}/c/cs_one#secret-of-one`;
const otherEmbedUrl = `${origin}/c/cs_two#secret-of-two`;
const readyDetail = { sessionId: "cs_one", livemode: false, expiresAt: "2026-11-20T12:00:00Z" };

let container: HTMLElement;
const opened: CheckoutHandle[] = [];

beforeEach(() => {
  // @ts-expect-error happy-dom adds its switches to window.
  window.happyDOM.settings.disableIframePageLoading = true;
  // happy-dom tells that it loads no frames.
  vi.spyOn(console, "error").mockImplementation(() => {});
  document.body.replaceChildren();
  container = document.createElement("div");
  container.id = "checkout";
  document.body.append(container);
});

afterEach(async () => {
  for (const checkout of opened.splice(0)) checkout.destroy();
  await task();
});

function mount(options: Partial<CheckoutOptions> = {}, target: string | Element = container): CheckoutHandle {
  const checkout = mountCheckout(target, { embedUrl, ...options });
  opened.push(checkout);
  return checkout;
}

const iframe = (within: Element = container) => within.querySelector("iframe");
const task = () => new Promise((resolve) => setTimeout(resolve, 0));

/** What the page's script inside the frame would do with an `init`. */
interface PlayedFrame {
  inits: { message: unknown; targetOrigin: unknown }[];
  heard: string[];
  send(name: unknown, detail: unknown): Promise<unknown>;
}

/** Plays the frame's load and, unless `mute`, its half of the handshake. */
async function play(element: HTMLIFrameElement, mute = false, connectAfterMs = 0): Promise<PlayedFrame> {
  const inits: PlayedFrame["inits"] = [];
  const heard: string[] = [];
  let port: MessagePort | undefined;
  Object.defineProperty(element, "contentWindow", {
    configurable: true,
    value: {
      postMessage(message: unknown, targetOrigin: unknown, transfer: MessagePort[]) {
        inits.push({ message, targetOrigin });
        port = transfer[0];
      },
    },
  });
  element.dispatchEvent(new Event("load"));
  if (mute || !port) return { inits, heard, send: () => Promise.reject(new Error("mute")) };
  await new Promise((resolve) => setTimeout(resolve, connectAfterMs));
  const remote = await connect<{ event(name: unknown, detail: unknown): void }>({
    messenger: new PortMessenger({ port }),
    methods: {
      room: (size: unknown) => void heard.push(`room ${JSON.stringify(size)}`),
      cancelChallenge: () => void heard.push("cancelChallenge"),
      destroy: () => void heard.push("destroy"),
    },
    timeout: 1000,
  }).promise;
  return { inits, heard, send: (name, detail) => remote.event(name, detail) };
}

async function mountAndPlay(options: Partial<CheckoutOptions> = {}) {
  const checkout = mount(options);
  const element = iframe();
  if (!element) throw new Error("no frame");
  return { checkout, element, frame: await play(element) };
}

test("the frame has an exact address, an exact policy, a title, no sandbox, and its style from CSSOM", () => {
  mount({ title: "Pay for the cup" });
  const element = iframe();
  expect(element?.getAttribute("src")).toBe(embedUrl);
  expect(element?.hasAttribute("sandbox")).toBe(false);
  expect(element?.title).toBe("Pay for the cup");
  expect(element?.getAttribute("allow")).toBe(
    `payment ${origin}; publickey-credentials-get ${origin}; publickey-credentials-create ${origin}; otp-credentials ${origin}`,
  );
  expect(element?.style.height).toBe("420px");
  expect(document.querySelector("style")).toBe(null);
});

test("one init with one port goes to the frame's exact origin, per load", async () => {
  const { element, frame } = await mountAndPlay();
  expect(frame.inits).toEqual([{ message: { type: "oriel:init", protocol: [1] }, targetOrigin: origin }]);
  const again = await play(element);
  expect(again.inits).toHaveLength(1);
  expect(frame.inits).toHaveLength(1);
});

test("a reload closes the old line: what still comes over it is not heard", async () => {
  const onDecline = vi.fn();
  const { element, frame } = await mountAndPlay({ onDecline });
  await play(element, true);
  void frame.send("decline", { code: "declined", retryable: true, attemptsLeft: 4 }).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(onDecline).not.toHaveBeenCalled();
});

test("events reach their callback, the listeners and the wildcard, with documented fields only", async () => {
  const onReady = vi.fn();
  const { checkout, frame, element } = await mountAndPlay({ onReady });
  const heard: AnyCheckoutEvent[] = [];
  checkout.on("*", (event) => heard.push(event));
  expect(checkout.state).toBe("loading");

  await frame.send("ready", { ...readyDetail, number: "4242424242424242", extra: 1 });
  await expect(checkout.ready).resolves.toBeUndefined();
  expect(checkout.state).toBe("ready");
  expect(onReady).toHaveBeenCalledExactlyOnceWith(readyDetail);

  await frame.send("resize", { height: 333 });
  expect(element.style.height).toBe("333px");
  await frame.send("submit", {});
  expect(checkout.state).toBe("submitting");
  await frame.send("challengestart", { windowSize: "02" });
  expect(checkout.state).toBe("challenge");
  await frame.send("challengeend", { outcome: "failed" });
  await frame.send("decline", { code: "authentication_failed", retryable: true, attemptsLeft: 4 });
  expect(checkout.state).toBe("ready");
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  expect(checkout.state).toBe("complete");
  expect(heard.map((event) => event.type)).toEqual([
    "ready",
    "resize",
    "submit",
    "challengestart",
    "challengeend",
    "decline",
    "complete",
  ]);
  expect(JSON.stringify(heard)).not.toContain("4242");
});

test.each([
  ["an unknown name", "change", {}],
  ["a name from the prototype", "constructor", {}],
  ["no detail", "ready", undefined],
  ["a wrong type", "resize", { height: "300" }],
  ["a height that is too large", "resize", { height: 20_001 }],
  ["an unknown outcome", "challengeend", { outcome: "won" }],
  ["an unknown code", "error", { code: "__proto__" }],
  ["a missing field", "ready", { sessionId: "cs_one", livemode: false }],
])("what is not an event is dropped without an answer: %s", async (_what, name, detail) => {
  const { checkout, frame } = await mountAndPlay();
  const heard = vi.fn();
  checkout.on("*", heard);
  await expect(frame.send(name, detail)).resolves.toBeUndefined();
  expect(heard).not.toHaveBeenCalled();
  expect(checkout.state).toBe("loading");
});

test("complete is told once per status, even when the frame is reloaded", async () => {
  const onComplete = vi.fn();
  const { element, frame } = await mountAndPlay({ onComplete });
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  const again = await play(element);
  await again.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  expect(onComplete).toHaveBeenCalledOnce();
});

test("a listener that throws is reported and the next one still hears", async () => {
  const report = vi.fn();
  vi.stubGlobal("reportError", report);
  const heard = vi.fn();
  const { checkout, frame } = await mountAndPlay({
    onReady: () => {
      throw new Error("the merchant's bug");
    },
  });
  checkout.on("ready", heard);
  await expect(frame.send("ready", readyDetail)).resolves.toBeUndefined();
  expect(heard).toHaveBeenCalledOnce();
  expect(report).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

test("a frame that never answers becomes a link to the full page and a retryable error", async () => {
  const onError = vi.fn();
  const checkout = mount({ timeout: 20, onError });
  await expect(checkout.ready).rejects.toMatchObject({ code: "handshake_timeout", retryable: true });
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "handshake_timeout" }));
  expect(checkout.state).toBe("error");
  expect(iframe()).toBe(null);
  const link = container.querySelector("a");
  expect(link?.getAttribute("href")).toBe(embedUrl);
  expect(link?.textContent).toBe("Continue on the secure payment page");
  checkout.destroy();
  await task();
  expect(container.childElementCount).toBe(0);
});

test("a frame that shook hands but never showed its form is silent too", async () => {
  const { checkout, frame } = await mountAndPlay({ timeout: 60, onError() {} });
  await frame.send("resize", { height: 100 });
  await expect(checkout.ready).rejects.toMatchObject({ code: "handshake_timeout" });
});

test('with fallback "error" nothing takes the place of a silent frame', async () => {
  const checkout = mount({ timeout: 20, fallback: "error", onError() {} });
  await expect(checkout.ready).rejects.toMatchObject({ code: "handshake_timeout" });
  expect(container.childElementCount).toBe(0);
});

test("a silent frame that the customer is typing in stays, and the link stands beside it", async () => {
  const checkout = mount({ timeout: 20, onError() {} });
  const element = iframe();
  if (!element) throw new Error("no frame");
  element.focus();
  await expect(checkout.ready).rejects.toMatchObject({ code: "handshake_timeout" });
  expect(iframe()).toBe(element);
  expect(container.querySelector("a")).not.toBe(null);
});

test("after silence the same handle can be mounted again, and a ready frame settles a new promise", async () => {
  const checkout = mount({ timeout: 20, onError() {} });
  const first = checkout.ready;
  await expect(first).rejects.toMatchObject({ code: "handshake_timeout" });
  checkout.mount(container);
  expect(container.querySelector("a")).toBe(null);
  const element = iframe();
  if (!element) throw new Error("no frame");
  const frame = await play(element);
  await frame.send("ready", readyDetail);
  await expect(checkout.ready).resolves.toBeUndefined();
});

test("the frame's own error rejects ready with its code and keeps the frame, which says it to the customer", async () => {
  const { checkout, frame } = await mountAndPlay({ onError() {} });
  await frame.send("error", { code: "session_expired" });
  await expect(checkout.ready).rejects.toMatchObject({ name: "CheckoutError", code: "session_expired", retryable: false });
  expect(iframe()).not.toBe(null);
});

test("without an error listener a failure is an unhandled rejection; with one it is not", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const before = process.listeners("unhandledRejection").filter((listener) => listener !== note);
  for (const listener of before) process.off("unhandledRejection", listener);
  try {
    mount({ timeout: 5, onError() {} });
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(unhandled).toEqual([]);
    mount({ embedUrl: otherEmbedUrl, timeout: 5 });
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(unhandled).toEqual([expect.objectContaining({ code: "handshake_timeout" })]);
  } finally {
    process.off("unhandledRejection", note);
    for (const listener of before) process.on("unhandledRejection", listener);
  }
});

test("destroy waits a task, tells the frame, is idempotent, and every method is safe afterwards", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.destroy();
  checkout.destroy();
  expect(iframe()).not.toBe(null);
  expect(checkout.state).toBe("destroyed");
  await task();
  expect(iframe()).toBe(null);
  await vi.waitFor(() => expect(frame.heard).toContain("destroy"));

  expect(checkout.mount(container)).toBe(checkout);
  expect(iframe()).toBe(null);
  checkout.unmount();
  checkout.redirect();
  checkout.cancelChallenge();
  checkout.on("ready", () => {})();
  expect(location.href).not.toContain("pay.example.com");
});

test("destroying before the form can be used settles ready, and nobody has to catch it", async () => {
  const { ready, destroy } = mount();
  destroy();
  await expect(ready).rejects.toMatchObject({ code: "destroyed", retryable: false });
});

test("mount, destroy, mount in one task adopts the living frame", async () => {
  const first = mount();
  const element = iframe();
  first.destroy();
  const onReady = vi.fn();
  const second = mount({ onReady });
  await task();
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()).toBe(element);
  if (!element) throw new Error("no frame");
  const frame = await play(element);
  await frame.send("ready", readyDetail);
  expect(onReady).toHaveBeenCalledOnce();
  expect(second.state).toBe("ready");
});

test("who adopts a frame that is already usable hears ready too", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.destroy();
  const onReady = vi.fn();
  const second = mount({ onReady });
  await expect(second.ready).resolves.toBeUndefined();
  expect(onReady).toHaveBeenCalledExactlyOnceWith(readyDetail);
});

test("two who hold one frame: it stays until the last has gone", async () => {
  const first = mount();
  const second = mount();
  first.destroy();
  await task();
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
  second.destroy();
  await task();
  expect(iframe()).toBe(null);
});

test("another session in the same container takes the place of the first", () => {
  const first = mount();
  mount({ embedUrl: otherEmbedUrl });
  expect(first.state).toBe("destroyed");
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("unmount takes the frame away and keeps the listeners for the next mount", async () => {
  const onReady = vi.fn();
  const { checkout } = await mountAndPlay({ onReady });
  checkout.unmount();
  await task();
  expect(iframe()).toBe(null);
  expect(checkout.state).toBe("idle");
  const element = iframe(checkout.mount(container) && container);
  if (!element) throw new Error("no frame");
  const frame = await play(element);
  await frame.send("ready", readyDetail);
  expect(onReady).toHaveBeenCalledOnce();
});

test("mounting into the container it is already in changes nothing", async () => {
  const { checkout, element, frame } = await mountAndPlay();
  const onReady = vi.fn();
  checkout.on("ready", onReady);
  await frame.send("ready", readyDetail);
  checkout.mount("#checkout");
  await task();
  expect(iframe()).toBe(element);
  expect(onReady).toHaveBeenCalledOnce();
});

test("a container that is not there, or is none, is a clear error and leaves nothing behind", () => {
  expect(() => mount({}, "#missing")).toThrow('no element matches "#missing"');
  expect(() => mount({}, "#[")).toThrow("is not a selector");
  // @ts-expect-error a number is no target
  expect(() => mount({}, 5)).toThrow(TypeError);
  expect(document.querySelector("iframe")).toBe(null);
});

test("aborting the signal destroys; an aborted one never mounts", async () => {
  const stop = new AbortController();
  const checkout = mount({ signal: stop.signal });
  stop.abort();
  await task();
  expect(checkout.state).toBe("destroyed");
  expect(iframe()).toBe(null);
  expect(mount({ signal: AbortSignal.abort() }).state).toBe("destroyed");
  expect(iframe()).toBe(null);
});

test("on answers with how to stop, and knows once, signal and nothing unknown", async () => {
  const { checkout, frame } = await mountAndPlay();
  const [always, once, stopped, aborted] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const abort = new AbortController();
  checkout.on("resize", always);
  checkout.on("resize", once, { once: true });
  const stop = checkout.on("resize", stopped);
  checkout.on("resize", aborted, { signal: abort.signal });
  stop();
  abort.abort();
  await frame.send("resize", { height: 1 });
  await frame.send("resize", { height: 2 });
  expect(always).toHaveBeenCalledTimes(2);
  expect(once).toHaveBeenCalledTimes(1);
  expect(stopped).not.toHaveBeenCalled();
  expect(aborted).not.toHaveBeenCalled();
  // @ts-expect-error there is no such event
  expect(() => checkout.on("paid", () => {})).toThrow('no event "paid"');
});

test("the page may give up the challenge and tells the frame how much room there is", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.cancelChallenge();
  await vi.waitFor(() => expect(frame.heard).toContain("cancelChallenge"));
  await vi.waitFor(() => expect(frame.heard.some((call) => call.startsWith("room "))).toBe(true));
});

test("a frame that connects late still learns how much room there is", async () => {
  mount();
  await new Promise((resolve) => setTimeout(resolve, 200)); // The room was measured long ago when the frame connects.
  const element = iframe();
  if (!element) throw new Error("no frame");
  const frame = await play(element, false, 200);
  await vi.waitFor(() => expect(frame.heard.some((call) => call.startsWith("room "))).toBe(true));
});

test("two hundred mounts leave no frame and no window listener behind", async () => {
  const added = vi.spyOn(window, "addEventListener");
  const removed = vi.spyOn(window, "removeEventListener");
  for (let count = 0; count < 200; count++) mount().destroy();
  for (let count = 0; count < 200; count++) {
    const checkout = createCheckout({ embedUrl });
    checkout.mount(container).destroy();
    if (count % 50 === 0) await task();
  }
  await task();
  expect(container.childElementCount).toBe(0);
  expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  added.mockRestore();
  removed.mockRestore();
});
