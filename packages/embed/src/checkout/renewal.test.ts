/**
 * Sessions from the merchant's code: the first one, one after expiry and one after a failure. The iframe is simulated.
 */
import { beforeEach, expect, test, vi } from "vitest";
import { task } from "../../test/empty-page.ts";
import {
  mount as mountOne,
  mountAndPlay,
  mountWithBrokenAppend,
  playCheckouts,
} from "../../test/simulated-checkout.ts";
import { embedUrl, otherEmbedUrl, play, readyDetail, type SimulatedFrame } from "../../test/simulated-frame.ts";
import type { CheckoutError } from "../api/checkout-error.ts";
import type { CheckoutHandle } from "../api/checkout-handle.ts";
import type { CheckoutOptions } from "../api/checkout-options.ts";

const otherReady = { ...readyDetail, sessionId: "cs_two" };
const received: string[] = [];
const container = playCheckouts();

beforeEach(() => {
  received.length = 0;
});

function mount(options: CheckoutOptions): CheckoutHandle {
  return mountOne({ onError: ({ code }) => void received.push(code), ...options });
}

const frame = () => vi.waitUntil(() => container().querySelector("iframe"));

test("fetches the first session without an embedUrl, while the state is loading", async () => {
  const fetchEmbedUrl = vi.fn(async () => embedUrl);
  const checkout = mount({ fetchEmbedUrl });
  expect(checkout.state).toBe("loading");
  const element = await frame();
  expect(element.getAttribute("src")).toBe(embedUrl);
  expect(fetchEmbedUrl).toHaveBeenCalledExactlyOnceWith({ reason: "initial", signal: expect.any(AbortSignal) });
  await (await play(element)).send("ready", readyDetail);
  await expect(checkout.ready).resolves.toBeUndefined();
});

test("fetches once for two mounts in one task", async () => {
  const fetchEmbedUrl = vi.fn(async () => embedUrl);
  mount({ fetchEmbedUrl }).destroy();
  mount({ fetchEmbedUrl });
  await frame();
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  expect(fetchEmbedUrl).toHaveBeenCalledOnce();
});

test("mounting again while the first session is fetched does nothing", async () => {
  const onLoadStart = vi.fn();
  const checkout = mount({ fetchEmbedUrl: async () => embedUrl, onLoadStart });
  checkout.mount(container());
  await frame();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(onLoadStart).toHaveBeenCalledOnce();
});

test.each([
  ["throws", () => Promise.reject(new Error("the shop is closed")), "network"],
  ["takes too long", () => new Promise<string>(() => {}), "network"],
  ["returns something else", async () => "https://pay.example.com/", "session_invalid"],
])(
  "if fetchEmbedUrl %s, ready rejects with the cause, and a link reloads the page",
  async (_what, fetchEmbedUrl, code) => {
    const checkout = mount({ fetchEmbedUrl, timeout: 20 });
    await expect(checkout.ready).rejects.toMatchObject({ code, cause: expect.anything() });
    expect(received).toEqual([code]);
    expect(container().querySelector("[role=status] a")?.getAttribute("href")).toBe(location.href);
    expect(checkout.state).toBe("error");
    checkout.destroy();
    expect(container().childElementCount).toBe(0);
  },
);

test.each([
  ["isn't a URL", "undefined"],
  ["has another protocol", "javascript:alert(1)"],
  ["has no session", "https://pay.example.com/#secret"],
  ["has no secret", "https://pay.example.com/c/cs_one"],
])(
  "if embedUrl %s, the customer gets a link that reloads the page, and the shop an error",
  async (_what, malformed) => {
    for (const presentation of ["inline", "modal", "redirect"] as const) {
      const checkout = mount({ embedUrl: malformed, presentation });
      await expect(checkout.ready).rejects.toMatchObject({
        code: "session_invalid",
        cause: { message: expect.stringContaining("embedUrl must be") },
      });
      expect(container().querySelector("[role=status] a")?.textContent).toBe("Continue to payment");
      expect(container().querySelector("iframe")).toBe(null);
      expect(checkout.state).toBe("error");
      checkout.destroy();
      await task();
      await task();
      expect(container().childElementCount).toBe(0);
    }
    expect(received).toEqual(["session_invalid", "session_invalid", "session_invalid"]);
  },
);

test('a malformed embedUrl shows nothing with fallback "error"', async () => {
  const checkout = mount({ embedUrl: "undefined", fallback: "error" });
  await expect(checkout.ready).rejects.toMatchObject({ code: "session_invalid" });
  expect(container().childElementCount).toBe(0);
});

