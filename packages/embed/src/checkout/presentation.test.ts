/**
 * Where the form is shown: inline, in a dialog, over the page for a challenge or on the full page. The iframe is
 * simulated.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { task } from "../../test/empty-page.ts";
import { frameElement, mount, mountAndPlay, playCheckouts } from "../../test/simulated-checkout.ts";
import { embedUrl, otherEmbedUrl, play, readyDetail } from "../../test/simulated-frame.ts";
import type { CheckoutOptions } from "../api/checkout-options.ts";

let container: HTMLElement;

playCheckouts();
beforeEach(() => {
  document.body.innerHTML = "<header></header><main><p></p><div id=checkout></div></main><footer inert></footer>";
  container = document.body.querySelector("div") ?? document.body;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** The iframe is removed a task after its checkout, and the dialog after the iframe. */
const tasks = () => task().then(task);

async function mountReady(options: Partial<CheckoutOptions> = {}) {
  const mounted = await mountAndPlay(options);
  await mounted.frame.send("ready", readyDetail);
  return mounted;
}

/** Whether the page behind can't be scrolled. */
const isLocked = () => document.adoptedStyleSheets.length > 0;

/** Records the dialog into which the iframe is slotted, and how often it was opened. */
function watchLayer() {
  const opened = vi.spyOn(HTMLDialogElement.prototype, "showModal");
  return {
    times: () => opened.mock.calls.length,
    dialog: () => {
      const [dialog] = opened.mock.contexts;
      if (!(dialog instanceof HTMLDialogElement)) throw new Error("no dialog was opened");
      return dialog;
    },
  };
}

test("grow shows the iframe over the page in a modal dialog without scrolling, and shrink restores the page", async () => {
  const layer = watchLayer();
  const { element, frame } = await mountReady();
  await frame.send("resize", { height: 300 });
  const before = element.getAttribute("style");
  await frame.send("grow", {});
  expect(layer.dialog().open).toBe(true);
  expect(element.style.height).toBe("100%");
  expect(isLocked()).toBe(true);
  // The box keeps its height, and the iframe's new height doesn't apply yet.
  expect(element.parentElement?.style.height).toBe("300px");
  await frame.send("resize", { height: 555 });
  expect(element.style.height).toBe("100%");
  await frame.send("shrink", {});
  expect(layer.dialog().open).toBe(false);
  expect(element.style.height).toBe("555px");
  expect(isLocked()).toBe(false);
  expect(element.parentElement?.style.height).toBe("");
  expect(element.getAttribute("style")?.length).toBe(before?.length);
  expect(layer.times()).toBe(1);
});

test("reloading an iframe that covers the page restores the page", async () => {
  const layer = watchLayer();
  const { element, frame } = await mountReady();
  await frame.send("grow", {});
  await play(element, { speaks: "mute" });
  expect(layer.dialog().open).toBe(false);
  expect(element.style.height).toBe("420px");
});

test("while the page hides the iframe that covers it, the page can be used", async () => {
  let resized = () => {};
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(listener: () => void) {
        resized = listener;
      }
      observe() {}
      disconnect() {}
    },
  );
  const layer = watchLayer();
  const { element, frame } = await mountReady();
  await frame.send("grow", {});
  const state = () => [layer.dialog().open, isLocked(), element.style.height];
  const box = element.parentElement ?? element;
  let isRendered = false;
  box.checkVisibility = () => isRendered;
  resized();
  expect(state()).toEqual([false, false, "420px"]);
  isRendered = true;
  resized();
  expect(state()).toEqual([true, true, "100%"]);
  box.remove();
  resized();
  expect(state()).toEqual([false, false, "420px"]);
});

test("growing twice has no further effect, and destroying while grown restores the page", async () => {
  const layer = watchLayer();
  const { checkout, frame } = await mountReady();
  await frame.send("grow", {});
  await frame.send("grow", {});
  checkout.destroy();
  await tasks();
  expect(layer.times()).toBe(1);
  expect(layer.dialog().open).toBe(false);
  expect(document.documentElement.style.overflow).toBe("");
});

