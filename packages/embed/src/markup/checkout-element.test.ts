/**
 * `<oriel-checkout>` with a simulated iframe. happy-dom has no ElementInternals, so a fake records its calls. The
 * browser tests cover the real ones.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { embedUrl, otherEmbedUrl, playFrame, readyDetail } from "../../test/component-frame.ts";
import { emptyPage, task } from "../../test/empty-page.ts";
import { defineCheckoutElement, OrielCheckoutElement } from "./checkout-element.ts";

class PlayedInternals {
  value: unknown;
  validity: ValidityStateFlags = {};
  message = "";
  states = new Set<string>();
  setFormValue(value: unknown): void {
    this.value = value;
  }
  setValidity(flags: ValidityStateFlags, message: string): void {
    this.validity = flags;
    this.message = message;
  }
}

const internals = new WeakMap<Element, PlayedInternals>();
let markupOrigin: string | null | undefined;

beforeEach(() => {
  emptyPage();
  markupOrigin = undefined;
  Reflect.set(HTMLElement.prototype, "attachInternals", function (this: Element) {
    const played = new PlayedInternals();
    internals.set(this, played);
    return played;
  });
  defineCheckoutElement(() => markupOrigin);
});

afterEach(async () => {
  vi.useRealTimers();
  document.body.replaceChildren();
  await task();
  await task();
  vi.restoreAllMocks();
});

function add(attributes: Record<string, string>, ...content: Element[]): OrielCheckoutElement {
  const element = document.createElement("oriel-checkout");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  document.body.append(element);
  return element;
}

function link(): HTMLElement {
  const element = document.createElement("a");
  element.href = embedUrl;
  return element;
}

const iframe = (element: Element) => element.shadowRoot?.querySelector("iframe") ?? null;
const slot = (element: Element) => element.shadowRoot?.querySelector("slot");
const internalsOf = (element: Element) => internals.get(element) ?? new PlayedInternals();

test("shows the iframe in an open shadow root without a style element, and hides the fallback", async () => {
  const element = add({ "embed-url": embedUrl }, link());
  expect(iframe(element)?.getAttribute("src")).toBe(embedUrl);
  expect(element.shadowRoot?.querySelector("style")).toBe(null);
  expect(slot(element)?.hidden).toBe(true);
  expect(element.handle?.state).toBe("loading");
});

test("shows the fallback until there is a session", async () => {
  const element = add({}, link());
  expect(slot(element)?.hidden).toBe(false);
  expect(element.handle).toBe(null);
  element.setAttribute("embed-url", embedUrl);
  expect(element.handle?.state).toBe("loading");
  expect(slot(element)?.hidden).toBe(true);
});

test("shows the fallback, or a link without one, if the iframe can't run", async () => {
  vi.useFakeTimers();
  const own = add({ "embed-url": embedUrl }, link());
  const bare = add({ "embed-url": otherEmbedUrl });
  const received = vi.fn();
  own.addEventListener("oriel-error", received);
  const failures = [own, bare].map((element) => expect(element.handle?.ready).rejects.toThrow("Oriel: "));
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(failures);
  expect(received).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ detail: expect.objectContaining({ name: "CheckoutError" }) }),
  );
  expect(iframe(own)).toBe(null);
  expect(slot(own)?.hidden).toBe(false);
  expect(own.shadowRoot?.querySelector<HTMLElement>("div")?.hidden).toBe(true);
  expect(bare.shadowRoot?.querySelector("a")?.href).toBe(otherEmbedUrl);
  expect(bare.shadowRoot?.querySelector<HTMLElement>("div")?.hidden).toBe(false);
});

test("shows the fallback if the first session can't be fetched, until there is one", async () => {
  const element = add({}, link());
  element.fetchEmbedUrl = () => Promise.reject(new Error("the shop is closed"));
  await vi.waitFor(() => expect(element.handle?.state).toBe("error"));
  expect(slot(element)?.hidden).toBe(false);
  element.setAttribute("embed-url", embedUrl);
  expect(element.handle?.state).toBe("loading");
  expect(iframe(element)?.getAttribute("src")).toBe(embedUrl);
  expect(slot(element)?.hidden).toBe(true);
});

test("events bubble across shadow roots with the handle's detail", async () => {
  const received: CustomEvent[] = [];
  for (const name of ["oriel-ready", "oriel-decline"]) {
    document.body.addEventListener(name, (event) => event instanceof CustomEvent && received.push(event));
  }
  const frame = await playFrame(iframe(add({ "embed-url": embedUrl })));
  await frame.send("ready", readyDetail);
  await frame.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  expect(received.map(({ type, composed, cancelable }) => [type, composed, cancelable])).toEqual([
    ["oriel-ready", true, false],
    ["oriel-decline", true, false],
  ]);
  expect(received[0]?.detail).toEqual({ ...readyDetail, protocol: "1" });
});

test("canceling oriel-redirect prevents the navigation", async () => {
  const element = add({ "embed-url": embedUrl, redirect: "always" });
  const received = vi.fn((event: Event) => event.preventDefault());
  element.addEventListener("oriel-redirect", received);
  const before = location.href;
  const frame = await playFrame(iframe(element));
  await frame.send("complete", {
    sessionId: "cs_one",
    status: "complete",
    returnUrl: "https://shop.example.com/thanks",
  });
  expect(received).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ cancelable: true, detail: expect.objectContaining({ reason: "complete" }) }),
  );
  expect(location.href).toBe(before);
});

test("attributes and properties update the form", async () => {
  const element = add({ "embed-url": embedUrl, locale: "fr", theme: "dark" });
  element.defaultValues = { email: "a@example.com" };
  const frame = await playFrame(iframe(element));
  await vi.waitFor(() =>
    expect(frame.settings.at(-1)).toMatchObject({
      locale: "fr",
      appearance: { theme: "dark" },
      defaultValues: { email: "a@example.com" },
    }),
  );
  const living = iframe(element);
  element.setAttribute("locale", "de");
  element.setAttribute("disabled", "");
  element.setAttribute("title", "Pay for the cup");
  element.setAttribute("submit-button", "merchant");
  element.appearance = { variables: { borderRadius: "0" } };
  await vi.waitFor(() =>
    expect(frame.settings.at(-1)).toMatchObject({
      locale: "de",
      disabled: true,
      submitButton: "merchant",
      appearance: { theme: "dark", variables: { borderRadius: "0" } },
    }),
  );
  expect(living?.title).toBe("Pay for the cup");
  expect(iframe(element)).toBe(living);
  expect(element.appearance).toEqual({ variables: { borderRadius: "0" } });
});

test("a new embed-url starts a new session", async () => {
  const element = add({ "embed-url": embedUrl });
  const { handle } = element;
  element.setAttribute("embed-url", otherEmbedUrl);
  await task();
  expect(handle?.state).toBe("destroyed");
  expect(iframe(element)?.getAttribute("src")).toBe(otherEmbedUrl);
});

test("moving it keeps the checkout, removing it destroys the checkout, and inserting it again creates a new one", async () => {
  const element = add({ "embed-url": embedUrl });
  const { handle } = element;
  const place = document.createElement("section");
  document.body.append(place);
  place.append(element);
  await task();
  expect(element.handle).toBe(handle);
  expect(handle?.state).toBe("loading");
  element.remove();
  await task();
  await task();
  expect(handle?.state).toBe("destroyed");
  expect(element.handle).toBe(null);
  expect(iframe(element)).toBe(null);
  place.append(element);
  expect(iframe(element)).not.toBe(null);
});

test("keeps properties that were set before the element was registered", async () => {
  const early = vi.fn(() => Promise.resolve(embedUrl));
  class Early extends OrielCheckoutElement {
    constructor() {
      super();
      this.isEarly = true;
    }
    isEarly = false;
  }
  const before = document.createElement("oriel-early");
  Object.assign(before, { fetchEmbedUrl: early, appearance: { theme: "dark" } });
  document.body.append(before);
  customElements.define("oriel-early", Early);
  const element = document.querySelector<Early>("oriel-early");
  if (!element?.isEarly) throw new Error("happy-dom did not upgrade the element");
  await vi.waitFor(() => expect(early).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: "initial" })));
  const frame = await vi.waitFor(() => playFrame(iframe(element)));
  await vi.waitFor(() => expect(frame.settings.at(-1)).toMatchObject({ appearance: { theme: "dark" } }));
});

test("with required, it's invalid until the payment is complete, when its value becomes the session's ID", async () => {
  const element = add({ "embed-url": embedUrl });
  const inner = internalsOf(element);
  expect(inner.validity.valueMissing).toBe(false);
  element.setAttribute("required", "");
  await task();
  expect(inner).toMatchObject({ value: null, validity: { valueMissing: true } });
  expect(inner.message).toBe(Object.assign(document.createElement("textarea"), { required: true }).validationMessage);
  expect(inner.message).not.toBe("");
  const frame = await playFrame(iframe(element));
  await frame.send("ready", readyDetail);
  expect(inner.validity.valueMissing).toBe(true);
  await frame.send("complete", { sessionId: "cs_one", status: "processing", returnUrl: null });
  expect(inner).toMatchObject({ value: "cs_one", validity: { valueMissing: false }, message: "" });
  expect(element.value).toBe("cs_one");
  await frame.send("complete", { sessionId: "cs_one", status: "complete", returnUrl: null });
  element.setAttribute("embed-url", otherEmbedUrl);
  await task();
  expect(inner).toMatchObject({ value: null, validity: { valueMissing: true } });
});

test("with required, it's invalid again if a payment that was processing is declined", async () => {
  const element = add({ "embed-url": embedUrl, required: "" });
  const inner = internalsOf(element);
  const frame = await playFrame(iframe(element));
  await frame.send("ready", readyDetail);
  await frame.send("submit", {});
  await frame.send("complete", { sessionId: "cs_one", status: "processing", returnUrl: null });
  // A reload finds the payment still in progress.
  const again = await playFrame(iframe(element));
  await again.send("ready", { ...readyDetail, isPaymentPending: true });
  expect(inner).toMatchObject({ value: "cs_one", validity: { valueMissing: false } });
  await again.send("decline", { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 });
  expect(inner).toMatchObject({ value: null, validity: { valueMissing: true } });
  expect(element.value).toBe(null);
});

test("with required, it's invalid again if a payment that was processing ends with an error", async () => {
  const element = add({ "embed-url": embedUrl, required: "" });
  vi.spyOn(console, "error").mockImplementation(() => {});
  const frame = await playFrame(iframe(element));
  await frame.send("submit", {});
  await frame.send("complete", { sessionId: "cs_one", status: "processing", returnUrl: null });
  await frame.send("error", { code: "network" });
  expect(element.value).toBe("cs_one");
  await frame.send("error", { code: "session_expired" });
  expect(element.value).toBe(null);
});

test("with required, it stays valid if the form of a completed payment is loaded again", async () => {
  const element = add({ "embed-url": embedUrl, required: "" });
  vi.spyOn(console, "error").mockImplementation(() => {});
  const frame = await playFrame(iframe(element));
  await frame.send("submit", {});
  await frame.send("complete", { sessionId: "cs_one", status: "requires_confirmation", returnUrl: null });
  const again = await playFrame(iframe(element));
  await again.send("ready", { ...readyDetail, isPaymentPending: false });
  await again.send("error", { code: "network" });
  expect(element.value).toBe("cs_one");
});

test("CSS states follow the form, and browsers without them lose nothing else", async () => {
  const element = add({ "embed-url": embedUrl });
  const inner = internalsOf(element);
  expect([...inner.states]).toEqual(["busy"]);
  const frame = await playFrame(iframe(element));
  await frame.send("ready", readyDetail);
  expect([...inner.states]).toEqual(["ready"]);
  const errors = [{ field: "number", code: "number_incomplete", message: "Enter the whole number." }];
  await frame.send("change", {
    complete: false,
    empty: false,
    errors,
    brand: null,
    networkChoices: [],
    networkChoice: null,
  });
  expect([...inner.states].toSorted()).toEqual(["invalid", "ready"]);
  Reflect.deleteProperty(inner, "states");
  await frame.send("submit", {});
  expect(element.handle?.state).toBe("submitting");
});

test("submit, validate and focus are sent to the iframe, and are safe without one", async () => {
  const element = add({ "embed-url": embedUrl });
  const frame = await playFrame(iframe(element));
  await frame.send("ready", readyDetail);
  element.focus("cvc");
  await expect(element.validate()).resolves.toEqual({ valid: false, errors: [] });
  await expect(element.submit()).resolves.toMatchObject({ type: "error", error: { code: "submit_not_allowed" } });
  expect(frame.called).toEqual(["focus", "validate", "submit"]);
  const idle = add({});
  idle.focus();
  await expect(idle.validate()).resolves.toEqual({ valid: false, errors: [] });
  await expect(idle.submit()).resolves.toMatchObject({ type: "error", error: { code: "destroyed" } });
});

test.each([["another origin", "https://pay.example.com.evil.example/c/cs_1#x"]])(
  "refuses %s if the script restricts the origin, and keeps the fallback",
  async (_what, url) => {
    markupOrigin = "https://pay.example.com";
    const good = add({ "embed-url": embedUrl });
    expect(iframe(good)).not.toBe(null);
    const bad = document.createElement("oriel-checkout");
    bad.append(link());
    bad.setAttribute("embed-url", url);
    document.body.append(bad);
    expect(console.error).toHaveBeenCalledWith(expect.any(TypeError));
    expect(iframe(bad)).toBe(null);
    expect(slot(bad)?.hidden).toBe(false);
  },
);

test.each([false, true])(
  "shows the link for a malformed URL, or its fallback if it has one: %s",
  async (hasFallback) => {
    markupOrigin = "https://pay.example.com";
    const bad = document.createElement("oriel-checkout");
    if (hasFallback) bad.append(link());
    bad.setAttribute("embed-url", "undefined");
    document.body.append(bad);
    await vi.waitFor(() =>
      expect(console.error).toHaveBeenCalledWith(expect.objectContaining({ code: "session_invalid" })),
    );
    const notice = bad.shadowRoot?.querySelector("[role=status]");
    expect(notice?.querySelector("a")).not.toBe(null);
    expect(notice?.closest("div")?.hidden).toBe(hasFallback);
    expect(slot(bad)?.hidden).toBe(false);
  },
);

test("registering again, as a second copy would, keeps the first", () => {
  defineCheckoutElement();
  expect(customElements.get("oriel-checkout")).toBe(OrielCheckoutElement);
});
