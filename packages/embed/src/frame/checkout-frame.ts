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
 * frame-state.ts has the states, and says how events change them and what the loader then does.
 */
import { type FrameEvents, type FrameSettings, readFrameEvent } from "@oriel/protocol/windows";
import { CheckoutError, type CheckoutErrorCode } from "../api/checkout-error.ts";
import type { AnyCheckoutEvent, CheckoutEvents } from "../api/checkout-events.ts";
import type { CheckoutOptions } from "../api/checkout-options.ts";
import type { EmbedUrl } from "../api/embed-url.ts";
import { hasFocus, removeNode } from "../page/host-document.ts";
import { watchPolicy } from "./diagnose.ts";
import { type BoxSettings, createFrameBox, type FrameBox } from "./frame-box.ts";
import {
  afterEvent,
  afterLoad,
  type FrameEffect,
  transition,
  type FrameStatus,
  isPending,
  newStatus,
} from "./frame-state.ts";
import { type Connection, createConnection } from "./send-init.ts";
import { setStyle } from "./top-layer.ts";
import { type ResponseWatch, watchResponse } from "./watch-response.ts";
import { type SpaceWatch, watchSpace } from "./watch-space.ts";

/** What a checkout receives from its iframe: the events, and the iframe's title in the customer's language. */
export type HolderEvent =
  | AnyCheckoutEvent
  | { type: "title"; detail: FrameEvents["title"] }
  /** Another session replaced this one in the container. */
  | { type: "evict"; detail: object }
  /** The session expired. A holder that can get a new one passes it to `renewFrame`. */
  | { type: "renew"; detail: object }
  /** The challenge continues on the full page. */
  | { type: "leave"; detail: object };

type DetailOf<K> = Extract<HolderEvent, { type: K }>["detail"];

/**
 * A checkout that mounted the iframe. If a session is mounted twice in a container, the iframe has several holders, and
 * the last one's settings apply.
 */
export interface FrameHolder extends BoxSettings, Pick<CheckoutOptions, "fetchEmbedUrl"> {
  timeoutMs: number;
  diagnosticId: string;
  /** Whether a previous iframe of this session left a payment pending. */
  wasPending?: boolean;
  onEvent(event: HolderEvent): void;
  /** The iframe can't run. Returns whether to show a link to the full page. */
  onFailed(code: CheckoutErrorCode): boolean;
  /** The current settings for the iframe. */
  readSettings(): FrameSettings;
  /** Adds an entry to the timeline. */
  addNote(what: string): void;
}

/** An iframe, and what belongs to it. The functions below change it. */
export interface CheckoutFrame extends FrameStatus, FrameBox, Connection, SpaceWatch, ResponseWatch {
  /** Its time limit and diagnostic ID apply. */
  readonly firstHolder: FrameHolder;
  /** The session that the browser loads if the iframe is inserted again. */
  readonly firstUrl: EmbedUrl;
  /** The session that it shows. */
  sessionUrl: EmbedUrl;
  /** The negotiated protocol version, or null until it's known. */
  protocolVersion: number | null;
  /** Whether the loader itself started the next load. */
  isSent?: boolean;
  isDestroyed?: boolean;
  /** The result of the next update of the settings. */
  nextUpdate?: Promise<string[]> | null;
  readonly holders: Set<FrameHolder>;
  readonly stopPolicyWatch: () => void;
  readonly boxContainer: Element;
}

const frames = /* @__PURE__ */ new WeakMap<Element, CheckoutFrame>();

/**
 * Opens the session in the container, or reuses its iframe if it already shows the session. An iframe with another
 * session is removed.
 */
export const openFrame = (container: Element, url: EmbedUrl, holder: FrameHolder): CheckoutFrame => {
  let frame = frames.get(container);
  if (!frame || !showsSession(frame, url, container)) {
    if (frame) {
      removeFrame(frame);
      for (const other of frame.holders) if (other !== holder) other.onEvent({ type: "evict", detail: {} });
    }
    frame = createFrame(container, url, holder);
    frames.set(container, frame);
    start(frame);
  }
  join(frame, holder);
  return frame;
};