test("an iframe that covers the page stays above a modal that the page opens later, and Escape doesn't close it", async () => {
  const layer = watchLayer();
  const { frame } = await mountReady();
  await frame.send("grow", {});
  const modal = document.body.appendChild(document.createElement("dialog"));
  modal.setAttribute("open", "");
  await vi.waitFor(() => expect(layer.times()).toBeGreaterThan(1));
  expect(layer.dialog().open).toBe(true);
  modal.removeAttribute("open");
  layer.dialog().close(); // as Escape does
  expect(layer.dialog().open).toBe(true);
  await frame.send("shrink", {});
  const times = layer.times();
  modal.setAttribute("open", "");
  await tasks();
  expect(layer.dialog().open).toBe(false);
  expect(layer.times()).toBe(times);
});

test("the iframe's size takes precedence over !important rules of the page", async () => {
  const { element, frame } = await mountReady();
  await frame.send("resize", { height: 300 });
  const names = ["width", "min-width", "max-width", "height", "min-height", "max-height", "padding"];
  const important = () => names.filter((name) => element.style.getPropertyPriority(name) !== "important");
  expect(important()).toEqual([]);
  await frame.send("grow", {});
  expect(important()).toEqual([]);
  await frame.send("shrink", {});
  expect(important()).toEqual([]);
  expect(element.style.height).toBe("300px");
});

test("modal: shows the form in a dialog, and closing it emits cancel and removes everything", async () => {
  const onCancel = vi.fn();
  const { checkout } = await mountReady({ presentation: "modal", onCancel });
  const dialog = container.querySelector("dialog");
  expect(dialog?.open).toBe(true);
  expect(dialog?.contains(document.querySelector("iframe"))).toBe(true);
  dialog?.querySelector("button")?.click();
  expect(onCancel).toHaveBeenCalledExactlyOnceWith({ by: "customer" });
  expect(checkout.state).toBe("idle");
  await tasks();
  expect(container.childElementCount).toBe(0);
});

test("modal: labels the close button in the form's language", async () => {
  await mountReady({ presentation: "modal", locale: "fr-CA" });
  const button = container.querySelector("dialog button");
  expect([button?.ariaLabel, button?.getAttribute("lang")]).toEqual(["Fermer", "fr"]);
});

test("modal: Escape doesn't close it during a payment", async () => {
  const onCancel = vi.fn();
  const { frame } = await mountReady({ presentation: "modal", onCancel });
  const dialog = container.querySelector("dialog");
  const escape = async () => {
    dialog?.dispatchEvent(new Event("cancel", { cancelable: true }));
    await tasks(); // the dialog is removed later
  };
  await frame.send("submit", {});
  await escape();
  await frame.send("challengestart", { windowSize: "05", presentation: "inline" });
  await escape();
  expect(container.querySelector("dialog")).toBe(dialog);
  expect(dialog?.open).toBe(true);
  expect(onCancel).not.toHaveBeenCalled();
  await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  await escape();
  expect(container.querySelector("dialog")).toBe(null);
  expect(onCancel).toHaveBeenCalledOnce();
});

test.each<[string, (mounted: Awaited<ReturnType<typeof mountReady>>) => Promise<unknown>]>([
  ["got no response", ({ frame }) => frame.send("error", { code: "network" })],
  ["was interrupted by a reload of the iframe", ({ element }) => play(element)],
  [
    "has an unknown outcome",
    ({ frame }) => frame.send("complete", { sessionId: "cs_one", status: "processing", returnUrl: null }),
  ],
])("modal: nothing closes it while a payment %s", async (_what, breakDown) => {
  const onCancel = vi.fn();
  const mounted = await mountReady({ presentation: "modal", onCancel, onError() {} });
  const dialog = container.querySelector("dialog");
  await mounted.frame.send("submit", {});
  await breakDown(mounted);
  dialog?.querySelector("button")?.click();
  dialog?.dispatchEvent(new Event("cancel", { cancelable: true }));
  dialog?.close(); // as a browser does after several refusals
  await tasks();
  expect(dialog?.open).toBe(true);
  expect(mounted.element.isConnected).toBe(true);
  expect(onCancel).not.toHaveBeenCalled();
});

