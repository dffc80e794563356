/** Checkouts in markup, on pages that may contain untrusted content. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { playFrame, readyDetail } from "../../test/component-frame.ts";
import { complaints, emptyPage, task } from "../../test/empty-page.ts";
import { checkoutEventNames } from "../api/checkout-events.ts";
import { mountMarkup } from "./mount-markup.ts";

const origin = "https://pay.example.com";
const embedUrl = `${origin}/c/cs_one#x`;
const otherEmbedUrl = `${origin}/c/cs_two#y`;

beforeEach(emptyPage);

afterEach(async () => {
  vi.useRealTimers();
  closeDialog();
  await task();
  await task();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function add<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string>,
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(`data-oriel-${name}`, value);
  document.body.append(element);
  return element;
}

const addCheckout = (attributes: Record<string, string> = {}) =>
  add("div", { checkout: "", "embed-url": embedUrl, ...attributes });
/** Closes the dialog as Escape does. */
const closeDialog = () => document.querySelector("dialog")?.dispatchEvent(new Event("cancel", { cancelable: true }));
const iframe = (within: Element) => within.querySelector("iframe");

test("reads options from attributes", async () => {
  const element = addCheckout({
    locale: "fr",
    theme: "dark",
    title: "Pay for the cup",
    "submit-button": "merchant",
    fallback: "",
  });
  mountMarkup(origin);
  expect(iframe(element)?.title).toBe("Pay for the cup");
  const frame = await playFrame(iframe(element));
  await vi.waitFor(() =>
    expect(frame.settings.at(-1)).toMatchObject({
      locale: "fr",
      appearance: { theme: "dark" },
      submitButton: "merchant",
    }),
  );
});

test("shows the new session when the attribute changes", async () => {
  const element = addCheckout();
  mountMarkup(origin);
  element.setAttribute("data-oriel-embed-url", otherEmbedUrl);
  mountMarkup(origin);
  await task();
  expect([...element.querySelectorAll("iframe")].map((frame) => frame.getAttribute("src"))).toEqual([otherEmbedUrl]);
});

test.each([
  ["another origin", "https://evil.example/c/cs_1#x"],
  ["another port", `${origin}:8443/c/cs_1#x`],
  ["another scheme", "http://pay.example.com/c/cs_1#x"],
  ["an origin with the same prefix", `${origin}.evil.example/c/cs_1#x`],
  ["no URL", ""],
])("refuses markup with %s in the console, keeps its fallback and mounts other elements", (_what, url) => {
  const bad = addCheckout({ "embed-url": url });
  bad.append(document.createElement("a"));
  const wrong = addCheckout({ presentation: "window" });
  const good = addCheckout();
  mountMarkup(origin);
  expect(iframe(bad)).toBe(null);
  expect(bad.querySelector("a")).not.toBe(null);
  expect(iframe(wrong)).toBe(null);
  expect(complaints()).toHaveLength(2);
  expect(iframe(good)).not.toBe(null);
});

test("with a malformed URL, keeps the fallback, or shows the link to an element without one", async () => {
  const own = addCheckout({ "embed-url": "undefined" });
  own.append(document.createElement("b"));
  const bare = addCheckout({ "embed-url": "javascript:alert(1)" });
  mountMarkup(origin);
  await vi.waitFor(() => expect(complaints()).toHaveLength(2));
  expect(own.innerHTML).toBe("<b></b>");
  expect(bare.querySelector("[role=status] a")?.getAttribute("href")).toBe(location.href);
});

test("removes the content while the iframe runs, and restores it if the iframe can't run", async () => {
  vi.useFakeTimers();
  const own = addCheckout();
  const link = document.createElement("a");
  own.append(" ", link);
  const bare = addCheckout({ "embed-url": otherEmbedUrl });
  bare.append("\n  ");
  mountMarkup(origin);
  await Promise.resolve();
  expect(own.contains(link)).toBe(false);
  expect(iframe(own)).not.toBe(null);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(own.contains(link)).toBe(true);
  expect(own.querySelectorAll("a, iframe")).toHaveLength(1);
  expect(bare.querySelector("a")?.getAttribute("href")).toBe(otherEmbedUrl);
});

test("calls a callback with the handle's detail for every event", async () => {
  const received = vi.fn();
  vi.stubGlobal("onEvent", received);
  const element = addCheckout(Object.fromEntries(checkoutEventNames.map((name) => [`on-${name}`, "onEvent"])));
  mountMarkup(origin);
  const frame = await playFrame(iframe(element));
  await frame.send("ready", readyDetail);
  await frame.send("focus", { field: "number" });
  await frame.send("expiring", { secondsLeft: 60 });
  expect(received.mock.calls).toEqual([
    [{}],
    [{ ...readyDetail, protocol: "1" }],
    [{ field: "number" }],
    [{ secondsLeft: 60 }],
  ]);
});

