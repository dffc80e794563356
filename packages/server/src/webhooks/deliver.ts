/**
 * One try to send one event to one endpoint, and what comes of it.
 *
 * The bytes signed are the bytes sent; each try has its own timestamp and the same id. 2xx is success, anything else a
 * failure, a redirect too: it is never followed. A failure plans the next try (`retry-schedule.ts`) in the transaction
 * that writes it down. Source: Standard Webhooks 1.0.
 *
 * A delivery may be sent twice: the process can die before it writes down that it was taken. The receiver drops a known
 * id.
 */
import type { DeliveryFailure } from "@oriel/protocol/api";
import { holdsCardNumber } from "../platform/card-data/card-number.ts";
import type { WebhookContext } from "./context.ts";
import type { Db } from "../platform/storage/database.ts";
import { unixSeconds } from "../platform/unix-seconds.ts";
import type { DueDelivery } from "./claim-deliveries.ts";
import { noteFailure, noteSuccess } from "./endpoint-health.ts";
import { toEvent } from "./events.ts";
import { pauseBeforeNextTry } from "./retry-schedule.ts";
import { sendWebhook, type SentWebhook } from "./send-webhook.ts";
import { webhookHeaders } from "./signature.ts";
import { targetRules } from "./target.ts";
import { signingSecretsOf } from "./webhook-endpoints.ts";
import { stackOf } from "../platform/stack-of.ts";

/** @param giveUp the process ends: what has not been taken by then is handed back, and is no try */
export async function deliver(context: WebhookContext, delivery: DueDelivery, giveUp?: AbortSignal): Promise<void> {
  const sent = await send(context, delivery, giveUp).catch((error: unknown) => {
    const details = { delivery: delivery.id, error: stackOf(error) };
    context.log.error(details, "A delivery could not be sent at all");
    return notSent("not_sent");
  });
  if (giveUp?.aborted && sent.failure !== null) return await handBack(context, delivery);
  await writeDown(context, delivery, sent);
  const { event, endpoint } = delivery;
  const details = {
    delivery: delivery.id,
    event: event.id,
    endpoint: endpoint.id,
    status: sent.status,
    ms: sent.durationMs,
  };
  if (sent.failure === null) context.log.info(details, `Delivered ${event.type}`);
  else context.log.warn({ ...details, failure: sent.failure }, `Could not deliver ${event.type}`);
}

async function send(
  context: WebhookContext,
  { event, tenant, endpoint }: DueDelivery,
  giveUp: AbortSignal | undefined,
): Promise<SentWebhook> {
  if (endpoint.status === "disabled") return notSent("endpoint_disabled"); // a deleted one is, too
  const body = JSON.stringify(toEvent(event));
  const headers = webhookHeaders(
    signingSecretsOf(context, tenant, endpoint),
    event.id,
    unixSeconds(context.now()),
    body,
  );
  const rules = targetRules(context, endpoint.livemode);
  return await sendWebhook(context.network, { url: endpoint.url, rules, headers, body }, giveUp);
}

function notSent(failure: DeliveryFailure): SentWebhook {
  return { status: null, body: null, failure, retryAfterSeconds: null, durationMs: 0 };
}

/**
 * Only while this is the one that has it: otherwise another try is under way, or a redelivery was asked for, and that
 * one counts.
 */
async function writeDown(context: WebhookContext, delivery: DueDelivery, sent: SentWebhook): Promise<void> {
  const { db, now, random } = context;
  const tries = delivery.tries + 1;
  const result = {
    tries,
    last_try_at: now(),
    duration_ms: sent.durationMs,
    response_status: sent.status,
    response_body:
      sent.body !== null && holdsCardNumber(sent.body) ? "Not kept: the response contains a card number." : sent.body,
    failure: sent.failure,
  };
  if (sent.failure === null) {
    await stillOurs(db, delivery)
      .set({ ...result, status: "succeeded" })
      .execute();
    return await noteSuccess(db, delivery.endpoint, now());
  }
  const pause =
    delivery.endpoint.deleted_at !== null ? null : pauseBeforeNextTry(tries, sent.retryAfterSeconds, random());
  const next =
    pause === null
      ? { status: "failed" as const }
      : { status: "pending" as const, next_try_at: new Date(now().getTime() + pause) };
  await db.transaction().execute(async (tx) => {
    if (delivery.endpoint.status === "enabled") await noteFailure(context, tx, delivery.endpoint, sent);
    await stillOurs(tx, delivery)
      .set({ ...result, ...next })
      .execute();
  });
}

/** To whoever comes next, now. */
async function handBack({ db, now }: WebhookContext, delivery: DueDelivery): Promise<void> {
  await stillOurs(db, delivery).set({ next_try_at: now() }).execute();
}

function stillOurs(db: Db, { id, lease }: DueDelivery) {
  return db
    .updateTable("delivery")
    .where("id", "=", id)
    .where("status", "=", "pending")
    .where("next_try_at", "=", lease);
}