const createFrame = (boxContainer: Element, firstUrl: EmbedUrl, holder: FrameHolder): CheckoutFrame => {
  const { origin } = firstUrl;
  const frame = {
    __proto__: null, // so that what isn't set yet isn't inherited from a polluted Object.prototype
    ...newStatus,
    ...createFrameBox(holder, origin),
    protocolVersion: null,
    paymentStatus: holder.wasPending ? "unknown" : null,
    firstUrl,
    sessionUrl: firstUrl,
    holders: new Set([holder]),
    boxContainer,
    firstHolder: holder,
  } as unknown as CheckoutFrame; // the rest is assigned below
  const fail = (code: CheckoutErrorCode, mayLive?: boolean) => failFrame(frame, code, mayLive);
  return Object.assign(
    frame,
    createConnection(
      frame.iframeElement,
      origin,
      (name, detail) => receive(frame, name, detail),
      ({ protocol }) => {
        note(frame, "here");
        frame.responded();
        frame.showFields();
        frame.protocolVersion = protocol;
        if (protocol === null) fail("protocol_mismatch", true);
      },
      async () => {
        frame.reportSpace();
        const refused = await update(frame);
        if (refused.length) console.warn(`Oriel: refused ${refused.join(", ")}.`);
      },
    ),
    watchSpace(boxContainer, (size) => frame.callVerb("room", size)),
    // A page with COEP that isn't cross-origin isolated can't be detected, so the second request asks for COEP. It also
    // needs a different URL, because navigating to the same one would only jump to its fragment.
    watchResponse(frame, () => load(frame, canFrameBanks(), "&again=1"), fail),
    { stopPolicyWatch: watchPolicy(origin, () => frame.state === "loading" && fail("csp_blocked")) },
  );
};

/** Whether this iframe shows the session, hasn't failed and is still in `container`. */
export const showsSession = (frame: CheckoutFrame, { href }: EmbedUrl, container: Element): boolean => {
  const { iframeElement } = frame;
  return (
    frame.state !== "error" &&
    frame.sessionUrl.href === href &&
    iframeElement.isConnected === container.isConnected &&
    iframeElement.parentNode?.parentNode === container
  );
};

const join = (frame: CheckoutFrame, holder: FrameHolder): void => {
  frame.holders.add(holder);
  queueMicrotask(() => {
    const greet = (event: AnyCheckoutEvent) => frame.holders.has(holder) && holder.onEvent(event);
    const { ready, completed } = frame;
    greet({ type: "loadstart", detail: {} });
    if (ready) greet({ type: "ready", detail: readyDetail(frame, { ...ready, isPaymentPending: isPending(frame) }) });
    if (completed && frame.state === "complete") greet({ type: "complete", detail: completed });
  });
};

/** Removes the iframe one task later, unless another checkout has it. */
export const leaveFrame = (frame: CheckoutFrame, holder: FrameHolder): void => {
  frame.holders.delete(holder);
  setTimeout(() => {
    if (frame.holders.size === 0) removeFrame(frame);
  }, 0);
};

const lastHolder = ({ holders }: CheckoutFrame): FrameHolder | undefined => [...holders].at(-1);

const emit = <K extends HolderEvent["type"]>({ holders }: CheckoutFrame, detail: DetailOf<K>, type: K): void => {
  for (const holder of new Set(holders)) holder.onEvent({ type, detail } as HolderEvent); // the same member of the union
};

const emitToLast = (frame: CheckoutFrame, detail: object, type: "leave" | "renew"): void =>
  lastHolder(frame)?.onEvent({ type, detail });

const note = ({ holders }: CheckoutFrame, what: string): void => {
  for (const holder of holders) holder.addNote(what);
};

