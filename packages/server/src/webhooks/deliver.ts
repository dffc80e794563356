/**
 * One try to send one event to one endpoint.
 *
 * The bytes signed are the bytes sent; each try has its own timestamp and the same id. 2xx is success, anything else a failure, a redirect
 * too: it is never followed. A failure plans the next try after the pause of the schedule, in the transaction that writes the
 * failure down. Schedule and meaning: Standard Webhooks 1.0.
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Context } from "../context.ts";
import type { Tx } from "../storage/database.ts";
import type { Row } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";
import { toEvent } from "./events.ts";
import { signatureHeaders } from "./signature.ts";
import { readTarget, resolveTarget } from "./target.ts";
import { signingSecretOf } from "./webhook-endpoints.ts";

const minute = 60;
const hour = 60 * minute;
/** Seconds to wait before each try: three days in all, then it is given up. */
const deliveryPausesSeconds = [
  0,
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** For resolving, connecting, sending and the whole of the answer. */
const timeoutMs = 15_000;
/** How far the clocks of two processes and the database may be apart. Shorter than the shortest pause. */
const clockSlackMs = 2_000;
const maxResponseBytes = 64 * 1024;

/** Sends a pending delivery; does nothing for one that is settled. Safe to run twice: the receiver drops a known `webhook-id`. */
export async function deliver(context: Context, deliveryId: string): Promise<void> {
  const { db, now } = context;
  const delivery = await db
    .selectFrom("delivery")
    .selectAll()
    .where("id", "=", deliveryId)
    .where("status", "=", "pending")
    .executeTakeFirst();
  // A job that comes long before the next try has been overtaken by another.
  if (delivery === undefined || delivery.next_try_at.getTime() > now().getTime() + clockSlackMs) return;
  const event = await db.selectFrom("event").selectAll().where("id", "=", delivery.event_id).executeTakeFirstOrThrow();
  const endpoint = await db
    .selectFrom("webhook_endpoint")
    .selectAll()
    .where("id", "=", delivery.endpoint_id)
    .executeTakeFirstOrThrow();
  const result =
    endpoint.status === "disabled"
      ? { ok: false as const, status: null, failure: "endpoint_disabled" }
      : await send(context, endpoint, event);
  await writeDown(context, delivery, result);
  const details = { delivery: deliveryId, event: event.id, type: event.type, endpoint: endpoint.id, status: result.status };
  if (result.ok) context.log.info(details, `Delivered ${event.type}`);
  else context.log.warn({ ...details, failure: result.failure, at: now().toISOString() }, `Could not deliver ${event.type}`);
}

/** Pending deliveries that are due and whose job is not coming, each handed out once. */
export async function takeOverdueDeliveries(tx: Tx, overdueSince: Date, now: Date, limit: number): Promise<string[]> {
  const taken = await tx
    .updateTable("delivery")
    .set({ next_try_at: now })
    .where("id", "in", (eb) =>
      eb
        .selectFrom("delivery")
        .select("id")
        .where("status", "=", "pending")
        .where("next_try_at", "<=", overdueSince)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning("id")
    .execute();
  return taken.map(({ id }) => id);
}

type SendResult = { ok: true; status: number; failure: null } | { ok: false; status: number | null; failure: string };

async function send(context: Context, endpoint: Row<"webhook_endpoint">, event: Row<"event">): Promise<SendResult> {
  const rules = { loopback: context.config.webhooksToLoopback, http: !endpoint.livemode };
  const target = readTarget(endpoint.url, rules);
  if (!target.ok) return { ok: false, status: null, failure: "address_not_allowed" };
  const signal = AbortSignal.timeout(timeoutMs);
  const resolved = await resolveTarget(target.url, rules, signal);
  if (!resolved.ok) return { ok: false, status: null, failure: resolved.failure };

  const body = JSON.stringify(toEvent(event));
  const timestamp = unixSeconds(context.now());
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "Oriel-Webhooks/1",
    ...signatureHeaders(signingSecretOf(context, endpoint), event.id, timestamp, body),
  };
  try {
    const status = await post(target.url, resolved.target, headers, body, signal);
    return status >= 200 && status < 300
      ? { ok: true, status, failure: null }
      : { ok: false, status, failure: "response_status" };
  } catch {
    return { ok: false, status: null, failure: signal.aborted ? "timeout" : "connection" };
  }
}

/** Connects to the vetted address whatever the name resolves to meanwhile. The body of the answer is counted and thrown away. */
function post(
  url: URL,
  { address, family }: { address: string; family: 4 | 6 },
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<number> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: "POST",
        headers,
        agent: false,
        signal,
        lookup: (_name, options, callback) =>
          options.all ? callback(null, [{ address, family }]) : callback(null, address, family),
      },
      (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxResponseBytes) response.destroy();
        });
        response.on("close", () => resolve(response.statusCode ?? 0));
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    // An answer that is no answer (101, a connection that just ends) closes without a response; after one this rejects what is settled.
    outgoing.on("upgrade", (_response, socket) => socket.destroy());
    outgoing.on("close", () => reject(new Error("The connection ended without an answer")));
    outgoing.end(body);
  });
}

async function writeDown({ db, jobs, now, random }: Context, delivery: Row<"delivery">, result: SendResult): Promise<void> {
  const tries = delivery.tries + 1;
  const pause = result.ok ? undefined : deliveryPausesSeconds[tries];
  const status = result.ok ? "succeeded" : pause === undefined ? "failed" : "pending";
  const seconds = Math.round((pause ?? 0) * (0.8 + random() * 0.4));
  const next_try_at = new Date(now().getTime() + seconds * 1000);
  await db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("delivery")
      .set({ status, tries, next_try_at, response_status: result.status, failure: result.failure, last_try_at: now() })
      .where("id", "=", delivery.id)
      .where("status", "=", "pending")
      .where("tries", "=", delivery.tries)
      .executeTakeFirst();
    if (status === "pending" && numUpdatedRows === 1n) await jobs.send(tx, "deliver", { deliveryId: delivery.id }, seconds);
  });
}
