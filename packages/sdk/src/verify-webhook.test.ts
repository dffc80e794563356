/**
 * Tests signatures: the published test vector, compatibility with two other packages in both directions, and every kind
 * of invalid signature.
 */
import { createHmac, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { expect, test } from "vitest";
import { checkSignatures } from "./check-signatures.ts";
import { readSigningSecrets } from "./signing-secrets.ts";
import { webhooks } from "./verify-webhook.ts";
import type { WebhookHeaders } from "./webhook-headers.ts";
import { WebhookVerificationError } from "./webhook-verification-error.ts";

const secret = `whsec_${Buffer.from("thirty-two bytes make one secret").toString("base64")}`;
const otherSecret = `whsec_${Buffer.from("thirty-two bytes of another one!").toString("base64")}`;
const now = 1_763_640_000_000;
const t = now / 1000;
const event = {
  id: "evt_01",
  object: "event",
  type: "payment.succeeded",
  created: t,
  api_version: "2026-11-20",
  livemode: false,
  object_sequence: 1,
  data: { object: { id: "ch_01", description: "Grüße, 世界 🍵" } },
  request: { id: null, idempotency_key: null },
};
const body = JSON.stringify(event);

function hex(key = secret, time: number | string = t, text = body): string {
  return createHmac("sha256", key).update(`${time}.${text}`).digest("hex");
}

function base64(key = secret, time: number | string = t, text = body, id = "evt_01"): string {
  const bytes = Buffer.from(key.slice("whsec_".length), "base64");
  return createHmac("sha256", bytes).update(`${id}.${time}.${text}`).digest("base64");
}

const ours = (time: number | string = t, key = secret) => ({ "oriel-signature": `t=${time},v1=${hex(key, time)}` });
const standard = (time: number | string = t, key = secret) => ({
  "webhook-id": "evt_01",
  "webhook-timestamp": String(time),
  "webhook-signature": `v1,${base64(key, time)}`,
});
const both = { ...ours(), ...standard() };

function codeOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
  return "accepted";
}

const verify = (headers: WebhookHeaders, raw: string | Uint8Array = body, key = secret) =>
  webhooks.verify(raw, headers, key, { now });

test("accepts the published test vector of Standard Webhooks", () => {
  const vector = '{"test": 2432232314}';
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const clock = { nowSeconds: 1_614_265_330, toleranceSeconds: 300 };
  const key = readSigningSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  expect(() => checkSignatures(Buffer.from(vector), headers, key, clock)).not.toThrow();
  expect(codeOf(() => checkSignatures(Buffer.from(`${vector} `), headers, key, clock))).toBe("signature_mismatch");
});

test("is compatible with the packages stripe and standardwebhooks in both directions", () => {
  const seconds = Math.floor(Date.now() / 1000);
  const byStripe = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: seconds });
  expect(webhooks.verify(body, { "Oriel-Signature": byStripe }, secret)).toEqual(event);
  expect(Stripe.webhooks.constructEvent(body, ours(seconds)["oriel-signature"], secret)).toEqual(event);

  const other = new Webhook(secret);
  const byStandard = other.sign("evt_01", new Date(seconds * 1000), body);
  const headers = { "webhook-id": "evt_01", "webhook-timestamp": String(seconds), "webhook-signature": byStandard };
  expect(webhooks.verify(body, headers, secret)).toEqual(event);
  expect(other.verify(body, standard(seconds))).toEqual(event);
});