test("modal: during a payment, closes if only the link is left in it", async () => {
  const onCancel = vi.fn();
  const { checkout, frame } = await mountReady({ presentation: "modal", onCancel, onError() {} });
  await frame.send("submit", {});
  checkout.unmount();
  await tasks();
  checkout.mount(container);
  const dialog = container.querySelector("dialog");
  const violation = { blockedURI: embedUrl, effectiveDirective: "frame-src", disposition: "enforce" };
  document.dispatchEvent(Object.assign(new Event("securitypolicyviolation"), violation));
  expect(dialog?.querySelector("a")?.href).toBe(embedUrl);
  dialog?.querySelector("button")?.click();
  await tasks();
  expect(container.querySelector("dialog")).toBe(null);
  expect(checkout.isPaymentPending).toBe(true);
  expect(onCancel).not.toHaveBeenCalled();
});

test("modal: if the browser closes it without asking, that cancels, but not during a payment", async () => {
  const onCancel = vi.fn();
  const { frame } = await mountReady({ presentation: "modal", onCancel });
  const dialog = container.querySelector("dialog");
  await frame.send("submit", {});
  dialog?.close();
  await tasks();
  expect(dialog?.open).toBe(true);
  await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  dialog?.close();
  await tasks();
  expect(onCancel).toHaveBeenCalledExactlyOnceWith({ by: "customer" });
  expect(container.querySelector("dialog")).toBe(null);
});

test("modal: closing it after a successful payment isn't a cancellation", async () => {
  const onCancel = vi.fn();
  const { frame } = await mountReady({ presentation: "modal", onCancel });
  await frame.send("submit", {});
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  container.querySelector("button")?.click();
  await tasks();
  expect(container.querySelector("dialog")).toBe(null);
  expect(onCancel).not.toHaveBeenCalled();
});

test.each([
  ["in the customer's language, once the iframe has sent it", undefined, "Paiement sécurisé"],
  ["of the merchant's choice", "Pay for the cup", "Pay for the cup"],
])("the iframe and the dialog have a title %s", async (_what, title, shown) => {
  const { checkout, frame } = await mountAndPlay({ presentation: "modal", ...(title && { title }) });
  const types: string[] = [];
  checkout.on("*", ({ type }) => types.push(type));
  await frame.send("title", { title: "Paiement sécurisé" });
  await frame.send("ready", readyDetail);
  expect([container.querySelector("iframe")?.title, container.querySelector("dialog")?.ariaLabel]).toEqual([
    shown,
    shown,
  ]);
  expect(types).toEqual(["ready"]);
});

test("modal: has the iframe's title, also after an update", async () => {
  const { checkout } = await mountReady({ presentation: "modal" });
  const dialog = container.querySelector("dialog");
  expect(dialog?.ariaLabel).toBe("Secure card payment");
  await checkout.update({ title: "Pay for the cup" });
  expect(dialog?.ariaLabel).toBe("Pay for the cup");
});

test.each(["display: none", "visibility: hidden"])(
  "modal: is shown at the end of the page if its target has `%s`",
  (style) => {
    container.style.cssText = style;
    mount({ presentation: "modal" });
    expect(container.childElementCount).toBe(0);
    expect(document.querySelector<HTMLDialogElement>("html > dialog")?.open).toBe(true);
  },
);

test("modal: Escape in the form also closes it", async () => {
  const onCancel = vi.fn();
  const { frame } = await mountReady({ presentation: "modal", onCancel });
  await frame.send("escape", {});
  await tasks();
  expect(onCancel).toHaveBeenCalledExactlyOnceWith({ by: "customer" });
  expect(container.querySelector("dialog")).toBe(null);
});

