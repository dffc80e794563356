/**
 * Makes one attempt to send an event to an endpoint, and records the result.
 *
 * The bytes that are signed are the bytes that are sent. Each attempt has its own timestamp and the same ID. A 2xx
 * response is a success. Anything else is a failure, including a redirect, which is never followed. The transaction
 * that records a failure also schedules the next attempt (`retry-schedule.ts`). Source: Standard Webhooks 1.0.
 *
 * A delivery may be sent twice, because the process can die before it records a success. Receivers ignore IDs they have
 * already seen.
 */
import type { DeliveryFailure } from "@oriel/protocol/api";
import { webhookHeaders } from "@oriel/webhook-signature";
import { containsCardNumber } from "../platform/card-data/card-number.ts";
import { stackOf } from "../platform/stack-of.ts";
import type { Db } from "../platform/storage/database.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
import { unixSeconds } from "../platform/unix-seconds.ts";
import type { DueDelivery } from "./claim-deliveries.ts";
import type { WebhookContext } from "./context.ts";
import { recordFailure, recordSuccess } from "./endpoint-health.ts";
import { toEvent } from "./events.ts";
import { pauseBeforeNextTry } from "./retry-schedule.ts";
import { sendWebhook, type SentWebhook } from "./send-webhook.ts";
import { targetRules } from "./target.ts";
import { signingSecretsOf } from "./webhook-endpoints.ts";

/**
 * @param giveUp aborts when the process ends. An unfinished delivery then goes back to the queue and doesn't count as
 *   an attempt.
 */
export async function deliver(context: WebhookContext, delivery: DueDelivery, giveUp?: AbortSignal): Promise<void> {
  const { id, event, tries, dueAt, endpoint } = delivery;
  const lagMs = context.now().getTime() - dueAt.getTime();
  const isFailing = endpoint.failing_since !== null;
  await context.telemetry.delivery({ id, eventType: event.type, tries, lagMs, isFailing }, () =>
    attempt(context, delivery, giveUp),
  );
}

/** @returns null if the process ended first */
async function attempt(
  context: WebhookContext,
  delivery: DueDelivery,
  giveUp: AbortSignal | undefined,
): Promise<SentWebhook | null> {
  const sent = await send(context, delivery, giveUp).catch((error: unknown) => {
    const details = { delivery: delivery.id, error: stackOf(error) };
    context.log.error(details, "Failed to attempt a delivery");
    return notSent("not_sent");
  });
  if (giveUp?.aborted && sent.failure !== null) {
    await returnToQueue(context, delivery);
    return null;
  }
  await recordResult(context, delivery, sent);
  const { event, endpoint } = delivery;
  const details = {
    delivery: delivery.id,
    event: event.id,
    endpoint: endpoint.id,
    status: sent.status,
    ms: sent.durationMs,
  };
  if (sent.failure === null) context.log.info(details, `Delivered ${event.type}`);
  else context.log.warn({ ...details, failure: sent.failure }, `Failed to deliver ${event.type}`);
  return sent;
}

async function send(
  context: WebhookContext,
  { event, tenant, endpoint }: DueDelivery,
  giveUp: AbortSignal | undefined,
): Promise<SentWebhook> {
  if (endpoint.status === "disabled") return notSent("endpoint_disabled"); // deleted endpoints are disabled, too
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
 * Records the result if this process still has the lease. If not, another attempt or a redelivery has started, and
 * counts instead.
 */
async function recordResult(context: WebhookContext, delivery: DueDelivery, sent: SentWebhook): Promise<void> {
  const { db, now, random } = context;
  const tries = delivery.tries + 1;
  const result = {
    tries,
    last_try_at: now(),
    duration_ms: sent.durationMs,
    response_status: sent.status,
    response_body:
      sent.body !== null && containsCardNumber(sent.body)
        ? "The response wasn't stored because it contains a card number."
        : sent.body,
    failure: sent.failure,
  };
  if (sent.failure === null) {
    await whileLeased(db, delivery)
      .set({ ...result, status: "succeeded" })
      .execute();
    return await recordSuccess(db, delivery.endpoint, now());
  }
  const pause =
    delivery.endpoint.deleted_at !== null ? null : pauseBeforeNextTry(tries, sent.retryAfterSeconds, random());
  const next =
    pause === null
      ? { status: "failed" as const }
      : { status: "pending" as const, next_try_at: new Date(now().getTime() + pause) };
  await db.transaction().execute(async (tx) => {
    if (delivery.endpoint.status === "enabled") await recordFailure(context, tx, delivery.endpoint, sent);
    await whileLeased(tx, delivery)
      .set({ ...result, ...next })
      .execute();
  });
}

/** Makes the delivery due immediately, for the next process. */
async function returnToQueue({ db, now }: WebhookContext, delivery: DueDelivery): Promise<void> {
  await whileLeased(db, delivery).set({ next_try_at: now() }).execute();
}

function whileLeased(db: Db, { id, tenant, endpoint, lease }: DueDelivery) {
  return db
    .updateTable("delivery")
    .where(ownedBy(tenant))
    .where("endpoint_id", "=", endpoint.id)
    .where("id", "=", id)
    .where("status", "=", "pending")
    .where("next_try_at", "=", lease);
}