test("only calls the page's own functions", async () => {
  const named = vi.fn();
  vi.stubGlobal("onLost", named);
  const clobber = document.createElement("form");
  clobber.id = "onClobbered";
  document.body.append(clobber);
  const names = ["onLost", "onClobbered", "toString", "onMissing"];
  const elements = names.map((name, index) =>
    addCheckout({ "on-ready": name, "embed-url": index % 2 ? otherEmbedUrl : embedUrl }),
  );
  mountMarkup(origin);
  for (const [index, element] of elements.entries()) {
    const frame = await playFrame(iframe(element));
    await frame.send("ready", { ...readyDetail, sessionId: index % 2 ? "cs_two" : "cs_one" });
  }
  expect(named).toHaveBeenCalledOnce();
  expect(complaints()).toEqual(names.slice(1).map((name) => expect.stringContaining(`unknown function "${name}"`)));
});

test("logs an error that the page doesn't listen to", async () => {
  const element = addCheckout();
  mountMarkup(origin);
  const frame = await playFrame(iframe(element));
  await frame.send("error", { code: "session_expired" });
  expect(complaints()).toEqual([expect.stringContaining("session_expired")]);
});

// --- pages that scripts change, such as Turbo and htmx

test("destroys the checkout of a removed element a task later, and keeps that of a moved one", async () => {
  const [gone, moved] = [addCheckout(), addCheckout({ "embed-url": otherEmbedUrl })];
  mountMarkup(origin);
  const box = moved.firstElementChild;
  gone.remove();
  document.body.prepend(moved);
  mountMarkup(origin);
  await vi.waitFor(() => expect(iframe(gone)).toBe(null));
  expect(moved.firstElementChild).toBe(box);
  expect(iframe(moved)).not.toBe(null);
});

test("creates a new checkout for an element that returns after its checkout was destroyed", async () => {
  const element = addCheckout();
  mountMarkup(origin);
  element.remove();
  mountMarkup(origin);
  await task();
  document.body.append(element);
  mountMarkup(origin);
  expect(element.querySelectorAll("iframe")).toHaveLength(1);
});

/** Replaces the element's content with what the server sent, as morphing does. */
function morph(element: Element): HTMLElement {
  const fallback = document.createElement("a");
  fallback.textContent = "Pay on our secure page";
  element.replaceChildren(fallback);
  mountMarkup(origin, true);
  return fallback;
}

test("mounts the same session again when the page morphs the form away, and reports the payment in progress", async () => {
  const received = vi.fn();
  vi.stubGlobal("onComplete", received);
  const element = addCheckout({ "on-complete": "onComplete" });
  mountMarkup(origin);
  const first = iframe(element);
  const frame = await playFrame(first);
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  // Also a new session, which must not replace one that may be paid.
  element.setAttribute("data-oriel-embed-url", otherEmbedUrl);
  const fallback = morph(element);
  await task();
  expect(iframe(element)?.getAttribute("src")).toBe(embedUrl);
  expect(iframe(element)).not.toBe(first);
  expect(fallback.isConnected).toBe(false);
  const again = await playFrame(iframe(element));
  await again.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  expect(received).toHaveBeenCalledOnce();
  expect(element.querySelectorAll("iframe, a")).toHaveLength(1);
});

test("mounts the session again if morphing turned the form's box into the fallback", async () => {
  const element = addCheckout();
  mountMarkup(origin);
  iframe(element)?.replaceWith("Pay on our secure page");
  mountMarkup(origin, true);
  await task();
  expect(element.querySelectorAll("iframe")).toHaveLength(1);
  expect(element.textContent).toBe("");
});

