/**
 * An HTTP server that plays the API, well or badly: it keeps what was sent and answers as each test says. And a clock
 * that passes only in pauses, so that no test waits for one.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../src/client-options.ts";

export const secretKey = "oriel_sk_test_abcdefghijklmnopqrstuvwxyz0123456789";

export interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (response: ServerResponse, request: Seen) => void;

export interface PretendService {
  apiUrl: string;
  /** Every request, read to its end, in order of arrival. */
  seen: Seen[];
  /** Answers the first request, the second, ...; the last one answers all that follow. */
  answerWith: (...answers: Answer[]) => void;
  close: () => Promise<void>;
}

export async function startPretendService(): Promise<PretendService> {
  const seen: Seen[] = [];
  let script: Answer[] = [json(200, { id: "x" })];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body };
      seen.push(one);
      const answer = script.length > 1 ? script.shift() : script[0];
      answer?.(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // A server that listens on a port has such an address.
    seen,
    answerWith: (...answers) => (script = answers),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", "request-id": "req_1", ...headers })
      .end(JSON.stringify(body));
}

/** An answer in the API's error envelope. */
export function refusal(
  status: number,
  error: { type: string; code: string; message?: string; [field: string]: unknown },
  headers?: Record<string, string>,
): Answer {
  return json(status, { error: { message: "A sentence for the developer.", ...error } }, headers);
}

/** Reads the request and breaks the connection: whether the work was done, nobody can tell. */
export const hangUp: Answer = (response) => void response.destroy();

/** Reads the request and says nothing. */
export const staySilent: Answer = () => {};

export interface FakeClock extends Clock {
  /** How long each pause was, in milliseconds. */
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

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error("it was expected to fail")),
    (reason: unknown) => reason,
  );
}
