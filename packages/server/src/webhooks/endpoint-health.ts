/**
 * What tries say about their endpoint, beyond the delivery itself:
 *
 * - it took one: whatever was held against it is forgotten
 * - it failed: `failing_since` says since when there was nothing but failures; after five days of that it is disabled
 *   (`failing`)
 * - 410: it is gone, and disabled at once
 * - it is out of breath (429, 502, 504) or does not answer in time: it is left alone for a while
 *
 * Disabling one is an event too: the account's other endpoints get it, and the walk shows it. What is said of another
 * address than the endpoint has by now does not count. The row is written only where something changes, so that an
 * endpoint that works is never a row that everybody waits for.
 */
import { sql } from "kysely";
import { noCause } from "../platform/cause.ts";
import type { PlatformContext } from "../platform/context.ts";
import type { Db, Tx } from "../platform/storage/database.ts";
import type { Row } from "../platform/storage/tables.ts";
import { tenantOf } from "../platform/tenant.ts";
import { recordEvent } from "../payments/events/record-event.ts";
import { pauseOfEndpoint } from "./retry-schedule.ts";
import type { SentWebhook } from "./send-webhook.ts";
import { toWebhookEndpoint } from "./webhook-endpoints.ts";

const failingForMs = 5 * 24 * 60 * 60 * 1000;

type Endpoint = Row<"webhook_endpoint">;

export async function noteSuccess(
  db: Db,
  { id, url, failing_since, held_until, first_success_at }: Endpoint,
  now: Date,
): Promise<void> {
  if (failing_since === null && held_until === null && first_success_at !== null) return;
  await db
    .updateTable("webhook_endpoint")
    .set({ failing_since: null, held_until: null, first_success_at: sql<Date>`coalesce(first_success_at, ${now})` })
    .where("id", "=", id)
    .where("url", "=", url)
    .execute();
}

/** Part of the transaction that writes the failure down. */
export async function noteFailure(
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
      .where("id", "=", endpoint.id)
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
  { id, url, failing_since }: Endpoint,
  reason: "gone" | "failing",
): Promise<void> {
  let update = tx
    .updateTable("webhook_endpoint")
    .set({ status: "disabled", disabled_reason: reason })
    .where("id", "=", id)
    .where("url", "=", url)
    .where("status", "=", "enabled")
    .where("deleted_at", "is", null);
  // Looked at again: it may have taken something, or been changed, since the delivery was taken up.
  if (reason === "failing") update = update.where("failing_since", "=", failing_since);
  const row = await update.returningAll().executeTakeFirst();
  if (row === undefined) return;
  context.log.warn({ endpoint: id, reason }, "Disabled a webhook endpoint");
  const object = toWebhookEndpoint(row, context.now());
  await recordEvent(context, tx, tenantOf(row), { type: "webhook_endpoint.disabled", object }, noCause);
}
