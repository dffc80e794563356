/**
 * Sends one JSON request to the service, on the iframe's own origin. Every call has a timeout and never throws; the
 * result is a value.
 *
 * `unreachable` covers every case in which it's unknown whether the service acted: no network, no response in time, a
 * response that isn't JSON, a 5xx. `refused` means that the service refused the request, with its error code.
 */
import type { CardEncryption } from "@oriel/protocol/frame";

export type CallResult =
  | { kind: "answer"; body: unknown }
  | {
      kind: "refused";
      status: number;
      code: string;
      /** What is wrong with the request, such as `billing_details.email`. */ param?: string;
      /** Sent along with the error `card_message_stale`. */ encryption: CardEncryption | null;
    }
  | { kind: "unreachable" };

export interface CallOptions {
  method: "GET" | "POST";
  path: string;
  body?: object;
  token?: string;
  timeoutMs?: number;
  /** For content that never changes under its URL: it may come from the browser's cache. */
  isImmutable?: boolean;
}

export type FrameCall = (options: CallOptions) => Promise<CallResult>;

export const frameCall: FrameCall = async ({ method, path, body, token, timeoutMs = 15_000, isImmutable = false }) => {
  try {
    const response = await fetch(path, {
      method,
      credentials: "omit",
      cache: isImmutable ? "default" : "no-store",
      redirect: "error",
      headers: {
        ...(body && { "content-type": "application/json" }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer: unknown = await response.json();
    if (response.ok) return { kind: "answer", body: answer };
    if (response.status >= 500) return { kind: "unreachable" };
    // The service's error format, from our own origin. Any other shape becomes `unknown_error`, or a nonce that the
    // service will refuse.
    const { error, encryption } = answer as {
      error?: { code?: unknown; param?: unknown };
      encryption?: CardEncryption;
    };
    const code = typeof error?.code === "string" ? error.code : "unknown_error";
    const param = typeof error?.param === "string" ? { param: error.param } : {};
    return { kind: "refused", status: response.status, code, ...param, encryption: encryption ?? null };
  } catch {
    return { kind: "unreachable" };
  }
};

/**
 * Exchanges the client secret for this page load's token and the session's data.
 * @param lost_request the ID of a payment request that got no response
 */
export function openSession(
  call: FrameCall,
  sessionId: string,
  client_secret: string,
  lost_request?: string,
): Promise<CallResult> {
  return call({ method: "POST", path: `/frame/sessions/${sessionId}/open`, body: { client_secret, lost_request } });
}
