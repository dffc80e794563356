/**
 * Receives Oriel's webhooks with Node alone. Copy it whole, or `verify` into the framework you have.
 *
 *     ORIEL_WEBHOOK_SECRET=whsec_... PORT=5005 node receive.mjs     # POST http://127.0.0.1:5005/webhook
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const toleranceSeconds = 300;
const maxBodyBytes = 1_000_000;

/**
 * The event, if this delivery was signed with `secret` within five minutes of `now`; throws otherwise. One of the two formats is enough:
 * both are HMACs under the same secret, and whoever can make one can make the other.
 *
 * @param {Buffer} rawBody the bytes as they arrived, before any parser
 * @param {Record<string, string | string[] | undefined>} headers `request.headers`; of a Fetch request `Object.fromEntries(request.headers)`
 * @param {string} secret whsec_...
 * @param {number} now unix time in seconds
 */
export function verify(rawBody, headers, secret, now) {
  const key = keyOf(secret);
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value?.toString()]),
  );

  let timestamp, expected, signatures;
  if (sent["webhook-signature"] !== undefined) {
    // Standard Webhooks. An id has no full stop, for that is what parts it from the time.
    const id = sent["webhook-id"] ?? "";
    if (id === "" || id.includes(".")) throw new Error("signature_missing");
    timestamp = readTimestamp(sent["webhook-timestamp"]);
    expected = `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(rawBody).digest("base64")}`;
    signatures = sent["webhook-signature"].split(" ");
  } else if (sent["oriel-signature"] !== undefined) {
    const parts = sent["oriel-signature"].split(",");
    const times = parts.filter((part) => part.startsWith("t="));
    timestamp = readTimestamp(times.length === 1 ? times[0].slice("t=".length) : undefined);
    expected = `v1=${createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest("hex")}`;
    signatures = parts;
  } else {
    throw new Error("signature_missing");
  }

  // Several, while the secret is being rotated. Every one is compared, so that time does not tell which fits.
  const fitting = signatures.filter((signature) => isSame(signature, expected));
  if (fitting.length === 0) throw new Error("signature_mismatch");
  if (Math.abs(now - Number(timestamp)) > toleranceSeconds) throw new Error("timestamp_out_of_tolerance");
  try {
    return JSON.parse(rawBody.toString("utf8"));
  } catch {
    throw new Error("body_malformed");
  }
}

/** The 24 to 64 bytes that whsec_... stands for. */
function keyOf(secret) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const isWhole = secret === `whsec_${key.toString("base64")}` && key.length >= 24 && key.length <= 64;
  if (!isWhole) throw new Error("secret_invalid");
  return key;
}

/** Kept as text, for the text is what was signed. */
function readTimestamp(text) {
  if (!/^[1-9][0-9]{0,11}$/.test(text ?? "")) throw new Error("timestamp_invalid");
  return text;
}

function isSame(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Yours: write the event down and return. What it brings about is done afterwards, by somebody else. */
async function take(event) {
  console.log(event.id, event.type, event.object_sequence);
}

async function receive(request, response) {
  const answer = (status, text = "") =>
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
  if (request.method !== "POST" || request.url !== "/webhook") return answer(404);
  let event;
  try {
    const secret = process.env.ORIEL_WEBHOOK_SECRET ?? "";
    event = verify(await readBody(request), request.headers, secret, Math.floor(Date.now() / 1000));
  } catch (error) {
    const id = request.headers["webhook-id"] ?? "";
    console.error(`refused: ${error.message} ${/^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : "(no id)"}`);
    return answer(400, `Webhook refused: ${error.message}.`);
  }
  try {
    await take(event);
    return answer(204);
  } catch (error) {
    console.error(error);
    return answer(500); // not written down: Oriel sends it again
  }
}

/** Whoever sends more than an event can be is cut off. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error("body_too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function serve() {
  try {
    keyOf(process.env.ORIEL_WEBHOOK_SECRET ?? "");
  } catch {
    console.error(
      "ORIEL_WEBHOOK_SECRET must be the signing secret exactly as shown: whsec_... without spaces or quotes.",
    );
    process.exit(1);
  }
  const port = Number(process.env.PORT || 5005);
  const server = createServer({ requestTimeout: 10_000 }, receive);
  server.listen(port, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${port}/webhook`));
}

// Not when it is imported. Node names a module by its real path, and argv by the path that was typed.
const started = process.argv[1] ?? "";
if (existsSync(started) && import.meta.url === pathToFileURL(realpathSync(started)).href) serve();