test("mounting again after a failed fetch fetches the first session once more", async () => {
  const fetchEmbedUrl = vi.fn<() => Promise<string>>();
  fetchEmbedUrl.mockRejectedValueOnce(new Error("the shop is closed")).mockResolvedValue(embedUrl);
  const checkout = mount({ fetchEmbedUrl });
  await expect(checkout.ready).rejects.toMatchObject({ code: "network" });
  checkout.mount(container()).mount(container());
  expect(checkout.state).toBe("loading");
  await vi.waitUntil(() => container().querySelector("iframe"));
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  expect(fetchEmbedUrl).toHaveBeenCalledTimes(2);
});

test("replaces an expired session in the same iframe without a history entry", async () => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const onExpire = vi.fn();
  const onReady = vi.fn();
  const checkout = mount({ embedUrl, fetchEmbedUrl, onExpire, onReady });
  const firstReady = checkout.ready;
  const element = await frame();
  const first = await play(element);
  await first.send("ready", readyDetail);
  await first.send("expire", {});
  expect(onExpire).toHaveBeenCalledOnce();
  await vi.waitUntil(() => first.replaced.length > 0);
  expect(first.replaced).toEqual([otherEmbedUrl]);
  expect(fetchEmbedUrl).toHaveBeenCalledExactlyOnceWith({ reason: "expired", signal: expect.any(AbortSignal) });
  expect(checkout.state).toBe("loading");
  expect(checkout.ready).not.toBe(firstReady);
  const second = await play(element);
  await second.send("ready", otherReady);
  expect(container().querySelector("iframe")).toBe(element);
  expect(onReady).toHaveBeenLastCalledWith({ ...otherReady, protocol: "1" });
  await expect(checkout.ready).resolves.toBeUndefined();
});

test("ignores the old session's events while the new one loads", async () => {
  const onReady = vi.fn();
  const checkout = mount({ embedUrl, fetchEmbedUrl: async () => otherEmbedUrl, onReady });
  const first = await play(await frame());
  await first.send("ready", readyDetail);
  await first.send("expire", {});
  await vi.waitUntil(() => first.replaced.length > 0);
  void first.send("ready", readyDetail).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(checkout.state).toBe("loading");
  expect(onReady).toHaveBeenCalledOnce();
});

test("a session that fails to arrive after unmounting is reported once and leaves no link", async () => {
  let refuse = (_reason: Error) => {};
  const fetchEmbedUrl = vi
    .fn(async () => embedUrl)
    .mockImplementationOnce(() => new Promise((_resolve, reject) => (refuse = reject)));
  const onError = vi.fn();
  const checkout = mount({ fetchEmbedUrl, onError });
  checkout.unmount();
  checkout.mount(container());
  await task();
  refuse(new Error("closed"));
  await task();
  expect(onError).toHaveBeenCalledOnce();
  checkout.mount(container());
  await task();
  expect(container().querySelectorAll("iframe")).toHaveLength(1);
  expect(container().querySelectorAll("a")).toHaveLength(0);
});

test("renews once if the iframe is reloaded while the new session is being fetched", async () => {
  let give = (_url: string) => {};
  const onError = vi.fn();
  const fetchEmbedUrl = () => new Promise<string>((resolve) => (give = resolve));
  const { checkout, element, frame } = await mountAndPlay({ embedUrl, fetchEmbedUrl, onError });
  await frame.send("ready", readyDetail);
  await frame.send("expire", {});
  const again = await play(element);
  await again.send("expire", {});
  await task();
  give(otherEmbedUrl);
  await task();
  const renewed = await play(element);
  await renewed.send("ready", { ...readyDetail, sessionId: "cs_two" });
  await checkout.ready;
  expect(onError).not.toHaveBeenCalled();
});

test("navigates a renewed iframe to the new session if it loads the old one again, as after reinsertion", async () => {
  const onReady = vi.fn();
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  mount({ embedUrl, fetchEmbedUrl, onReady });
  const element = await frame();
  const first = await play(element);
  await first.send("ready", readyDetail);
  await first.send("expire", {});
  await vi.waitUntil(() => first.replaced.length > 0);
  const second = await play(element);
  await second.send("ready", otherReady);
  // The old session isn't connected, so it can't report that it expired. By now the new one may have been paid.
  element.dispatchEvent(new Event("load"));
  expect(second.replaced).toEqual([otherEmbedUrl]);
  expect(second.inits).toHaveLength(1);
  await (await play(element)).send("ready", otherReady);
  expect(onReady).toHaveBeenCalledTimes(3);
  expect(fetchEmbedUrl).toHaveBeenCalledOnce();
});