test("modal: can be closed while the session is being fetched", async () => {
  const onCancel = vi.fn();
  const checkout = mount({ presentation: "modal", onCancel, fetchEmbedUrl: () => new Promise(() => {}) });
  container.querySelector("button")?.click();
  await tasks();
  expect(onCancel).toHaveBeenCalledExactlyOnceWith({ by: "customer" });
  expect(checkout.state).toBe("idle");
  expect(container.querySelector("dialog")).toBe(null);
});

test("modal: stays when its checkout is mounted again while the session is being fetched", async () => {
  const checkout = mount({ presentation: "modal", fetchEmbedUrl: async () => (await tasks(), embedUrl) });
  checkout.unmount();
  checkout.mount(container);
  await tasks();
  await tasks();
  expect(container.querySelectorAll("dialog[open] iframe")).toHaveLength(1);
});

test("modals of the page that lock scrolling before or during a challenge can unlock it afterward", async () => {
  const { style } = document.documentElement;
  const { frame } = await mountReady();
  style.overflow = "hidden"; // a modal of the page
  await frame.send("grow", {});
  style.overflow = ""; // is closed
  await frame.send("shrink", {});
  expect([style.overflow, isLocked()]).toEqual(["", false]);
  await frame.send("grow", {});
  expect([style.overflow, isLocked()]).toEqual(["", true]); // what another modal would restore later
  await frame.send("shrink", {});
});

test("modal: mounting again opens the dialog that the page removed", async () => {
  const { checkout } = await mountReady({ presentation: "modal" });
  const dialog = container.querySelector("dialog");
  container.replaceChildren();
  const opened = vi.spyOn(HTMLDialogElement.prototype, "showModal");
  checkout.mount(container);
  await tasks();
  expect(opened.mock.contexts).toEqual([dialog]);
  expect(container.querySelectorAll("dialog[open] iframe")).toHaveLength(1);
});

test("modal: with two checkouts of a session, the customer can close it after one has left", async () => {
  const onCancel = vi.fn();
  mount({ presentation: "modal", onCancel });
  mount({ presentation: "modal" }).destroy();
  await tasks();
  container.querySelector("button")?.click();
  expect(onCancel).toHaveBeenCalledOnce();
});

test("modal: a new title doesn't open a dialog that the page removed", async () => {
  const { checkout } = await mountReady({ presentation: "modal" });
  container.replaceChildren();
  const opened = vi.spyOn(HTMLDialogElement.prototype, "showModal");
  await checkout.update({ title: "Pay for your seats" });
  expect(opened).not.toHaveBeenCalled();
  expect(container.childElementCount).toBe(0);
});

test("the page can be used after it removed the iframe that covers it", async () => {
  const layer = watchLayer();
  const { element, frame } = await mountReady();
  await frame.send("grow", {});
  element.remove();
  await task();
  expect([layer.dialog().open, isLocked()]).toEqual([false, false]);
});

test("modal: a checkout that was replaced doesn't take the dialog with it", async () => {
  mount({ presentation: "modal" });
  const onCancel = vi.fn();
  mount({ presentation: "modal", embedUrl: otherEmbedUrl, onCancel });
  await tasks();
  expect(container.querySelectorAll("dialog[open] iframe")).toHaveLength(1);
  container.querySelector("button")?.click();
  expect(onCancel).toHaveBeenCalledOnce();
});

test("modal: if the browser refuses to open the dialog, the container gets the link, and the page an error", async () => {
  const cause = new Error("not in a document");
  vi.spyOn(HTMLDialogElement.prototype, "showModal").mockImplementation(() => {
    throw cause;
  });
  const onError = vi.fn();
  const { ready } = mount({ presentation: "modal", onError });
  await expect(ready).rejects.toMatchObject({ code: "internal", cause });
  expect(onError).toHaveBeenCalledOnce();
  expect(container.querySelector(":scope > p a")?.getAttribute("href")).toBe(embedUrl);
});

test("modal: can be used although a modal of the page disabled pointer events", async () => {
  await mountReady({ presentation: "modal" });
  expect(container.querySelector("dialog")?.style.pointerEvents).toBe("auto");
});