test.each<[string, WebhookHeaders]>([
  ["Oriel-Signature only", ours()],
  ["Standard Webhooks only", standard()],
  ["both", both],
  ["a Headers object", new Headers(both)],
  ["names in any case", { "Oriel-Signature": ours()["oriel-signature"], "WEBHOOK-ID": undefined }],
  ["a list of one", { "oriel-signature": [ours()["oriel-signature"]] }],
  ["additional headers", { host: "shop.example", "set-cookie": ["a", "b"], ...both }],
  [
    "Oriel-Signature with an older secret's signature first",
    { "oriel-signature": `t=${t},v1=${hex(otherSecret)},v1=${hex()}` },
  ],
  ["Oriel-Signature with a future version", { "oriel-signature": `t=${t},v2=abc,v1=${hex()}` }],
  [
    "a newer secret's signature last",
    { ...standard(), "webhook-signature": `v1,${base64()} v1,${base64(otherSecret)}` },
  ],
  ["an additional asymmetric signature", { ...standard(), "webhook-signature": `v1a,AAAA v1,${base64()}` }],
  [
    "the maximum number of signatures",
    { "oriel-signature": `t=${t}${`,v1=${hex(otherSecret)}`.repeat(15)},v1=${hex()}` },
  ],
  ["a header of the maximum length", { "oriel-signature": `t=${t},v1=${hex()},`.padEnd(4096, "x") }],
  ["the oldest allowed timestamp", ours(t - 300)],
  ["the newest allowed timestamp", standard(t + 300)],
])("accepts %s", (_what, headers) => {
  expect(verify(headers)).toEqual(event);
  expect(verify(headers, new TextEncoder().encode(body))).toEqual(event);
  expect(verify(headers, Buffer.from(body))).toEqual(event);
});

