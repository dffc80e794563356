/**
 * Checkout sessions as a merchant's server sees them: created with a secret key, read back, listed.
 *
 * The `embed_url` holds a client secret in its fragment, where no log and no Referer sees it. It is given at creation only and kept as
 * SHA-256; a retry with the same idempotency key gets it again from the stored answer.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { CheckoutSession, CreateCheckoutSession, CreatedCheckoutSession } from "@oriel/protocol/api";
import type { Context, Tenant } from "../context.ts";
import { missingInPath } from "../errors.ts";
import { newId } from "../ids.ts";
import { checkCurrency } from "../money/currency.ts";
import { listPage, type PageRequest } from "../storage/list-page.ts";
import type { Row } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";
import { checkAllowedOrigins, checkReturnAddress, checkWithinAccount } from "./allowed-addresses.ts";
import { maxFailedAttempts } from "./session-state.ts";

/** What a schema cannot say. Belongs to validation: it runs before an idempotency key is claimed. @throws ApiError that names the field */
export async function checkCheckoutSession(
  { db }: Pick<Context, "db">,
  tenant: Tenant,
  request: CreateCheckoutSession,
): Promise<void> {
  checkCurrency(request.currency);
  if (request.return_url !== undefined) checkReturnAddress(request.return_url, "return_url", tenant.livemode);
  if (request.cancel_url !== undefined) checkReturnAddress(request.cancel_url, "cancel_url", tenant.livemode);
  if (request.allowed_origins !== undefined) {
    checkAllowedOrigins(request.allowed_origins, tenant.livemode);
    checkWithinAccount(request.allowed_origins, await originsOfAccount(db, tenant));
  }
}

/** @param request has passed {@link checkCheckoutSession} */
export async function createCheckoutSession(
  { db, config, now }: Pick<Context, "db" | "config" | "now">,
  tenant: Tenant,
  request: CreateCheckoutSession,
): Promise<CreatedCheckoutSession> {
  const createdAt = now();
  const clientSecret = randomBytes(32).toString("base64url");
  const row = await db
    .insertInto("checkout_session")
    .values({
      id: newId("cs", createdAt),
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      client_secret_hash: hashOf(clientSecret),
      status: "open",
      payment_status: "unpaid",
      amount: request.amount,
      currency: request.currency,
      confirmation: request.confirmation ?? "automatic",
      allowed_origins: request.allowed_origins ?? (await originsOfAccount(db, tenant)),
      return_url: request.return_url ?? null,
      cancel_url: request.cancel_url ?? null,
      description: request.description ?? null,
      customer: request.customer === undefined ? null : JSON.stringify(request.customer),
      metadata: JSON.stringify(request.metadata ?? {}),
      expires_at: new Date(createdAt.getTime() + (request.expires_after_minutes ?? 60) * 60_000),
      created_at: createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { session: toCheckoutSession(row, createdAt), embed_url: `${config.checkoutOrigin}/c/${row.id}#${clientSecret}` };
}

export async function retrieveCheckoutSession(
  { db, now }: Pick<Context, "db" | "now">,
  tenant: Tenant,
  id: string,
): Promise<CheckoutSession> {
  const row = await ownSessions(db, tenant).selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("checkout session", id);
  return toCheckoutSession(row, now(), await approvedDecisionOf(db, row));
}

export async function listCheckoutSessions({ db, now }: Pick<Context, "db" | "now">, tenant: Tenant, page: PageRequest) {
  const approved = new Map<string, ApprovedDecision>();
  return await listPage(
    page,
    (row: Row<"checkout_session">) => toCheckoutSession(row, now(), approved.get(row.id) ?? null),
    async ({ after, before, limit }) => {
      let query = ownSessions(db, tenant).selectAll().limit(limit);
      if (after !== null) query = query.where("id", "<", after);
      if (before !== null) query = query.where("id", ">", before);
      const rows = await query.orderBy("id", before === null ? "desc" : "asc").execute();
      for (const row of rows) {
        const decision = await approvedDecisionOf(db, row);
        if (decision !== null) approved.set(row.id, decision);
      }
      return rows;
    },
  );
}

/** The decision that waits for the merchant's charge. */
export interface ApprovedDecision {
  id: string;
  payment_method_id: string;
}

/** With `confirmation: "server"`: the approved decision that the merchant's server has to charge with; else null. */
export async function approvedDecisionOf(db: Context["db"], session: Row<"checkout_session">): Promise<ApprovedDecision | null> {
  if (session.confirmation !== "server" || session.payment_decision_id === null) return null;
  const decision = await db
    .selectFrom("decision")
    .select(["id", "payment_method_id"])
    .where("id", "=", session.payment_decision_id)
    .where("status", "in", ["approved", "consumed"])
    .executeTakeFirst();
  return decision ?? null;
}

/** The bare session. One whose time is over but which nobody has swept yet is shown as what it is. */
export function toCheckoutSession(
  row: Row<"checkout_session">,
  now: Date,
  approved: ApprovedDecision | null = null,
): CheckoutSession {
  const isOver = row.status === "open" && !row.payment_in_flight && row.expires_at <= now;
  return {
    id: row.id,
    object: "checkout_session",
    livemode: row.livemode,
    created: unixSeconds(row.created_at),
    status: isOver ? "expired" : row.status,
    payment_status: row.payment_status,
    amount: row.amount,
    currency: row.currency,
    confirmation: row.confirmation,
    allowed_origins: row.allowed_origins,
    return_url: row.return_url,
    cancel_url: row.cancel_url,
    description: row.description,
    customer: row.customer,
    attempts_left: Math.max(0, maxFailedAttempts - row.failed_attempts),
    payment_method_id: approved?.payment_method_id ?? null,
    decision_id: approved?.id ?? null,
    expires_at: unixSeconds(row.expires_at),
    metadata: row.metadata,
  };
}

/** Constant in time, so that a guess tells nothing about how close it was. */
export function isClientSecretOf(row: Pick<Row<"checkout_session">, "client_secret_hash">, clientSecret: string): boolean {
  return timingSafeEqual(row.client_secret_hash, hashOf(clientSecret));
}

async function originsOfAccount(db: Context["db"], { accountId }: Tenant): Promise<string[]> {
  const account = await db.selectFrom("account").select("allowed_origins").where("id", "=", accountId).executeTakeFirstOrThrow();
  return account.allowed_origins;
}

function ownSessions(db: Context["db"], tenant: Tenant) {
  return db.selectFrom("checkout_session").where("account_id", "=", tenant.accountId).where("livemode", "=", tenant.livemode);
}

function hashOf(clientSecret: string): Buffer {
  return createHash("sha256").update(clientSecret).digest();
}
