/**
 * One living frame in one container: the iframe, the line to it, its height, and the clock that notices when it never answers.
 *
 * A container holds at most one frame. Opening the same session in it again adopts the frame that is there, and a frame that nobody
 * holds any more goes away one task later: so React's StrictMode, which mounts, unmounts and mounts again, costs nothing, and a card
 * that was half typed survives it. The iframe is never moved in the document, for that would reload it.
 *
 * It trusts what arrives on the line, which only the frame's origin can hold, and still copies out nothing but the documented fields.
 * Styles are set through CSSOM and text through textContent, so a host page with `style-src 'none'` and Trusted Types works.
 *
 * ```
 * loading -> ready <-> submitting <-> challenge -> complete        (decline: back to ready; a reload of the frame: back to loading)
 *    any of them -> error
 * ```
 */
import { bankFeatures, readFrameEvent, type Room } from "@oriel/protocol/windows";
import { CheckoutError } from "./checkout-error.ts";
import type { AnyCheckoutEvent } from "./checkout-events.ts";
import type { CheckoutSettings } from "./checkout-options.ts";
import { fallbackLink } from "./fallback-link.ts";
import { type FrameLine, handOver } from "./hand-over.ts";
import { createElement, hasFocus } from "./host-document.ts";

export type FrameState = "loading" | "ready" | "submitting" | "challenge" | "complete" | "error";

/** Whoever mounted the frame. There may be several, when one session was mounted twice into one container. */
export interface FrameHolder {
  onEvent(event: AnyCheckoutEvent): void;
  /** Another session took the container. */
  onEvicted(): void;
}

type FrameSettings = Pick<CheckoutSettings, "url" | "title" | "timeoutMs" | "fallback">;

/** Height of the form before the frame has told its own, in CSS pixels: what the form of one card has, so that nothing jumps. */
const firstHeight = 420;

/** At most one message about the room in this time, in milliseconds. */
const roomInterval = 150;

const frames = /* @__PURE__ */ new WeakMap<Element, CheckoutFrame>();

/** Opens the session's frame in the container, or adopts the one that is there. A frame of another session gives way. */
export function openFrame(container: Element, settings: FrameSettings, holder: FrameHolder): CheckoutFrame {
  const living = frames.get(container);
  if (living?.shows(settings.url.href, container)) {
    living.join(holder);
    return living;
  }
  living?.evict();
  const frame = new CheckoutFrame(container, settings);
  frames.set(container, frame);
  frame.join(holder);
  return frame;
}

export class CheckoutFrame {
  readonly #container: Element;
  readonly #settings: FrameSettings;
  readonly #element: HTMLIFrameElement;
  readonly #holders = new Set<FrameHolder>();
  readonly #roomWatch: ResizeObserver;
  #state: FrameState = "loading";
  #line: FrameLine | null = null;
  #link: Element | null = null;
  #ready: AnyCheckoutEvent | null = null;
  #completed: string | null = null;
  #clock: ReturnType<typeof setTimeout> | undefined;
  #roomTimer: ReturnType<typeof setTimeout> | undefined;
  #room: Room = { width: -1, height: -1 };
  #gone = false;

