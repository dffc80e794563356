/**
 * Records a step of a dispute: the dispute, the money that moved, and an event, in the caller's transaction.
 *
 * A dispute is never refused. Its amount can exceed the charge's, the charge may have been refunded before, and a charge
 * can have several disputes. Steps arrive in any order and any number of times, and the result is the same:
 *
 * - The status follows from the set of steps (`status.ts`).
 * - The amount and the reason are those of the step that ranks first (`rankOf`).
 * - Each step that moves money has a ledger entry, whose key makes a second one impossible.
 */
import { disputeSteps, type DisputeStep, type NotificationSubject, type UnsignedDispute } from "@oriel/vault";
import { noCause } from "../../platform/cause.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasKey, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import type { PaymentContext } from "../context.ts";
import { recordEvent } from "../events/record-event.ts";
import { enterInLedger } from "../ledger/enter.ts";
import { toDispute } from "./dispute-object.ts";
import { isClosed, statusOf } from "./status.ts";

export interface DisputeNews {
  chargeId: string;
  step: DisputeStep;
  subject: NotificationSubject;
  /** Only shown. */
  unsigned: Pick<UnsignedDispute, "reasonCode" | "respondBy"> | null;
}

/** @returns false if the step moved money that can't be entered in the ledger, because its amount can't be expressed */
export async function recordDisputeStep(
  context: Pick<PaymentContext, "now">,
  tx: Tx,
  tenant: Tenant,
  news: DisputeNews,
): Promise<boolean> {
  const now = context.now();
  const first = firstRow(tenant, news, now);
  const created = await tx
    .insertInto("dispute")
    .values(first)
    .onConflict((conflict) => conflict.columns(["account_no", "livemode", "acquirer_id"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (created !== undefined) {
    await recordEvent(context, tx, tenant, { type: "dispute.created", object: toDispute(created) }, noCause);
    if (isClosed(created.status))
      await recordEvent(context, tx, tenant, { type: "dispute.closed", object: toDispute(created) }, noCause);
  } else {
    await addStep(context, tx, tenant, first);
  }
  return await enter(tx, tenant, news, now);
}

/** The dispute, if this were its only step. */
function firstRow(tenant: Tenant, { chargeId, step, subject, unsigned }: DisputeNews, now: Date): Row<"dispute"> {
  const status = statusOf(new Set([step]));
  return {
    ...ownerColumns(tenant),
    id: newId("dp", now, tenant),
    charge_id: chargeId,
    acquirer_id: subject.acquirerId,
    status,
    amount: subject.money?.amount ?? null,
    currency: subject.money?.currency ?? null,
    reason: unsigned?.reasonCode ?? null,
    respond_by: dateOf(unsigned?.respondBy),
    events: [step],
    created_at: now,
    closed_at: isClosed(status) ? now : null,
  };
}

async function addStep(
  context: Pick<PaymentContext, "now">,
  tx: Tx,
  tenant: Tenant,
  latest: Row<"dispute">,
): Promise<void> {
  const known = await tx
    .selectFrom("dispute")
    .selectAll()
    .where(ownedBy(tenant))
    .where("acquirer_id", "=", latest.acquirer_id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const merged = merge(known, latest);
  const isNew = merged.events.length > known.events.length;
  if (!isNew && JSON.stringify(toDispute(merged)) === JSON.stringify(toDispute(known))) return;
  const { status, amount, currency, reason, respond_by, events, closed_at } = merged;
  await tx
    .updateTable("dispute")
    .set({ status, amount, currency, reason, respond_by, events, closed_at })
    .where(hasKey(known))
    .execute();
  const type = isClosed(status) && !isClosed(known.status) ? "dispute.closed" : "dispute.updated";
  await recordEvent(context, tx, tenant, { type, object: toDispute(merged) }, noCause);
}

/** @param latest has one step */
function merge(known: Row<"dispute">, latest: Row<"dispute">): Row<"dispute"> {
  const steps = new Set([...known.events, ...latest.events]);
  const status = statusOf(steps);
  const source = rankOf(latest) < rankOf(known) ? latest : known;
  return {
    ...known,
    status,
    amount: source.amount,
    currency: source.currency,
    reason: source.reason,
    respond_by: later(known.respond_by, latest.respond_by),
    events: [...steps],
    closed_at: isClosed(status) ? (known.closed_at ?? latest.created_at) : null,
  };
}

/** What was deducted says more than what was announced, and an announcement says more than a comment. */
const sources: readonly string[] = [
  ...(["chargeback", "second_chargeback", "chargeback_reversed"] satisfies DisputeStep[]),
  ...disputeSteps.filter((step) => step !== "dispute_updated"),
];

/** The lowest rank of the steps. */
function rankOf({ events }: Row<"dispute">): number {
  const rank = sources.findIndex((step) => events.includes(step));
  return rank === -1 ? sources.length : rank;
}

function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/** Null for a date that doesn't exist: it isn't signed, and is only shown. */
function dateOf(text: string | null | undefined): Date | null {
  const date = new Date(text ?? NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

const signs: Partial<Readonly<Record<DisputeStep, { kind: Row<"ledger_entry">["kind"]; sign: 1 | -1 }>>> = {
  chargeback: { kind: "chargeback", sign: -1 },
  chargeback_reversed: { kind: "chargeback_reversed", sign: 1 },
  second_chargeback: { kind: "second_chargeback", sign: -1 },
};

async function enter(tx: Tx, tenant: Tenant, { chargeId, step, subject }: DisputeNews, now: Date): Promise<boolean> {
  const movement = signs[step];
  if (movement === undefined) return true;
  const { acquirerId, money } = subject;
  if (money === null) return false;
  if (money.amount === 0) return true;
  const amount = movement.sign * money.amount;
  const { kind } = movement;
  const entry = { chargeId, kind, reference: acquirerId, amount, currency: money.currency, attemptId: null };
  await enterInLedger(tx, tenant, entry, now);
  return true;
}
