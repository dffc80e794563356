/**
 * Implements the checkout handle.
 *
 * It trusts its caller but nothing else on the page. After `destroy`, all methods do nothing, because components can be
 * torn down in any order. It never moves or reloads an active iframe.
 */
import {
  type FieldName,
  readSubmission,
  readValidation,
  type Submission,
  type Validation,
} from "@oriel/protocol/windows";
import { CheckoutError, type CheckoutErrorCode, newDiagnosticId } from "../api/checkout-error.ts";
import { checkoutEventNames, type CheckoutListeners, createListeners } from "../api/checkout-events.ts";
import type { AnyCheckoutEvent } from "../api/checkout-events.ts";
import type {
  CheckoutHandle,
  CheckoutPatch,
  CheckoutState,
  DebugReport,
  MountTarget,
  SubmitResult,
} from "../api/checkout-handle.ts";
import { changeable, type CheckoutOptions, frameSettings, ownCopy, readOptions } from "../api/checkout-options.ts";
import { type EmbedUrl, readEmbedUrl } from "../api/embed-url.ts";
import { version } from "../api/version.ts";
import { type CheckoutFrame, type FrameHolder, openFrame } from "../frame/checkout-frame.ts";
import { createLink } from "../frame/frame-box.ts";
import { isPending, stateAfter } from "../frame/frame-state.ts";
import { queryAll, removeNode } from "../page/host-document.ts";
import { fetchSession } from "./fetch-session.ts";
import { goTo } from "./go-to.ts";
import { type Modal, modalIn } from "./modal.ts";
import { resolveAppearance, watchAppearance } from "./resolve-appearance.ts";
import { createSettlement } from "./settlement.ts";

/**
 * Creates a checkout and mounts it, like {@link createCheckout} followed by `mount`.
 *
 * @example
 * const checkout = mountCheckout("#checkout", {
 *   embedUrl,
 *   onComplete: ({ sessionId }) => showThanks(sessionId),
 * });
 * @throws TypeError for an unknown or invalid option
 * @throws Error if the container doesn't exist
 */
export function mountCheckout(target: MountTarget, options: CheckoutOptions): CheckoutHandle {
  const checkout = createCheckout(options);
  try {
    return checkout.mount(target);
  } catch (error) {
    checkout.destroy();
    throw error;
  }
}

/**
 * Creates a checkout without showing it. Call `mount` to show it.
 *
 * @throws TypeError for an unknown or invalid option
 */
