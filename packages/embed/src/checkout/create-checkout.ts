/**
 * Implements the checkout handle. checkout-state.ts says how events change a checkout, and what it then does.
 *
 * It trusts its caller but nothing else on the page. After `destroy`, all methods do nothing, because components can be
 * torn down in any order. It never moves or reloads an active iframe.
 */
import {
  type FieldName,
  type FrameEvents,
  type FrameSettings,
  readSubmission,
  readValidation,
  type Submission,
} from "@oriel/protocol/windows";
import { CheckoutError, type CheckoutErrorCode, newDiagnosticId } from "../api/checkout-error.ts";
import { type AnyCheckoutEvent, checkoutEventNames, type CheckoutEvents } from "../api/checkout-events.ts";
import type { CheckoutHandle, CheckoutPatch, DebugReport, MountTarget, SubmitResult } from "../api/checkout-handle.ts";
import {
  changeable,
  type CheckoutOptions,
  type CheckoutSettings,
  frameSettings,
  ownCopy,
  readOptions,
} from "../api/checkout-options.ts";
import { type EmbedUrl, readEmbedUrl } from "../api/embed-url.ts";
import { addCallbacks, type CheckoutListeners, createListeners } from "../api/listeners.ts";
import { version } from "../api/version.ts";
import {
  type CheckoutFrame,
  type FrameHolder,
  type HolderEvent,
  leaveFrame,
  openFrame,
  renewFrame,
  sendSettings,
  showsSession,
} from "../frame/checkout-frame.ts";
import { createLink } from "../frame/frame-box.ts";
import { queryAll, removeNode } from "../page/host-document.ts";
import { tryTo } from "../page/try-to.ts";
import { type CheckoutEffect, hasPendingPayment, stateOf, transition } from "./checkout-state.ts";
import { fetchSession } from "./fetch-session.ts";
import { goTo } from "./go-to.ts";
import { type Modal, modalIn } from "./modal.ts";
import { openReadiness, type Readiness } from "./readiness.ts";
import { resolveAppearance, watchAppearance } from "./resolve-appearance.ts";

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
export const mountCheckout = (target: MountTarget, options: CheckoutOptions): CheckoutHandle => {
  const checkout = createCheckout(options);
  try {
    return checkout.mount(target);
  } catch (error) {
    checkout.destroy();
    throw error;
  }
};

/** A checkout, and what belongs to it. The functions below change it. */
interface Checkout extends CheckoutSettings, CheckoutListeners, FrameHolder, Readiness {
  readonly diagnosticId: string;
  /** These three as in `CheckoutStatus`. */
  needsAnother?: boolean;
  wasPending?: boolean;
  isDestroyed?: boolean;
  /** The merchant's container, also while the checkout is in a dialog. */
  mountedIn: Element | null;
  boxContainer: Element | null;
  currentFrame: CheckoutFrame | null;
  currentModal: Modal | null;
  shownNotice: Element | null;
  stopAppearanceWatch: (() => void) | null;
  /** The current fetch of a session. The results of others are ignored. */
  currentFetch: object | null;
  /** `destroy` and `closeModal` of this checkout, for listeners. */
  readonly destroyThis: () => void;
  readonly closeThis: () => boolean;
}

/**
 * Creates a checkout without showing it. Call `mount` to show it.
 *
 * @throws TypeError for an unknown or invalid option
 */