const readyDetail = ({ protocolVersion }: CheckoutFrame, detail: FrameEvents["ready"]): CheckoutEvents["ready"] => ({
  ...detail,
  protocol: String(protocolVersion),
});

// --- loading

const start = (frame: CheckoutFrame): void => {
  const { iframeElement: iframe } = frame;
  const { locale, appearance } = settingsOf(frame)!;
  iframe.name = JSON.stringify({ locale, appearance });
  iframe.addEventListener("load", () => onLoad(frame));
  const reason = findObstacle();
  if (reason) queueMicrotask(() => failFrame(frame, reason));
  else iframe.src = addressOf(frame.sessionUrl, window.crossOriginIsolated);
  frame.boxContainer.append(frame.boxElement);
  frame.startTimers();
};

/** Loads the session's page without a history entry, and closes the connection to the old page. */
const load = (frame: CheckoutFrame, isCoepRequested = window.crossOriginIsolated, more = ""): void => {
  note(frame, "reload");
  frame.closePort();
  const frameWindow = frame.iframeElement.contentWindow; // null while the container is out of the document
  frame.isSent = !!frameWindow;
  frameWindow?.location.replace(addressOf(frame.sessionUrl, isCoepRequested, more));
};

const onLoad = (frame: CheckoutFrame): void => {
  frame.closePort();
  frame.forgetSpace();
  frame.shrink();
  if (!frame.iframeElement.contentWindow || frame.isDestroyed) return;
  const { state } = frame;
  if (state !== "loading" && (state !== "complete" || isPending(frame))) startWaiting(frame);
  // An iframe that was removed from the document and inserted again loads its first session.
  if (!frame.isSent && frame.sessionUrl !== frame.firstUrl) return load(frame);
  frame.isSent = false;
  note(frame, "load");
  frame.pageLoaded();
  frame.openPort();
};

const startWaiting = (frame: CheckoutFrame): void => {
  Object.assign(frame, afterLoad);
  frame.startTimers();
};

/**
 * Loads a new session of the same service in the same iframe, with an empty form.
 *
 * @returns false if this session isn't expired, or the new one is the same or belongs to another service
 */
export const renewFrame = (frame: CheckoutFrame, renewed: EmbedUrl): boolean => {
  const { origin, sessionId } = frame.sessionUrl;
  if (frame.state !== "expired" || renewed.origin !== origin || renewed.sessionId === sessionId) return false;
  Object.assign(frame, newStatus, { isRenewed: true, sessionUrl: renewed });
  startWaiting(frame);
  load(frame);
  return true;
};

// --- settings

/**
 * The current settings. The element gets their color scheme, because browsers paint an opaque canvas if it differs from
 * the document's (CSS Color Adjustment 1, 2.2).
 */
const settingsOf = (frame: CheckoutFrame): FrameSettings | undefined => {
  const current = lastHolder(frame)?.readSettings();
  setStyle(frame.iframeElement, { "color-scheme": current?.appearance?.theme ?? "" });
  return current;
};

const update = async (frame: CheckoutFrame): Promise<string[]> => {
  const refused: unknown = await frame.callVerb("update", settingsOf(frame));
  return Array.isArray(refused) ? refused.filter((path) => typeof path === "string") : [];
};

/**
 * Sends the latest settings to the iframe, at most ten times a second, because it refuses more.
 *
 * @returns the paths of refused settings
 */
export const sendSettings = (frame: CheckoutFrame): Promise<string[]> =>
  (frame.nextUpdate ??= new Promise((resolve) => setTimeout(resolve, 100)).then(() => {
    frame.nextUpdate = null;
    return update(frame);
  }));

// --- events

const receive = (frame: CheckoutFrame, name: unknown, detail: unknown): void => {
  const event = readFrameEvent(name, detail);
  if (!event || frame.isDestroyed) return;
  note(frame, event.name);
  const [next, effects] = transition(frame, event, !!lastHolder(frame)?.fetchEmbedUrl);
  Object.assign(frame, next);
  for (const effect of effects) {
    const run: Effect = perform[effect] ?? emit;
    run(frame, event.detail as never, effect as never); // an event's effects take its detail
  }
};

