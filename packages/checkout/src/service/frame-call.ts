/**
 * One JSON request to the service, on the frame's own origin. Every call has a timeout and never throws: what came back
 * is a value.
 *
 * `unreachable` covers everything after which nobody knows whether the service acted: no network, no answer in time, an
 * answer that is not JSON, a 5xx. `refused` is the service's own no, with its code.
 */
import type { CardEncryption } from "@oriel/protocol/frame";

export type CallResult =
  | { kind: "answer"; body: unknown }
  | {
      kind: "refused";
      status: number;
      code: string;
      /** What is wrong with the request, such as `billing_details.email`. */ param?: string;
      /** Beside the error, after `card_message_stale` */ encryption: CardEncryption | null;
    }
  | { kind: "unreachable" };

export interface CallOptions {
  method: "GET" | "POST";
  path: string;
  body?: object;
  token?: string;
  timeoutMs?: number;
  /** What never changes under its address may come from the browser's cache. */
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
    // The service's error envelope, from our own origin; a stranger's shape ends in `unknown_error` or a nonce that is
    // refused.
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
 * Exchanges the client secret for this load's token and the session's data.
 * @param lost_request a payment request without an answer
 */
export function openSession(
  call: FrameCall,
  sessionId: string,
  client_secret: string,
  lost_request?: string,
): Promise<CallResult> {
  return call({ method: "POST", path: `/frame/sessions/${sessionId}/open`, body: { client_secret, lost_request } });
}