export const createCheckout = (options: CheckoutOptions): CheckoutHandle => {
  const createdAt = performance.now();
  const timeline: DebugReport["events"] = [];
  /** The attempt in progress. A second call shares its result. */
  let submitting: Promise<SubmitResult> | null = null;
  const checkout: Checkout = Object.assign(readOptions(options), createListeners(), {
    ...notMounted,
    diagnosticId: newDiagnosticId(),
    destroyThis: () => destroy(checkout),
    closeThis: () => closeModal(checkout),
    onEvent: (event: HolderEvent) => onEvent(checkout, event),
    onFailed: (code: CheckoutErrorCode) => onFailed(checkout, code),
    readSettings: () => settingsOf(checkout),
    addNote: (what: string) => {
      if (checkout.debug && timeline.length < 200) timeline.push([Math.round(performance.now() - createdAt), what]);
    },
  }) as Checkout; // `openReadiness` adds the rest
  openReadiness(checkout);
  const verb = (name: "blur" | "clear" | "cancelChallenge") => () => void checkout.currentFrame?.callVerb(name);

  const handle: CheckoutHandle = Object.freeze({
    get ready() {
      return checkout.readyPromise;
    },
    get state() {
      return stateOf(checkout, checkout.currentFrame, !!checkout.boxContainer);
    },
    get isPaymentPending() {
      return !checkout.isDestroyed && isPaymentPending(checkout);
    },
    mount(target: MountTarget): CheckoutHandle {
      if (!checkout.isDestroyed) mount(checkout, findContainer(target));
      return handle;
    },
    unmount: () => unmount(checkout),
    destroy: checkout.destroyThis,
    update: (patch: CheckoutPatch) => update(checkout, patch),
    submit: () => (submitting ??= pay(checkout).finally(() => (submitting = null))),
    validate: async () =>
      readValidation(await checkout.currentFrame?.callVerb("validate")) ?? { valid: false, errors: [] },
    refresh: () => refresh(checkout),
    async runServerUpdate<Result>(change: () => Promise<Result>): Promise<Result> {
      try {
        return await change();
      } finally {
        await refresh(checkout);
      }
    },
    focus(field?: FieldName): void {
      void checkout.currentFrame?.callVerb("focus", field);
    },
    blur: verb("blur"),
    clear: verb("clear"),
    on: (type: string, listener: (value: never) => void, given = {}) => addListener(checkout, type, listener, given),
    redirect(): void {
      if (!checkout.isDestroyed && checkout.sessionUrl) location.assign(checkout.sessionUrl.href);
    },
    cancelChallenge: verb("cancelChallenge"),
    async getDebugReport(): Promise<DebugReport> {
      const inside = await checkout.currentFrame?.callVerb("report");
      return {
        version,
        diagnosticId: checkout.diagnosticId,
        protocol: checkout.currentFrame?.protocolVersion ?? null,
        sessionId: checkout.sessionUrl?.sessionId ?? null,
        state: handle.state,
        userAgent: navigator.userAgent,
        events: [...timeline],
        frame: Array.isArray(inside) ? inside.slice(0, 100) : [],
      };
    },
  });

  addCallbacks(checkout, checkout);
  if (checkout.signal?.aborted) destroy(checkout);
  else checkout.signal?.addEventListener("abort", checkout.destroyThis);
  return handle;
};

/** What belongs to a checkout only while it's mounted. */
const notMounted = {
  mountedIn: null,
  boxContainer: null,
  currentFrame: null,
  currentModal: null,
  shownNotice: null,
  stopAppearanceWatch: null,
  currentFetch: null,
};

const isPaymentPending = (checkout: Checkout): boolean => hasPendingPayment(checkout, checkout.currentFrame);

const showTitle = ({ currentFrame, currentModal }: Checkout, title: string): void => {
  if (currentFrame) currentFrame.iframeElement.title = title;
  currentModal?.setTitle(title);
};

const newError = (checkout: Checkout, code: CheckoutErrorCode, mayHavePaid?: boolean, cause?: unknown): CheckoutError =>
  new CheckoutError(code, checkout.sessionUrl?.origin, checkout.diagnosticId, mayHavePaid, cause);

/**
 * There is no usable session, or the iframe couldn't be created. Without an iframe, a link reloads the page or leads to
 * the full page.
 */
