/** The promise of `ready`, which code outside of it settles. */
import type { CheckoutError } from "../api/checkout-error.ts";

export interface Settlement {
  promise: Promise<void>;
  settled: boolean;
  resolve(): void;
  /** @param isReceived a listener received the error, so nobody has to catch the rejection */
  reject(reason: CheckoutError, isReceived: boolean): void;
}

/** The oldest browsers that must report `unsupported_browser` lack `Promise.withResolvers`. */
export function createSettlement(): Settlement {
  const settlement = { settled: false } as Settlement; // the promise's executor runs at once and adds the functions
  settlement.promise = new Promise((resolve, reject) => {
    settlement.resolve = () => {
      settlement.settled = true;
      resolve();
    };
    settlement.reject = (reason, isReceived) => {
      if (isReceived) settlement.promise.catch(() => {});
      settlement.settled = true;
      reject(reason);
    };
  });
  return settlement;
}
