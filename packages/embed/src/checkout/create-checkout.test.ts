/** The handle's life: mounting, hearing events, moving, ending. The frame is played; see ../../test/played-frame.ts. */
import { expect, test, vi } from "vitest";
import { task } from "../../test/empty-page.ts";
import { frameElement, mount, mountAndPlay, playCheckouts } from "../../test/played-checkout.ts";
import { embedUrl, origin, otherEmbedUrl, play, readyDetail } from "../../test/played-frame.ts";
import { createCheckout } from "./create-checkout.ts";
import type { AnyCheckoutEvent } from "./checkout-events.ts";

const readyEvent = { ...readyDetail, protocol: "1" };
const container = playCheckouts();
const iframe = () => container().querySelector("iframe");

test("the frame has an exact address, an exact policy, a title, no sandbox, and its style from CSSOM", () => {
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
  const decline = { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 };
  await frame.send("decline", decline);
  expect(onDecline).toHaveBeenCalledOnce();
  await play(element, { speaks: "mute" });
  void frame.send("decline", decline).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(onDecline).toHaveBeenCalledOnce();
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
  ["an unknown name", "paid", {}],
  ["a name from the prototype", "constructor", {}],
  ["no detail", "ready", undefined],
  ["a wrong type", "resize", { height: "300" }],
  ["a number that is not whole", "resize", { height: 1.5 }],
  ["a text that is too long", "error", { code: "x".repeat(2049) }],
  [
    "a list that is too long",
    "change",
    { complete: true, empty: false, errors: [], networkChoices: Array(17).fill("visa") },
  ],
  ["data that is nested too deep", "change", { complete: true, empty: false, errors: [[[[[1]]]]], networkChoices: [] }],
  ["a missing field", "ready", { sessionId: "cs_one", livemode: false }],
  ["what only the frame that diagnoses may say", "why", { session: "open", listed: true }],
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

test("the frame's own error rejects ready with its code and keeps the frame, which says it to the customer", async () => {
  const { checkout, frame } = await mountAndPlay({ onError() {} });
  await frame.send("error", { code: "session_expired" });
  await expect(checkout.ready).rejects.toMatchObject({
    name: "CheckoutError",
    code: "session_expired",
    retryable: false,
  });
  expect(iframe()).not.toBe(null);
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

  expect(checkout.mount(container())).toBe(checkout);
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
  await expect(ready).rejects.toMatchObject({ code: "destroyed", retryable: false, mayHavePaid: false });
});

test("mount, destroy, mount in one task adopts the living frame", async () => {
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

test("who adopts a frame that is already usable hears ready too", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("ready", readyDetail);
  checkout.destroy();
  const onReady = vi.fn();
  const second = mount({ onReady });
  await expect(second.ready).resolves.toBeUndefined();
  expect(onReady).toHaveBeenCalledExactlyOnceWith(readyEvent);
});

test("`ready` may be read before mounting, and resolves when the form can be used", async () => {
  const checkout = createCheckout({ embedUrl });
  const { ready } = checkout;
  checkout.mount(container());
  await (await play(frameElement())).send("ready", readyDetail);
  await expect(ready).resolves.toBeUndefined();
  checkout.destroy();
});

test("a checkout that another listener destroys during an event doesn't hear it", async () => {
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

test("a second holder leaves the frame where it is and as the first one wanted it", () => {
  mount({ locale: "fr" });
  const element = frameElement();
  const below = container().appendChild(document.createElement("p"));
  mount({ locale: "de" });
  expect(JSON.parse(element.name)).toMatchObject({ locale: "fr" });
  expect(container().lastElementChild).toBe(below);
});

test("a frame that has gone gets no line when it loads after all", async () => {
  const { checkout, element } = await mountAndPlay();
  checkout.destroy();
  await task();
  await expect(play(element)).rejects.toThrow("posted no init");
});

test("two who hold one frame: it stays until the last has gone", async () => {
  const first = mount();
  const second = mount();
  first.destroy();
  await task();
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  second.destroy();
  await task();
  expect(iframe()).toBe(null);
});

test("another session in the same container takes the place of the first", () => {
  const first = mount();
  mount({ embedUrl: otherEmbedUrl });
  expect(first.state).toBe("destroyed");
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("a frame that took another's place is still adopted once the other has gone", async () => {
  mount();
  mount({ embedUrl: otherEmbedUrl });
  const element = iframe();
  await task();
  mount({ embedUrl: otherEmbedUrl });
  expect(iframe()).toBe(element);
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
});

test("unmount takes the frame away and keeps the listeners for the next mount", async () => {
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

test("in the other container it is mounted again", async () => {
  const { checkout } = await mountAndPlay();
  const other = document.createElement("div");
  document.body.append(other);
  checkout.mount(other);
  await task();
  expect(iframe()).toBe(null);
  expect(other.querySelectorAll("iframe")).toHaveLength(1);
});

test("without a document, as on a server, mounting says that it needs a browser", () => {
  const checkout = createCheckout({ embedUrl });
  vi.stubGlobal("document", undefined);
  expect(() => checkout.mount("#checkout")).toThrow("mount needs a browser");
  vi.unstubAllGlobals();
});

test("a container that is not there, or is none, is a clear error and leaves nothing behind", () => {
  expect(() => mount({}, "#missing")).toThrow("there is no element #missing");
  expect(() => mount({}, "#[")).toThrow("#[");
  // @ts-expect-error a number is no target
  expect(() => mount({}, 5)).toThrow("there is no element 5");
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
  checkout.on("resize", aborted, { signal: AbortSignal.abort() });
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
  // @ts-expect-error there is no such option
  expect(() => checkout.on("ready", () => {}, { passive: true })).toThrow('no option "passive"');
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
  const element = frameElement();
  const frame = await play(element, { connectAfterMs: 200 });
  await vi.waitFor(() => expect(frame.heard.some((call) => call.startsWith("room "))).toBe(true));
});

test("two hundred mounts leave no frame, no observer and no listener on window or document behind", async () => {
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
  expect(observed).toHaveBeenCalled();
  expect(disconnected.mock.calls.length).toBe(observed.mock.calls.length);
  for (const spy of [added, removed, addedAnywhere, removedAnywhere, observed, disconnected]) spy.mockRestore();
});

test("a session that is paid already makes the checkout ready without a form", async () => {
  const { checkout, frame } = await mountAndPlay();
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  await expect(checkout.ready).resolves.toBeUndefined();
});

test("`ready` belongs to one mount: after a form, and after a failure, another mount has another", async () => {
  const { checkout, frame } = await mountAndPlay({ onError() {} });
  const first = checkout.ready;
  await frame.send("ready", readyDetail);
  await expect(first).resolves.toBeUndefined();
  checkout.mount(document.body);
  const second = checkout.ready;
  expect(second).not.toBe(first);
  await task(); // the first frame goes
  await (await play(frameElement())).send("error", { code: "network" });
  await expect(second).rejects.toMatchObject({ code: "network" });
  checkout.mount(container());
  const third = checkout.ready;
  expect(third).not.toBe(second);
  await task();
  await (await play(frameElement())).send("ready", readyDetail);
  await expect(third).resolves.toBeUndefined();
});

test("a checkout that is unmounted in the same task hears of no load", async () => {
  const onLoadStart = vi.fn();
  mount({ onLoadStart }).unmount();
  await task();
  expect(onLoadStart).not.toHaveBeenCalled();
});

test("a frame that is loaded again is told again how much room there is", async () => {
  const { element, frame } = await mountAndPlay();
  const rooms = (calls: string[]) => calls.filter((call) => call.startsWith("room "));
  await vi.waitFor(() => expect(rooms(frame.heard)).toHaveLength(1));
  const again = await play(element);
  await vi.waitFor(() => expect(rooms(again.heard)).toEqual(rooms(frame.heard)));
});

test("redirect goes to the full page, unless there is no session or the checkout was destroyed", () => {
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
