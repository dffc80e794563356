/** Where events are sent. The signing secret is shown once, at creation, and kept sealed because it is needed to sign. */
import type { CreatedWebhookEndpoint, CreateWebhookEndpoint, WebhookEndpoint } from "@oriel/protocol/api";
import type { Context } from "../context.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { ApiError, missingInPath } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Db, Tx } from "../storage/database.ts";
import { listPage, type PageRequest } from "../storage/list-page.ts";
import type { Row } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";
import { newSigningSecret } from "./signature.ts";
import { readTarget } from "./target.ts";

/** How many an account may have in each mode; every event is sent to each of them. */
const maxEndpoints = 20;

/** Belongs to validation: it runs before an idempotency key is claimed. @throws ApiError `url_not_allowed` */
export function checkWebhookEndpoint({ config }: Pick<Context, "config">, tenant: Tenant, request: CreateWebhookEndpoint): void {
  const target = readTarget(request.url, { loopback: config.webhooksToLoopback, http: !tenant.livemode });
  if (!target.ok) throw new ApiError("url_not_allowed", target.reason, { param: "url" });
}

/** @param request has passed {@link checkWebhookEndpoint}; every delivery looks at the address again */
export async function createWebhookEndpoint(
  { keys, now }: Pick<Context, "keys" | "now">,
  tx: Tx,
  tenant: Tenant,
  request: CreateWebhookEndpoint,
): Promise<CreatedWebhookEndpoint> {
  const secret = newSigningSecret();
  const createdAt = now();
  const id = newId("we", createdAt);
  const { count } = await ownEndpoints(tx, tenant)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count >= maxEndpoints)
    throw new ApiError(
      "parameter_invalid",
      `An account has at most ${maxEndpoints} webhook endpoints in each mode. Use one of those it has: GET /api/v1/webhook_endpoints.`,
    );

  const row = await tx
    .insertInto("webhook_endpoint")
    .values({
      id,
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      url: new URL(request.url).href, // as it was read, not as it was written
      sealed_secret: keys.seal(secret, `webhook_endpoint.secret ${id}`),
      enabled_events: request.enabled_events ?? null,
      description: request.description ?? null,
      status: "enabled",
      created_at: createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { ...toWebhookEndpoint(row), secret };
}

export async function retrieveWebhookEndpoint({ db }: Pick<Context, "db">, tenant: Tenant, id: string): Promise<WebhookEndpoint> {
  const row = await ownEndpoints(db, tenant).selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("webhook endpoint", id);
  return toWebhookEndpoint(row);
}

export async function listWebhookEndpoints({ db }: Pick<Context, "db">, tenant: Tenant, page: PageRequest) {
  return await listPage(page, "webhook_endpoint", ownEndpoints(db, tenant).selectAll(), toWebhookEndpoint);
}

/** The secret an endpoint's deliveries are signed with. */
export function signingSecretOf(
  { keys }: Pick<Context, "keys">,
  endpoint: Pick<Row<"webhook_endpoint">, "id" | "sealed_secret">,
): string {
  return keys.unseal(endpoint.sealed_secret, `webhook_endpoint.secret ${endpoint.id}`);
}

function ownEndpoints(db: Db, tenant: Tenant) {
  return db.selectFrom("webhook_endpoint").where(ownedBy(tenant));
}

function toWebhookEndpoint(row: Row<"webhook_endpoint">): WebhookEndpoint {
  return {
    id: row.id,
    object: "webhook_endpoint",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    url: row.url,
    enabled_events: row.enabled_events as WebhookEndpoint["enabled_events"], // checked by the schema when they were stored
    description: row.description,
    status: row.status,
  };
}
