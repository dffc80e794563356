/**
 * A checkout without a frame, for a merchant's unit tests: the handle and its events are the real types, and the test
 * says what happens.
 *
 * Two ways to put it in the place of the real one, neither of which needs a mocking library:
 * - hand it over: code that takes `mountCheckout` as an argument is given `mock.mountCheckout`;
 * - this module exports all that `@oriel/embed` exports, so an alias from the one to the other (`resolve.alias` in Vite
 *   and Vitest, `moduleNameMapper` in Jest) replaces it for all code under test, the wrappers included; {@link
 *   mountedMocks} lists what was made.
 *
 * Options are read as the real one reads them, so a test finds a wrong one. There is no frame, so what only the frame
 * knows (a token of `appearance` that it refuses) is not found.
 */
import { CheckoutError, type CheckoutErrorCode } from "../checkout/checkout-error.ts";
import { checkoutEventNames, createListeners, stateAfter } from "../checkout/checkout-events.ts";
import { type CheckoutOptions, readOptions } from "../checkout/checkout-options.ts";
import type {
  AnyCheckoutEvent,
  CheckoutEventName,
  CheckoutEvents,
  CheckoutHandle,
  CheckoutState,
  MountTarget,
  SubmitResult,
} from "../index.ts";
import { version } from "../version.ts";

export { CheckoutError } from "../checkout/checkout-error.ts";
export { parseReturn, redirectToCheckout } from "../checkout/redirect.ts";

export interface MockCheckout {
  /** What code under test holds. */
  readonly handle: CheckoutHandle;
  /** The options it was created with; empty before. */
  readonly options: CheckoutOptions;
  /** Every call of the handle's methods but `on`, in order. */
  readonly calls: readonly (readonly [method: string, ...given: unknown[]])[];
  /** What `submit` answers next; the default is `complete`. */
  submitResult: SubmitResult;
  /** What `validate` answers next; the default is valid. */
  validation: Awaited<ReturnType<CheckoutHandle["validate"]>>;
  /** The form can be used. */
  ready(detail?: Partial<CheckoutEvents["ready"]>): void;
  /** Tells an event, and moves `state` as the real one would. After `destroy` nobody hears it. */
  emit<K extends CheckoutEventName>(
    type: K,
    ...detail: keyof CheckoutEvents[K] extends never ? [] : [detail: CheckoutEvents[K]]
  ): void;
  /** The checkout cannot go on: `emit("error", ...)` with an error of that code. */
  fail(code: CheckoutErrorCode): void;
  /** Stand in for those of `@oriel/embed`. Each call gives this mock's handle. */
  mountCheckout(target: MountTarget, options: CheckoutOptions): CheckoutHandle;
  createCheckout(options: CheckoutOptions): CheckoutHandle;
}

/**
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
      listeners.clear();
      ready.promise.catch(() => {}); // as the real one: nobody has to catch this
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
      if (type !== "*" && !checkoutEventNames.includes(type))
        throw new TypeError(`Oriel: there is no event "${type}".`);
      if (isDestroyed() || signal?.aborted) return () => {};
      const remove = listeners.add(type, listener, once);
      signal?.addEventListener("abort", remove);
      return remove;
    },
    async getDebugReport() {
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
    },
  });

  const emit = (type: CheckoutEventName, detail: unknown = {}): void => {
    if (isDestroyed()) return;
    state = states[type] ?? state;
    if (type === "ready" || type === "complete") ready.resolve();
    if (type === "error") {
      if (listeners.hears("error")) ready.promise.catch(() => {});
      ready.reject(detail);
    }
    listeners.emit({ type, detail } as AnyCheckoutEvent); // `emit` of the interface ties the detail to the type
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
      const { callbacks, signal } = readOptions(given);
      options = given;
      if (isDestroyed()) {
        state = "idle";
        ready = openPromise();
      }
      for (const [event, callback] of callbacks) listeners.add(event, callback);
      if (signal?.aborted) handle.destroy();
      signal?.addEventListener("abort", handle.destroy);
      return handle;
    },
    mountCheckout: (target, given) => mock.createCheckout(given).mount(target),
  };
  return mock;
}

/** A promise with what settles it. */
function openPromise(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let [resolve, reject]: [() => void, (reason: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

const readyDetail: CheckoutEvents["ready"] = {
  sessionId: "cs_mock",
  livemode: false,
  expiresAt: "2099-01-01T00:00:00.000Z",
  protocol: "1",
};

const states: Partial<Record<CheckoutEventName, CheckoutState>> = { loadstart: "loading", ...stateAfter };

// --- in the place of @oriel/embed
// -----------------------------------------------------------------------------------------------------

const mocks: MockCheckout[] = [];

/**
 * What {@link createCheckout} and {@link mountCheckout} of this module have made, oldest first, since {@link
 * forgetMocks}.
 */
export function mountedMocks(): readonly MockCheckout[] {
  return mocks;
}

/** Call it between tests. Destroys what is there, so that nothing of one test reaches the next. */
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