export function createCheckout(options: CheckoutOptions): CheckoutHandle {
  const settings = readOptions(options);
  const listeners = createListeners();
  const diagnosticId = newDiagnosticId();
  const createdAt = performance.now();
  const timeline: DebugReport["events"] = [];
  let url = settings.url;
  /** The merchant's container, also while the checkout is in a dialog. */
  let mountedIn: Element | null = null;
  let container: Element | null = null;
  let frame: CheckoutFrame | null = null;
  let modal: Modal | null = null;
  let notice: Element | null = null;
  let stopWatching: (() => void) | null = null;
  let ready = createSettlement();
  let isDestroyed = false;
  /** The last state is an error, and no payment may have succeeded, so mounting again asks for another session. */
  let needsAnother = false;
  /** Whether the last iframe left a payment of this session pending. Then there won't be another session. */
  let wasPending = false;
  /** The number of the current fetch of a session. Results with another number are ignored. */
  let fetchNumber = 0;

  const isPaymentPending = () => (frame ? isPending(frame.status) : wasPending);
  const showTitle = (title: string) => {
    frame?.setTitle(title);
    modal?.setTitle(title);
  };
  const emit = (event: AnyCheckoutEvent) => listeners.emit(event);
  const newError = (code: CheckoutErrorCode, mayHavePaid = false, cause?: unknown) =>
    new CheckoutError(code, url?.origin, diagnosticId, mayHavePaid, cause);
  /**
   * There is no usable session, or the iframe couldn't be created. Without an iframe, a link reloads the page or leads
   * to the full page.
   */
  const fail = (code: CheckoutErrorCode, cause?: unknown) => {
    if (!frame && holder.onFailed(code)) {
      const href = (code === "internal" && url?.href) || location.href.replace(/#.*/, "");
      notice = createLink(href, settings.locale);
      container?.append(notice);
    }
    holder.onEvent({ type: "error", detail: newError(code, isPaymentPending(), cause) });
  };

  const holder: FrameHolder = {
    onEvent(event) {
      if (event.type === "title") {
        if (settings.title === changeable.title) showTitle(event.detail.title);
        return;
      }
      if (event.type in stateAfter) needsAnother = false;
      if (event.type === "ready" || event.type === "complete") ready.resolve();
      if (event.type === "error") {
        // If the customer pressed Pay and the outcome is unknown, keep the session, because it will have the outcome.
        needsAnother = !event.detail.mayHavePaid;
        ready.reject(event.detail, listeners.listensTo("error"));
      }
      emit(event);
      // The dialog itself only receives Escape while the focus is outside the iframe.
      if (event.type === "escape") closeModal();
      if (event.type === "complete" && settings.redirect === "always" && event.detail.returnUrl) {
        goTo(event.detail.returnUrl, "complete", emit);
      }
    },
    onEvicted: destroy,
    canRenew: () => !!settings.fetchEmbedUrl,
    onExpired() {
      if (!holder.canRenew()) return;
      void obtain("expired", (renewed) => {
        if (!frame?.renew(renewed)) return fail("session_invalid");
        url = renewed;
      });
    },
    onLeave: () => goTo(url?.href ?? "", "challenge", emit),
    onFailed(code) {
      const { fallback = "link" } = settings;
      if (url && mayRedirect(code, fallback, url.href)) {
        const { href } = url;
        // Runs after the error event, because its listeners may destroy the checkout.
        setTimeout(() => isDestroyed || goTo(href, "fallback", emit));
      }
      return fallback !== "error";
    },
    settings: () => frameSettings(settings, container ? resolveAppearance(settings.appearance ?? {}, container) : {}),
    note(what) {
      if (settings.debug && timeline.length < 200) timeline.push([Math.round(performance.now() - createdAt), what]);
    },
  };

  /**
   * Gets a session from the merchant's code and continues with it, unless the checkout was moved or destroyed, or another
   * one was requested.
   */
  async function obtain(reason: "initial" | "expired" | "retry", then: (obtained: EmbedUrl) => void): Promise<void> {
    const number = ++fetchNumber;
    let code: CheckoutErrorCode = "network";
    try {
      const { fetchEmbedUrl, embedUrl, timeoutMs } = settings;
      const href = await (fetchEmbedUrl ? fetchSession(fetchEmbedUrl, timeoutMs, reason) : embedUrl); // which is malformed
      if (number !== fetchNumber) return;
      code = "session_invalid";
      const obtained = readEmbedUrl(href);
      if (ready.settled) ready = createSettlement();
      code = "internal";
      then(obtained);
    } catch (error) {
      if (number === fetchNumber) fail(code, error);
    }
  }

  function open(session: EmbedUrl): void {
    if (!container) return;
    url = session;
    needsAnother = false;
    const { title, timeoutMs, loader = "auto", locale } = settings;
    let appearance = JSON.stringify(holder.settings().appearance);
    stopWatching ??= watchAppearance(container, () => {
      const now = JSON.stringify(holder.settings().appearance);
      if (now !== appearance) void frame?.sendSettings();
      appearance = now;
    });
    frame = openFrame(container, { url, title, timeoutMs, loader, locale, diagnosticId, wasPending }, holder);
  }

  function redirectTo(session: EmbedUrl): void {
    url = session;
    location.assign(session.href);
  }

  function unmount(): void {
    wasPending = isPaymentPending();
    fetchNumber++;
    frame?.leave(holder);
    removeNode(notice);
    stopWatching?.();
    modal?.leave(closeModal);
    frame = mountedIn = container = modal = notice = stopWatching = null;
  }

  /**
   * Closes the dialog for the customer, unless a payment may still succeed, because closing wouldn't stop it.
   *
   * @returns whether it is closed
   */
  function closeModal(): boolean {
    if (!modal) return true;
    // Without the iframe, only a link is left.
    if (isPaymentPending() && modal.container.querySelector("iframe")) return false;
    if (!frame?.status.paymentStatus) emit({ type: "cancel", detail: { by: "customer" } });
    unmount();
    return true;
  }

  /** The attempt in progress. A second call shares its result. */
  let submitting: Promise<SubmitResult> | null = null;
  async function pay(): Promise<SubmitResult> {
    const paying = frame;
    const ended: Submission = readSubmission(await paying?.call("submit")) ?? { type: "failed" };
    if (ended.type === "refused") return { type: "error", error: newError("submit_not_allowed") };
    if (ended.type !== "failed" && ended.type !== "busy") return ended;
    // A removed iframe may have submitted the payment just before and can no longer report it.
    const mayHavePaid = paying !== null && (paying !== frame || !!paying.status.paymentStatus);
    return { type: "error", error: newError(isDestroyed || paying !== frame ? "destroyed" : "internal", mayHavePaid) };
  }

  function destroy(): void {
    if (isDestroyed) return;
    isDestroyed = true;
    settings.signal?.removeEventListener("abort", destroy);
    listeners.clear();
    unmount();
    ready.reject(newError("destroyed"), true);
  }

  const handle: CheckoutHandle = Object.freeze({
    get ready() {
      return ready.promise;
    },
    get state(): CheckoutState {
      if (isDestroyed) return "destroyed";
      return frame?.status.state ?? (!container ? "idle" : needsAnother ? "error" : "loading");
    },
    get isPaymentPending() {
      return !isDestroyed && isPaymentPending();
    },
    mount(target: MountTarget): CheckoutHandle {
      if (isDestroyed) return handle;
      const place = findContainer(target);
      const { presentation, locale, title } = settings;
      const width = place.clientWidth; // 0 if it's hidden or an inline element
      // Mounted again in the same place, the form stays where it is.
      const isNarrow = place === mountedIn ? modal !== null : width > 0 && width < leastWidth;
      const isModal = presentation === "modal" || (presentation === "auto" && isNarrow);
      const dialog = isModal ? modalIn(place, locale) : null;
      const inner = dialog?.container ?? place;
      // A redirect is repeated, because the customer may have come back.
      const isShown = frame ? url && frame.shows(url.href, inner) : !notice && presentation !== "redirect";
      if (inner === container && !needsAnother && isShown) {
        dialog?.open(title, closeModal);
        return handle;
      }
      const mustFetch = !url || (needsAnother && settings.fetchEmbedUrl);
      needsAnother = false;
      unmount();
      if (ready.settled) ready = createSettlement();
      mountedIn = container = place;
      modal = dialog;
      const show = presentation === "redirect" ? redirectTo : open;
      try {
        dialog?.open(title, closeModal);
        container = inner;
        if (mustFetch) void obtain(url ? "retry" : "initial", show);
        else if (url) show(url);
      } catch (error) {
        // The page's scripts may have broken something that the loader needs. The full page still works.
        queueMicrotask(() => container && fail("internal", error));
      }
      return handle;
    },
    unmount,
    destroy,
    async update(patch: CheckoutPatch): Promise<void> {
      const given = ownCopy(patch, Object.keys(changeable), "update option");
      const changed = readOptions({ ...given, fetchEmbedUrl() {} });
      for (const name of Object.keys(given)) Reflect.set(settings, name, Reflect.get(changed, name));
      if (given["title"]) showTitle(settings.title);
      const refused = await frame?.sendSettings();
      if (refused?.length) throw new TypeError(`Oriel: refused ${refused.join(", ")}.`);
    },
    submit(): Promise<SubmitResult> {
      return (submitting ??= pay().finally(() => (submitting = null)));
    },
    async validate(): Promise<Validation> {
      return readValidation(await frame?.call("validate")) ?? { valid: false, errors: [] };
    },
    focus(field?: FieldName): void {
      void frame?.call("focus", field);
    },
    blur(): void {
      void frame?.call("blur");
    },
    clear(): void {
      void frame?.call("clear");
    },
    on: (type: string, listener: (value: never) => void, given = {}) =>
      addListener(isDestroyed ? null : listeners, type, listener, given),
    redirect(): void {
      if (!isDestroyed && url) location.assign(url.href);
    },
    cancelChallenge(): void {
      void frame?.call("cancelChallenge");
    },
    async getDebugReport(): Promise<DebugReport> {
      const inside = await frame?.call("report");
      return {
        version,
        diagnosticId,
        protocol: frame?.protocol ?? null,
        sessionId: url?.sessionId ?? null,
        state: handle.state,
        userAgent: navigator.userAgent,
        events: [...timeline],
        frame: Array.isArray(inside) ? inside.slice(0, 100) : [],
      };
    },
  });

  for (const [event, callback] of settings.callbacks) listeners.add(event, callback);
  if (settings.signal?.aborted) destroy();
  else settings.signal?.addEventListener("abort", destroy);
  return handle;
}

/** Sessions for which this page view has already redirected automatically. */
const redirected = /* @__PURE__ */ new Set<string>();

/** Whether to go to the full page after this error, at most once for each session. */
function mayRedirect(code: CheckoutErrorCode, fallback: CheckoutOptions["fallback"], href: string): boolean {
  // If the browser can't show the issuer's page in the iframe, navigate before the customer enters anything.
  const isWanted =
    fallback === "redirect" ? !code.startsWith("session_") : fallback === "link" && code === "unsupported_browser";
  if (!isWanted || redirected.has(href)) return false;
  redirected.add(href);
  return true;
}

/** With presentation `auto`, containers narrower than this (in CSS pixels) get a dialog. */
const leastWidth = 240;

function findContainer(target: unknown): Element {
  if (typeof document === "undefined") throw new Error("Oriel: mount needs a browser.");
  const found = typeof target === "string" ? queryAll(target)[0] : (target as Element | null); // or anything else
  // The iframe accepts messages only from its parent, so it can't be in another window.
  if (found?.nodeType === 1 && found.ownerDocument === document) return found;
  throw new Error(`Oriel: there is no element ${String(target)} in this window yet.`);
}

/**
 * @param listeners null if the checkout is destroyed
 * @throws TypeError for an unknown event or option
 */
function addListener(
  listeners: CheckoutListeners | null,
  type: string,
  listener: (value: never) => void,
  given: { signal?: AbortSignal; once?: boolean },
): () => void {
  if (type !== "*" && !checkoutEventNames.includes(type)) throw new TypeError(`Oriel: unknown event "${type}".`);
  const { once, signal }: { signal?: AbortSignal; once?: boolean } = ownCopy(given, ["once", "signal"], "option");
  if (!listeners || signal?.aborted) return () => {};
  const remove = listeners.add(type, listener, once === true);
  signal?.addEventListener("abort", remove);
  return () => {
    signal?.removeEventListener("abort", remove);
    remove();
  };
}
