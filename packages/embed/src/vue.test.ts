/** Uses the real Vue, with a simulated iframe. */
import { afterEach, beforeEach, expect, type Mock, test, vi } from "vitest";
import { type App, createApp, createSSRApp, h, KeepAlive, nextTick, reactive, ref } from "vue";
import { renderToString } from "vue/server-renderer";
import { embedUrl, otherEmbedUrl, playFrame, readyDetail } from "../test/component-frame.ts";
import { complaints, emptyPage, task } from "../test/empty-page.ts";
import type { CheckoutHandle } from "./index.ts";
import { OrielCheckout } from "./vue.ts";

let app: App | undefined;

beforeEach(() => {
  emptyPage();
  document.body.append(document.createElement("main"));
});

afterEach(async () => {
  app?.unmount();
  app = undefined;
  await task();
  await task();
  vi.restoreAllMocks();
});

const iframe = () => document.querySelector("iframe");

/** Shows the result of `render`, and updates it when its dependencies change. */
function show(render: () => ReturnType<typeof h>): void {
  app = createApp({ render });
  app.config.errorHandler = (error) => {
    throw error;
  };
  app.mount("main");
}

test("renders the empty container with its class on a server", async () => {
  const page = createSSRApp({ render: () => h(OrielCheckout, { embedUrl, class: "till" }) });
  expect(await renderToString(page)).toBe('<div class="till"></div>');
});

test("passes props as options, emits events and exposes the handle", async () => {
  const onComplete = vi.fn();
  const checkout = ref<{ handle: CheckoutHandle | null } | null>(null);
  show(() => h(OrielCheckout, { embedUrl, title: "Pay for the cup", onComplete, ref: checkout }));
  expect(iframe()?.title).toBe("Pay for the cup");
  expect(checkout.value?.handle?.state).toBe("loading");
  const frame = await playFrame(iframe());
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  expect(onComplete).toHaveBeenCalledExactlyOnceWith({ sessionId: "cs_one", status: "complete", returnUrl: null });
});

test("a session passed during a payment replaces the old one after a decline, and its handle is exposed", async () => {
  const checkout = ref<{ handle: CheckoutHandle | null } | null>(null);
  const page = reactive({ embedUrl });
  show(() => h(OrielCheckout, { embedUrl: page.embedUrl, ref: checkout }));
  const frame = await playFrame(iframe());
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  page.embedUrl = otherEmbedUrl;
  await nextTick();
  expect(checkout.value?.handle?.state).toBe("submitting");
  await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  await task();
  expect(checkout.value?.handle?.state).toBe("loading");
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("new callbacks and equal objects send nothing to the iframe, but deep changes do", async () => {
  const [first, second] = [vi.fn(), vi.fn()];
  const page = reactive<{ onReady: Mock; appearance: { theme: "dark" | "light" } }>({
    onReady: first,
    appearance: { theme: "dark" },
  });
  show(() => h(OrielCheckout, { embedUrl, appearance: page.appearance, onReady: page.onReady }));
  const element = iframe();
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings).toHaveLength(1));
  page.onReady = second;
  page.appearance = { theme: "dark" };
  await nextTick();
  await frame.send("ready", readyDetail);
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledOnce();
  expect(frame.settings).toHaveLength(1);
  page.appearance.theme = "light";
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ appearance: { theme: "light" } }));
  expect(iframe()).toBe(element);
});

test("only a new session creates a new iframe", async () => {
  const page = reactive<{ embedUrl: string | undefined }>({ embedUrl: undefined });
  show(() => h(OrielCheckout, { embedUrl: page.embedUrl }));
  expect(iframe()).toBe(null);
  page.embedUrl = embedUrl;
  await nextTick();
  expect(iframe()?.getAttribute("src")).toBe(embedUrl);
  page.embedUrl = otherEmbedUrl;
  await nextTick();
  await task();
  expect(document.querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("KeepAlive keeps the iframe and sends it changes made meanwhile", async () => {
  const page = reactive({ isShown: true, locale: "fr" });
  const Other = { render: () => h("p") };
  const Till = { render: () => h(OrielCheckout, { embedUrl, locale: page.locale }) };
  show(() => h(KeepAlive, null, () => h(page.isShown ? Till : Other)));
  const element = iframe();
  page.isShown = false;
  await nextTick();
  await task();
  expect(iframe()).toBe(null);
  page.isShown = true;
  page.locale = "de";
  await nextTick();
  expect(iframe()).toBe(element);
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "de" }));
});

test("unmounting removes the iframe and destroys the handle", async () => {
  const checkout = ref<{ handle: CheckoutHandle | null } | null>(null);
  show(() => h(OrielCheckout, { embedUrl, ref: checkout }));
  const handle = checkout.value?.handle;
  app?.unmount();
  app = undefined;
  await task();
  expect(handle?.state).toBe("destroyed");
  expect(iframe()).toBe(null);
});

test("a boolean prop without a value is true", async () => {
  show(() => h(OrielCheckout, { embedUrl, disabled: "" as unknown as boolean }));
  const frame = await playFrame(iframe());
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ disabled: true }));
});

test("logs an invalid option, and the page stays", () => {
  show(() => h("section", h(OrielCheckout, { embedUrl, timeout: 0 })));
  expect(complaints()).toEqual([expect.stringContaining("timeout must be")]);
  expect(document.querySelector("section")).not.toBe(null);
  expect(iframe()).toBe(null);
});

test("data and ARIA attributes reach the container, and empty strings are ignored", () => {
  show(() =>
    h(OrielCheckout, { embedUrl, locale: "", title: "", "data-testid": "checkout", "aria-label": "Checkout" }),
  );
  expect(iframe()?.closest("[data-testid=checkout]")?.getAttribute("aria-label")).toBe("Checkout");
  expect(complaints()).toEqual([]);
});
