/**
 * Webhook endpoints. A signing secret is shown when it is created, and stored sealed because signing needs it.
 *
 * ```
 * enabled --update (requested), 410 (gone), five days of failures (failing)--> disabled
 * disabled --update--> enabled, and past failures are cleared
 * either --delete--> deleted: no longer visible, and its deliveries fail
 * ```
 */
import { sql, type UpdateObject } from "kysely";
import type {
  CreatedWebhookEndpoint,
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import type { ChangeEndpoint, RotateEndpointSecret } from "@oriel/protocol/dashboard/setup";
import { newSigningSecret } from "@oriel/webhook-signature";
import { recordAudit, type AuditAction, type AuditEntry } from "../merchants/audit/audit-log.ts";
import { lastActor } from "../merchants/audit/last-actor.ts";
import type { EmailContext } from "../merchants/emails/outbox.ts";
import { openRecord, sealRecord, type OpensSeals, type SealedRecord } from "../merchants/sealing/sealed-records.ts";
import { maxEndpoints } from "../payments/events/enqueue.ts";
import type { Cause } from "../platform/cause.ts";
import { ChangedMeanwhileError, isConflict } from "../platform/changed-meanwhile.ts";
import { ApiError, missingInBody, missingInPath } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { overlapsMs } from "../platform/overlaps.ts";
import type { Db, Tx } from "../platform/storage/database.ts";
import { listPage, type PageRequest } from "../platform/storage/list-page.ts";
import { ownedBy } from "../platform/storage/owned-by.ts";
import type { Row, Tables } from "../platform/storage/tables.ts";
import { modeOf, ownerColumns, type Tenant } from "../platform/tenant.ts";
import { unixSeconds } from "../platform/unix-seconds.ts";
import type { WebhookContext } from "./context.ts";
import { emailNewUrl } from "./endpoint-email.ts";
import { readTarget, targetRules } from "./target.ts";

/**
 * Part of validation, which runs before an idempotency key is claimed.
 *
 * @throws ApiError `url_not_allowed`
 */
export function checkWebhookUrl(
  context: Pick<WebhookContext, "config" | "network">,
  tenant: Tenant,
  url: string | undefined,
): void {
  if (url === undefined) return;
  const target = readTarget(url, targetRules(context, tenant.livemode));
  if (!target.ok) throw new ApiError("url_not_allowed", target.reason, { param: "url" });
}

/** @param request has passed {@link checkWebhookUrl}. Every delivery checks the URL again. */
export async function createWebhookEndpoint(
  context: EmailContext,
  tx: Tx,
  tenant: Tenant,
  request: CreateWebhookEndpoint,
  cause: Cause,
): Promise<CreatedWebhookEndpoint> {
  const { keys, now } = context;
  // Lock the account, so that concurrent requests can't exceed the limit.
  await tx.selectFrom("account").select("id").where("account_no", "=", tenant.accountNo).forNoKeyUpdate().execute();
  const { count } = await ownEndpoints(tx, tenant)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count >= maxEndpoints)
    throw new ApiError(
      "parameter_invalid",
      `An account can have at most ${maxEndpoints} webhook endpoints per mode. Update or delete an existing endpoint. To list your endpoints, use GET /api/v1/webhook_endpoints.`,
    );
  const secret = newSigningSecret();
  const createdAt = now();
  const id = newId("we", createdAt, tenant);
  const row = await tx
    .insertInto("webhook_endpoint")
    .values({
      id,
      ...ownerColumns(tenant),
      url: normalized(request.url),
      sealed_secret: sealRecord(keys, secretOf(tenant, id), secret),
      enabled_events: request.enabled_events ?? null,
      description: request.description ?? null,
      status: "enabled",
      created_at: createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, auditEntry(row, "webhook_endpoint.created", cause), createdAt);
  await emailNewUrl(context, tx, row, "added", cause);
  return { ...toWebhookEndpoint(row, createdAt), secret };
}

export async function retrieveWebhookEndpoint(
  { db, now }: Pick<WebhookContext, "db" | "now">,
  tenant: Tenant,
  id: string,
): Promise<WebhookEndpoint> {
  return toWebhookEndpoint(await findWebhookEndpoint(db, tenant, id), now());
}

export async function listWebhookEndpoints(
  { db, now }: Pick<WebhookContext, "db" | "now">,
  tenant: Tenant,
  page: PageRequest,
) {
  return await listPage(page, "webhook_endpoint", ownEndpoints(db, tenant).selectAll(), (row) =>
    toWebhookEndpoint(row, now()),
  );
}

/**
 * @param change has passed {@link checkWebhookUrl}. The API's requests have no `seen`, and overwrite what they change.
 * @throws ChangedMeanwhileError if what it changes isn't what the user saw
 */
export async function updateWebhookEndpoint(
  context: EmailContext,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { seen, ...wanted }: ChangeEndpoint,
  cause: Cause,
): Promise<WebhookEndpoint> {
  if (seen !== undefined) await requireSeen(tx, tenant, id, { seen, wanted }, cause);
  const { url, enabled_events, description, status } = wanted;
  const { now } = context;
  const before = url === undefined ? null : await findWebhookEndpoint(tx, tenant, id);
  const statusChange =
    status === undefined
      ? {}
      : status === "enabled"
        ? { status, disabled_reason: null, failing_since: null, held_until: null }
        : { status, disabled_reason: sql<WebhookEndpoint["disabled_reason"]>`coalesce(disabled_reason, 'requested')` };
  const row = await change(tx, tenant, id, {
    id, // so that an update without changes isn't an error
    ...(url === undefined ? {} : { url: normalized(url), failing_since: null, held_until: null }),
    ...(enabled_events === undefined ? {} : { enabled_events }),
    ...(description === undefined ? {} : { description }),
    ...statusChange,
  });
  await recordAudit(tx, auditEntry(row, "webhook_endpoint.updated", cause), now());
  if (before !== null && before.url !== row.url) await emailNewUrl(context, tx, row, "moved", cause);
  return toWebhookEndpoint(row, now());
}

async function requireSeen(
  tx: Tx,
  tenant: Tenant,
  id: string,
  { seen, wanted }: { seen: NonNullable<ChangeEndpoint["seen"]>; wanted: Omit<ChangeEndpoint, "seen"> },
  { actor }: Cause,
): Promise<void> {
  const row = await lockEndpoint(tx, tenant, id);
  const url = wanted.url && normalized(wanted.url);
  const { enabled_events, description } = wanted;
  const isOverwritten =
    isConflict({ now: row.url, seen: seen.url, wanted: url }) ||
    isConflict({ now: row.enabled_events, seen: seen.enabled_events, wanted: enabled_events }) ||
    isConflict({ now: row.description, seen: seen.description, wanted: description });
  if (!isOverwritten) return;
  const change = { actions: ["webhook_endpoint.updated"], objectId: id } as const;
  const by = await lastActor(tx, tenant.accountNo, change);
  throw new ChangedMeanwhileError("this endpoint", { by, actor: actor ?? "" });
}

/** Deletes an endpoint and its secrets. Pending deliveries fail. */
export async function deleteWebhookEndpoint(
  { now }: Pick<WebhookContext, "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  cause: Cause,
): Promise<DeletedWebhookEndpoint> {
  const row = await change(tx, tenant, id, {
    deleted_at: now(),
    status: "disabled",
    sealed_secret: Buffer.alloc(0),
    sealed_previous_secret: null,
    held_until: null,
  });
  await recordAudit(tx, auditEntry(row, "webhook_endpoint.deleted", cause), now());
  return { id, object: "webhook_endpoint", deleted: true };
}

/**
 * Creates a new signing secret. Webhooks are signed with both secrets during the overlap, so that the receiver can be
 * updated. A secret from an earlier overlap stops signing now.
 *
 * @param request the API's requests have no `seen`, but an idempotency key
 * @throws ChangedMeanwhileError if it would end an overlap that the user didn't see, such as that of a rotation whose
 * response was lost
 */
export async function rotateSecret(
  { keys, now }: Pick<WebhookContext, "keys" | "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { overlap = "24h", seen }: RotateEndpointSecret,
  cause: Cause,
): Promise<CreatedWebhookEndpoint> {
  if (seen !== undefined) {
    const { previous_secret_expires_at: expiresAt } = toWebhookEndpoint(await lockEndpoint(tx, tenant, id), now());
    if (expiresAt !== null && expiresAt !== seen.previous_secret_expires_at) {
      const by = await lastActor(tx, tenant.accountNo, { actions: ["webhook_endpoint.secret_rotated"], objectId: id });
      throw new ChangedMeanwhileError("this secret", { by, actor: cause.actor ?? "" });
    }
  }
  const secret = newSigningSecret();
  const until = new Date(now().getTime() + overlapsMs[overlap]);
  const row = await change(tx, tenant, id, {
    sealed_secret: sealRecord(keys, secretOf(tenant, id), secret),
    sealed_previous_secret: overlap === "now" ? null : sql<Buffer>`sealed_secret`,
    previous_secret_until: overlap === "now" ? null : until,
  });
  await recordAudit(tx, auditEntry(row, "webhook_endpoint.secret_rotated", cause, { overlap }), now());
  return { ...toWebhookEndpoint(row, now()), secret };
}

/** Returns the newest signing secret again, for a user who has confirmed their identity. Recorded in the audit log. */
export async function revealSecret(
  context: OpensSeals,
  tx: Tx,
  tenant: Tenant,
  id: string,
  cause: Cause,
): Promise<string> {
  const row = await findWebhookEndpoint(tx, tenant, id);
  const [secret] = signingSecretsOf(context, tenant, row);
  if (secret === undefined) throw new Error(`Bug: the webhook endpoint ${id} has no signing secret`);
  await recordAudit(tx, auditEntry(row, "webhook_endpoint.secret_revealed", cause), context.now());
  return secret;
}

/**
 * The secrets that sign now, newest first: one, or two during an overlap.
 *
 * @param tenant the owner of the request or event, not the one in the endpoint's row
 */
export function signingSecretsOf(
  context: OpensSeals,
  tenant: Tenant,
  endpoint: Pick<Row<"webhook_endpoint">, "id" | "sealed_secret" | "sealed_previous_secret" | "previous_secret_until">,
): string[] {
  const isExpired = endpoint.previous_secret_until === null || endpoint.previous_secret_until <= context.now();
  const sealed = isExpired ? [endpoint.sealed_secret] : [endpoint.sealed_secret, endpoint.sealed_previous_secret];
  return sealed.flatMap((secret) =>
    secret === null ? [] : [openRecord(context, secretOf(tenant, endpoint.id), secret)],
  );
}

/** Locks the endpoint until the end of the transaction, but not for payments, whose deliveries refer to it. */
async function lockEndpoint(tx: Tx, tenant: Tenant, id: string): Promise<Row<"webhook_endpoint">> {
  const row = await ownEndpoints(tx, tenant).selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
  if (row === undefined) throw missingInPath("webhook endpoint", id);
  return row;
}

/**
 * @param param the parameter with the ID, if it isn't in the path
 * @throws ApiError `resource_missing`
 */
export async function findWebhookEndpoint(
  db: Db,
  tenant: Tenant,
  id: string,
  param?: string,
): Promise<Row<"webhook_endpoint">> {
  const row = await ownEndpoints(db, tenant).selectAll().where("id", "=", id).executeTakeFirst();
  if (row !== undefined) return row;
  throw param === undefined ? missingInPath("webhook endpoint", id) : missingInBody("webhook endpoint", id, param);
}

/** @throws ApiError `webhook_endpoint_disabled`, because nothing would be sent */
export function requireEnabled(endpoint: Row<"webhook_endpoint">): Row<"webhook_endpoint"> {
  if (endpoint.status === "enabled") return endpoint;
  throw new ApiError(
    "webhook_endpoint_disabled",
    `The webhook endpoint ${endpoint.id} is disabled. Enable the endpoint and try again.`,
  );
}

export function toWebhookEndpoint(row: Row<"webhook_endpoint">, now: Date): WebhookEndpoint {
  const { previous_secret_until: until } = row;
  return {
    id: row.id,
    object: "webhook_endpoint",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    url: row.url,
    enabled_events: row.enabled_events as WebhookEndpoint["enabled_events"], // validated by the schema when stored
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since === null ? null : unixSeconds(row.failing_since),
    previous_secret_expires_at: until === null || until <= now ? null : unixSeconds(until),
  };
}

/** Contains only the host of the URL, because the path and query may contain a secret. */
function auditEntry(
  { id, account_no, url }: Row<"webhook_endpoint">,
  action: AuditAction,
  { requestId, actor }: Cause,
  details: AuditEntry["details"] = {},
): AuditEntry {
  const host = new URL(url).host;
  return {
    actor: actor ?? (requestId === null ? "service" : `request ${requestId}`),
    action,
    accountNo: account_no,
    objectId: id,
    details: { ...details, host },
  };
}

/** @throws ApiError `resource_missing` */
async function change(
  db: Db,
  tenant: Tenant,
  id: string,
  changes: UpdateObject<Tables, "webhook_endpoint">,
): Promise<Row<"webhook_endpoint">> {
  const update = db.updateTable("webhook_endpoint").set(changes).where("id", "=", id).where(ownedBy(tenant));
  const row = await update.where("deleted_at", "is", null).returningAll().executeTakeFirst();
  if (row === undefined) throw missingInPath("webhook endpoint", id);
  return row;
}

function ownEndpoints(db: Db, tenant: Tenant) {
  return db.selectFrom("webhook_endpoint").where(ownedBy(tenant)).where("deleted_at", "is", null);
}

/** The URL in normalized form. */
function normalized(url: string): string {
  return new URL(url).href;
}

export function secretOf(tenant: Tenant, id: string): SealedRecord {
  return { kind: "webhook_endpoint.secret", accountNo: tenant.accountNo, within: modeOf(tenant), id };
}
