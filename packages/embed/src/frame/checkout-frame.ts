/**
 * Manages the iframe in a container: what it shows, the connection to it and its listeners.
 *
 * A container has at most one iframe. Opening the same session in it again reuses the iframe, and an iframe without
 * holders is removed one task later. So React's StrictMode, which mounts, unmounts and mounts again, keeps the iframe
 * and what the customer typed. The iframe is never moved in the document, because that would reload it. If the page
 * removes its container and inserts it again, the browser reloads the iframe: the form is empty, and `ready` is emitted
 * again.
 *
 * It trusts messages on the connection, which only the iframe's origin can have, but passes on only documented fields.
 * frame-state.ts has the states.
 */
import { type FrameEvents, type FrameSettings, readFrameEvent } from "@oriel/protocol/windows";
import { CheckoutError, type CheckoutErrorCode } from "../api/checkout-error.ts";
import type { AnyCheckoutEvent } from "../api/checkout-events.ts";
import { watchPolicy } from "./diagnose.ts";
import type { EmbedUrl } from "../api/embed-url.ts";
import { type BoxSettings, createFrameBox } from "./frame-box.ts";
import { afterEvent, afterLoad, type FrameStatus, isPending, newStatus } from "./frame-state.ts";
import { type FrameLine, sendInit } from "./send-init.ts";
import { hasFocus, removeNode } from "../page/host-document.ts";
import { watchSilence } from "./watch-response.ts";
import { setStyle } from "./top-layer.ts";
import { watchSpace } from "./watch-space.ts";

/** What a checkout receives from its iframe: the events, and the iframe's title in the customer's language. */
export type HolderEvent = AnyCheckoutEvent | { type: "title"; detail: FrameEvents["title"] };

/**
 * A checkout that mounted the iframe. If a session is mounted twice in a container, the iframe has several holders, and
 * the last one's settings apply.
 */
export interface FrameHolder {
  onEvent(event: HolderEvent): void;
  /** Another session replaced this one in the container. */
  onEvicted(): void;
  /** Whether it can get a new session when this one expires. */
  canRenew(): boolean;
  /** The session expired. A holder that can get a new one passes it to `renew`. */
  onExpired(): void;
  /** The challenge continues on the full page. */
  onLeave(): void;
  /** The iframe can't run. Returns whether to show a link to the full page. */
  onFailed(code: CheckoutErrorCode): boolean;
  /** The current settings for the iframe. */
  settings(): FrameSettings;
  /** Adds an entry to the timeline. */
  note(what: string): void;
}

export interface OpenFrame extends Omit<BoxSettings, "origin"> {
  url: EmbedUrl;
  timeoutMs: number;
  diagnosticId: string;
  /** Whether a previous iframe of this session left a payment pending. */
  wasPending: boolean;
}

export interface CheckoutFrame {
  readonly status: FrameStatus;
  /** The negotiated protocol version, or null until it's known. */
  readonly protocol: number | null;
  /** Whether this iframe shows `href`, hasn't failed and is still in `container`. */
  shows(href: string, container: Element): boolean;
  join(holder: FrameHolder): void;
  leave(holder: FrameHolder): void;
  /** Removes the iframe, because `newcomer` shows another session in its container, or the same one again. */
  evict(newcomer: FrameHolder): void;
  ask: FrameLine["ask"];
  /** Sends the settings to the iframe. @returns the paths of refused settings, or null if it isn't connected */
  tellSettings(): Promise<string[] | null>;
  /**
   * Loads a new session of the same service in the same iframe, with an empty form.
   *
   * @returns false if this session isn't expired, or the new one is the same or belongs to another service
   */
  renew(url: EmbedUrl): boolean;
  setTitle(title: string): void;
}

const frames = /* @__PURE__ */ new WeakMap<Element, CheckoutFrame>();

/**
 * Opens the session in the container, or reuses its iframe if it already shows the session. An iframe with another
 * session is removed.
 */
export function openFrame(container: Element, options: OpenFrame, holder: FrameHolder): CheckoutFrame {
  let frame = frames.get(container);
  if (!frame?.shows(options.url.href, container)) {
    frame?.evict(holder);
    frame = createFrame(container, options);
    frames.set(container, frame);
  }
  frame.join(holder);
  return frame;
}

