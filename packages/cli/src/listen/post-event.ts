/**
 * Posts one event to the merchant's server the way the service does: same bytes, two signatures over a fresh timestamp,
 * 15 seconds for the complete response, no redirects. Unlike `webhooks/send-webhook.ts` it connects to any host,
 * including loopback and private networks, because the developer chose the URL and owns the machine.
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { startTimeLimit } from "@oriel/time-limit";
import { webhookHeaders } from "@oriel/webhook-signature";
import { reasonOf } from "../test-mode-api.ts";

export interface OutgoingEvent {
  id: string;
  type: string;
  /** The bytes that are signed and sent. */
  body: string;
}

/** `silent`: no response, so the outcome is unknown. */
export type Receipt = Responded | { kind: "silent"; reason: string };

export interface Responded {
  kind: "responded";
  status: number;
  durationMs: number;
  /** The beginning of the response body on one line, without control characters. */
  text: string;
}

export interface Recipient {
  url: URL;
  secret: string;
}

const timeoutMs = 15_000;
/** The connection is closed when the response is longer than this. */
const maxResponseBytes = 64 * 1024;
/** Only this much of the response is kept. */
const maxTextBytes = 2_048;

export async function postEvent(
  { url, secret }: Recipient,
  { id, body }: OutgoingEvent,
  now: () => Date,
  signal: AbortSignal,
): Promise<Receipt> {
  const startedAt = now().getTime();
  const headers = {
    ...webhookHeaders([secret], id, Math.floor(now().getTime() / 1000), body),
    "content-length": String(Buffer.byteLength(body)),
    "accept-encoding": "identity",
  };
  const limit = startTimeLimit(timeoutMs, signal);
  try {
    const { status, text } = await post(url, headers, body, limit.signal);
    return { kind: "responded", status, durationMs: now().getTime() - startedAt, text };
  } catch (error) {
    return { kind: "silent", reason: limit.hasPassed() ? `no response within ${timeoutMs / 1000} s` : reasonOf(error) };
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
        if (bytes > maxResponseBytes) response.destroy();
      });
      response.on("error", reject);
      response.on("close", () => resolve({ status: response.statusCode ?? 0, text: printable(beginning) }));
    });
    outgoing.on("error", reject);
    // There's no response if the server switches protocols (101) or just closes the connection. After a response, this
    // rejection has no effect.
    outgoing.on("upgrade", (_response, socket) => socket.destroy());
    outgoing.on("close", () => reject(new Error("The connection closed without a response")));
    outgoing.end(body);
  });
}

/** Replaces control characters, line breaks and bidirectional marks with spaces. */
function printable(bytes: Buffer): string {
  return bytes
    .toString("utf8")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
}
