import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ComponentFrame, embedUrl, otherEmbedUrl, playFrame, readyDetail } from "../../test/component-frame.ts";
import { complaints, pageWithContainer, task } from "../../test/empty-page.ts";
import { type CheckoutSync, syncCheckout } from "./sync-checkout.ts";

let container: HTMLElement;
let sync: CheckoutSync;

beforeEach(() => {
  container = pageWithContainer();
  sync = syncCheckout(container, () => {});
});

afterEach(async () => {
  sync.stop();
  await task();
  await task();
  vi.restoreAllMocks();
});

const iframe = () => container.querySelector("iframe");

test("shows an iframe only when there is a session", () => {
  sync.update({ embedUrl: undefined, locale: null });
  expect(sync.handle).toBe(null);
  expect(container.childElementCount).toBe(0);
  sync.update({ embedUrl });
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
});

test("new functions and equal objects cause no change, and the latest function is called", async () => {
  const [first, second] = [vi.fn(), vi.fn()];
  sync.update({ embedUrl, appearance: { theme: "dark" }, onReady: first });
  const { handle } = sync;
  const element = iframe();
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings).toHaveLength(1));
  sync.update({ embedUrl, appearance: { theme: "dark" }, onReady: second });
  expect(sync.handle).toBe(handle);
  await frame.send("ready", readyDetail);
  expect(iframe()).toBe(element);
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledExactlyOnceWith({ ...readyDetail, protocol: "1" });
  expect(frame.settings).toHaveLength(1);
});

test("calls callbacks that are added later, and not those that were removed", async () => {
  const onReady = vi.fn();
  const onDecline = vi.fn();
  sync.update({ embedUrl, onDecline });
  const frame = await playFrame(iframe());
  sync.update({ embedUrl, onReady });
  await frame.send("ready", readyDetail);
  await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  expect(onReady).toHaveBeenCalledOnce();
  expect(onDecline).not.toHaveBeenCalled();
});

test("sends changed options to the iframe, and resets removed ones to their default", async () => {
  sync.update({ embedUrl, locale: "fr", fields: { name: "required" } });
  const element = iframe();
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "fr" }));
  sync.update({ embedUrl, locale: "de", disabled: true, submitButton: "merchant", title: "Pay for the cup" });
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "de", disabled: true }));
  expect(element?.title).toBe("Pay for the cup");
  sync.update({ embedUrl });
  await vi.waitFor(() =>
    expect(frame.settings.at(-1)).toMatchObject({
      locale: "auto",
      disabled: false,
      submitButton: "built-in",
      fields: {},
    }),
  );
  expect(element?.title).toBe("Secure card payment");
  expect(iframe()).toBe(element);
});

