/**
 * A checkout without an iframe, for a merchant's unit tests. It has the real types, and the test decides what happens.
 *
 * There are two ways to use it, and neither needs a mocking library:
 * - Pass it: if your code takes `mountCheckout` as an argument, pass `mock.mountCheckout`.
 * - Replace the module: this one exports everything that `@oriel/embed` does, so a setting of Vitest or Jest
 *   (docs/embed/testing.md) replaces it for all code under test, including the wrappers. {@link mountedMocks} lists the
 *   mocks.
 *
 * Options are validated as in the real checkout, except for those that the iframe validates, such as tokens of
 * `appearance`.
 */
import { CheckoutError, type CheckoutErrorCode } from "../api/checkout-error.ts";
import {
  type AnyCheckoutEvent,
  type CheckoutEventName,
  checkoutEventNames,
  type CheckoutEvents,
} from "../api/checkout-events.ts";
import type { CheckoutHandle, CheckoutState, DebugReport, MountTarget, SubmitResult } from "../api/checkout-handle.ts";
import { type CheckoutOptions, readOptions } from "../api/checkout-options.ts";
import { addCallbacks, createListeners } from "../api/listeners.ts";
import { version } from "../api/version.ts";
import { afterEvent, type FrameChange, isPending, newStatus, stateAfter } from "../frame/frame-state.ts";

export { CheckoutError } from "../api/checkout-error.ts";
export { parseReturn, redirectToCheckout } from "../checkout/redirect.ts";

export interface MockCheckout {
  /** The handle for the code under test. */
  readonly handle: CheckoutHandle;
  /** The options passed to `createCheckout`, empty before. */
  readonly options: CheckoutOptions;
  /** All calls of the handle's methods except `on`, in order. */
  readonly calls: readonly (readonly [method: string, ...given: unknown[]])[];
  /** The result of `submit`. Default `complete`. */
  submitResult: SubmitResult;
  /** The result of `validate`. Default valid. */
  validation: Awaited<ReturnType<CheckoutHandle["validate"]>>;
  /** Emits `ready`. */
  ready(detail?: Partial<CheckoutEvents["ready"]>): void;
  /**
   * Emits an event and updates `state` and `isPaymentPending` as the real checkout does. After `destroy`, it does nothing.
   */
  emit<K extends CheckoutEventName>(
    type: K,
    ...detail: keyof CheckoutEvents[K] extends never ? [] : [detail: CheckoutEvents[K]]
  ): void;
  /** Emits `error` with a CheckoutError that has this code. */
  fail(code: CheckoutErrorCode): void;
  /** Replace the functions of `@oriel/embed`. Each call returns this mock's handle. */
  mountCheckout(target: MountTarget, options: CheckoutOptions): CheckoutHandle;
  createCheckout(options: CheckoutOptions): CheckoutHandle;
}

/**
 * Creates a mock checkout.
 *
 * @example
 * const mock = mockCheckout();
 * startPayment(mock.mountCheckout);
 * mock.emit("complete", { sessionId: "cs_1", status: "complete", returnUrl: null });
 */