test.each<[string, WebhookHeaders, string]>([
  ["no signature", {}, "signature_missing"],
  ["another product's signature", { "stripe-signature": ours()["oriel-signature"] }, "signature_missing"],
  ["an inherited signature", Object.create(both), "signature_missing"],
  ["an ID without the other headers", { "webhook-id": "evt_01" }, "signature_missing"],
  ["no ID", { ...standard(), "webhook-id": undefined }, "signature_missing"],
  ["an ID with a period", { ...standard(), "webhook-id": "evt.01" }, "signature_missing"],
  ["no standard timestamp", { ...standard(), "webhook-timestamp": undefined }, "timestamp_invalid"],
  ["an empty Oriel-Signature", { "oriel-signature": "" }, "timestamp_invalid"],
  ["no timestamp in Oriel-Signature", { "oriel-signature": `v1=${hex()}` }, "timestamp_invalid"],
  ["two timestamps in Oriel-Signature", { "oriel-signature": `t=${t},t=${t - 1},v1=${hex()}` }, "timestamp_invalid"],
  ["a timestamp that isn't a number", { "oriel-signature": `t=now,v1=${hex(secret, "now")}` }, "timestamp_invalid"],
  ["a timestamp with a sign", ours(`+${t}`), "timestamp_invalid"],
  ["a timestamp with a fraction", ours(`${t}.0`), "timestamp_invalid"],
  ["a timestamp with an exponent", standard("1e9"), "timestamp_invalid"],
  ["a hexadecimal timestamp", standard("0x691f0000"), "timestamp_invalid"],
  ["a timestamp with a leading zero", standard(`0${t}`), "timestamp_invalid"],
  ["a timestamp before 1970", ours(-t), "timestamp_invalid"],
  ["a timestamp that's too long", ours("9".repeat(13)), "timestamp_invalid"],
  ["an empty timestamp", { ...standard(), "webhook-timestamp": "" }, "timestamp_invalid"],
  ["a timestamp that's too old", ours(t - 301), "timestamp_out_of_tolerance"],
  ["a standard timestamp that's too old", standard(t - 301), "timestamp_out_of_tolerance"],
  ["a timestamp that's too new", ours(t + 301), "timestamp_out_of_tolerance"],
  ["a standard timestamp that's too new", standard(t + 301), "timestamp_out_of_tolerance"],
  ["a timestamp in milliseconds", ours(now - 1), "timestamp_invalid"],
  ["another endpoint's secret", { ...ours(t, otherSecret) }, "signature_mismatch"],
  ["another endpoint's secret, standard", standard(t, otherSecret), "signature_mismatch"],
  ["a timestamp that wasn't signed", { "oriel-signature": `t=${t - 1},v1=${hex()}` }, "signature_mismatch"],
  [
    "a standard timestamp that wasn't signed",
    { ...standard(), "webhook-timestamp": String(t - 1) },
    "signature_mismatch",
  ],
  ["an ID that wasn't signed", { ...standard(), "webhook-id": "evt_02" }, "signature_mismatch"],
  ["no signature in Oriel-Signature", { "oriel-signature": `t=${t}` }, "signature_mismatch"],
  ["an empty signature", { "oriel-signature": `t=${t},v1=` }, "signature_mismatch"],
  ["an empty standard signature", { ...standard(), "webhook-signature": "v1," }, "signature_mismatch"],
  ["a standard signature without version", { ...standard(), "webhook-signature": base64() }, "signature_mismatch"],
  ["only an unknown version", { "oriel-signature": `t=${t},v0=${hex()}` }, "signature_mismatch"],
  ["only an asymmetric version", { ...standard(), "webhook-signature": `v1a,${base64()}` }, "signature_mismatch"],
  ["a truncated signature", { "oriel-signature": `t=${t},v1=${hex().slice(0, 62)}` }, "signature_mismatch"],
  ["a signature that's too long", { "oriel-signature": `t=${t},v1=${hex()}00` }, "signature_mismatch"],
  ["a signature with a suffix", { "oriel-signature": `t=${t},v1=${hex()}zz` }, "signature_mismatch"],
  [
    "a standard signature with a prefix",
    { ...standard(), "webhook-signature": `v1,!${base64()}` },
    "signature_mismatch",
  ],
  [
    "a standard signature with a suffix",
    { ...standard(), "webhook-signature": `v1,${base64()}A` },
    "signature_mismatch",
  ],
  ["only an unknown standard version", { ...standard(), "webhook-signature": `v2,${base64()}` }, "signature_mismatch"],
  ["an uppercase signature", { "oriel-signature": `t=${t},v1=${hex().toUpperCase()}` }, "signature_mismatch"],
  [
    "a truncated standard signature",
    { ...standard(), "webhook-signature": `v1,${base64().slice(0, 40)}` },
    "signature_mismatch",
  ],
  [
    "a standard signature without padding",
    { ...standard(), "webhook-signature": `v1,${base64().slice(0, 43)}` },
    "signature_mismatch",
  ],
  ["a standard signature in Oriel-Signature", { "oriel-signature": `t=${t},v1=${base64()}` }, "signature_mismatch"],
  [
    "Oriel-Signature keyed with the decoded secret",
    { "oriel-signature": `t=${t},v1=${keyedWithBytes()}` },
    "signature_mismatch",
  ],
  [
    "a valid Oriel-Signature and a wrong standard signature",
    { ...ours(), ...standard(t, otherSecret) },
    "signature_mismatch",
  ],
  [
    "a wrong Oriel-Signature and a valid standard signature",
    { ...ours(t, otherSecret), ...standard() },
    "signature_mismatch",
  ],
  [
    "a new Oriel-Signature and an old standard signature",
    { ...ours(), ...standard(t - 301) },
    "timestamp_out_of_tolerance",
  ],
  [
    "a valid Oriel-Signature and an incomplete standard signature",
    { ...ours(), "webhook-id": "evt_01" },
    "signature_missing",
  ],
  [
    "a repeated header",
    { "oriel-signature": [ours()["oriel-signature"], ours()["oriel-signature"]] },
    "signature_mismatch",
  ],
  [
    "a header repeated in another case",
    { ...ours(), "Oriel-Signature": ours()["oriel-signature"] },
    "signature_mismatch",
  ],
  [
    "two joined headers",
    { "oriel-signature": `${ours()["oriel-signature"]}, ${ours()["oriel-signature"]}` },
    "timestamp_invalid",
  ],
  ["too many signatures", { "oriel-signature": `t=${t}${`,v1=${hex()}`.repeat(17)}` }, "signature_mismatch"],
  [
    "a header one character too long",
    { "oriel-signature": `t=${t},v1=${hex()},`.padEnd(4097, "x") },
    "signature_mismatch",
  ],
  ["a very long header", { "oriel-signature": `t=${t},v1=${hex()},${"x".repeat(5000)}` }, "signature_mismatch"],
])("refuses %s", (_what, headers, code) => {
  expect(codeOf(() => verify(headers))).toBe(code);
});