test("a new session creates a new iframe", async () => {
  sync.update({ embedUrl });
  const { handle } = sync;
  sync.update({ embedUrl: otherEmbedUrl });
  await task();
  expect(handle?.state).toBe("destroyed");
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

const decline = { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 };
const completed = (status: string) => ({ sessionId: "cs_one", status, returnUrl: null });

/** A form in which the customer pressed Pay. */
async function playPayment(): Promise<ComponentFrame> {
  sync.update({ embedUrl });
  const frame = await playFrame(iframe());
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  return frame;
}

const loseResponse = async (frame: ComponentFrame) => {
  await frame.send("error", { code: "network" });
  return frame;
};
const reload = () => playFrame(iframe());

test.each<[string, string, (frame: ComponentFrame) => Promise<ComponentFrame>]>([
  ["is in progress", "submitting", async (frame) => frame],
  ["got no response", "error", loseResponse],
  ["was interrupted by a reload of the iframe", "loading", reload],
  [
    "is shown as unknown by the acquirer",
    "complete",
    async (frame) => {
      await frame.send("complete", completed("processing"));
      return frame;
    },
  ],
])("while a payment %s, a new session waits until it's declined", async (_what, state, breakDown) => {
  const frame = await breakDown(await playPayment());
  const element = iframe();
  sync.update({ embedUrl: otherEmbedUrl });
  await task();
  expect(sync.handle).toMatchObject({ state, isPaymentPending: true });
  expect(iframe()).toBe(element);
  await frame.send("decline", decline);
  await task();
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
  expect(sync.handle?.isPaymentPending).toBe(false);
});

test.each<[string, (frame: ComponentFrame) => Promise<unknown>]>([
  [
    "can't exist, because the session was canceled",
    (frame) => frame.send("error", { code: "session_invalid", isPaymentPending: false }),
  ],
  ["was never sent before the session expired", (frame) => frame.send("expire", {})],
  ["was never sent before the last attempt failed", (frame) => frame.send("error", { code: "session_expired" })],
  ["is over when the iframe is reloaded", async () => (await reload()).send("ready", readyDetail)],
])("a new session appears when it turns out that the payment %s", async (_what, end) => {
  const restarted = vi.fn();
  sync = syncCheckout(container, () => {}, restarted);
  const frame = await loseResponse(await playPayment());
  sync.update({ embedUrl: otherEmbedUrl });
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
  await end(frame);
  await vi.waitFor(() => expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl));
  expect(restarted).toHaveBeenCalledOnce();
});

test("a new session that came during a payment isn't shown once the payment succeeded, but a later one is", async () => {
  const frame = await playPayment();
  sync.update({ embedUrl: otherEmbedUrl });
  await frame.send("complete", completed("complete"));
  await task();
  sync.update({ embedUrl: otherEmbedUrl });
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
  sync.update({ embedUrl: otherEmbedUrl.replace("two", "three") });
  expect(iframe()?.getAttribute("src")).toContain("three");
});

test("a new session waits if the reloaded iframe finds the payment in progress", async () => {
  await playPayment();
  const frame = await reload();
  sync.update({ embedUrl: otherEmbedUrl });
  await frame.send("ready", { ...readyDetail, isPaymentPending: true });
  await task();
  await frame.send("submit", {});
  await task();
  expect(sync.handle).toMatchObject({ state: "submitting", isPaymentPending: true });
  await frame.send("complete", completed("processing"));
  await task();
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
});

test("a new session isn't shown for a paid order, although the listener for `complete` throws", async () => {
  const thrown: unknown[] = [];
  const later = setTimeout;
  vi.stubGlobal("setTimeout", (job: () => void, ms?: number) =>
    later(() => {
      try {
        job();
      } catch (error) {
        thrown.push(error); // the browser would report it
      }
    }, ms),
  );
  sync = syncCheckout(container, ({ type }) => {
    if (type === "complete") throw new Error("the shop's code");
  });
  sync.update({ embedUrl });
  const frame = await playFrame(iframe());
  await frame.send("submit", {});
  sync.update({ embedUrl: otherEmbedUrl });
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  await frame.send("resize", { height: 200 });
  await task();
  vi.unstubAllGlobals();
  expect(thrown).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
});

test("a component that leaves the page during a payment shows it again, and then the new session", async () => {
  sync.update({ embedUrl });
  await (await playFrame(iframe())).send("submit", {});
  sync.stop();
  await task();
  await task();
  expect([iframe(), sync.handle]).toEqual([null, null]);
  sync.update({ embedUrl: otherEmbedUrl });
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
  await (await playFrame(iframe())).send("ready", { ...readyDetail, isPaymentPending: false });
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("a component that replaces its container keeps the session and its handle", () => {
  sync.update({ embedUrl });
  const { handle } = sync;
  const next = document.body.appendChild(document.createElement("div"));
  sync.update({ embedUrl }, next);
  expect(next.querySelector("iframe")?.getAttribute("src")).toBe(embedUrl);
  expect(sync.handle).toBe(handle);
});

test("a replaced container and a new session in one update load only the new session", () => {
  sync.update({ embedUrl });
  const next = document.body.appendChild(document.createElement("div"));
  const added = vi.spyOn(next, "append");
  sync.update({ embedUrl: otherEmbedUrl }, next);
  expect(added).toHaveBeenCalledOnce();
  expect(next.querySelector("iframe")?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("a replaced container gets a new checkout if the old one was destroyed", () => {
  sync.update({ embedUrl });
  sync.handle?.destroy();
  const next = document.body.appendChild(document.createElement("div"));
  sync.update({ embedUrl }, next);
  expect(next.querySelectorAll("iframe")).toHaveLength(1);
});

test("a change is sent although another option of the same update is invalid", async () => {
  sync.update({ embedUrl });
  const frame = await playFrame(iframe());
  await vi.waitFor(() => expect(frame.settings).toHaveLength(1));
  expect(() => sync.update({ embedUrl, disabled: true, onClick() {} } as object)).toThrow("unknown event");
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ disabled: true }));
});

test("a new session that can't be mounted is logged, and causes no uncaught error", async () => {
  const frame = await playPayment();
  sync.update({ embedUrl: otherEmbedUrl, loader: "spinner" as "auto" });
  await frame.send("decline", decline);
  await task();
  expect(complaints()).toEqual([expect.stringContaining("loader must be")]);
  expect(iframe()).toBe(null);
});

test("stopping and updating within a task keeps the iframe and fetches no new session", async () => {
  const fetchEmbedUrl = vi.fn(() => Promise.resolve(embedUrl));
  sync.update({ fetchEmbedUrl });
  sync.stop();
  sync.update({ fetchEmbedUrl: () => fetchEmbedUrl() });
  await vi.waitFor(() => expect(iframe()).not.toBe(null));
  const element = iframe();
  sync.stop();
  sync.update({ fetchEmbedUrl });
  await task();
  expect(iframe()).toBe(element);
  expect(fetchEmbedUrl).toHaveBeenCalledOnce();
});

test("stopping removes the iframe, and the next update restores it", async () => {
  sync.update({ embedUrl });
  sync.stop();
  sync.stop();
  await task();
  await task();
  expect(sync.handle).toBe(null);
  expect(container.childElementCount).toBe(0);
  sync.update({ embedUrl });
  expect(iframe()).not.toBe(null);
});

test.each([
  ["an unknown option", { embedUrl, colour: "red" }, 'unknown option "colour"'],
  ["an unknown event", { embedUrl, onPaid() {} }, 'unknown option "onPaid"'],
  ["an invalid value", { embedUrl, presentation: "window" as "modal" }, "presentation must be"],
])("refuses %s with an error and leaves nothing behind", (_what, options, sentence) => {
  expect(() => sync.update(options)).toThrow(sentence);
  expect(sync.handle).toBe(null);
  expect(container.childElementCount).toBe(0);
});

test("ignores empty strings", async () => {
  sync.update({ embedUrl: "", locale: "", title: "" });
  expect(sync.handle).toBe(null);
  sync.update({ embedUrl, locale: "", title: "" });
  expect(iframe()?.title).toBe("Secure card payment");
  const frame = await playFrame(iframe());
  sync.update({ embedUrl, locale: "fr", title: "" });
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "fr" }));
  sync.update({ embedUrl, locale: "" });
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "auto" }));
  expect(complaints()).toEqual([]);
});

test("logs a refused change, unless the checkout was destroyed", async () => {
  sync.update({ embedUrl });
  sync.update({ embedUrl, appearance: { fonts: [] } as object });
  sync.handle?.destroy();
  await task();
  expect(complaints()).toEqual([]);

  sync.update({ embedUrl: otherEmbedUrl });
  sync.update({ embedUrl: otherEmbedUrl, appearance: { rules: {} } as object });
  await vi.waitFor(() => expect(complaints()).toEqual([expect.stringContaining("rules")]));
});

test("copies objects that can't be sent to another window", async () => {
  const proxy = new Proxy({ theme: "dark" } as const, {});
  sync.update({ embedUrl, appearance: proxy, defaultValues: new Proxy({ email: "a@example.com" }, {}) });
  const frame = await playFrame(iframe());
  await vi.waitFor(() =>
    expect(frame.settings.at(-1)).toMatchObject({
      appearance: { theme: "dark" },
      defaultValues: { email: "a@example.com" },
    }),
  );
});
