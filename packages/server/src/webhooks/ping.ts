/** Sends a `ping` test event to one endpoint, to check that it works and has the right secret. */
import type { Event } from "@oriel/protocol/api";
import { recordAudit } from "../merchants/audit/audit-log.ts";
import { recordEvent } from "../payments/events/record-event.ts";
import type { Cause } from "../platform/cause.ts";
import type { PlatformContext } from "../platform/context.ts";
import type { Tx } from "../platform/storage/database.ts";
import type { Tenant } from "../platform/tenant.ts";
import { toEvent } from "./events.ts";
import { findWebhookEndpoint, requireEnabled, toWebhookEndpoint } from "./webhook-endpoints.ts";

/** @throws ApiError `resource_missing`, `webhook_endpoint_disabled` */
export async function ping(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  cause: Cause,
): Promise<Event> {
  const endpoint = requireEnabled(await findWebhookEndpoint(tx, tenant, id));
  const object = toWebhookEndpoint(endpoint, context.now());
  const event = toEvent(await recordEvent(context, tx, tenant, { type: "ping", object }, cause));
  if (cause.actor !== undefined) {
    const entry = {
      actor: cause.actor,
      action: "webhook_endpoint.tested",
      accountNo: tenant.accountNo,
      objectId: id,
    } as const;
    await recordAudit(tx, entry, context.now());
  }
  return event;
}