test("renews a session that expired while the form was unmounted", async () => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const onExpire = vi.fn();
  const checkout = mount({ embedUrl, fetchEmbedUrl, onExpire });
  await (await play(await frame())).send("ready", readyDetail);
  checkout.unmount();
  await vi.waitUntil(() => container().childElementCount === 0);
  checkout.mount(container());
  const element = await frame();
  const late = await play(element);
  await late.send("expire", {});
  await vi.waitUntil(() => late.replaced.length > 0);
  expect(late.replaced).toEqual([otherEmbedUrl]);
  expect(onExpire).toHaveBeenCalledOnce();
  expect(fetchEmbedUrl).toHaveBeenCalledExactlyOnceWith({ reason: "expired", signal: expect.any(AbortSignal) });
  await (await play(element)).send("ready", otherReady);
  await expect(checkout.ready).resolves.toBeUndefined();
  expect(received).toEqual([]);
});

test("emits an error for a session that expired before its form was ready and can't be renewed", async () => {
  const onExpire = vi.fn();
  const checkout = mount({ embedUrl, onExpire });
  await (await play(await frame())).send("expire", {});
  await expect(checkout.ready).rejects.toMatchObject({ code: "session_expired" });
  expect(received).toEqual(["session_expired"]);
  expect(checkout.state).toBe("error");
  expect(onExpire).not.toHaveBeenCalled();
});

test("emits an error instead of fetching again if the new session is expired too", async () => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const checkout = mount({ embedUrl, fetchEmbedUrl });
  const element = await frame();
  const first = await play(element);
  await first.send("expire", {});
  await vi.waitUntil(() => first.replaced.length > 0);
  await (await play(element)).send("expire", {});
  expect(received).toEqual(["session_expired"]);
  expect(checkout.state).toBe("error");
  expect(fetchEmbedUrl).toHaveBeenCalledOnce();
});

test("doesn't renew a session that ended after failed attempts, or without fetchEmbedUrl", async () => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const checkout = mount({ embedUrl, fetchEmbedUrl });
  await (await play(await frame())).send("error", { code: "session_expired" });
  expect(received).toEqual(["session_expired"]);
  expect(checkout.state).toBe("error");
  expect(fetchEmbedUrl).not.toHaveBeenCalled();

  const alone = mount({ embedUrl: otherEmbedUrl });
  const seen = await play(await frame());
  await seen.send("ready", otherReady);
  await seen.send("expire", {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(alone.state).toBe("expired");
  expect(received).toEqual(["session_expired"]);
});

test.each([
  ["fails", () => Promise.reject(new Error("the shop is closed")), "network"],
  ["returns the expired session", async () => embedUrl, "session_invalid"],
])("if a renewal %s, mounting again fetches a new session", async (_what, fail, code) => {
  const reasons: string[] = [];
  const checkout = mount({
    embedUrl,
    fetchEmbedUrl: ({ reason }) => {
      reasons.push(reason);
      return reasons.length === 1 ? fail() : Promise.resolve(otherEmbedUrl);
    },
  });
  const first = await play(await frame());
  await first.send("ready", readyDetail);
  await first.send("expire", {});
  await vi.waitUntil(() => received.length > 0);
  expect(received).toEqual([code]);
  checkout.mount(container());
  await vi.waitUntil(() => container().querySelector("iframe")?.getAttribute("src") === otherEmbedUrl);
  expect(reasons).toEqual(["expired", "retry"]);
  await (await play(await frame())).send("ready", otherReady);
  await expect(checkout.ready).resolves.toBeUndefined();
});

test("mounting again after an error keeps the form if the customer has pressed Pay since", async () => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const checkout = mount({ embedUrl, fetchEmbedUrl });
  const element = await frame();
  const first = await play(element);
  await first.send("error", { code: "internal" });
  await first.send("submit", {});
  checkout.mount(container());
  await task();
  expect(container().querySelector("iframe")).toBe(element);
  expect(fetchEmbedUrl).not.toHaveBeenCalled();
});

test("refuses a new session from another service", async () => {
  mount({ embedUrl, fetchEmbedUrl: async () => "https://evil.example.com/c/cs_two#secret" });
  const first = await play(await frame());
  await first.send("expire", {});
  await vi.waitUntil(() => received.length > 0);
  expect(received).toEqual(["session_invalid"]);
  expect(first.replaced).toEqual([]);
});

