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
import type { EmbedUrl } from "../api/embed-url.ts";
import { hasFocus, removeNode } from "../page/host-document.ts";
import { watchPolicy } from "./diagnose.ts";
import { type BoxSettings, createFrameBox } from "./frame-box.ts";
import { afterEvent, afterLoad, type FrameStatus, isPending, newStatus } from "./frame-state.ts";
import { type Connection, sendInit } from "./send-init.ts";
import { setStyle } from "./top-layer.ts";
import { watchResponse } from "./watch-response.ts";
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
  call: Connection["call"];
  /** Sends the settings to the iframe. @returns the paths of refused settings, or null if it isn't connected */
  sendSettings(): Promise<string[] | null>;
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
  let connection: Connection | null = null;
  let protocol: number | null = null;
  /** Whether the loader itself started the next load. */
  let isSent = false;
  let isRemoved = false;

  const lastHolder = () => [...holders].at(-1);
  const emit = (event: HolderEvent) => {
    for (const holder of new Set(holders)) holder.onEvent(event);
  };
  const note = (what: string) => {
    for (const holder of holders) holder.note(what);
  };
  const emitError = (code: CheckoutErrorCode) => {
    const detail = new CheckoutError(code, origin, options.diagnosticId, status.paymentStatus !== null);
    emit({ type: "error", detail });
  };
  const readyEvent = (detail: FrameEvents["ready"]): AnyCheckoutEvent => ({
    type: "ready",
    detail: { ...detail, protocol: String(protocol) },
  });
  /**
   * The current settings. The element gets their color scheme, because browsers paint an opaque canvas if it differs from
   * the document's (CSS Color Adjustment 1, 2.2).
   */
  const settings = () => {
    const current = lastHolder()?.settings();
    setStyle(element, { "color-scheme": current?.appearance?.theme ?? "" });
    return current;
  };
  const call: Connection["call"] = (verb, argument) => connection?.call(verb, argument) ?? Promise.resolve(null);
  const update = async () => readPaths(await call("update", settings()));
  let sending: Promise<string[]> | null = null;
  /** Sends the latest settings, at most ten times a second, because the iframe refuses more. */
  const sendSettings = () =>
    (sending ??= new Promise((resolve) => setTimeout(resolve, 100)).then(() => {
      sending = null;
      return update();
    }));

  // --- loading

  /** Loads the session's page without a history entry, and closes the connection to the old page. */
  const load = (query = coep(window.crossOriginIsolated)) => {
    note("reload");
    disconnect();
    const frameWindow = element.contentWindow; // null while the container is out of the document
    isSent = !!frameWindow;
    frameWindow?.location.replace(withQuery(url, query));
  };
  const startWaiting = () => {
    status = afterLoad(status);
    response.start();
  };
  const disconnect = () => {
    connection?.close();
    connection = null;
  };
  const onLoad = () => {
    disconnect();
    space.forget();
    box.shrink();
    const frameWindow = element.contentWindow;
    if (!frameWindow || isRemoved) return;
    if (status.state !== "loading" && (status.state !== "complete" || isPending(status))) startWaiting();
    // An iframe that was removed from the document and inserted again loads its first session.
    if (!isSent && url !== options.url) return load();
    isSent = false;
    note("load");
    response.loaded();
    connection = sendInit(frameWindow, origin, {
      here(receipt) {
        note("here");
        response.responded();
        box.showFields();
        ({ protocol } = receipt);
        if (protocol === null) fail("protocol_mismatch", true);
      },
      async connected() {
        space.report();
        const refused = await update();
        if (refused.length) console.warn(`Oriel: refused ${refused.join(", ")}.`);
      },
      event: receive,
    });
  };

  // --- events

  const receive = (name: unknown, detail: unknown): void => {
    const event = readFrameEvent(name, detail);
    if (!event || isRemoved) return;
    note(event.name);
    if (event.name === "error" && event.detail.code === "sandboxed") return fail(event.detail.code, true);
    // The session expired before its form was ready, so there will be no form unless a new session can be fetched. Try
    // that once.
    if (event.name === "expire" && !status.ready && (status.isRenewed || !lastHolder()?.canRenew())) {
      return receive("error", { code: "session_expired" });
    }
    const before = status;
    status = afterEvent(before, event);
    if (/^(ready|complete|error|expire)$/.test(event.name)) {
      response.stop();
      box.showForm();
    }
    const { name: type } = event;
    if (type === "grow") return box.grow();
    if (type === "shrink") return box.shrink();
    if (type === "leave") return lastHolder()?.onLeave();
    if (type === "why") return;
    if (type === "error") return emitError(event.detail.code);
    if (type === "resize") {
      box.setHeight(event.detail.height);
      return emit({ type, detail: { ...event.detail, width: element.clientWidth } });
    }
    if (type === "ready") {
      // Wait, because some pages make the iframe visible on `ready`.
      setTimeout(() => status.state !== "ready" || !box.isHidden() || fail("frame_hidden", true), 2_000);
      return emit(readyEvent(event.detail));
    }
    // A completed iframe sends this again after a reload, but the merchant's code receives each status once per attempt.
    if (type === "complete" && before.completed?.status === event.detail.status) return;
    emit({ type, detail: event.detail } as HolderEvent); // same name and fields
    if (type === "expire") lastHolder()?.onExpired();
  };

  // --- failure and removal

  /** @param mayLive the customer may be using the form, so keep the iframe */
  function fail(code: CheckoutErrorCode, mayLive = false): void {
    if (isRemoved || status.state === "error") return;
    response.stop();
    status = afterEvent(status, { name: "error", detail: { code } });
    note(code);
    if (!mayLive && !hasFocus(element)) {
      disconnect();
      box.takeFrameAway();
    }
    if (lastHolder()?.onFailed(code)) box.showLink(url.href);
    else if (!element.isConnected) removeNode(box.element);
    emitError(code);
  }

  function remove(): void {
    if (isRemoved) return;
    isRemoved = true;
    frames.delete(container);
    response.stop();
    space.stop();
    stopPolicyWatch();
    void call("destroy");
    disconnect();
    box.takeFrameAway();
    removeNode(box.element);
  }

  const stopPolicyWatch = watchPolicy(origin, () => status.state === "loading" && fail("csp_blocked"));
  const space = watchSpace(container, (size) => call("room", size));
  const response = watchResponse({
    ...options,
    box,
    url: () => url,
    // A page with COEP that isn't cross-origin isolated can't be detected, so the second request asks for COEP. It also
    // needs a different URL, because navigating to the same one would only jump to its fragment.
    reload: () => load(`${coep(canFrameBanks())}&again=1`),
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
        if (status.completed && status.state === "complete") greet({ type: "complete", detail: status.completed });
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
    call,
    sendSettings,
    renew(renewed) {
      if (status.state !== "expired" || renewed.origin !== origin || renewed.sessionId === url.sessionId) return false;
      url = renewed;
      status = { ...newStatus, isRenewed: true };
      startWaiting();
      load();
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
    const reason = findObstacle();
    if (reason) queueMicrotask(() => fail(reason));
    else element.src = withQuery(url, coep(window.crossOriginIsolated));
    container.append(box.element);
    response.start();
  }
  return frame;
}

/** Why this window can't show a usable iframe, or false. */
function findObstacle(): CheckoutErrorCode | false {
  // A sandbox with an opaque origin, which iframes inherit, so they can't be reached. Pages from files also have an
  // opaque origin, but their iframes don't inherit it.
  if (window.origin === "null" && location.protocol !== "file:") return "sandboxed";
  // In an isolated page, this browser can't show the issuer's page, so use the full page before the customer types.
  return window.crossOriginIsolated && !canFrameBanks() && "unsupported_browser";
}

function withQuery({ href }: EmbedUrl, query: string): string {
  return query ? href.replace("#", `?${query}#`) : href;
}

/** The query that requests COEP from the iframe's page. */
function coep(isRequested: boolean): string {
  return isRequested ? "coep=1" : "";
}

function readPaths(refused: unknown): string[] {
  return Array.isArray(refused) ? refused.filter((path) => typeof path === "string") : [];
}

/** Whether an iframe with COEP can embed the issuer's page, which doesn't send COEP. */
function canFrameBanks(): boolean {
  return "credentialless" in HTMLIFrameElement.prototype;
}
