/**
 * Makes `docs/receivers/vectors.json`: deliveries, and the verdict that a receiver must return for each. The output is
 * deterministic, with fixed secrets, times and bodies. The two tables below list accepted and rejected deliveries.
 * Signing is in `sign-delivery.ts`.
 */
import {
  base64,
  body,
  both,
  eventBody,
  eventId,
  hex,
  keyOf,
  ours,
  secretOf,
  secrets,
  standard,
  t,
} from "./sign-delivery.ts";

export type Refusal =
  | "secret_invalid"
  | "signature_missing"
  | "timestamp_invalid"
  | "signature_mismatch"
  | "timestamp_out_of_tolerance";

export interface Vector {
  name: string;
  /** The endpoint's signing secret that the receiver has. */
  secret: string;
  /** The receiver's clock, in Unix seconds. */
  now: number;
  headers: Record<string, string>;
  body: string;
  /** The body's exact bytes, in base64. */
  body_base64: string;
  verdict: "ok" | "refused";
  /** Null if the verdict is `ok`. */
  why: Refusal | null;
}

export interface VectorFile {
  about: string;
  tolerance_seconds: number;
  vectors: Vector[];
}

const unicodeBody = eventBody({ greeting: "Grüße, 世界 – 🍵👩‍👩‍👧 \u2028 \u0000", path: "a/b" });
/** Signed in exactly this form. Parsing and serializing it would change its bytes. */
const oddBody = ` { "type":"payment.succeeded" ,"id":"${eventId}","object":"event","n":1.0,"e":1E2,"u":"\\u00fc\\/","data":{"object":{}} }\n`;