const decline = { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 };
test.each<[string, (first: SimulatedFrame, element: HTMLIFrameElement) => Promise<unknown>]>([
  ["reported a decline", (first) => first.send("decline", decline)],
  ["showed the form again", async (_first, element) => (await play(element)).send("ready", readyDetail)],
  ["reported that the session expired", (first) => first.send("expire", {})],
])(
  "if the iframe %s after Pay, a later error has mayHavePaid false, and mounting again fetches a new session",
  async (_what, end) => {
    const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
    const errors: CheckoutError[] = [];
    const checkout = mount({ embedUrl, fetchEmbedUrl, onError: (error) => void errors.push(error) });
    const element = await frame();
    const first = await play(element);
    await first.send("ready", readyDetail);
    await first.send("submit", {});
    await end(first, element);
    await new Promise((resolve) => setTimeout(resolve, 20)); // gives an expired session time to be replaced
    await (await play(element)).send("error", { code: "network" });
    expect(errors).toMatchObject([{ code: "network", mayHavePaid: false, retryable: true }]);
    checkout.mount(document.body);
    await vi.waitUntil(() => fetchEmbedUrl.mock.lastCall !== undefined);
    expect(fetchEmbedUrl).toHaveBeenLastCalledWith({ reason: "retry", signal: expect.any(AbortSignal) });
  },
);

test("refuses the expired session as its own replacement", async () => {
  mount({ embedUrl, fetchEmbedUrl: async () => embedUrl });
  const first = await play(await frame());
  await first.send("expire", {});
  await vi.waitUntil(() => received.length > 0);
  expect(received).toEqual(["session_invalid"]);
  expect(first.replaced).toEqual([]);
});

test.each([
  ["submit", {}],
  ["challengestart", { windowSize: "05", presentation: "inline" }], // when a payment is resumed
  ["complete", { sessionId: "cs_one", status: "complete", returnUrl: null }],
])("after %s, a failed iframe may have paid, so mounting again fetches no other session", async (name, detail) => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const errors: CheckoutError[] = [];
  const checkout = mount({ embedUrl, fetchEmbedUrl, onError: (error) => void errors.push(error) });
  const element = await frame();
  await (await play(element)).send(name, detail);
  await (await play(element)).send("error", { code: "network" });
  expect(errors).toMatchObject([{ code: "network", mayHavePaid: true, retryable: false }]);
  checkout.mount(document.body);
  expect(document.querySelector("iframe")?.getAttribute("src")).toBe(embedUrl);
  expect(fetchEmbedUrl).not.toHaveBeenCalled();
});

test("mounting again after an error fetches a new session with reason retry", async () => {
  const reasons: string[] = [];
  const checkout = mount({
    embedUrl,
    fetchEmbedUrl: async ({ reason }) => {
      reasons.push(reason);
      return otherEmbedUrl;
    },
  });
  await (await play(await frame())).send("error", { code: "session_invalid" });
  checkout.mount(container());
  await vi.waitUntil(() => container().querySelector("iframe")?.getAttribute("src") === otherEmbedUrl);
  expect(reasons).toEqual(["retry"]);
});

test.each([
  [
    "reports a network error",
    async (element: HTMLIFrameElement) => (await play(element)).send("error", { code: "network" }),
  ],
  [
    "is reloaded and blocked by this page's policy",
    async () =>
      document.dispatchEvent(
        Object.assign(new Event("securitypolicyviolation"), {
          blockedURI: "https://pay.example.com",
          effectiveDirective: "frame-src",
          disposition: "enforce",
        }),
      ),
  ],
])(
  "if the iframe %s after Pay, the outcome is unknown, so mounting again fetches no other session",
  async (_what, breakDown) => {
    const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
    const errors: CheckoutError[] = [];
    const checkout = mount({ embedUrl, fetchEmbedUrl, onError: (error) => void errors.push(error) });
    const element = await frame();
    const first = await play(element);
    await first.send("ready", readyDetail);
    await first.send("submit", {});
    await play(element, { speaks: "mute" });
    await breakDown(element);
    expect(errors).toMatchObject([{ mayHavePaid: true, retryable: false }]);
    checkout.mount(document.body);
    expect(document.querySelector("iframe")?.getAttribute("src")).toBe(embedUrl);
    expect(fetchEmbedUrl).not.toHaveBeenCalled();
  },
);

