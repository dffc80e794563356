/**
 * Checkout sessions as a merchant's server sees them: created with a secret key, read back, listed.
 *
 * The `embed_url` holds a client secret in its fragment, where no log and no Referer sees it. It is given at creation only and kept as
 * SHA-256; a retry with the same idempotency key gets it again from the stored answer.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { CheckoutSession, CreateCheckoutSession, CreatedCheckoutSession } from "@oriel/protocol/api";
import type { Context } from "../context.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { missingInPath } from "../errors.ts";
import { newId } from "../ids.ts";
import { checkCurrency } from "../money/currency.ts";
import { listPage, type PageRequest } from "../storage/list-page.ts";
import type { Row } from "../storage/tables.ts";
import { unixSeconds } from "../unix-seconds.ts";
import { checkAllowedOrigins, checkReturnAddress, checkWithinAccount } from "./allowed-addresses.ts";
import { maxFailedPayments } from "./session-state.ts";

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
  const row = await ownSessions(db, tenant).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("checkout session", id);
  return toCheckoutSession(row, now());
}

export async function listCheckoutSessions({ db, now }: Pick<Context, "db" | "now">, tenant: Tenant, page: PageRequest) {
  return await listPage(page, "checkout_session", ownSessions(db, tenant), (row) => toCheckoutSession(row, now()));
}

/** The bare session. One whose time is over but which nobody has swept yet is shown as what it is. */
export function toCheckoutSession(
  row: Row<"checkout_session"> & { approved_payment_method_id?: string | null },
  now: Date,
): CheckoutSession {
  const isOver = row.status === "open" && row.payment_decision_id === null && row.expires_at <= now;
  const approvedPaymentMethodId = row.confirmation === "server" ? (row.approved_payment_method_id ?? null) : null;
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
    attempts_left: Math.max(0, maxFailedPayments - row.failed_payments),
    payment_method_id: approvedPaymentMethodId,
    decision_id: approvedPaymentMethodId === null ? null : row.payment_decision_id,
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

/** Each with the payment method of its decision once that is approved: what a merchant's server needs to make the charge. */
function ownSessions(db: Context["db"], tenant: Tenant) {
  return db
    .selectFrom("checkout_session")
    .selectAll("checkout_session")
    .select((eb) =>
      eb
        .selectFrom("decision")
        .select("decision.payment_method_id")
        .whereRef("decision.id", "=", "checkout_session.payment_decision_id")
        .where("decision.status", "in", ["approved", "consumed"])
        .as("approved_payment_method_id"),
    )
    .where(ownedBy(tenant));
}

function hashOf(clientSecret: string): Buffer {
  return createHash("sha256").update(clientSecret).digest();
}
