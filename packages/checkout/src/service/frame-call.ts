/**
 * Says what the service's reply to a request means. A call never throws; the result is a value.
 *
 * `unreachable` covers every case in which it's unknown whether the service acted: no network, no response in time, a
 * response that isn't JSON, a 5xx. `refused` means that the service refused the request, with its error code.
 */
import type { CardEncryption } from "@oriel/protocol/frame";
import { openPath, post, type Reply, type Send } from "./send-request.ts";

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
}

export type FrameCall = (options: CallOptions) => Promise<CallResult>;

export function frameCallBy(send: Send): FrameCall {
  return async ({ method, path, body, token, timeoutMs }) => {
    const { headers, ...content } = body ? post(body) : {};
    return readReply(
      await send(path, {
        method,
        ...content,
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
        ...(timeoutMs && { timeoutMs }),
      }),
    );
  };
}

export function readReply(reply: Reply | null): CallResult {
  if (reply?.ok) return { kind: "answer", body: reply.body };
  if (!reply?.body || reply.status >= 500) return { kind: "unreachable" };
  // The service's error format, from our own origin. Any other shape becomes `unknown_error`, or a nonce that the
  // service will refuse.
  const { error, encryption } = reply.body as {
    error?: { code?: unknown; param?: unknown };
    encryption?: CardEncryption;
  };
  const code = typeof error?.code === "string" ? error.code : "unknown_error";
  const param = typeof error?.param === "string" ? { param: error.param } : {};
  return { kind: "refused", status: reply.status, code, ...param, encryption: encryption ?? null };
}

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
  return call({ method: "POST", path: openPath(sessionId), body: { client_secret, lost_request } });
}