test("`ready` read while the first session is fetched resolves when the form is ready", async () => {
  const { ready } = mount({ fetchEmbedUrl: async () => embedUrl });
  await (await play(await frame())).send("ready", readyDetail);
  await expect(ready).resolves.toBeUndefined();
});

test.each([false, true])("fetches no other session when the form is moved (form ready: %s)", async (isReady) => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  const checkout = mount({ embedUrl, fetchEmbedUrl });
  if (isReady) await (await play(await frame())).send("ready", readyDetail);
  checkout.mount(document.body);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(document.querySelector("iframe")?.getAttribute("src")).toBe(embedUrl);
  expect(fetchEmbedUrl).not.toHaveBeenCalled();
});

test("ignores a fetch that fails after unmount", async () => {
  let refuse = (_reason: Error): void => {};
  const checkout = mount({ fetchEmbedUrl: () => new Promise((_resolve, reject) => (refuse = reject)) });
  await new Promise((resolve) => setTimeout(resolve, 5));
  checkout.unmount();
  refuse(new Error("the shop is closed"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(received).toEqual([]);
  expect(checkout.state).toBe("idle");
});

test("renews a session that expired while its ready form was reloaded", async () => {
  const fetchEmbedUrl = vi.fn(async () => otherEmbedUrl);
  mount({ embedUrl, fetchEmbedUrl });
  const element = await frame();
  await (await play(element)).send("ready", readyDetail);
  const again = await play(element);
  await again.send("expire", {});
  await vi.waitUntil(() => again.replaced.length > 0);
  expect(again.replaced).toEqual([otherEmbedUrl]);
  expect(received).toEqual([]);
});

test("renews a session while the iframe is outside the document and has no window", async () => {
  const checkout = mount({ embedUrl, fetchEmbedUrl: async () => otherEmbedUrl });
  const element = await frame();
  const first = await play(element);
  await first.send("ready", readyDetail);
  Object.defineProperty(element, "contentWindow", { value: null });
  await first.send("expire", {});
  await vi.waitUntil(() => checkout.state === "loading");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(received).toEqual([]);
  expect(checkout.state).toBe("loading");
});

test("the timeline records loading another session", async () => {
  const checkout = mount({ embedUrl, fetchEmbedUrl: async () => otherEmbedUrl, debug: true });
  const first = await play(await frame());
  await first.send("ready", readyDetail);
  await first.send("expire", {});
  await vi.waitUntil(() => first.replaced.length > 0);
  expect((await checkout.getDebugReport()).events.map(([, what]) => what)).toEqual([
    "load",
    "here",
    "ready",
    "expire",
    "reload",
  ]);
});

test("shows a session that was renewed outside the document once the iframe is inserted again", async () => {
  mount({ embedUrl, fetchEmbedUrl: async () => otherEmbedUrl });
  const element = await frame();
  const first = await play(element);
  await first.send("ready", readyDetail);
  const window = element.contentWindow;
  Object.defineProperty(element, "contentWindow", { value: null, configurable: true });
  await first.send("expire", {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(first.replaced).toEqual([]);
  // After it's inserted again, the iframe loads its first session.
  Object.defineProperty(element, "contentWindow", { value: window, configurable: true });
  element.dispatchEvent(new Event("load"));
  expect(first.replaced).toEqual([otherEmbedUrl]);
  await (await play(element)).send("ready", otherReady);
  expect(received).toEqual([]);
});

test("ignores a session that arrives after another mount in the same container", async () => {
  const answers: ((url: string) => void)[] = [];
  const checkout = mount({ embedUrl, fetchEmbedUrl: () => new Promise((resolve) => answers.push(resolve)) });
  const first = await play(await frame());
  await first.send("ready", readyDetail);
  await first.send("expire", {});
  checkout.unmount();
  await vi.waitUntil(() => !container().querySelector("iframe"));
  checkout.mount(container());
  await play(await frame());
  expect(checkout.state).toBe("loading");
  answers[0]?.(otherEmbedUrl);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(answers).toHaveLength(1);
  expect(received).toEqual([]);
  expect(checkout.state).toBe("loading");
});

test("emits session_invalid if the session of an iframe expired whose insertion the page broke", async () => {
  await mountWithBrokenAppend({
    embedUrl,
    fetchEmbedUrl: async () => otherEmbedUrl,
    onError: ({ code, cause }) => void received.push(code, String(cause)),
  });
  const { send } = await play(await frame());
  received.length = 0;
  await send("ready", readyDetail);
  await send("expire", {});
  await vi.waitFor(() => expect(received).toEqual(["session_invalid", "undefined"]));
});
