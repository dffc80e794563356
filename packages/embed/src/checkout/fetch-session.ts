/**
 * Asks the merchant's own code for a session's `embed_url`. One question at a time per function: React's StrictMode
 * mounts twice and must not make two sessions.
 */
import type { CheckoutOptions } from "./checkout-options.ts";

type FetchEmbedUrl = NonNullable<CheckoutOptions["fetchEmbedUrl"]>;

const pending = /* @__PURE__ */ new WeakMap<FetchEmbedUrl, Promise<string>>();

/** @throws (rejects) what the function threw, or a TimeoutError when it took longer than the frame may. */
export function fetchSession(
  fetchEmbedUrl: FetchEmbedUrl,
  timeoutMs: number,
  reason: Parameters<FetchEmbedUrl>[0]["reason"],
): Promise<string> {
  const asked = pending.get(fetchEmbedUrl);
  if (asked) return asked;
  const signal = AbortSignal.timeout(timeoutMs);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const answer = Promise.race([Promise.resolve({ reason, signal }).then(fetchEmbedUrl), late]).finally(() => {
    pending.delete(fetchEmbedUrl);
  });
  pending.set(fetchEmbedUrl, answer);
  return answer;
}