test.each([
  [0, false], // hidden, or an inline element
  [239, true],
  [240, false],
])("auto: a container that is %d px wide gets a dialog: %s", (width, isModal) => {
  Object.defineProperty(container, "clientWidth", { value: width });
  mount({ presentation: "auto" });
  expect(container.querySelector("dialog") !== null).toBe(isModal);
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
});

test("auto: mounting again keeps the form where it is, although the container is narrow now", async () => {
  const { checkout, element } = await mountReady({ presentation: "auto" });
  Object.defineProperty(container, "clientWidth", { value: 200 });
  checkout.mount(container);
  await tasks();
  expect(frameElement()).toBe(element);
  expect(container.querySelector("dialog")).toBe(null);
});

test("inline: the width doesn't matter", () => {
  Object.defineProperty(container, "clientWidth", { value: 100 });
  mount({ presentation: "inline" });
  expect(container.querySelector("dialog")).toBe(null);
});

test("modal: reuses the iframe when mounted twice in one task", async () => {
  const first = mount({ presentation: "modal" });
  const element = document.querySelector("iframe");
  first.destroy();
  mount({ presentation: "modal" });
  await tasks();
  expect(document.querySelectorAll("dialog")).toHaveLength(1);
  expect(document.querySelector("iframe")).toBe(element);
});

test("redirect: mounting navigates to the full page", () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  mount({ presentation: "redirect" });
  expect(assign).toHaveBeenCalledExactlyOnceWith(embedUrl);
  expect(document.querySelector("iframe")).toBe(null);
});

test("redirect: mounting again doesn't fetch another session", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  const fetchEmbedUrl = vi.fn(async () => embedUrl);
  const checkout = mount({ presentation: "redirect", fetchEmbedUrl });
  await task();
  checkout.mount(container);
  expect(assign.mock.calls).toEqual([[embedUrl], [embedUrl]]);
  expect(fetchEmbedUrl).toHaveBeenCalledOnce();
});

test("redirect: mounting again navigates again, because the customer came back", () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  const checkout = mount({ presentation: "redirect" });
  checkout.mount(container);
  expect(assign).toHaveBeenCalledTimes(2);
});

test('redirect "always" navigates to the return URL after success, unless a listener prevents it', async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  const seen: string[] = [];
  const { checkout, frame } = await mountReady({ redirect: "always" });
  checkout.on("redirect", ({ url, reason }) => void seen.push(`${reason} ${url}`));
  await frame.send("complete", {
    sessionId: "cs_one",
    status: "complete",
    returnUrl: "https://shop.example/done?a=%20b&session_id=cs_one#end",
  });
  expect(seen).toEqual(["complete https://shop.example/done?a=%20b&session_id=cs_one#end"]);
  expect(assign).toHaveBeenCalledExactlyOnceWith("https://shop.example/done?a=%20b&session_id=cs_one#end");
  checkout.on("redirect", ({ preventDefault }) => preventDefault());
  await frame.send("leave", {});
  expect(seen.at(-1)).toBe(`challenge ${embedUrl}`);
  expect(assign).toHaveBeenCalledOnce();
});

test("stays on the page after success unless redirect is always", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  const onRedirect = vi.fn();
  const { frame } = await mountReady({ onRedirect });
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: "https://shop.example/done" });
  expect(onRedirect).not.toHaveBeenCalled();
  expect(assign).not.toHaveBeenCalled();
});

test("redirect: doesn't navigate if the session arrives after unmount", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  let answer = (_url: string): void => {};
  const checkout = mount({
    presentation: "redirect",
    fetchEmbedUrl: () => new Promise((resolve) => (answer = resolve)),
  });
  await tasks();
  checkout.unmount();
  answer(embedUrl);
  await tasks();
  expect(assign).not.toHaveBeenCalled();
});

test("never navigates to a URL that isn't http(s)", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  const { frame } = await mountReady({ redirect: "always" });
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: "javascript:alert(1)" });
  expect(assign).not.toHaveBeenCalled();
});

