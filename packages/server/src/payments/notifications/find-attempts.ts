/**
 * Finds the attempts that a notification is about. They must belong to the same account and mode as the acquirer account
 * that received it, and must have been made with it.
 */
import type { NotificationSubject } from "@oriel/vault";
import { tenantOfId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { hasId, ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf, type Tenant } from "../../platform/tenant.ts";
import type { NotificationKey } from "./queue.ts";

/** An attempt with the currency of its decision. */
export type FoundAttempt = Row<"attempt"> & { currency: string };

/** The attempt with our reference. */
export async function attemptOf(
  db: Db,
  key: NotificationKey,
  { reference }: Partial<NotificationSubject>,
): Promise<FoundAttempt | undefined> {
  if (reference === undefined || !isOurReference(reference, tenantOf(key))) return undefined;
  return await attemptsMadeWith(db, key).where("attempt.id", "=", reference).executeTakeFirst();
}

/**
 * The capture or refund that a failure is about. If no capture has the acquirer's ID, but the authorization included the
 * capture, it's the authorization.
 *
 * @param referenced with the notification's reference: the authorization, or the operation itself
 * @returns `later` if there's none, or if its ID isn't recorded yet. `waits` while one is pending: no reply may have arrived,
 *   or the failure may be that of a repetition, which is reported later
 */
export async function operationOf(
  db: Db,
  key: NotificationKey,
  referenced: FoundAttempt,
  kind: "capture" | "refund",
  subject: NotificationSubject,
): Promise<FoundAttempt | "later" | "waits"> {
  const find = () => operationById(db, key, referenced, kind, subject);
  const found = await find();
  if (found !== undefined) return found;
  if (kind === "capture" && (await capturesAtOnce(db, referenced))) return referenced;
  const pending = operationsOf(db, key, referenced, kind).where("attempt.status", "=", "processing");
  if ((await pending.executeTakeFirst()) !== undefined) return "waits";
  // Its outcome, with the ID, may have been committed in between.
  return (await find()) ?? "later";
}

/** The capture or refund with the acquirer's ID, which may be that of its repetition, and then is only in the ledger. */
export async function operationById(
  db: Db,
  key: NotificationKey,
  referenced: FoundAttempt,
  kind: "capture" | "refund",
  { acquirerId }: NotificationSubject,
): Promise<FoundAttempt | undefined> {
  const entered = db
    .selectFrom("ledger_entry")
    .select("attempt_id")
    .where(hasId(referenced.charge_id, "charge_id"))
    .where("reference", "=", acquirerId)
    .where("kind", "in", [kind, `${kind}_repeated` as const]);
  return await operationsOf(db, key, referenced, kind)
    .where(({ eb, or }) => or([eb("attempt.acquirer_id", "=", acquirerId), eb("attempt.id", "in", entered)]))
    .executeTakeFirst();
}

/** The captures or refunds of a charge. */
function operationsOf(db: Db, key: NotificationKey, { charge_id }: FoundAttempt, kind: "capture" | "refund") {
  return attemptsMadeWith(db, key)
    .where("attempt.charge_id", "=", charge_id)
    .where(({ eb, or }) =>
      or([eb("attempt.kind", "=", kind), ...(kind === "refund" ? [eb("attempt.reversal", "=", "refund")] : [])]),
    );
}

/** The reversal of an authorization by our reference. */
export async function reversalOf(
  db: Db,
  { charge_id, is_step_up, ...owner }: Row<"attempt">,
): Promise<Row<"attempt"> | undefined> {
  return await db
    .selectFrom("attempt")
    .selectAll()
    .where(ownedBy(tenantOf(owner)))
    .where("charge_id", "=", charge_id)
    .where("is_step_up", "=", is_step_up)
    .where("reversal", "=", "reference")
    .executeTakeFirst();
}

/** Whether the authorization includes the capture. */
export async function capturesAtOnce(db: Db, { kind, charge_id, ...owner }: Row<"attempt">): Promise<boolean> {
  if (kind !== "authorize" || charge_id === null) return false;
  const charge = db
    .selectFrom("charge")
    .select("capture_method")
    .where(ownedBy(tenantOf(owner)));
  return (await charge.where("id", "=", charge_id).executeTakeFirst())?.capture_method === "automatic";
}

/** A notification about another amount than the one that we sent moves no money. */
export function isSameMoney({ amount, currency }: FoundAttempt, { money }: NotificationSubject): boolean {
  return money !== null && money.amount === amount && money.currency === currency;
}

/**
 * Whether the attempt was approved with another ID than this one of the acquirer's. An acquirer may not require references
 * to be unique, so what is reported isn't about this attempt then, but about a second one with the same reference.
 */
export function isAnother({ status, acquirer_id }: Row<"attempt">, acquirerId: string | null): boolean {
  return status === "approved" && acquirer_id !== null && acquirerId !== null && acquirer_id !== acquirerId;
}

export function isOurReference(reference: string | null, { accountNo, livemode }: Tenant): boolean {
  const owner = reference === null ? undefined : tenantOfId(reference);
  return owner?.accountNo === accountNo && owner.livemode === livemode;
}

function attemptsMadeWith(db: Db, { acquirer_account_id, ...owner }: NotificationKey) {
  return db
    .selectFrom("attempt")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "attempt.decision_id").on(sameOwner("decision", "attempt")),
    )
    .selectAll("attempt")
    .select("decision.currency")
    .where(ownedBy(tenantOf(owner), "attempt"))
    .where("decision.acquirer_account_id", "=", acquirer_account_id);
}
