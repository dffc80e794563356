/** Uses the real Svelte and compiled components, with a simulated iframe. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { embedUrl, otherEmbedUrl, playFrame, readyDetail } from "../test/component-frame.ts";
import { complaints, emptyPage, task } from "../test/empty-page.ts";
import { componentOf, svelte } from "../test/svelte-component.ts";
import type { CheckoutHandle } from "./index.ts";
import { attachCheckout, checkout, type CheckoutActionOptions } from "./svelte.ts";

const page = (div: string) =>
  componentOf(
    `<script>let { use, first } = $props(); let options = $state.raw(first); export function change(next) { options = next; }</script>${div}`,
  );
const withAction = await page("<div use:use={options}></div>");
const withAttachment = await page("<div {@attach use(options)}></div>");

interface Page {
  change(options: CheckoutActionOptions): void;
}

let shown: Record<string, unknown> | undefined;

function show(component: typeof withAction, use: unknown, first: CheckoutActionOptions): Page {
  shown = svelte.mount(component, { target: document.body, props: { use, first } });
  svelte.flushSync();
  return {
    change(options) {
      Reflect.apply(shown?.["change"] as Page["change"], undefined, [options]); // exported by the component
      svelte.flushSync();
    },
  };
}

beforeEach(emptyPage);

afterEach(async () => {
  if (shown) await svelte.unmount(shown);
  shown = undefined;
  await task();
  await task();
  vi.restoreAllMocks();
});

const iframe = () => document.querySelector("iframe");

test.each([
  ["the action", withAction, checkout],
  ["the attachment", withAttachment, attachCheckout],
])("with %s, sends only changed options to the iframe and calls the latest callback", async (_what, component, use) => {
  const [first, second] = [vi.fn(), vi.fn()];
  const { change } = show(component, use, { embedUrl, appearance: { theme: "dark" }, onReady: first });
  const element = iframe();
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings).toHaveLength(1));
  change({ embedUrl, appearance: { theme: "dark" }, onReady: second });
  await frame.send("ready", readyDetail);
  await task();
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledOnce();
  expect(frame.settings).toHaveLength(1);
  change({ embedUrl, appearance: { theme: "light" } });
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ appearance: { theme: "light" } }));
  expect(iframe()).toBe(element);
});

test.each([
  ["the action", withAction, checkout],
  ["the attachment", withAttachment, attachCheckout],
])("with %s, a new session creates a new iframe, and destroying it leaves none", async (_what, component, use) => {
  const onHandle = vi.fn<(checkout: CheckoutHandle | null) => void>();
  const { change } = show(component, use, { embedUrl, onHandle });
  const first = onHandle.mock.lastCall?.[0];
  expect(first?.state).toBe("loading");
  change({ embedUrl: otherEmbedUrl, onHandle });
  await task();
  expect(first?.state).toBe("destroyed");
  expect(document.querySelectorAll("iframe")).toHaveLength(1);
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
  if (shown) await svelte.unmount(shown);
  shown = undefined;
  await task();
  await task();
  expect(onHandle).toHaveBeenLastCalledWith(null);
  expect(iframe()).toBe(null);
});

test("the action works when called as in Svelte 3", async () => {
  const node = document.createElement("div");
  document.body.append(node);
  const action = checkout(node, { embedUrl: null });
  expect(iframe()).toBe(null);
  action.update({ embedUrl });
  expect(iframe()).not.toBe(null);
  action.destroy();
  await task();
  await task();
  expect(iframe()).toBe(null);
});

test("logs an error without a callback, and calls the callback otherwise", async () => {
  const onError = vi.fn();
  const node = document.body.appendChild(document.createElement("div"));
  const action = checkout(node, { embedUrl });
  const frame = await playFrame(iframe());
  await frame.send("error", { code: "network" });
  expect(complaints()).toEqual([expect.stringContaining("network")]);
  action.update({ embedUrl, onError });
  await frame.send("error", { code: "internal" });
  expect(onError).toHaveBeenCalledOnce();
  expect(complaints()).toHaveLength(1);
  action.destroy();
});

test("logs an invalid option, and empty strings are ignored", () => {
  const node = document.body.appendChild(document.createElement("div"));
  const action = checkout(node, { embedUrl, loader: "spinner" as "auto" });
  expect(complaints()).toEqual([expect.stringContaining("loader must be")]);
  expect(iframe()).toBe(null);
  action.update({ embedUrl, locale: "", title: "" });
  expect(iframe()).not.toBe(null);
  expect(complaints()).toHaveLength(1);
  action.destroy();
});

test.each([
  ["the action", withAction, checkout],
  ["the attachment", withAttachment, attachCheckout],
])(
  "with %s, a session passed during a payment replaces the old one after a decline, and onHandle is called",
  async (_what, component, use) => {
    const onHandle = vi.fn<(handle: CheckoutHandle | null) => void>();
    const { change } = show(component, use, { embedUrl, onHandle });
    const frame = await playFrame(iframe());
    await frame.send("ready", readyDetail);
    await frame.send("submit", {});
    change({ embedUrl: otherEmbedUrl, onHandle });
    expect(onHandle.mock.lastCall?.[0]?.state).toBe("submitting");
    await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
    await task();
    expect(onHandle.mock.lastCall?.[0]?.state).toBe("loading");
    expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
  },
);