const accepted: [
  name: string,
  headers: Record<string, string>,
  more?: Partial<Pick<Vector, "secret" | "now" | "body">>,
][] = [
  ["both formats", both()],
  ["Standard Webhooks alone", standard()],
  ["Oriel-Signature alone", ours()],
  ["with other headers", { host: "shop.example", "content-type": "application/json; charset=utf-8", ...both() }],
  ["both formats, names in capitals", renamed(both(), (name) => name.toUpperCase())],
  ["Standard Webhooks alone, names in capitals", renamed(standard(), (name) => name.toUpperCase())],
  ["Oriel-Signature alone, name in capitals", renamed(ours(), (name) => name.toUpperCase())],
  ["both formats, Names-Like-This", renamed(both(), titleCase)],
  ["rotation, new secret first", both({ with: [secrets.current, secrets.previous] })],
  ["rotation, old secret first", both({ with: [secrets.previous, secrets.current] })],
  ["rotation, Standard Webhooks alone, old secret first", standard({ with: [secrets.previous, secrets.current] })],
  ["rotation, Oriel-Signature alone, old secret first", ours({ with: [secrets.previous, secrets.current] })],
  [
    "rotation, read with the old secret",
    both({ with: [secrets.current, secrets.previous] }),
    { secret: secrets.previous },
  ],
  ["unicode and emoji", both({ body: unicodeBody }), { body: unicodeBody }],
  ["unicode and emoji, Standard Webhooks alone", standard({ body: unicodeBody }), { body: unicodeBody }],
  ["unicode and emoji, Oriel-Signature alone", ours({ body: unicodeBody }), { body: unicodeBody }],
  ["a body that another JSON library would write differently", both({ body: oddBody }), { body: oddBody }],
  ["the same, Standard Webhooks alone", standard({ body: oddBody }), { body: oddBody }],
  ["the same, Oriel-Signature alone", ours({ body: oddBody }), { body: oddBody }],
  ["300 seconds old", both(), { now: t + 300 }],
  ["300 seconds old, Oriel-Signature alone", ours(), { now: t + 300 }],
  ["300 seconds ahead", both(), { now: t - 300 }],
  ["300 seconds ahead, Oriel-Signature alone", ours(), { now: t - 300 }],
  ["a v1a signature before the v1", withSignature(({ signature }) => `v1a,${signature.slice(3)} ${signature}`)],
  ["a v2 signature before the v1", { "oriel-signature": `t=${t},v2=00,v1=${hex()}` }],
  [
    "the published vector of Standard Webhooks",
    {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
    { secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now: 1_614_265_330, body: '{"test": 2432232314}' },
  ],
];

const refused: [Refusal, ...(typeof accepted)[number]][] = [
  ...changedBodies().flatMap(([name, changed]): typeof refused => [
    ["signature_mismatch", `${name}, Standard Webhooks alone`, standard({ body: unicodeBody }), { body: changed }],
    ["signature_mismatch", `${name}, Oriel-Signature alone`, ours({ body: unicodeBody }), { body: changed }],
  ]),

  ["signature_mismatch", "another endpoint's secret", both({ with: [secrets.other] })],
  ["signature_mismatch", "another endpoint's secret, Standard Webhooks alone", standard({ with: [secrets.other] })],
  ["signature_mismatch", "another endpoint's secret, Oriel-Signature alone", ours({ with: [secrets.other] })],
  ["signature_mismatch", "two signatures, neither ours", both({ with: [secrets.previous, secrets.other] })],
  [
    "signature_mismatch",
    "a wrong webhook-signature with a valid Oriel-Signature",
    { ...ours(), ...standard({ with: [secrets.other] }) },
  ],
  [
    "signature_mismatch",
    "keyed with the text of the secret",
    withSignature(() => `v1,${base64({ key: secrets.current })}`),
  ],
  [
    "signature_mismatch",
    "keyed with the decoded secret",
    { "oriel-signature": `t=${t},v1=${hex({ key: keyOf(secrets.current) })}` },
  ],
  [
    "signature_mismatch",
    "another webhook-id than was signed",
    { ...standard(), "webhook-id": "evt_01m7w8tmqmfnhsmdcbe3dsjqyh" },
  ],
  [
    "signature_mismatch",
    "another webhook-timestamp than was signed",
    { ...standard(), "webhook-timestamp": String(t + 1) },
  ],
  ["signature_mismatch", "another t than was signed", { "oriel-signature": `t=${t + 1},v1=${hex()}` }],

  ["signature_mismatch", "webhook-signature cut short", withSignature(({ signature }) => signature.slice(0, -8))],
  ["signature_mismatch", "webhook-signature without padding", withSignature(({ signature }) => signature.slice(0, -1))],
  [
    "signature_mismatch",
    "webhook-signature with extra characters",
    withSignature(({ signature }) => `${signature}AAAA`),
  ],
  ["signature_mismatch", "webhook-signature in hexadecimal", withSignature(() => `v1,${hex()}`)],
  ["signature_mismatch", "webhook-signature with an empty v1", withSignature(() => "v1,")],
  ["signature_mismatch", "webhook-signature with two empty v1", withSignature(() => "v1, v1,")],
  ["signature_mismatch", "an empty webhook-signature", withSignature(() => "")],
  ["signature_mismatch", "webhook-signature without a version", withSignature(({ signature }) => signature.slice(3))],
  [
    "signature_mismatch",
    "webhook-signature of version v2",
    withSignature(({ signature }) => signature.replace("v1,", "v2,")),
  ],
  [
    "signature_mismatch",
    "webhook-signature of version v1a",
    withSignature(({ signature }) => signature.replace("v1,", "v1a,")),
  ],
  ["signature_mismatch", "Oriel-Signature cut short", { "oriel-signature": `t=${t},v1=${hex().slice(0, 62)}` }],
  ["signature_mismatch", "Oriel-Signature with extra characters", { "oriel-signature": `t=${t},v1=${hex()}00` }],
  ["signature_mismatch", "Oriel-Signature in base64", { "oriel-signature": `t=${t},v1=${base64()}` }],
  ["signature_mismatch", "Oriel-Signature in capitals", { "oriel-signature": `t=${t},v1=${hex().toUpperCase()}` }],
  ["signature_mismatch", "Oriel-Signature with an empty v1", { "oriel-signature": `t=${t},v1=` }],
  ["signature_mismatch", "Oriel-Signature with only a time", { "oriel-signature": `t=${t}` }],
  ["signature_mismatch", "Oriel-Signature of version v0", { "oriel-signature": `t=${t},v0=${hex()}` }],
  ["signature_mismatch", "Oriel-Signature of version v2", { "oriel-signature": `t=${t},v2=${hex()}` }],

  ["timestamp_out_of_tolerance", "301 seconds old", both(), { now: t + 301 }],
  ["timestamp_out_of_tolerance", "301 seconds old, Standard Webhooks alone", standard(), { now: t + 301 }],
  ["timestamp_out_of_tolerance", "301 seconds old, Oriel-Signature alone", ours(), { now: t + 301 }],
  ["timestamp_out_of_tolerance", "301 seconds ahead", both(), { now: t - 301 }],
  ["timestamp_out_of_tolerance", "301 seconds ahead, Standard Webhooks alone", standard(), { now: t - 301 }],
  ["timestamp_out_of_tolerance", "301 seconds ahead, Oriel-Signature alone", ours(), { now: t - 301 }],
  [
    "timestamp_out_of_tolerance",
    "an old webhook-timestamp with a current t",
    { ...ours({ at: t + 301 }), ...standard() },
    { now: t + 301 },
  ],

  ["timestamp_invalid", "no webhook-timestamp", without(standard(), "webhook-timestamp")],
  ["timestamp_invalid", "an empty webhook-timestamp", standard({ at: "" })],
  ["timestamp_invalid", "a webhook-timestamp with a sign", standard({ at: `+${t}` })],
  ["timestamp_invalid", "a webhook-timestamp with a fraction", standard({ at: `${t}.0` })],
  ["timestamp_invalid", "a webhook-timestamp in milliseconds", standard({ at: `${t}000` })],
  ["timestamp_invalid", "a webhook-timestamp in words", standard({ at: "now" })],
  ["timestamp_invalid", "a webhook-timestamp with a leading zero", standard({ at: `0${t}` })],
  ["timestamp_invalid", "an Oriel-Signature that is empty", { "oriel-signature": "" }],
  ["timestamp_invalid", "an Oriel-Signature without t", { "oriel-signature": `v1=${hex()}` }],
  ["timestamp_invalid", "an Oriel-Signature with two t", { "oriel-signature": `t=${t},t=${t},v1=${hex()}` }],
  ["timestamp_invalid", "an Oriel-Signature with t in words", ours({ at: "now" })],
  ["timestamp_invalid", "an Oriel-Signature with a negative t", ours({ at: `-${t}` })],

  ["signature_missing", "no headers", {}],
  ["signature_missing", "another product's headers", { "stripe-signature": ours()["oriel-signature"] }],
  ["signature_missing", "no webhook-signature", without(standard(), "webhook-signature")],
  ["signature_missing", "no webhook-id", without(standard(), "webhook-id")],
  ["signature_missing", "an empty webhook-id", standard({ id: "" })],
  ["signature_missing", "a webhook-id with a full stop", standard({ id: "evt.01" })],

  ...badSecrets().map(([name, secret]): (typeof refused)[number] => [
    "secret_invalid",
    name,
    both({ with: [secret] }),
    { secret },
  ]),
];

/** @example const text = vectorsText(); // the exact contents of docs/receivers/vectors.json */
export function vectorsText(): string {
  return `${JSON.stringify(makeVectors(), null, 2)}\n`;
}

export function makeVectors(): VectorFile {
  const vectors = [
    ...accepted.map(([name, headers, more]) => vector(name, headers, null, more)),
    ...refused.map(([why, name, headers, more]) => vector(name, headers, why, more)),
  ];
  return {
    about:
      "Deliveries, and the verdict that a receiver must return for each. Generated by `npm run receivers -- --write`. The secrets belong to no endpoint.",
    tolerance_seconds: 300,
    vectors,
  };
}

function vector(
  name: string,
  headers: Record<string, string>,
  why: Refusal | null,
  more: Partial<Pick<Vector, "secret" | "now" | "body">> = {},
): Vector {
  const sent = { secret: secrets.current, now: t + 27, headers, body, ...more };
  const { secret, now } = sent;
  return {
    name,
    secret,
    now,
    headers,
    body: sent.body,
    body_base64: Buffer.from(sent.body, "utf8").toString("base64"),
    verdict: why === null ? "ok" : "refused",
    why,
  };
}

/** The genuine Standard Webhooks headers with a different signature header. */
function withSignature(change: (genuine: { signature: string }) => string): Record<string, string> {
  const genuine = standard();
  return { ...genuine, "webhook-signature": change({ signature: genuine["webhook-signature"] }) };
}

/** Six ways in which legitimate software changes the signed bytes. */
function changedBodies(): [name: string, body: string][] {
  const event: Record<string, unknown> = JSON.parse(unicodeBody) as Record<string, unknown>; // eventBody wrote it
  return [
    ["a changed byte", unicodeBody.replace("4900", "4901")],
    ["fields in another order", JSON.stringify(Object.fromEntries(Object.entries(event).toReversed()))],
    ["different whitespace", JSON.stringify(event, null, 2)],
    ["a line feed at the end", `${unicodeBody}\n`],
    ["escaped letters", unicodeBody.replace("ü", "\\u00fc")],
    ["decomposed letters", unicodeBody.normalize("NFD")],
  ];
}

/**
 * Each delivery has a valid signature with the key that the bad secret decodes to. An attacker could do the same: an
 * empty key, for example, is known to everyone.
 */
function badSecrets(): [name: string, secret: string][] {
  return [
    ["an empty secret", ""],
    ["a secret with only its prefix", "whsec_"],
    ["a secret without its prefix", secrets.current.slice("whsec_".length)],
    ["a secret of 16 bytes", secretOf("only sixteen: no")],
    ["a secret with a trailing line feed", `${secrets.current}\n`],
    ["a secret without its last character", secrets.current.slice(0, -1)],
  ];
}

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([own]) => own !== name));
}

function renamed(headers: Record<string, string>, rename: (name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value]));
}

function titleCase(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
