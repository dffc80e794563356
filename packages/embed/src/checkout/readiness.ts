/** The promise of `ready`, which code outside of it settles. */
import type { CheckoutError } from "../api/checkout-error.ts";

export interface Readiness {
  readyPromise: Promise<void>;
  isSettled: boolean;
  resolveReady: () => void;
  rejectReady: (reason: CheckoutError) => void;
}

/** Another promise. The oldest browsers that must report `unsupported_browser` lack `Promise.withResolvers`. */
export const openReadiness = (readiness: Readiness): void => {
  readiness.isSettled = false;
  readiness.readyPromise = new Promise((resolve, reject) => {
    readiness.resolveReady = resolve;
    readiness.rejectReady = reject;
  });
};