function keyedWithBytes(): string {
  return createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
    .update(`${t}.${body}`)
    .digest("hex");
}

test.each<[string, string]>([
  ["with different whitespace", JSON.stringify(event, null, 1)],
  ["with reordered fields", JSON.stringify(Object.fromEntries(Object.entries(event).toReversed()))],
  ["with escaped letters", body.replace("ü", "\\u00fc")],
  ["with an extra byte", `${body}\n`],
  ["with a missing byte", body.slice(0, -1)],
  ["with a changed ID", body.replace("ch_01", "ch_02")],
  ["with a byte order mark", `\ufeff${body}`],
  ["in another Unicode normalization", body.normalize("NFD")],
])("refuses a body %s", (_what, changed) => {
  for (const headers of [ours(), standard(), both]) {
    expect(codeOf(() => verify(headers, changed))).toBe("signature_mismatch");
  }
});

test.each<[string, unknown, string]>([
  ["parsed", event, "Pass the raw body"],
  ["undefined", undefined, "Pass the raw body"],
  ["null", null, "Pass the raw body"],
  ["an array of numbers", [...Buffer.from(body)], "Pass the raw body"],
  ["empty", "", "Check that no other code has read it first"],
  ["too large", "x".repeat(1_000_001), "larger than 1000000 bytes"],
])("explains what's wrong with a body that is %s before checking signatures", (_what, raw, sentence) => {
  // TypeScript forbids some of these, but JavaScript callers may pass them.
  const attempt = () => webhooks.verify(raw as string, {}, secret, { now });
  expect(codeOf(attempt)).toBe("body_malformed");
  expect(attempt).toThrow(sentence);
});

test.each<[string, string]>([
  ["not JSON", "The signature is valid, but the body isn't JSON"],
  [`\ufeff${body}`, "The signature is valid, but the body isn't JSON"],
  ...[
    "[]",
    "null",
    "1",
    "{}",
    '{"object":"charge","id":"ch_1","type":"x","data":{"object":{}}}',
    '{"object":"event","id":1,"type":"x","data":{"object":{}}}',
    '{"object":"event","id":"evt_1","type":1,"data":{"object":{}}}',
    '{"object":"event","id":"evt_1","type":"x"}',
    '{"object":"event","id":"evt_1","type":"x","data":null}',
    '{"object":"event","id":"evt_1","type":"x","data":{"object":[]}}',
  ].map((text): [string, string] => [text, "The signature is valid, but the body isn't an event"]),
])("refuses a correctly signed body that isn't an event: %s", (text, sentence) => {
  const attempt = () => verify({ "oriel-signature": `t=${t},v1=${hex(secret, t, text)}` }, text);
  expect(codeOf(attempt)).toBe("body_malformed");
  expect(attempt).toThrow(sentence);
});

test.each<[string, WebhookHeaders, string]>([
  ["Oriel-Signature", { "oriel-signature": `v1=${hex()}` }, "timestamp_invalid"],
  ["Oriel-Signature", ours(t, otherSecret), "signature_mismatch"],
  ["webhook-timestamp", { ...standard(), "webhook-timestamp": "now" }, "timestamp_invalid"],
  ["webhook-signature", standard(t, otherSecret), "signature_mismatch"],
])("names the invalid header: %s", (name, headers, code) => {
  expect(codeOf(() => verify(headers))).toBe(code);
  expect(() => verify(headers)).toThrow(name);
});

