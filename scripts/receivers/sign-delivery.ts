/**
 * Signs deliveries for the vectors according to the two specifications, independently of the service's code, so that
 * the vectors can show a bug in the service. The secrets were made for this purpose and belong to no endpoint. Whatever
 * isn't overridden is as in a genuine delivery.
 */
import { createHmac } from "node:crypto";

export const secrets = {
  current: secretOf("made for the vectors: the newest"),
  previous: secretOf("made for the vectors: one before"),
  other: secretOf("made for the vectors: another's!"),
};
/** When it was signed, in Unix seconds. */
export const t = 1_795_171_373;
export const eventId = "evt_01m7w8tmqmfnhsmdcbe3dsjqyg";
export const body = eventBody({ order_id: "1234" });

export interface Signing {
  with?: readonly string[];
  at?: number | string;
  id?: string;
  body?: string;
}

/** The headers of a genuine delivery in both formats. */
export function both(signing: Signing = {}) {
  return { ...ours(signing), ...standard(signing) };
}

export function ours({ with: secretsUsed = [secrets.current], at = t, body: text = body }: Signing = {}) {
  const signatures = secretsUsed.map((secret) => `v1=${hex({ key: secret, at, body: text })}`);
  return { "oriel-signature": [`t=${at}`, ...signatures].join(",") };
}

export function standard({
  with: secretsUsed = [secrets.current],
  at = t,
  id: own = eventId,
  body: text = body,
}: Signing = {}) {
  const signatures = secretsUsed.map((secret) => `v1,${base64({ key: keyOf(secret), at, id: own, body: text })}`);
  return { "webhook-id": own, "webhook-timestamp": String(at), "webhook-signature": signatures.join(" ") };
}

interface Hashing {
  key?: string | Uint8Array;
  at?: number | string;
  id?: string;
  body?: string;
}

export function hex({ key = secrets.current, at = t, body: text = body }: Hashing = {}): string {
  return createHmac("sha256", key).update(`${at}.${text}`).digest("hex");
}

export function base64({
  key = keyOf(secrets.current),
  at = t,
  id: own = eventId,
  body: text = body,
}: Hashing = {}): string {
  return createHmac("sha256", key).update(`${own}.${at}.${text}`).digest("base64");
}

export function eventBody(metadata: Record<string, string>, id = eventId): string {
  return JSON.stringify({
    id,
    object: "event",
    type: "payment.succeeded",
    created: t,
    api_version: "2026-11-20",
    livemode: false,
    object_sequence: 1,
    data: {
      object: {
        id: "ch_01m7w8tmqn3v5x7z9b1d3f5h7j",
        object: "charge",
        amount: 4900,
        currency: "eur",
        session: { id: "cs_01m7w8s0q2r4t6v8x0z2b4d6f8", metadata },
      },
    },
    request: { id: null, idempotency_key: null },
  });
}

export function secretOf(text: string): string {
  return `whsec_${Buffer.from(text, "utf8").toString("base64")}`;
}

export function keyOf(secret: string): Uint8Array {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}
