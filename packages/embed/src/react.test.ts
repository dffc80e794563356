/** Uses the real React in StrictMode, with a simulated iframe. */
import { act, createElement, createRef, StrictMode, useEffect, useRef } from "react";
import { createRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { embedUrl, otherEmbedUrl, playFrame, readyDetail } from "../test/component-frame.ts";
import { complaints, emptyPage, task } from "../test/empty-page.ts";
import type { CheckoutHandle } from "./index.ts";
import { Checkout, type CheckoutProps, useCheckout } from "./react.ts";

let root: Root;

beforeEach(() => {
  emptyPage();
  Reflect.set(globalThis, "IS_REACT_ACT_ENVIRONMENT", true);
  const host = document.createElement("div");
  document.body.append(host);
  root = createRoot(host);
});

afterEach(async () => {
  await act(async () => root.unmount());
  await task();
  await task();
  vi.restoreAllMocks();
});

const iframe = () => document.querySelector("iframe");
const render = (props: CheckoutProps & { ref?: React.Ref<CheckoutHandle> }) =>
  act(async () => root.render(createElement(StrictMode, null, createElement(Checkout, props))));

test("renders the empty container on a server", () => {
  const markup = renderToString(
    createElement(Checkout, { embedUrl, className: "till", style: { minHeight: 420 }, id: "pay" }),
  );
  expect(markup).toBe('<div id="pay" class="till" style="min-height:420px"></div>');
});

test("StrictMode's double mount creates one iframe, one session and one handle", async () => {
  const fetchEmbedUrl = vi.fn(() => Promise.resolve(embedUrl));
  const ref = createRef<CheckoutHandle>();
  await render({ fetchEmbedUrl, ref });
  await vi.waitFor(() => expect(iframe()).not.toBe(null));
  await task();
  expect(document.querySelectorAll("iframe")).toHaveLength(1);
  expect(fetchEmbedUrl).toHaveBeenCalledOnce();
  expect(ref.current?.state).toBe("loading");
});

test("new callbacks and equal inline objects cause no remount and send nothing to the iframe", async () => {
  const [first, second] = [vi.fn(), vi.fn()];
  await render({ embedUrl, appearance: { theme: "dark" }, onReady: first });
  const element = iframe();
  const frame = await playFrame(element);
  await vi.waitFor(() => expect(frame.settings).toHaveLength(1));
  await render({ embedUrl, appearance: { theme: "dark" }, onReady: second });
  await frame.send("ready", readyDetail);
  await task();
  expect(iframe()).toBe(element);
  expect(frame.settings).toHaveLength(1);
  expect(first).not.toHaveBeenCalled();
  expect(second).toHaveBeenCalledOnce();
});

test("sends a changed option to the iframe", async () => {
  await render({ embedUrl, locale: "fr" });
  const element = iframe();
  const frame = await playFrame(element);
  await render({ embedUrl, locale: "de" });
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ locale: "de" }));
  expect(iframe()).toBe(element);
});

test("a session passed during a payment replaces the old one after a decline, and the ref follows", async () => {
  const ref = createRef<CheckoutHandle>();
  await render({ embedUrl, ref });
  const frame = await playFrame(iframe());
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  await render({ embedUrl: otherEmbedUrl, ref });
  const first = ref.current;
  expect(first?.state).toBe("submitting");
  await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  await task();
  expect(first?.state).toBe("destroyed");
  expect(ref.current?.state).toBe("loading");
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("only a new session creates a new iframe, and the ref follows", async () => {
  const ref = createRef<CheckoutHandle>();
  await render({ ref });
  expect(iframe()).toBe(null);
  expect(ref.current).toBe(null);
  await render({ embedUrl, ref });
  const first = ref.current;
  await render({ embedUrl: otherEmbedUrl, ref });
  expect(iframe()?.getAttribute("src")).toBe(otherEmbedUrl);
  expect(ref.current).not.toBe(first);
  expect(first?.state).toBe("destroyed");
});

test("unmounting clears the ref and removes the iframe", async () => {
  const ref = vi.fn();
  await render({ embedUrl, ref });
  const handle: CheckoutHandle = ref.mock.lastCall?.[0];
  await act(async () => root.render(null));
  await task();
  await task();
  expect(ref).toHaveBeenLastCalledWith(null);
  expect(handle.state).toBe("destroyed");
  expect(iframe()).toBe(null);
});

test("sets the ref before the parent's effects run", async () => {
  const seen: (string | undefined)[] = [];
  function Page() {
    const ref = useRef<CheckoutHandle>(null);
    useEffect(() => void seen.push(ref.current?.state), []);
    return createElement(Checkout, { embedUrl, ref });
  }
  await act(async () => root.render(createElement(Page)));
  expect(seen).toEqual(["loading"]);
});

test("the hook mounts into your own container and returns the handle", async () => {
  function Page({ shown }: { shown: boolean }) {
    const { ref, checkout } = useCheckout({ embedUrl });
    return createElement("section", null, shown && createElement("p", { ref }), checkout?.state);
  }
  const show = (shown: boolean) =>
    act(async () => root.render(createElement(StrictMode, null, createElement(Page, { shown }))));
  await show(true);
  expect(document.querySelector("p iframe")).not.toBe(null);
  expect(document.querySelector("section")?.textContent).toBe("loading");
  await show(false);
  await task();
  expect(document.querySelector("section")?.textContent).toBe("");
  await show(true);
  expect(document.querySelectorAll("p iframe")).toHaveLength(1);
});

test.each([
  ["an invalid value", { locale: 5 as unknown as string }, "locale must be"],
  ["an unknown option", { colour: "red" }, 'unknown option "colour"'],
])("logs %s, and the page stays", async (_what, wrong, sentence) => {
  await act(async () => root.render(createElement("main", null, createElement(Checkout, { embedUrl, ...wrong }))));
  expect(complaints()).toContainEqual(expect.stringContaining(sentence));
  expect(document.querySelector("main")).not.toBe(null);
  expect(iframe()).toBe(null);
});

test("passes data and ARIA attributes to the container, and ignores empty strings", async () => {
  await render({ "data-testid": "checkout", "aria-label": "Checkout", locale: "", title: "" });
  await render({ embedUrl, "data-testid": "checkout", "aria-label": "Checkout", locale: "", title: "" });
  const container = iframe()?.closest("[data-testid=checkout]");
  expect(container?.getAttribute("aria-label")).toBe("Checkout");
  expect(complaints()).toEqual([]);
});

test("logs an error without a callback, and calls the latest callback otherwise", async () => {
  const onError = vi.fn();
  await render({ embedUrl });
  const frame = await playFrame(iframe());
  await frame.send("error", { code: "network" });
  expect(complaints()).toEqual([expect.stringContaining("network")]);
  await render({ embedUrl, onError });
  await frame.send("error", { code: "internal" });
  expect(onError).toHaveBeenCalledOnce();
  expect(complaints()).toHaveLength(1);
});
