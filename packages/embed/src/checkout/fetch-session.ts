/**
 * Gets a session's `embed_url` from the merchant's code. Concurrent calls of the same function share one result,
 * because React's StrictMode mounts twice and must not create two sessions.
 */
import type { CheckoutOptions } from "../api/checkout-options.ts";

type FetchEmbedUrl = NonNullable<CheckoutOptions["fetchEmbedUrl"]>;

const pending = /* @__PURE__ */ new WeakMap<FetchEmbedUrl, Promise<string>>();

/** @throws (rejects) the function's error, or a TimeoutError after `timeoutMs` */
export const fetchSession = (
  fetchEmbedUrl: FetchEmbedUrl,
  timeoutMs: number,
  reason: Parameters<FetchEmbedUrl>[0]["reason"],
): Promise<string> => {
  const running = pending.get(fetchEmbedUrl);
  if (running) return running;
  const signal = AbortSignal.timeout(timeoutMs);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const fetched = Promise.race([Promise.resolve({ reason, signal }).then(fetchEmbedUrl), late]).finally(() => {
    pending.delete(fetchEmbedUrl);
  });
  pending.set(fetchEmbedUrl, fetched);
  return fetched;
};