test("theme auto follows the page and its changes, and inherit reads the container's style", async () => {
  const { element, frame } = await mountReady({ appearance: { inherit: true, variables: { colorText: "#111111" } } });
  const sent = JSON.parse(element.name).appearance;
  expect(sent.theme).toBe("light");
  expect(sent.variables).toMatchObject({ colorText: "#111111", fontFamily: expect.any(String) });
  expect(sent).not.toHaveProperty("inherit");
  expect(element.style.colorScheme).toBe("light");
  container.style.backgroundColor = "rgb(20, 22, 28)";
  await vi.waitFor(() => expect(frame.received.join()).toContain('"theme":"dark"'));
  expect(element.style.colorScheme).toBe("dark");
  container.style.backgroundColor = "";
});

test("sends nothing when the page changes without changing its appearance", async () => {
  const { frame } = await mountReady();
  const updates = () => frame.received.filter((call) => call.startsWith("update "));
  await vi.waitFor(() => expect(updates()).toHaveLength(1));
  document.documentElement.setAttribute("class", "scrolled");
  // 100 ms until the page is checked, and 100 ms more until an update would be sent.
  await new Promise((resolve) => setTimeout(resolve, 300));
  document.documentElement.removeAttribute("class");
  expect(updates()).toHaveLength(1);
});

test.each([
  ["auto", ""],
  ["always", "repeating-linear-gradient"],
] as const)('loader "%s": once the form is painted, the skeleton behind it is "%s"', async (loader, skeleton) => {
  mount({ loader });
  const element = frameElement();
  const box = element.parentElement ?? element;
  expect(box.style.background).toContain("repeating-linear-gradient");
  await play(element);
  await tasks();
  expect(box.style.background.replace(/\(.*/, "")).toBe(skeleton);
});

test('loader "always" covers the iframe until the form is ready', async () => {
  mount({ loader: "always" });
  const element = frameElement();
  const frame = await play(element);
  await frame.send("resize", { height: 300 });
  expect(element.style.visibility).toBe("hidden");
  await frame.send("ready", readyDetail);
  expect(element.style.visibility).toBe("");
});

test("in an isolated page, redirects to the full page if the browser can't embed the issuer's page", async () => {
  const goes: string[] = [];
  const onRedirect: NonNullable<CheckoutOptions["onRedirect"]> = ({ url, reason, preventDefault }) => {
    goes.push(`${reason} ${url}`);
    preventDefault();
  };
  vi.stubGlobal("crossOriginIsolated", true);
  const { ready } = mount({ onRedirect });
  await expect(ready).rejects.toMatchObject({ code: "unsupported_browser" });
  await tasks();
  expect(goes).toEqual([`fallback ${embedUrl}`]);
  expect(container.querySelector("iframe")).toBe(null);
  expect(container.querySelector("a")?.href).toBe(embedUrl);
});

test("in an isolated page, requests the iframe with COEP if the browser can embed the issuer's page", () => {
  vi.stubGlobal("crossOriginIsolated", true);
  Object.defineProperty(HTMLIFrameElement.prototype, "credentialless", { value: false, configurable: true });
  mount();
  expect(frameElement().getAttribute("src")).toBe(embedUrl.replace("#", "?coep=1#"));
  Reflect.deleteProperty(HTMLIFrameElement.prototype, "credentialless");
});

test("in a sandbox with an opaque origin, shows the link instead of an iframe, but works in a page from a file", async () => {
  vi.stubGlobal("origin", "null");
  const { ready } = mount({ onError() {} });
  await expect(ready).rejects.toMatchObject({ code: "sandboxed" });
  expect(container.querySelector("iframe")).toBe(null);
  expect(container.querySelector("a")?.href).toBe(embedUrl);
  vi.stubGlobal("location", { protocol: "file:" });
  const fromFile = document.body.appendChild(document.createElement("div"));
  mount({}, fromFile);
  expect(fromFile.querySelector("iframe")?.getAttribute("src")).toBe(embedUrl);
});
