/**
 * An HTTP server that simulates the API, including its failures, and records requests. Also a clock that advances only
 * during pauses, so that tests don't wait.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import type { Clock } from "../src/client-options.ts";

export const secretKey = "oriel_sk_test_abcdefghijklmnopqrstuvwxyz0123456789";

export interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Respond = (response: ServerResponse, request: Seen) => void;

export interface FakeApi {
  apiUrl: string;
  /** All complete requests in order of arrival. */
  seen: Seen[];
  /** Sets the responses in order. The last one repeats. */
  respondWith: (...responders: Respond[]) => void;
  close: () => Promise<void>;
}

export async function startPretendService(): Promise<FakeApi> {
  const seen: Seen[] = [];
  let script: Respond[] = [json(200, { id: "x" })];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      const respond = script.length > 1 ? script.shift() : script[0];
      respond?.(response, one);
    });
  });
  const { url: apiUrl, close } = await listenLocally(server);
  return {
    apiUrl,
    seen,
    respondWith: (...responders) => (script = responders),
    close,
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Respond {
  return (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", "request-id": "req_1", ...headers })
      .end(JSON.stringify(body));
}

/** A response in the API's error format. */
export function refusal(
  status: number,
  error: { type: string; code: string; message?: string; [field: string]: unknown },
  headers?: Record<string, string>,
): Respond {
  return json(status, { error: { message: "A sentence for the developer.", ...error } }, headers);
}

/** Reads the request and breaks the connection, so the outcome is unknown. */
export const hangUp: Respond = (response) => void response.destroy();

/** Reads the request and never responds. */
export const staySilent: Respond = () => {};

export interface FakeClock extends Clock {
  /** The length of each pause in milliseconds. */
  pauses: number[];
}

export function fakeClock(): FakeClock {
  let now = 0;
  const pauses: number[] = [];
  return {
    pauses,
    now: () => now,
    async pause(pauseMs) {
      pauses.push(pauseMs);
      now += pauseMs;
    },
  };
}

/** Returns the error with which a promise rejects. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error("expected a rejection")),
    (reason: unknown) => reason,
  );
}
