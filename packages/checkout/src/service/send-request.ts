/**
 * Sends one request to the service, on the iframe's own origin, and reads its JSON. Every request has a timeout and
 * never throws. The later code decides what a reply means (`frame-call.ts`).
 */

export interface Reply {
  ok: boolean;
  status: number;
  body: unknown;
}

/** The request, which is a GET by default and isn't cached. */
export interface RequestOptions extends RequestInit {
  timeoutMs?: number;
}

/** Null if no JSON arrives in time. */
export type Send = (path: string, options: RequestOptions) => Promise<Reply | null>;

export const sendRequest: Send = async (path, { timeoutMs = 15_000, ...options }) => {
  try {
    const response = await fetch(path, {
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
      ...options,
    });
    return { ok: response.ok, status: response.status, body: await response.json() };
  } catch {
    return null;
  }
};

/** A POST of JSON. */
export function post(body: object): { method: string; headers: Record<string, string>; body: string } {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** The path that exchanges a session's client secret for a token and the session's data. */
export function openPath(sessionId: string): string {
  return `/frame/sessions/${sessionId}/open`;
}