test("refuses correctly signed bytes that aren't UTF-8", () => {
  const [before = "", after = ""] = body.split("payment.succeeded");
  const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
  const signature = createHmac("sha256", secret).update(`${t}.`).update(bytes).digest("hex");
  expect(codeOf(() => verify({ "oriel-signature": `t=${t},v1=${signature}` }, bytes))).toBe("body_malformed");
});

test.each<[string, unknown]>([
  ["missing", undefined],
  ["empty", ""],
  ["a prefix only", "whsec_"],
  ["without its prefix", secret.slice(6)],
  ["with another prefix", secret.replace("whsec_", "sk_")],
  ["with another prefix of the same length", secret.replace("whsec_", "other_")],
  ["too short", `whsec_${randomBytes(23).toString("base64")}`],
  ["too long", `whsec_${randomBytes(65).toString("base64")}`],
  ["with a space", `${secret} `],
  ["with a trailing newline", `${secret}\n`],
  ["in another alphabet", `whsec_${"-_".repeat(16)}`],
  ["bytes", Buffer.from(secret)],
])("refuses a secret that is %s without repeating it", (_what, key) => {
  const attempt = () => webhooks.verify(body, both, key as string, { now });
  expect(codeOf(attempt)).toBe("secret_invalid");
  expect(attempt).not.toThrow(/dGhpcnR5|sk_/);
});

test.each([24, 64])("accepts a secret of %i bytes", (bytes) => {
  const key = `whsec_${randomBytes(bytes).toString("base64")}`;
  expect(verify({ ...ours(t, key), ...standard(t, key) }, body, key)).toEqual(event);
});

test("accepts bytes and headers of another realm's classes", () => {
  const bytes = new TextEncoder().encode(body);
  const fromElsewhere: unknown = runInNewContext("new Uint8Array(list)", { list: [...bytes] });
  const headers = { get: (name: string) => new Headers(both).get(name) };
  // Sandboxes and test runners have their own classes with the same shape.
  expect(webhooks.verify(fromElsewhere as Uint8Array, headers as Headers, secret, { now })).toEqual(event);
  expect(webhooks.verify(bytes.buffer, both, secret, { now })).toEqual(event);
  expect(codeOf(() => webhooks.verify(body, { get: "a header of that name" }, secret, { now }))).toBe(
    "signature_missing",
  );
});

test("refuses a tolerance or time that isn't a valid number", () => {
  for (const toleranceSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 86_401]) {
    expect(() => webhooks.verify(body, both, secret, { now, toleranceSeconds })).toThrow(RangeError);
  }
  expect(() => webhooks.verify(body, both, secret, { now: Number.NaN })).toThrow(RangeError);
  expect(webhooks.verify(body, ours(t - 3000), secret, { now, toleranceSeconds: 3600 })).toEqual(event);
  expect(codeOf(() => webhooks.verify(body, ours(t - 11), secret, { now, toleranceSeconds: 10 }))).toBe(
    "timestamp_out_of_tolerance",
  );
});

test.each([1, 86_400])("accepts a tolerance of %i s", (toleranceSeconds) => {
  const options = { now, toleranceSeconds };
  for (const at of [t - toleranceSeconds, t + toleranceSeconds]) {
    expect(webhooks.verify(body, ours(at), secret, options)).toEqual(event);
  }
  const late = () => webhooks.verify(body, ours(t - toleranceSeconds - 1), secret, options);
  expect(codeOf(late)).toBe("timestamp_out_of_tolerance");
  expect(late).toThrow(`more than ${toleranceSeconds} s`);
});

test("repeats neither the body, a signature nor the secret in errors", () => {
  const errors = [ours(t, otherSecret), standard(t - 301), { ...both, "oriel-signature": "t=1" }].map((headers) => {
    try {
      return verify(headers);
    } catch (error) {
      return error;
    }
  });
  for (const error of errors) {
    expect(error).toBeInstanceOf(WebhookVerificationError);
    for (const hidden of [secret, otherSecret, hex(), base64(), "ch_01", "evt_01"])
      expect(inspect(error)).not.toContain(hidden);
  }
});
