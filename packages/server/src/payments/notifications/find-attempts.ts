/**
 * Finds the attempts that a notification is about. They must belong to the same account and mode as the acquirer account
 * that received it, and must have been made with it.
 */
import type { NotificationSubject } from "@oriel/vault";
import { tenantOfId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf, type Tenant } from "../../platform/tenant.ts";
import type { NotificationKey } from "./queue.ts";

/** An attempt with the currency of its decision. */
export type FoundAttempt = Row<"attempt"> & { currency: string };

/** The attempt with our reference. */
export async function attemptOf(
  db: Db,
  key: NotificationKey,
  { reference }: NotificationSubject,
): Promise<FoundAttempt | undefined> {
  if (!isOurReference(reference, tenantOf(key))) return undefined;
  return await attemptsMadeWith(db, key).where("attempt.id", "=", reference).executeTakeFirst();
}

/**
 * The capture or refund that a failure is about, by the acquirer's ID. If no capture has that ID, but the authorization
 * included the capture, it's the authorization.
 *
 * @param authorization with the notification's reference
 * @returns undefined if there's none, or if the reply with its ID isn't recorded yet
 */
export async function operationOf(
  db: Db,
  key: NotificationKey,
  authorization: FoundAttempt,
  kind: "capture" | "refund",
  { acquirerId }: NotificationSubject,
): Promise<FoundAttempt | undefined> {
  const operations = attemptsMadeWith(db, key).where("attempt.decision_id", "=", authorization.decision_id);
  const found = await operations
    .where("attempt.acquirer_id", "=", acquirerId)
    .where(({ eb, or }) => or([eb("attempt.kind", "=", kind), eb("attempt.reversal", "=", "refund")]))
    .executeTakeFirst();
  if (found !== undefined) return (found.kind === "capture") === (kind === "capture") ? found : undefined;
  return kind === "capture" && (await capturesAtOnce(db, authorization)) ? authorization : undefined;
}

/** The reversal of an authorization by our reference. */
export async function reversalOf(
  db: Db,
  { decision_id, is_step_up, ...owner }: Row<"attempt">,
): Promise<Row<"attempt"> | undefined> {
  return await db
    .selectFrom("attempt")
    .selectAll()
    .where(ownedBy(tenantOf(owner)))
    .where("decision_id", "=", decision_id)
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
