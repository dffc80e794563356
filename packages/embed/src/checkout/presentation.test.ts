/**
 * Where the form stands: in place, in a dialog, over the page for a challenge, on a page of its own. The frame is
 * played.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { task } from "../../test/empty-page.ts";
import { frameElement, mount, mountAndPlay, playCheckouts } from "../../test/played-checkout.ts";
import { embedUrl, play, readyDetail } from "../../test/played-frame.ts";
import type { CheckoutOptions } from "./checkout-options.ts";

let container: HTMLElement;

playCheckouts();
beforeEach(() => {
  document.body.innerHTML = "<header></header><main><p></p><div id=checkout></div></main><footer inert></footer>";
  container = document.body.querySelector("div") ?? document.body;
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** The frame goes a task after its checkout, and the dialog after the frame. */
const tasks = () => task().then(task);

async function mountReady(options: Partial<CheckoutOptions> = {}) {
  const mounted = await mountAndPlay(options);
  await mounted.frame.send("ready", readyDetail);
  return mounted;
}

const inert = () => [...document.body.querySelectorAll("[inert]")].map((element) => element.localName);

test("a challenge that asks for it stands over the page, the rest is inert and does not scroll, and all comes back", async () => {
  const { element, frame } = await mountReady();
  await frame.send("resize", { height: 300 });
  const before = element.getAttribute("style");
  await frame.send("grow", {});
  expect(element.style.position).toBe("fixed");
  expect(element.style.height).toBe("100%");
  expect(inert().toSorted()).toEqual(["footer", "header", "p"]);
  expect(document.documentElement.style.overflow).toBe("hidden");
  // The place it left keeps its height, and what the frame says of its own meanwhile changes nothing yet.
  expect(element.parentElement?.style.height).toBe("300px");
  await frame.send("resize", { height: 555 });
  expect(element.style.height).toBe("100%");
  await frame.send("shrink", {});
  expect(element.style.position).toBe("");
  expect(element.style.height).toBe("555px");
  expect(element.hasAttribute("popover")).toBe(false);
  expect(inert()).toEqual(["footer"]);
  expect(document.documentElement.style.overflow).toBe("");
  expect(element.parentElement?.style.height).toBe("");
  expect(element.getAttribute("style")?.length).toBe(before?.length);
});

test("a frame that is loaded again while it stands over the page gives the page back", async () => {
  const { element, frame } = await mountReady();
  await frame.send("grow", {});
  await play(element, { speaks: "mute" });
  expect(inert()).toEqual(["footer"]);
  expect(element.style.position).toBe("");
});

test("growing twice is growing once, and destroying while grown gives the page back", async () => {
  const { checkout, frame } = await mountReady();
  await frame.send("grow", {});
  await frame.send("grow", {});
  checkout.destroy();
  await tasks();
  expect(inert()).toEqual(["footer"]);
  expect(document.documentElement.style.overflow).toBe("");
});

