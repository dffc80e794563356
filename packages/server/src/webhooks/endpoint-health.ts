/**
 * Updates an endpoint after each attempt:
 *
 * - Success: `failing_since` and `held_until` are cleared.
 * - Failure: `failing_since` is the time since which all attempts have failed. After five days the endpoint is disabled
 *   (`failing`).
 * - 410: the endpoint is gone, and is disabled at once.
 * - Overloaded (429, 502, 504) or no response in time: nothing is sent to the endpoint for a while.
 *
 * Disabling an endpoint creates an event, which goes to the account's other endpoints and the event feed. Results for a
 * previous URL of the endpoint are ignored. The row is written only if something changes, so that a working endpoint
 * doesn't become a contended row.
 */
import { sql } from "kysely";
import { recordEvent } from "../payments/events/record-event.ts";
import { noCause } from "../platform/cause.ts";
import type { PlatformContext } from "../platform/context.ts";
import type { Db, Tx } from "../platform/storage/database.ts";
import { hasKey } from "../platform/storage/owned-by.ts";
import type { Row } from "../platform/storage/tables.ts";
import { tenantOf } from "../platform/tenant.ts";
import { pauseOfEndpoint } from "./retry-schedule.ts";
import type { SentWebhook } from "./send-webhook.ts";
import { toWebhookEndpoint } from "./webhook-endpoints.ts";

const failingForMs = 5 * 24 * 60 * 60 * 1000;

type Endpoint = Row<"webhook_endpoint">;

export async function recordSuccess(db: Db, endpoint: Endpoint, now: Date): Promise<void> {
  const { url, failing_since, held_until, first_success_at } = endpoint;
  if (failing_since === null && held_until === null && first_success_at !== null) return;
  await db
    .updateTable("webhook_endpoint")
    .set({ failing_since: null, held_until: null, first_success_at: sql<Date>`coalesce(first_success_at, ${now})` })
    .where(hasKey(endpoint))
    .where("url", "=", url)
    .execute();
}

/** Runs in the transaction that records the failure. */
export async function recordFailure(
  context: Pick<PlatformContext, "now" | "log">,
  tx: Tx,
  endpoint: Endpoint,
  { status, failure, retryAfterSeconds }: Pick<SentWebhook, "status" | "failure" | "retryAfterSeconds">,
): Promise<void> {
  const now = context.now();
  const pause = pauseOfEndpoint(status, failure, retryAfterSeconds);
  if (endpoint.failing_since === null || pause !== null) {
    await tx
      .updateTable("webhook_endpoint")
      .set({
        failing_since: sql<Date>`coalesce(failing_since, ${now})`,
        ...(pause === null ? {} : { held_until: new Date(now.getTime() + pause) }),
      })
      .where(hasKey(endpoint))
      .where("url", "=", endpoint.url)
      .execute();
  }
  if (status === 410) await disable(context, tx, endpoint, "gone");
  else if (hasFailedTooLong(endpoint.failing_since, now)) await disable(context, tx, endpoint, "failing");
}

function hasFailedTooLong(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= failingForMs;
}

async function disable(
  context: Pick<PlatformContext, "now" | "log">,
  tx: Tx,
  endpoint: Endpoint,
  reason: "gone" | "failing",
): Promise<void> {
  const { id, url, failing_since } = endpoint;
  let update = tx
    .updateTable("webhook_endpoint")
    .set({ status: "disabled", disabled_reason: reason })
    .where(hasKey(endpoint))
    .where("url", "=", url)
    .where("status", "=", "enabled")
    .where("deleted_at", "is", null);
  // Check again, because a delivery may have succeeded, or the endpoint may have been changed, since this one was
  // claimed.
  if (reason === "failing") update = update.where("failing_since", "=", failing_since);
  const row = await update.returningAll().executeTakeFirst();
  if (row === undefined) return;
  context.log.warn({ endpoint: id, reason }, "Disabled a webhook endpoint");
  const object = toWebhookEndpoint(row, context.now());
  await recordEvent(context, tx, tenantOf(row), { type: "webhook_endpoint.disabled", object }, noCause);
}
