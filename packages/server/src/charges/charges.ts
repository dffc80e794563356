/** Charges as a merchant's server sees them: made with an approved decision, read back, listed. */
import type { Charge, CreateCharge } from "@oriel/protocol/api";
import type { Context, Cause } from "../context.ts";
import { ownedBy, type Tenant } from "../tenant.ts";
import { ApiError, missingInPath } from "../errors.ts";
import type { Tx } from "../storage/database.ts";
import { listPage, type PageRequest } from "../storage/list-page.ts";
import { beginCharge, cardDeclined } from "./begin-charge.ts";
import { toCharge } from "./charge-object.ts";
import { runAttempt } from "./run-attempt.ts";

/** How long a caller is kept waiting for the bank before the answer is "not known yet". */
const waitMs = 10_000;

/**
 * Charges a payment method.
 *
 * @param onBegun part of the transaction that creates the charge; the idempotency key notes the charge there
 * @throws ApiError 402 `card_declined`, 400 when the decision does not fit, 503 `payment_outcome_unknown`
 */
export async function createCharge(
  context: Context,
  tenant: Tenant,
  request: CreateCharge,
  cause: Cause,
  onBegun: (tx: Tx, chargeId: string) => Promise<void>,
): Promise<Charge> {
  const { chargeId, attemptId } = await context.db.transaction().execute(async (tx) => {
    const begun = await beginCharge(context, tx, tenant, { ...request, metadata: request.metadata ?? {} }, cause);
    await onBegun(tx, begun.chargeId);
    return begun;
  });
  await waitForAttempt(context, attemptId);
  return await finalCharge(context, tenant, chargeId);
}

/** Runs an attempt and waits for it, but not for ever; it goes on in the background. */
export async function waitForAttempt(context: Context, attemptId: string): Promise<void> {
  const run = runAttempt(context, attemptId);
  const { promise: tooLong, resolve } = Promise.withResolvers<"too_long">();
  const timer = setTimeout(resolve, waitMs, "too_long");
  try {
    if ((await Promise.race([run, tooLong])) === "too_long") context.inBackground("attempt", run);
  } finally {
    clearTimeout(timer);
  }
}

/** The charge, if its outcome is known: a retry of the request that made it asks for this. */
export async function finalCharge(context: Context, tenant: Tenant, chargeId: string): Promise<Charge> {
  const charge = await retrieveCharge(context, tenant, chargeId);
  if (charge.status === "processing") {
    throw new ApiError(
      "payment_outcome_unknown",
      `The bank has not said yet what became of the charge ${chargeId}. Do not charge again: send this same request with the same Idempotency-Key later.`,
      { retryAfterSeconds: 2 },
    );
  }
  if (charge.failure !== null) throw cardDeclined(charge.failure.decline_code);
  return charge;
}

export async function retrieveCharge({ db }: Pick<Context, "db">, tenant: Tenant, id: string): Promise<Charge> {
  const row = await ownCharges(db, tenant).selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("charge", id);
  return toCharge(row);
}

export async function listCharges(
  { db }: Pick<Context, "db">,
  tenant: Tenant,
  page: PageRequest & { decision_id?: string | undefined; session_id?: string | undefined },
) {
  let charges = ownCharges(db, tenant).selectAll();
  if (page.decision_id !== undefined) charges = charges.where("decision_id", "=", page.decision_id);
  if (page.session_id !== undefined) charges = charges.where("session_id", "=", page.session_id);
  return await listPage(page, "charge", charges, toCharge);
}

function ownCharges(db: Context["db"], tenant: Tenant) {
  return db.selectFrom("charge").where(ownedBy(tenant));
}