test("shows the new session that morphing brings along with the removed form", async () => {
  const element = addCheckout();
  mountMarkup(origin);
  element.setAttribute("data-oriel-embed-url", otherEmbedUrl);
  morph(element);
  await task();
  expect(iframe(element)?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("mounts the session again when morphing removes a form whose payment got no response", async () => {
  const element = addCheckout();
  mountMarkup(origin);
  const first = iframe(element);
  const frame = await playFrame(first);
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  await frame.send("error", { code: "network" });
  morph(element);
  await task();
  expect(iframe(element)?.getAttribute("src")).toBe(embedUrl);
  expect(iframe(element)).not.toBe(first);
});

test("removes the fallback if morphing adds it again next to the form, but nothing else", async () => {
  vi.useFakeTimers();
  const element = addCheckout();
  const fallback = document.createElement("a");
  fallback.textContent = "Pay on our secure page";
  element.replaceChildren(fallback);
  mountMarkup(origin);
  const form = iframe(element);
  await vi.advanceTimersByTimeAsync(0);
  const again = fallback.cloneNode(true);
  const notice = document.createElement("p");
  notice.textContent = "Declined";
  element.append(again, notice);
  mountMarkup(origin, true);
  expect(iframe(element)).toBe(form);
  expect(again.isConnected).toBe(false);
  expect(notice.isConnected).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(element.contains(fallback)).toBe(true);
});

test("stops mounting a form that the page removes each time before it's ready", async () => {
  const element = addCheckout();
  mountMarkup(origin);
  let mounted = 0;
  for (let times = 0; times < 20; times++) {
    if (iframe(element)) mounted++;
    morph(element);
    await Promise.resolve();
  }
  expect(mounted).toBe(6);
  expect(element.textContent).toBe("Pay on our secure page");
});

test("doesn't mount a form again that failed or is complete", async () => {
  const failed = addCheckout();
  const paid = addCheckout({ "embed-url": otherEmbedUrl });
  mountMarkup(origin);
  await (await playFrame(iframe(failed))).send("error", { code: "session_expired" });
  await (await playFrame(iframe(paid))).send("complete", { sessionId: "cs_two", status: "complete", returnUrl: null });
  for (const element of [failed, paid]) morph(element);
  await task();
  expect([iframe(failed), iframe(paid)]).toEqual([null, null]);
});

test("gives a copied element its own iframe and removes the copied one", async () => {
  vi.useFakeTimers();
  const element = addCheckout();
  mountMarkup(origin);
  const copy = element.cloneNode(true) as Element;
  const copied = iframe(copy);
  element.replaceWith(copy);
  mountMarkup(origin);
  expect(copied?.isConnected).toBe(false);
  expect(copy.querySelectorAll("iframe")).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(copy.querySelectorAll("iframe, a")).toHaveLength(1);
  expect(copy.querySelector("a")?.href).toBe(embedUrl);
});

test("removes the dialog of a removed button, except during a payment", async () => {
  const [button, paying] = [
    add("button", { open: "", "embed-url": embedUrl }),
    add("button", { open: "", "embed-url": embedUrl }),
  ];
  mountMarkup(origin);
  button.click();
  button.remove();
  mountMarkup(origin);
  await vi.waitFor(() => expect(dialogs()).toHaveLength(0));

  paying.click();
  const element = document.querySelector<HTMLIFrameElement>("dialog iframe");
  const frame = await playFrame(element);
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  await frame.send("error", { code: "network" }); // the outcome is unknown
  paying.remove();
  mountMarkup(origin);
  await task();
  expect(dialogs()).toHaveLength(1);
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  mountMarkup(origin);
  await vi.waitFor(() => expect(dialogs()).toHaveLength(0));
});

// --- buttons

const dialogs = () => document.querySelectorAll("dialog");

test("a button announces and opens a dialog, and is focused first so that the focus returns to it", () => {
  const button = add("button", { open: "", "embed-url": embedUrl });
  mountMarkup(origin);
  mountMarkup(origin);
  expect(button.getAttribute("aria-haspopup")).toBe("dialog");
  expect(dialogs()).toHaveLength(0);
  const focus = vi.spyOn(button, "focus");
  button.click();
  expect(focus).toHaveBeenCalledOnce();
  expect(dialogs()).toHaveLength(1);
  expect(document.querySelector("dialog iframe")?.getAttribute("src")).toBe(embedUrl);
});

test("clicking a button again after closing its dialog opens the session in its current URL", async () => {
  const onCancel = vi.fn();
  vi.stubGlobal("onCancel", onCancel);
  const button = add("button", { open: "", "embed-url": embedUrl, "on-cancel": "onCancel" });
  mountMarkup(origin);
  for (const url of [embedUrl, embedUrl, otherEmbedUrl]) {
    button.setAttribute("data-oriel-embed-url", url);
    button.click();
    expect(document.querySelector("dialog iframe")?.getAttribute("src")).toBe(url);
    closeDialog();
    await vi.waitFor(() => expect(dialogs()).toHaveLength(0));
  }
  expect(onCancel).toHaveBeenCalledTimes(3);
});

test("a button with disabled or aria-disabled does nothing", () => {
  const first = add("button", { open: "", "embed-url": embedUrl });
  const second = add("button", { open: "", "embed-url": embedUrl });
  mountMarkup(origin);
  first.disabled = true;
  second.setAttribute("aria-disabled", "true");
  first.click();
  second.click();
  expect(dialogs()).toHaveLength(0);
  first.disabled = false;
  first.click();
  expect(dialogs()).toHaveLength(1);
});

test.each([
  ["opens the dialog instead of following a link", embedUrl, true],
  ["follows a link if its URL is refused", "https://evil.example/c/cs_1#x", false],
])("a click %s", (_what, url, isOpened) => {
  const link = add("a", { open: "", "embed-url": url });
  link.href = "#full-page";
  mountMarkup(origin);
  const click = new MouseEvent("click", { cancelable: true, bubbles: true });
  link.dispatchEvent(click);
  expect(click.defaultPrevented).toBe(isOpened);
  expect(dialogs()).toHaveLength(isOpened ? 1 : 0);
  expect(complaints()).toHaveLength(isOpened ? 0 : 1);
});