export function mockCheckout(): MockCheckout {
  const listeners = createListeners();
  const calls: [method: string, ...given: unknown[]][] = [];
  let options: CheckoutOptions = {};
  let state: CheckoutState = "idle";
  let status = newStatus;
  let ready = openPromise();

  const isDestroyed = (): boolean => state === "destroyed";
  const note =
    (method: string) =>
    (...given: unknown[]): void =>
      void calls.push([method, ...given]);

  const handle: CheckoutHandle = Object.freeze({
    get ready() {
      return ready.promise;
    },
    get state() {
      return state;
    },
    get isPaymentPending() {
      return !isDestroyed() && isPending(status);
    },
    mount(target: MountTarget) {
      calls.push(["mount", target]);
      if (!isDestroyed()) state = "loading";
      return handle;
    },
    unmount() {
      calls.push(["unmount"]);
      if (!isDestroyed()) state = "idle";
    },
    destroy() {
      calls.push(["destroy"]);
      if (isDestroyed()) return;
      state = "destroyed";
      listeners.clearEntries();
      ready.promise.catch(() => {}); // as in the real checkout, the rejection needn't be caught
      ready.reject(new CheckoutError("destroyed"));
    },
    async update(patch: Parameters<CheckoutHandle["update"]>[0]) {
      calls.push(["update", patch]);
      readOptions({ ...patch, fetchEmbedUrl() {} });
    },
    async submit(): Promise<SubmitResult> {
      calls.push(["submit"]);
      return isDestroyed() ? { type: "error", error: new CheckoutError("destroyed") } : mock.submitResult;
    },
    async validate() {
      calls.push(["validate"]);
      return mock.validation;
    },
    async refresh() {
      calls.push(["refresh"]);
    },
    async runServerUpdate<Result>(change: () => Promise<Result>): Promise<Result> {
      try {
        return await change();
      } finally {
        calls.push(["refresh"]);
      }
    },
    focus: note("focus"),
    blur: note("blur"),
    clear: note("clear"),
    redirect: note("redirect"),
    cancelChallenge: note("cancelChallenge"),
    on(
      type: string,
      listener: (value: never) => void,
      { signal, once = false }: { signal?: AbortSignal; once?: boolean } = {},
    ) {
      if (type !== "*" && !checkoutEventNames.includes(type)) throw new TypeError(`Oriel: unknown event "${type}".`);
      if (isDestroyed() || signal?.aborted) return () => {};
      const remove = listeners.addEntry(type, listener, once);
      signal?.addEventListener("abort", remove);
      return remove;
    },
    getDebugReport: async () => emptyReport(state),
  });

  const emit = (type: CheckoutEventName, detail: unknown = {}): void => {
    if (isDestroyed()) return;
    state = states[type] ?? state;
    status = afterEvent(type === "ready" ? newStatus : status, { name: type, detail } as FrameChange); // the same events
    if (type === "ready" || type === "complete") ready.resolve();
    if (type === "error") {
      if (listeners.listensTo("error")) ready.promise.catch(() => {});
      ready.reject(detail);
    }
    listeners.emitEvent({ type, detail } as AnyCheckoutEvent); // the interface's `emit` matches the detail to the type
  };

  const mock: MockCheckout = {
    handle,
    get options() {
      return options;
    },
    calls,
    submitResult: { type: "complete", sessionId: readyDetail.sessionId },
    validation: { valid: true, errors: [] },
    ready: (detail) => emit("ready", { ...readyDetail, ...detail }),
    emit: (type, ...[detail]) => emit(type, detail),
    fail: (code) => emit("error", new CheckoutError(code)),
    createCheckout(given) {
      const settings = readOptions(given);
      const { signal } = settings;
      options = given;
      if (isDestroyed()) {
        state = "idle";
        status = newStatus;
        ready = openPromise();
      }
      addCallbacks(listeners, settings);
      if (signal?.aborted) handle.destroy();
      signal?.addEventListener("abort", handle.destroy);
      return handle;
    },
    mountCheckout: (target, given) => mock.createCheckout(given).mount(target),
  };
  return mock;
}

/** A promise with the functions that settle it. */
function openPromise(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let [resolve, reject]: [() => void, (reason: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

function emptyReport(state: CheckoutState): DebugReport {
  return {
    version,
    diagnosticId: "mockmockmo",
    protocol: null,
    sessionId: null,
    state,
    userAgent: "mock",
    events: [],
    frame: [],
  };
}

const readyDetail: CheckoutEvents["ready"] = {
  sessionId: "cs_mock",
  livemode: false,
  expiresAt: "2099-01-01T00:00:00.000Z",
  protocol: "1",
};

const states: Partial<Record<CheckoutEventName, CheckoutState>> = { loadstart: "loading", ...stateAfter };

// --- replacing @oriel/embed

const mocks: MockCheckout[] = [];

/**
 * The mocks that this module's {@link createCheckout} and {@link mountCheckout} created since the last {@link
 * forgetMocks}, oldest first.
 */
export function mountedMocks(): readonly MockCheckout[] {
  return mocks;
}

/** Destroys and forgets all mocks. Call it between tests. */
export function forgetMocks(): void {
  for (const mock of mocks.splice(0)) mock.handle.destroy();
}

export function createCheckout(options: CheckoutOptions): CheckoutHandle {
  const mock = mockCheckout();
  const handle = mock.createCheckout(options);
  mocks.push(mock);
  return handle;
}

export function mountCheckout(target: MountTarget, options: CheckoutOptions): CheckoutHandle {
  return createCheckout(options).mount(target);
}