  constructor(container: Element, settings: FrameSettings) {
    this.#container = container;
    this.#settings = settings;
    this.#element = frameElement(settings);
    this.#element.addEventListener("load", this.#onLoad);
    this.#roomWatch = new ResizeObserver(this.#onRoom);
    this.#roomWatch.observe(container);
    window.addEventListener("resize", this.#onRoom);
    container.append(this.#element);
    this.#startClock();
  }

  get state(): FrameState {
    return this.#state;
  }

  /** Whether this is a living frame of `href`, still standing in `container`. */
  shows(href: string, container: Element): boolean {
    return !this.#gone && this.#state !== "error" && this.#settings.url.href === href && this.#element.parentNode === container;
  }

  join(holder: FrameHolder): void {
    this.#holders.add(holder);
    queueMicrotask(() => {
      if (!this.#holders.has(holder)) return;
      holder.onEvent({ type: "loadstart", detail: {} });
      if (this.#ready) holder.onEvent(this.#ready);
    });
  }

  leave(holder: FrameHolder): void {
    this.#holders.delete(holder);
    setTimeout(() => {
      if (this.#holders.size === 0) this.#remove();
    }, 0);
  }

  evict(): void {
    const holders = [...this.#holders];
    this.#holders.clear();
    this.#remove();
    for (const holder of holders) holder.onEvicted();
  }

  cancelChallenge(): void {
    this.#line?.send((frame) => frame.cancelChallenge());
  }

  // --- the frame speaks ------------------------------------------------------------------------------------------------------------

  readonly #onLoad = (): void => {
    this.#line?.close();
    this.#line = null;
    this.#room = { width: -1, height: -1 };
    const frameWindow = this.#element.contentWindow;
    if (!frameWindow || this.#gone) return;
    if (this.#state !== "loading" && this.#state !== "complete") {
      this.#state = "loading";
      this.#ready = null;
      this.#startClock();
    }
    this.#line = handOver(frameWindow, this.#settings.url.origin, this.#settings.timeoutMs, {
      connected: this.#onRoom,
      event: this.#onFrameEvent,
    });
  };

  readonly #onFrameEvent = (name: unknown, detail: unknown): void => {
    const read = readFrameEvent(name, detail);
    if (!read || this.#gone) return;
    if (read.name !== "resize") clearTimeout(this.#clock);
    switch (read.name) {
      case "resize":
        this.#element.style.setProperty("height", `${read.detail.height}px`);
        return this.#tell({ type: "resize", detail: read.detail });
      case "ready":
        this.#state = "ready";
        this.#ready = { type: "ready", detail: read.detail };
        return this.#tell(this.#ready);
      case "submit":
        this.#state = "submitting";
        return this.#tell({ type: "submit", detail: read.detail });
      case "challengestart":
        this.#state = "challenge";
        return this.#tell({ type: "challengestart", detail: read.detail });
      case "challengeend":
        this.#state = "submitting";
        return this.#tell({ type: "challengeend", detail: read.detail });
      case "decline":
        this.#state = "ready";
        return this.#tell({ type: "decline", detail: read.detail });
      case "complete":
        // A reload of a frame that is done tells it again; the merchant's code hears each status once.
        this.#state = "complete";
        if (this.#completed === read.detail.status) return;
        this.#completed = read.detail.status;
        return this.#tell({ type: "complete", detail: read.detail });
      case "error":
        this.#state = "error";
        return this.#tell({ type: "error", detail: new CheckoutError(read.detail.code) });
    }
  };

  #tell(event: AnyCheckoutEvent): void {
    for (const holder of Array.from(this.#holders)) holder.onEvent(event);
  }

  // --- the clock -------------------------------------------------------------------------------------------------------------------

  #startClock(): void {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(this.#onSilence, this.#settings.timeoutMs);
  }

  readonly #onSilence = (): void => {
    this.#state = "error";
    if (this.#settings.fallback === "link") this.#link = fallbackLink(this.#settings.url);
    // The form works even without a line to us. Where the customer is inside it, a half-typed card would be lost: it stays.
    if (hasFocus(this.#element)) {
      if (this.#link) this.#element.after(this.#link);
    } else {
      this.#line?.close();
      this.#line = null;
      if (this.#link) this.#element.replaceWith(this.#link);
      else this.#element.remove();
    }
    this.#tell({ type: "error", detail: new CheckoutError("handshake_timeout") });
  };

  // --- the room --------------------------------------------------------------------------------------------------------------------

  readonly #onRoom = (): void => {
    this.#roomTimer ??= setTimeout(() => {
      this.#roomTimer = undefined;
      const room: Room = { width: Math.floor(this.#container.clientWidth), height: Math.floor(window.innerHeight) };
      if (room.width === this.#room.width && room.height === this.#room.height) return;
      // Before the frame has connected nothing goes out; it is told when it does.
      if (this.#line?.send((frame) => frame.room(room))) this.#room = room;
    }, roomInterval);
  };

  // --- the end ---------------------------------------------------------------------------------------------------------------------

  #remove(): void {
    if (this.#gone) return;
    this.#gone = true;
    if (frames.get(this.#container) === this) frames.delete(this.#container);
    clearTimeout(this.#clock);
    clearTimeout(this.#roomTimer);
    this.#roomWatch.disconnect();
    window.removeEventListener("resize", this.#onRoom);
    this.#element.removeEventListener("load", this.#onLoad);
    this.#line?.send((frame) => frame.destroy());
    this.#line?.close();
    this.#element.remove();
    this.#link?.remove();
  }
}

function frameElement({ url, title }: FrameSettings): HTMLIFrameElement {
  const element = createElement("iframe");
  element.title = title;
  element.referrerPolicy = "strict-origin";
  element.allow = bankFeatures.map((feature) => `${feature} ${url.origin}`).join("; ");
  for (const [property, value] of [
    ["display", "block"],
    ["width", "100%"],
    ["height", `${firstHeight}px`],
    ["border", "0"],
  ] as const) {
    element.style.setProperty(property, value);
  }
  element.src = url.href;
  return element;
}
