import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type CheckoutKeeper, keepCheckout } from "./keep-checkout.ts";
import { embedUrl, otherEmbedUrl, playFrame, readyDetail } from "../../test/component-frame.ts";
import { complaints, pageWithContainer, task } from "../../test/empty-page.ts";

let container: HTMLElement;
let keeper: CheckoutKeeper;

beforeEach(() => {
  container = pageWithContainer();
  keeper = keepCheckout(container);
});

afterEach(async () => {
  keeper.stop();
  await task();
  await task();
  vi.restoreAllMocks();
});

const iframe = () => container.querySelector("iframe");

test("shows an iframe only when there is a session", () => {
  keeper.update({ embedUrl: undefined, locale: null });
  expect(keeper.handle).toBe(null);
  expect(container.childElementCount).toBe(0);
  keeper.update({ embedUrl });
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
});

test("new functions and equal objects cause no change, and the latest function is called", async () => {
  const [first, second] = [vi.fn(), vi.fn()];
  keeper.update({ embedUrl, appearance: { theme: "dark" }, onReady: first });
  const { handle } = keeper;
  const element = iframe();
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings).toHaveLength(1));
  keeper.update({ embedUrl, appearance: { theme: "dark" }, onReady: second });
  expect(keeper.handle).toBe(handle);
  await frame.tell("ready", readyDetail);
  expect(iframe()).toBe(element);
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledExactlyOnceWith({ ...readyDetail, protocol: "1" });
  expect(frame.settings).toHaveLength(1);
});

test("calls callbacks that are added later, and not those that were removed", async () => {
  const onReady = vi.fn();
  const onDecline = vi.fn();
  keeper.update({ embedUrl, onDecline });
  const frame = await playFrame(iframe());
  keeper.update({ embedUrl, onReady });
  await frame.tell("ready", readyDetail);
  await frame.tell("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  expect(onReady).toHaveBeenCalledOnce();
  expect(onDecline).not.toHaveBeenCalled();
});

test("sends changed options to the iframe, and resets removed ones to their default", async () => {
  keeper.update({ embedUrl, locale: "fr" });
  const element = iframe();
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "fr" }));
  keeper.update({ embedUrl, locale: "de", disabled: true, submitButton: "merchant", title: "Pay for the cup" });
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "de", disabled: true }));
  expect(element?.title).toBe("Pay for the cup");
  keeper.update({ embedUrl });
  await vi.waitFor(() =>
    expect(frame.settings.at(-1)).toMatchObject({ locale: "auto", disabled: false, submitButton: "built-in" }),
  );
  expect(iframe()).toBe(element);
});

test("a new session creates a new iframe", async () => {
  keeper.update({ embedUrl });
  const { handle } = keeper;
  keeper.update({ embedUrl: otherEmbedUrl });
  await task();
  expect(handle?.state).toBe("destroyed");
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("stopping and updating within a task keeps the iframe and fetches no new session", async () => {
  const fetchEmbedUrl = vi.fn(() => Promise.resolve(embedUrl));
  keeper.update({ fetchEmbedUrl });
  keeper.stop();
  keeper.update({ fetchEmbedUrl: () => fetchEmbedUrl() });
  await vi.waitFor(() => expect(iframe()).not.toBe(null));
  const element = iframe();
  keeper.stop();
  keeper.update({ fetchEmbedUrl });
  await task();
  expect(iframe()).toBe(element);
  expect(fetchEmbedUrl).toHaveBeenCalledOnce();
});

test("stopping removes the iframe, and the next update restores it", async () => {
  keeper.update({ embedUrl });
  keeper.stop();
  keeper.stop();
  await task();
  await task();
  expect(keeper.handle).toBe(null);
  expect(container.childElementCount).toBe(0);
  keeper.update({ embedUrl });
  expect(iframe()).not.toBe(null);
});

test.each([
  ["an unknown option", { embedUrl, colour: "red" }, 'unknown option "colour"'],
  ["an unknown event", { embedUrl, onPaid() {} }, 'unknown option "onPaid"'],
  ["an invalid value", { embedUrl, presentation: "window" as "modal" }, "presentation must be"],
])("refuses %s with an error and leaves nothing behind", (_what, options, sentence) => {
  expect(() => keeper.update(options)).toThrow(sentence);
  expect(keeper.handle).toBe(null);
  expect(container.childElementCount).toBe(0);
});

test("logs a refused change, unless the checkout was destroyed", async () => {
  keeper.update({ embedUrl });
  keeper.update({ embedUrl, appearance: { fonts: [] } as object });
  keeper.handle?.destroy();
  await task();
  expect(complaints()).toEqual([]);

  keeper.update({ embedUrl: otherEmbedUrl });
  keeper.update({ embedUrl: otherEmbedUrl, appearance: { rules: {} } as object });
  await vi.waitFor(() => expect(complaints()).toEqual([expect.stringContaining("rules")]));
});

test("copies objects that can't be sent to another window", async () => {
  const proxy = new Proxy({ theme: "dark" } as const, {});
  keeper.update({ embedUrl, appearance: proxy, defaultValues: new Proxy({ email: "a@example.com" }, {}) });
  const frame = await playFrame(iframe());
  await vi.waitFor(() =>
    expect(frame.settings.at(-1)).toMatchObject({
      appearance: { theme: "dark" },
      defaultValues: { email: "a@example.com" },
    }),
  );
});