const fail = (checkout: Checkout, code: CheckoutErrorCode, cause?: unknown): void => {
  if (!checkout.currentFrame && onFailed(checkout, code)) {
    const href = (code === "internal" && checkout.sessionUrl?.href) || location.href.replace(/#.*/, "");
    checkout.shownNotice = createLink(href, checkout.locale);
    checkout.boxContainer?.append(checkout.shownNotice);
  }
  onEvent(checkout, { type: "error", detail: newError(checkout, code, isPaymentPending(checkout), cause) });
};

const onEvent = (checkout: Checkout, event: HolderEvent): void => {
  const [changes, effects] = transition(event);
  Object.assign(checkout, changes);
  // An event's effects take that event.
  for (const effect of effects) (perform[effect] ?? emit)(checkout, event as never);
};

const reject = (checkout: Checkout, { detail }: { detail: CheckoutError }): void => {
  // A listener received the error, or nobody expects one, so nobody has to catch the rejection.
  if (checkout.isDestroyed || checkout.listensTo("error")) checkout.readyPromise.catch(() => {});
  checkout.isSettled = true;
  checkout.rejectReady(detail);
};

const emit = (checkout: Checkout, event: AnyCheckoutEvent): void => checkout.emitEvent(event);

/** The iframe can't run. Returns whether to show a link to the full page. */
const onFailed = (checkout: Checkout, code: CheckoutErrorCode): boolean => {
  const { fallback = "link", sessionUrl } = checkout;
  // If the browser can't show the issuer's page in the iframe, navigate before the customer enters anything.
  const isWanted =
    fallback === "redirect" ? !code.startsWith("session_") : fallback === "link" && code === "unsupported_browser";
  if (sessionUrl && isWanted && !redirected.has(sessionUrl.href)) {
    redirected.add(sessionUrl.href);
    // Runs after the error event, because its listeners may destroy the checkout.
    setTimeout(() => checkout.isDestroyed || goTo(checkout, sessionUrl.href, "fallback"));
  }
  return fallback !== "error";
};

/** If the page broke the insertion of an iframe, that iframe may also ask a checkout that isn't mounted any more. */
const settingsOf = (checkout: Checkout): FrameSettings =>
  frameSettings(
    checkout,
    checkout.boxContainer ? resolveAppearance(checkout.appearance ?? {}, checkout.boxContainer) : {},
  );

/**
 * Gets a session from the merchant's code and continues with it, unless the checkout was moved or destroyed, or another
 * one was requested.
 */
const obtain = async (checkout: Checkout, reason: "initial" | "expired" | "retry"): Promise<void> => {
  const current = (checkout.currentFetch = {});
  let code: CheckoutErrorCode = "network";
  try {
    const { fetchEmbedUrl, embedUrl, timeoutMs } = checkout;
    const href = await (fetchEmbedUrl ? fetchSession(fetchEmbedUrl, timeoutMs, reason) : embedUrl); // which is malformed
    if (current !== checkout.currentFetch) return;
    code = "session_invalid";
    const obtained = readEmbedUrl(href);
    renewReadiness(checkout);
    code = "internal";
    (reason === "expired" ? renew : open)(checkout, obtained);
  } catch (error) {
    if (current === checkout.currentFetch) fail(checkout, code, error);
  }
};

const renewReadiness = (checkout: Checkout): void => {
  if (checkout.isSettled) openReadiness(checkout);
};

const renew = (checkout: Checkout, renewed: EmbedUrl): void => {
  if (!checkout.currentFrame || !renewFrame(checkout.currentFrame, renewed)) return fail(checkout, "session_invalid");
  checkout.sessionUrl = renewed;
};

const open = (checkout: Checkout, session: EmbedUrl): void => {
  const boxContainer = checkout.boxContainer!; // `unmount` forgets the container and the fetch at once
  checkout.sessionUrl = session;
  if (checkout.presentation === "redirect") return location.assign(session.href);
  checkout.needsAnother = false;
  checkout.currentFrame = openFrame(boxContainer, session, checkout);
  // After the browser has requested the iframe's page. If the page broke what this needs, the form still works.
  tryTo(() => {
    let appearance = JSON.stringify(settingsOf(checkout).appearance);
    checkout.stopAppearanceWatch ??= watchAppearance(boxContainer, () => {
      const now = JSON.stringify(settingsOf(checkout).appearance);
      if (now !== appearance) void sendSettings(checkout.currentFrame!); // `unmount` stops the watch
      appearance = now;
    });
  });
};

/**
 * Whether the form needs a dialog. A container without a width is hidden or an inline element. Reading the width makes
 * the browser lay out the page first, which delays the iframe.
 */
const isNarrow = ({ clientWidth }: Element): boolean => clientWidth > 0 && clientWidth < leastWidth;

const mount = (checkout: Checkout, place: Element): void => {
  const { presentation, sessionUrl } = checkout;
  // Mounted again in the same place, the form stays where it is.
  const isModal =
    presentation === "modal" ||
    (presentation === "auto" && (place === checkout.mountedIn ? checkout.currentModal !== null : isNarrow(place)));
  const dialog = isModal ? modalIn(place, checkout.locale) : null;
  const inner = dialog?.dialogContainer ?? place;
  // A redirect is repeated, because the customer may have come back.
  const isShown = checkout.currentFrame
    ? showsSession(checkout.currentFrame, sessionUrl!, inner) // a frame has a session
    : !checkout.shownNotice && presentation !== "redirect";
  if (inner === checkout.boxContainer && !checkout.needsAnother && isShown)
    return dialog?.open(checkout.title, checkout.closeThis);
  const mustFetch = !sessionUrl || (checkout.needsAnother && checkout.fetchEmbedUrl);
  checkout.needsAnother = false;
  unmount(checkout);
  renewReadiness(checkout);
  checkout.mountedIn = checkout.boxContainer = place;
  checkout.currentModal = dialog;
  try {
    dialog?.open(checkout.title, checkout.closeThis);
    checkout.boxContainer = inner;
    if (mustFetch) void obtain(checkout, sessionUrl ? "retry" : "initial");
    else open(checkout, sessionUrl);
  } catch (error) {
    // The page's scripts may have broken something that the loader needs. The full page still works.
    queueMicrotask(() => checkout.boxContainer && fail(checkout, "internal", error));
  }
};

const unmount = (checkout: Checkout): void => {
  checkout.wasPending = isPaymentPending(checkout);
  if (checkout.currentFrame) leaveFrame(checkout.currentFrame, checkout);
  removeNode(checkout.shownNotice);
  checkout.stopAppearanceWatch?.();
  checkout.currentModal?.leave(checkout.closeThis);
  Object.assign(checkout, notMounted);
};

/**
 * Closes the dialog for the customer, unless a payment may still succeed, because closing wouldn't stop it.
 *
 * @returns whether it is closed
 */
const closeModal = (checkout: Checkout): boolean => {
  if (!checkout.currentModal) return true;
  // Without the iframe, only a link is left.
  if (isPaymentPending(checkout) && checkout.currentModal.dialogContainer.querySelector("iframe")) return false;
  if (!checkout.currentFrame?.paymentStatus) checkout.emitEvent({ type: "cancel", detail: { by: "customer" } });
  unmount(checkout);
  return true;
};

const pay = async (checkout: Checkout): Promise<SubmitResult> => {
  const paying = checkout.currentFrame;
  const ended: Submission = readSubmission(await paying?.callVerb("submit")) ?? { type: "failed" };
  if (ended.type === "refused") return { type: "error", error: newError(checkout, "submit_not_allowed") };
  if (ended.type !== "failed" && ended.type !== "busy") return ended;
  const isGone = paying !== checkout.currentFrame;
  // A removed iframe may have submitted the payment just before and can no longer report it.
  const mayHavePaid = paying !== null && (isGone || !!paying.paymentStatus);
  return {
    type: "error",
    error: newError(checkout, checkout.isDestroyed || isGone ? "destroyed" : "internal", mayHavePaid),
  };
};

const refresh = async (checkout: Checkout): Promise<void> => {
  const call = () => checkout.currentFrame?.callVerb("refresh");
  // An iframe that is still loading may have read the session already.
  if (checkout.currentFrame?.state === "loading") addListener(checkout, "ready", call, { once: true });
  else await call();
};

const update = async (checkout: Checkout, patch: CheckoutPatch): Promise<void> => {
  const given = ownCopy(patch, Object.keys(changeable), "update option");
  const changed = readOptions({ ...given, fetchEmbedUrl() {} });
  given["appearance"] &&= changed.appearance;
  Object.assign(checkout, given);
  if (given["title"]) showTitle(checkout, checkout.title);
  const refused = checkout.currentFrame && (await sendSettings(checkout.currentFrame));
  if (refused?.length) throw new TypeError(`Oriel: refused ${refused.join(", ")}.`);
};

const destroy = (checkout: Checkout): void => {
  if (checkout.isDestroyed) return;
  checkout.isDestroyed = true;
  checkout.signal?.removeEventListener("abort", checkout.destroyThis);
  checkout.clearEntries();
  unmount(checkout);
  reject(checkout, { detail: newError(checkout, "destroyed") });
};

/** What the checkout does for each effect, with the event that has it. */
const perform = {
  __proto__: null, // a polluted Object.prototype has no effect
  resolve(checkout) {
    checkout.isSettled = true;
    checkout.resolveReady();
  },
  reject,
  // The dialog itself only receives Escape while the focus is outside the iframe.
  close: closeModal,
  return(checkout, { detail }: { detail: CheckoutEvents["complete"] }) {
    if (checkout.redirect === "always" && detail.returnUrl) goTo(checkout, detail.returnUrl, "complete");
  },
  title(checkout, { detail }: { detail: FrameEvents["title"] }) {
    if (checkout.title === changeable.title) showTitle(checkout, detail.title);
  },
  leave: (checkout) => goTo(checkout, checkout.sessionUrl!.href, "challenge"), // only a frame with a session asks for it
  renew: (checkout) => checkout.fetchEmbedUrl && void obtain(checkout, "expired"),
  evict: destroy,
} as Readonly<Partial<Record<CheckoutEffect, (checkout: Checkout, event: never) => void>>>;

/** Sessions for which this page view has already redirected automatically. */
const redirected = /* @__PURE__ */ new Set<string>();

/** With presentation `auto`, containers narrower than this (in CSS pixels) get a dialog. */
const leastWidth = 240;

const findContainer = (target: unknown): Element => {
  if (typeof document === "undefined") throw new Error("Oriel: mount needs a browser.");
  const found = typeof target === "string" ? queryAll(target)[0] : (target as Element | null); // or anything else
  // The iframe accepts messages only from its parent, so it can't be in another window.
  if (found?.nodeType === 1 && found.ownerDocument === document) return found;
  throw new Error(`Oriel: there is no element ${String(target)} in this window yet.`);
};

/** @throws TypeError for an unknown event or option */
const addListener = (
  checkout: Checkout,
  type: string,
  listener: (value: never) => void,
  given: { signal?: AbortSignal; once?: boolean },
): (() => void) => {
  if (type !== "*" && !checkoutEventNames.includes(type)) throw new TypeError(`Oriel: unknown event "${type}".`);
  const { once, signal }: { signal?: AbortSignal; once?: boolean } = ownCopy(given, ["once", "signal"], "option");
  if (checkout.isDestroyed || signal?.aborted) return () => {};
  const remove = checkout.addEntry(type, listener, once === true);
  signal?.addEventListener("abort", remove);
  return () => {
    signal?.removeEventListener("abort", remove);
    remove();
  };
};
