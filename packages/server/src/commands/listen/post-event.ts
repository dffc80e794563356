/**
 * One try to hand one event to the merchant's server, as the service would: the same bytes, both signatures with a time
 * of their own, 15 seconds for the whole of the answer, redirects not followed. Unlike the service
 * (`webhooks/send-webhook.ts`) it connects wherever it is told to: loopback, a container, a machine of the same
 * network. The address is the developer's own, and so is the machine.
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { webhookHeaders } from "../../webhooks/signature.ts";
import { reasonOf } from "../test-mode-api.ts";
import { startTimeLimit } from "../../platform/time-limit.ts";

export interface OutgoingEvent {
  id: string;
  type: string;
  /** What is signed and sent. */
  body: string;
}

/** `silent`: there was no answer, so nobody knows what became of it. */
export type Receipt = Answered | { kind: "silent"; reason: string };

export interface Answered {
  kind: "answered";
  status: number;
  durationMs: number;
  /** How the answer's body begins, on one line, without anything that a terminal would act on. */
  text: string;
}

export interface Recipient {
  url: URL;
  secret: string;
}

const timeoutMs = 15_000;
/** More of an answer is not read. */
const maxAnswerBytes = 64 * 1024;
/** And more of it is not kept. */
const maxTextBytes = 2_048;

export async function postEvent(
  { url, secret }: Recipient,
  { id, body }: OutgoingEvent,
  now: () => Date,
  signal: AbortSignal,
): Promise<Receipt> {
  const startedAt = now().getTime();
  const headers = {
    ...webhookHeaders([secret], id, unixSeconds(now()), body),
    "content-length": String(Buffer.byteLength(body)),
    "accept-encoding": "identity",
  };
  const limit = startTimeLimit(timeoutMs, signal);
  try {
    const { status, text } = await post(url, headers, body, limit.signal);
    return { kind: "answered", status, durationMs: now().getTime() - startedAt, text };
  } catch (error) {
    return { kind: "silent", reason: limit.isOver() ? `nothing within ${timeoutMs / 1000} s` : reasonOf(error) };
  } finally {
    limit.release();
  }
}

function post(
  url: URL,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", headers, agent: false, signal }, (response) => {
      let bytes = 0;
      let beginning = Buffer.alloc(0);
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (beginning.length < maxTextBytes) beginning = Buffer.concat([beginning, chunk]).subarray(0, maxTextBytes);
        if (bytes > maxAnswerBytes) response.destroy();
      });
      response.on("error", reject);
      response.on("close", () => resolve({ status: response.statusCode ?? 0, text: printable(beginning) }));
    });
    outgoing.on("error", reject);
    // An answer that is none (101, a connection that just ends) closes without a response; after one this rejects what
    // is settled.
    outgoing.on("upgrade", (_response, socket) => socket.destroy());
    outgoing.on("close", () => reject(new Error("The connection ended without an answer")));
    outgoing.end(body);
  });
}

/** Control characters, line ends and the marks that turn the direction of writing become spaces. */
function printable(bytes: Buffer): string {
  return bytes
    .toString("utf8")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
}