function createFrame(container: Element, options: OpenFrame): CheckoutFrame {
  let { url } = options;
  const { origin } = url;
  const holders = new Set<FrameHolder>();
  const box = createFrameBox({ ...options, origin });
  const element = box.frame;
  let status: FrameStatus = { ...newStatus, paymentStatus: options.wasPending ? "unknown" : null };
  let line: FrameLine | null = null;
  let protocol: number | null = null;
  /** The last `complete` of this attempt, so that a reload doesn't repeat it and a joining checkout receives it. */
  let completed: FrameEvents["complete"] | null = null;
  /** Whether the loader itself started the next load. */
  let isSent = false;
  let isGone = false;

  const decider = () => [...holders].at(-1);
  const tell = (event: HolderEvent) => {
    for (const holder of new Set(holders)) holder.onEvent(event);
  };
  const note = (what: string) => {
    for (const holder of holders) holder.note(what);
  };
  const error = (code: CheckoutErrorCode): AnyCheckoutEvent => ({
    type: "error",
    detail: new CheckoutError(code, origin, options.diagnosticId, status.paymentStatus !== null),
  });
  const readyEvent = (detail: FrameEvents["ready"]): AnyCheckoutEvent => ({
    type: "ready",
    detail: { ...detail, protocol: String(protocol) },
  });
  /**
   * The current settings. The element gets their color scheme, because browsers paint an opaque canvas if it differs from
   * the document's (CSS Color Adjustment 1, 2.2).
   */
  const settings = () => {
    const current = decider()?.settings();
    setStyle(element, { "color-scheme": current?.appearance?.theme ?? "" });
    return current;
  };
  const ask: FrameLine["ask"] = (verb, argument) => line?.ask(verb, argument) ?? Promise.resolve(null);
  const update = async () => {
    const refused: unknown = await ask("update", settings());
    return Array.isArray(refused) ? refused.filter((path) => typeof path === "string") : [];
  };
  let telling: Promise<string[]> | null = null;
  /** Sends the latest settings, at most ten times a second, because the iframe refuses more. */
  const tellSettings = () =>
    (telling ??= new Promise((resolve) => setTimeout(resolve, 100)).then(() => {
      telling = null;
      return update();
    }));

  // --- loading

  const address = (query: string) => (query ? url.href.replace("#", `?${query}#`) : url.href);
  const coep = (isAsked: boolean) => (isAsked ? "coep=1" : "");
  /** Loads the session's page without a history entry, and closes the connection to the old page. */
  const show = (query = coep(window.crossOriginIsolated)) => {
    note("reload");
    hangUp();
    const frameWindow = element.contentWindow; // null while the container is out of the document
    isSent = !!frameWindow;
    frameWindow?.location.replace(address(query));
  };
  const begin = () => {
    status = afterLoad(status);
    silence.start();
  };
  const hangUp = () => {
    line?.close();
    line = null;
  };
  const onLoad = () => {
    hangUp();
    room.forget();
    box.shrink();
    const frameWindow = element.contentWindow;
    if (!frameWindow || isGone) return;
    if (status.state !== "loading" && (status.state !== "complete" || isPending(status))) begin();
    // An iframe that was removed from the document and inserted again loads its first session.
    if (!isSent && url !== options.url) return show();
    isSent = false;
    note("load");
    silence.loaded();
    line = sendInit(frameWindow, origin, {
      here(receipt) {
        note("here");
        silence.alive();
        box.showFields();
        ({ protocol } = receipt);
        if (protocol === null) fail("protocol_mismatch", true);
      },
      async connected() {
        room.look();
        const refused = await update();
        if (refused.length) console.warn(`Oriel: refused ${refused.join(", ")}.`);
      },
      event: onFrameEvent,
    });
  };

  // --- events

  const onFrameEvent = (name: unknown, detail: unknown): void => {
    const event = readFrameEvent(name, detail);
    if (!event || isGone) return;
    note(event.name);
    if (event.name === "error" && event.detail.code === "sandboxed") return fail(event.detail.code, true);
    // The session expired before its form was ready, so there will be no form unless a new session can be fetched. Try
    // that once.
    if (event.name === "expire" && !status.ready && (status.isRenewed || !decider()?.canRenew())) {
      return onFrameEvent("error", { code: "session_expired" });
    }
    status = afterEvent(status, event);
    if (/^(ready|complete|error|expire)$/.test(event.name)) {
      silence.stop();
      box.showForm();
    }
    const { name: type } = event;
    if (type === "grow") return box.grow();
    if (type === "shrink") return box.shrink();
    if (type === "leave") return decider()?.onLeave();
    if (type === "why") return;
    if (type === "error") return tell(error(event.detail.code));
    if (type === "resize") {
      box.setHeight(event.detail.height);
      return tell({ type, detail: { ...event.detail, width: element.clientWidth } });
    }
    if (type === "ready") {
      // Wait, because some pages make the iframe visible on `ready`.
      setTimeout(() => status.state !== "ready" || !box.isHidden() || fail("frame_hidden", true), 2_000);
      return tell(readyEvent(event.detail));
    }
    if (/^(submit|decline|expire)$/.test(type)) completed = null;
    // A completed iframe sends this again after a reload, but the merchant's code receives each status once per attempt.
    if (type === "complete") {
      const isKnown = completed?.status === event.detail.status;
      completed = event.detail;
      if (isKnown) return;
    }
    tell({ type, detail: event.detail } as HolderEvent); // same name and fields
    if (type === "expire") decider()?.onExpired();
  };

  // --- failure and removal

  /** @param mayLive the customer may be using the form, so keep the iframe */
  function fail(code: CheckoutErrorCode, mayLive = false): void {
    if (isGone || status.state === "error") return;
    silence.stop();
    status = afterEvent(status, { name: "error", detail: { code } });
    note(code);
    if (!mayLive && !hasFocus(element)) {
      hangUp();
      box.takeFrameAway();
    }
    if (decider()?.onFailed(code)) box.showLink(url.href);
    else if (!element.isConnected) removeNode(box.element);
    tell(error(code));
  }

  function remove(): void {
    if (isGone) return;
    isGone = true;
    frames.delete(container);
    silence.stop();
    room.stop();
    stopPolicyWatch();
    void ask("destroy");
    hangUp();
    box.takeFrameAway();
    removeNode(box.element);
  }

  const stopPolicyWatch = watchPolicy(origin, () => status.state === "loading" && fail("csp_blocked"));
  const room = watchSpace(container, (size) => ask("room", size));
  const silence = watchSilence({
    ...options,
    box,
    url: () => url,
    // A page with COEP that isn't cross-origin isolated can't be detected, so the second request asks for COEP. It also
    // needs a different URL, because navigating to the same one would only jump to its fragment.
    reload: () => show(`${coep(canFrameBanks())}&again=1`),
    fail,
  });

  const frame: CheckoutFrame = {
    get status() {
      return status;
    },
    get protocol() {
      return protocol;
    },
    shows: (href, place) =>
      status.state !== "error" &&
      url.href === href &&
      element.isConnected === place.isConnected &&
      element.parentNode?.parentNode === place,
    join(holder) {
      holders.add(holder);
      if (!element.name) start();
      queueMicrotask(() => {
        const greet = (event: AnyCheckoutEvent) => holders.has(holder) && holder.onEvent(event);
        greet({ type: "loadstart", detail: {} });
        if (status.ready) greet(readyEvent({ ...status.ready, isPaymentPending: isPending(status) }));
        if (completed && status.state === "complete") greet({ type: "complete", detail: completed });
      });
    },
    leave(holder) {
      holders.delete(holder);
      setTimeout(() => {
        if (holders.size === 0) remove();
      }, 0);
    },
    evict(newcomer) {
      remove();
      for (const holder of holders) if (holder !== newcomer) holder.onEvicted();
    },
    ask,
    tellSettings,
    renew(renewed) {
      if (status.state !== "expired" || renewed.origin !== origin || renewed.sessionId === url.sessionId) return false;
      url = renewed;
      status = { ...newStatus, isRenewed: true };
      begin();
      show();
      return true;
    },
    setTitle(title) {
      element.title = title;
    },
  };

  function start(): void {
    const { locale, appearance } = settings() ?? {};
    element.name = JSON.stringify({ locale, appearance });
    element.addEventListener("load", onLoad);
    const reason =
      // A sandbox with an opaque origin, which iframes inherit, so they can't be reached. Pages from files also have an
      // opaque origin, but their iframes don't inherit it.
      window.origin === "null" && location.protocol !== "file:"
        ? "sandboxed"
        : // In an isolated page, this browser can't show the issuer's page, so use the full page before the customer types.
          window.crossOriginIsolated && !canFrameBanks() && "unsupported_browser";
    if (reason) queueMicrotask(() => fail(reason));
    else element.src = address(coep(window.crossOriginIsolated));
    container.append(box.element);
    silence.start();
  }
  return frame;
}

/** Whether an iframe with COEP can embed the issuer's page, which doesn't send COEP. */
function canFrameBanks(): boolean {
  return "credentialless" in HTMLIFrameElement.prototype;
}
