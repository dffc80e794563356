/**
 * Simulates the payment service for a shop's receiver: signs webhooks using only node:crypto, and sends them over HTTP.
 */
import { createHmac } from "node:crypto";
import { request, type IncomingHttpHeaders } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setImmediate as letOthersRun } from "node:timers/promises";
import type { Event } from "../src/index.ts";

export const secret = `whsec_${Buffer.from("thirty-two bytes make one secret").toString("base64")}`;
/** The previous secret, which receivers also trust. */
export const olderSecret = `whsec_${Buffer.from("thirty-two bytes, the year before").toString("base64")}`;
/** Another endpoint's secret, which receivers don't trust. */
export const unknownSecret = `whsec_${Buffer.from("thirty-two bytes of another one!").toString("base64")}`;

export const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Creates an event's body, padded to `bytes` if given. */
export function eventBody({ id = "evt_01", bytes }: { id?: string; bytes?: number } = {}): string {
  const write = (padding: string) =>
    JSON.stringify({
      id,
      object: "event",
      type: "payment.succeeded",
      created: 1_795_000_000,
      api_version: "2026-11-20",
      livemode: false,
      object_sequence: 3,
      data: { object: { id: "ch_01", object: "charge", description: `Grüße, 世界 🍵${padding}` } },
      request: { id: null, idempotency_key: null },
    });
  return bytes === undefined ? write("") : write("x".repeat(bytes - Buffer.byteLength(write(""))));
}

export const parsed = (body: string) => JSON.parse(body) as Event; // written by eventBody

export function signOurs(
  body: string,
  secrets: readonly string[] = [secret],
  t = nowSeconds(),
): Record<string, string> {
  const signatures = secrets.map((key) => `v1=${createHmac("sha256", key).update(`${t}.${body}`).digest("hex")}`);
  return { "oriel-signature": [`t=${t}`, ...signatures].join(",") };
}

export function signStandard(
  body: string,
  secrets: readonly string[] = [secret],
  t = nowSeconds(),
): Record<string, string> {
  const signatures = secrets.map((key) => {
    const bytes = Buffer.from(key.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", bytes).update(`evt_01.${t}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": "evt_01", "webhook-timestamp": String(t), "webhook-signature": signatures.join(" ") };
}

export const sign = (body: string, secrets?: readonly string[], t?: number) => ({
  ...signOurs(body, secrets, t),
  ...signStandard(body, secrets, t),
});

export interface ReceiverResponse {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Delivering {
  method?: string;
  headers?: Record<string, string>;
  /**
   * Sends the body in chunks of this many bytes, which may split characters. By default it's sent in one piece with a
   * length.
   */
  pieceBytes?: number;
  /** Sends the body without ending the request. */
  isEndless?: boolean;
}

/** Sends a webhook and returns the response. */
export async function deliver(
  url: string,
  body: string,
  { method = "POST", headers = {}, pieceBytes, isEndless }: Delivering = {},
): Promise<ReceiverResponse> {
  const sending = request(url, { method, agent: false, headers: { "content-type": "application/json", ...headers } });
  const received = new Promise<ReceiverResponse>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", (response) => {
      readText(response).then(
        (text) => resolve({ status: response.statusCode, headers: response.headers, text }),
        reject,
      );
    });
  });
  const sent = (async () => {
    if (pieceBytes === undefined && !isEndless) return void sending.end(body);
    const bytes = Buffer.from(body);
    const step = pieceBytes ?? bytes.byteLength;
    for (let at = 0; at < bytes.byteLength; at += step) {
      sending.write(bytes.subarray(at, at + step));
      await letOthersRun();
    }
    if (!isEndless) sending.end();
  })();
  const [response] = await Promise.all([received, sent]).finally(() => sending.destroy());
  return response;
}