/** What the loader does for an effect, with the detail and the name of the event that has it. */
type Effect = (frame: CheckoutFrame, detail: never, name: never) => void;

// --- failure and removal

const emitError = (frame: CheckoutFrame, { code }: { code: CheckoutErrorCode }): void => {
  const mayHavePaid = frame.paymentStatus !== null;
  emit(frame, new CheckoutError(code, frame.firstUrl.origin, frame.firstHolder.diagnosticId, mayHavePaid), "error");
};

/** @param mayLive the customer may be using the form, so keep the iframe */
const failFrame = (frame: CheckoutFrame, code: CheckoutErrorCode, mayLive = false): void => {
  if (frame.isDestroyed || frame.state === "error") return;
  frame.stopTimers();
  const detail = { code };
  Object.assign(frame, afterEvent(frame, { name: "error", detail }));
  note(frame, code);
  if (!mayLive && !hasFocus(frame.iframeElement)) {
    frame.closePort();
    frame.takeFrameAway();
  }
  if (lastHolder(frame)?.onFailed(code)) frame.showLink(frame.sessionUrl.href);
  else if (!frame.iframeElement.isConnected) removeNode(frame.boxElement);
  emitError(frame, detail);
};

const perform = {
  __proto__: null, // a polluted Object.prototype has no effect
  settle(frame) {
    frame.stopTimers();
    frame.showForm();
  },
  ready(frame, detail: FrameEvents["ready"]) {
    // Wait, because some pages make the iframe visible on `ready`.
    setTimeout(() => frame.state !== "ready" || !frame.isHidden() || failFrame(frame, "frame_hidden", true), 2_000);
    emit(frame, readyDetail(frame, detail), "ready");
  },
  resize(frame, detail: FrameEvents["resize"]) {
    frame.setHeight(detail.height);
    emit(frame, { ...detail, width: frame.iframeElement.clientWidth }, "resize");
  },
  grow: (frame) => frame.grow(),
  shrink: (frame) => frame.shrink(),
  leave: emitToLast,
  error: emitError,
  renew: emitToLast,
  why() {},
  sandboxed: (frame) => failFrame(frame, "sandboxed", true),
  end: (frame) => receive(frame, "error", { code: "session_expired" }),
} as Readonly<Partial<Record<FrameEffect, Effect>>>;

const removeFrame = (frame: CheckoutFrame): void => {
  if (frame.isDestroyed) return;
  frame.isDestroyed = true;
  frames.delete(frame.boxContainer);
  frame.stopTimers();
  frame.stopSpaceWatch();
  frame.stopPolicyWatch();
  void frame.callVerb("destroy");
  frame.closePort();
  frame.takeFrameAway();
  removeNode(frame.boxElement);
};

/** Why this window can't show a usable iframe, or false. */
const findObstacle = (): CheckoutErrorCode | false => {
  // A sandbox with an opaque origin, which iframes inherit, so they can't be reached. Pages from files also have an
  // opaque origin, but their iframes don't inherit it.
  if (window.origin === "null" && location.protocol !== "file:") return "sandboxed";
  // In an isolated page, this browser can't show the issuer's page, so use the full page before the customer types.
  return window.crossOriginIsolated && !canFrameBanks() && "unsupported_browser";
};

/** @param isCoepRequested requests COEP from the iframe's page */
const addressOf = ({ href }: EmbedUrl, isCoepRequested: boolean, more = ""): string => {
  const query = (isCoepRequested ? "coep=1" : "") + more;
  return query ? href.replace("#", `?${query}#`) : href;
};

/** Whether an iframe with COEP can embed the issuer's page, which doesn't send COEP. */
const canFrameBanks = (): boolean => "credentialless" in HTMLIFrameElement.prototype;