test("modal: the form stands in a dialog; closing it is the customer's cancel and takes all away", async () => {
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

test("modal: its button is named in the form's language", async () => {
  await mountReady({ presentation: "modal", locale: "fr-CA" });
  const button = container.querySelector("dialog button");
  expect([button?.ariaLabel, button?.getAttribute("lang")]).toEqual(["Fermer", "fr"]);
});

test("modal: Escape does not close it while a payment is under way", async () => {
  const onCancel = vi.fn();
  const { frame } = await mountReady({ presentation: "modal", onCancel });
  const dialog = container.querySelector("dialog");
  const escape = async () => {
    dialog?.dispatchEvent(new Event("cancel", { cancelable: true }));
    await tasks(); // the dialog goes later than it was told to
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

test("modal: Escape in the form closes it as well", async () => {
  const onCancel = vi.fn();
  const { frame } = await mountReady({ presentation: "modal", onCancel });
  await frame.send("escape", {});
  await tasks();
  expect(onCancel).toHaveBeenCalledExactlyOnceWith({ by: "customer" });
  expect(container.querySelector("dialog")).toBe(null);
});

test("modal: it can be closed while the session is still being fetched", async () => {
  const onCancel = vi.fn();
  const checkout = mount({ presentation: "modal", onCancel, fetchEmbedUrl: () => new Promise(() => {}) });
  container.querySelector("button")?.click();
  await tasks();
  expect(onCancel).toHaveBeenCalledExactlyOnceWith({ by: "customer" });
  expect(checkout.state).toBe("idle");
  expect(container.querySelector("dialog")).toBe(null);
});

test("modal: a dialog that the browser refuses to open is an error and leaves nothing behind", async () => {
  const refused = vi.spyOn(HTMLDialogElement.prototype, "showModal").mockImplementation(() => {
    throw new Error("not in a document");
  });
  expect(() => mount({ presentation: "modal" })).toThrow("not in a document");
  await tasks();
  expect(container.childElementCount).toBe(0);
  refused.mockRestore();
});

test.each([
  [239, true],
  [240, false],
])("auto: a container that is %d pixels wide gets a dialog: %s", (width, isModal) => {
  Object.defineProperty(container, "clientWidth", { value: width });
  mount({ presentation: "auto" });
  expect(container.querySelector("dialog") !== null).toBe(isModal);
  expect(container.querySelectorAll("iframe")).toHaveLength(1);
});

test("inline: the width doesn't matter", () => {
  Object.defineProperty(container, "clientWidth", { value: 100 });
  mount({ presentation: "inline" });
  expect(container.querySelector("dialog")).toBe(null);
});

test("modal: mounted twice in one task, the frame is adopted", async () => {
  const first = mount({ presentation: "modal" });
  const element = document.querySelector("iframe");
  first.destroy();
  mount({ presentation: "modal" });
  await tasks();
  expect(document.querySelectorAll("dialog")).toHaveLength(1);
  expect(document.querySelector("iframe")).toBe(element);
});

test("redirect: mounting goes to the full page", () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  mount({ presentation: "redirect" });
  expect(assign).toHaveBeenCalledExactlyOnceWith(embedUrl);
  expect(document.querySelector("iframe")).toBe(null);
});

test('after success redirect "always" goes to the address that the frame names, unless somebody minds', async () => {
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

test("after success the page stays where it is unless redirect is always", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  const onRedirect = vi.fn();
  const { frame } = await mountReady({ onRedirect });
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: "https://shop.example/done" });
  expect(onRedirect).not.toHaveBeenCalled();
  expect(assign).not.toHaveBeenCalled();
});

test("redirect: a session that comes after unmount takes nobody away", async () => {
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

test("what is no web address is never gone to", async () => {
  const assign = vi.fn();
  vi.stubGlobal("location", { assign });
  const { frame } = await mountReady({ redirect: "always" });
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: "javascript:alert(1)" });
  expect(assign).not.toHaveBeenCalled();
});

test("theme auto is the page's own, and a change of it is told; inherit reads the container", async () => {
  const { element, frame } = await mountReady({ appearance: { inherit: true, variables: { colorText: "#111111" } } });
  const told = JSON.parse(element.name).appearance;
  expect(told.theme).toBe("light");
  expect(told.variables).toMatchObject({ colorText: "#111111", fontFamily: expect.any(String) });
  expect(told).not.toHaveProperty("inherit");
  container.style.colorScheme = "dark";
  document.documentElement.setAttribute("class", "dark");
  await vi.waitFor(() => expect(frame.heard.join()).toContain('"theme":"dark"'));
  document.documentElement.removeAttribute("class");
});

test("a change of the page that leaves its appearance as it is isn't told", async () => {
  const { frame } = await mountReady();
  const updates = () => frame.heard.filter((call) => call.startsWith("update "));
  await vi.waitFor(() => expect(updates()).toHaveLength(1));
  document.documentElement.setAttribute("class", "scrolled");
  await new Promise((resolve) => setTimeout(resolve, 300)); // a tenth of a second to look, and another to tell
  document.documentElement.removeAttribute("class");
  expect(updates()).toHaveLength(1);
});

test('with loader "always" the frame is covered until the form can be used', async () => {
  mount({ loader: "always" });
  const element = frameElement();
  const frame = await play(element);
  await frame.send("resize", { height: 300 });
  expect(element.style.visibility).toBe("hidden");
  await frame.send("ready", readyDetail);
  expect(element.style.visibility).toBe("");
});

test("in an isolated page, a browser that can't frame the bank goes to the full page by itself", async () => {
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

test("in an isolated page, the frame is asked for with its own isolation where the browser can frame the bank", () => {
  vi.stubGlobal("crossOriginIsolated", true);
  Object.defineProperty(HTMLIFrameElement.prototype, "credentialless", { value: false, configurable: true });
  mount();
  expect(frameElement().getAttribute("src")).toBe(embedUrl.replace("#", "?coep=1#"));
  Reflect.deleteProperty(HTMLIFrameElement.prototype, "credentialless");
});

test("in a sandbox without an origin, no frame is loaded and the link is shown; a page from a file has none either, and works", async () => {
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
