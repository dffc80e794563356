/**
 * Reads a payment with its disputes, its ledger, what needs attention, and its timeline: the session, the decision, 3-D
 * Secure, the attempts at the acquirer, and the events with their deliveries. It returns only data, and the page turns
 * it into sentences.
 *
 * Every query names the merchant, either as `tenant` or by the ID of one of the merchant's objects.
 */
import type { PaymentMoney } from "@oriel/protocol/dashboard/acquirers";
import type { AttemptInfo, AuthenticationInfo, PaymentDetail, TimelineEntry } from "@oriel/protocol/dashboard/payments";
import { attentionOf } from "../../../payments/attention/attention.ts";
import { retrieveDecision } from "../../../payments/decisions/decisions.ts";
import { disputesOf } from "../../../payments/disputes/disputes.ts";
import { retrieveCharge } from "../../../payments/flow/charges.ts";
import { listRefunds } from "../../../payments/flow/refunds.ts";
import { ledgerOf } from "../../../payments/ledger/ledger.ts";
import { chargeRows, toPaymentRow } from "../../../payments/reporting/payment-search.ts";
import { retrieveCheckoutSession } from "../../../payments/sessions/checkout-sessions.ts";
import { sessionAtVersion } from "../../../payments/sessions/session-versions.ts";
import { isProved } from "../../../payments/threeds/outcome.ts";
import type { Db } from "../../../platform/storage/database.ts";
import { hasId, ownedBy } from "../../../platform/storage/owned-by.ts";
import type { Row } from "../../../platform/storage/tables.ts";
import type { Tenant } from "../../../platform/tenant.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";
import { deliveriesOfEvents } from "../../../webhooks/deliveries.ts";
import { eventsOfObjects, toSummary } from "../../../webhooks/events.ts";
import type { Context } from "../../context.ts";

/** The maximum number of entries of each type; the newest are kept. A session ends after five failed payments. */
const maxRefunds = 100;
const maxAttempts = 500;
const maxEvents = 500;
const maxDeliveries = 2_000;
const maxEarlierTries = 20;

/** If the outcome is unknown, checks it with the acquirer for up to two seconds. @throws ApiError 404 */
export async function retrievePayment(context: Context, tenant: Tenant, id: string): Promise<PaymentDetail> {
  const { db } = context;
  await retrieveCharge(context, tenant, id);
  const own = chargeRows(db, tenant, (charges) => charges.where("id", "=", id));
  const row = await own.executeTakeFirstOrThrow();
  const { session_id: sessionId, decision_id: decisionId } = row;
  const [session, earlier, later, decision, authentications, attempts, refunds, money] = await Promise.all([
    sessionId === null ? null : retrieveCheckoutSession(context, tenant, sessionId),
    sessionId === null ? [] : readEarlierTries(db, tenant, sessionId, id),
    sessionId === null ? undefined : readLaterPayment(db, tenant, sessionId, id),
    retrieveDecision(context, tenant, decisionId),
    db.selectFrom("authentication").selectAll().where(hasId(decisionId, "decision_id")).execute(),
    db
      .selectFrom("attempt")
      .selectAll()
      .where(hasId(id, "charge_id"))
      .orderBy("id", "desc")
      .limit(maxAttempts)
      .execute(),
    listRefunds(context, tenant, { charge_id: id, limit: String(maxRefunds) }),
    readMoney(db, tenant, id),
  ]);
  const payment = toPaymentRow(row);
  // Processes of an earlier version don't name the session's version.
  const version = row.session_version ?? (row.amount === session?.amount ? session.version : 1);
  const shown = session && (await sessionAtVersion(db, tenant, session, version));
  const others = [...refunds.data, ...money.disputes].map((object) => object.id);
  const objectIds = [id, ...(sessionId === null ? [] : [sessionId]), ...others];
  const events = await eventsOfObjects(db, tenant, objectIds, maxEvents);
  const eventIds = events.map((event) => event.id);
  const deliveries = await deliveriesOfEvents(db, tenant, eventIds, maxDeliveries);

  // In chronological order. The stable sort below keeps this order for entries with the same second.
  const timeline: TimelineEntry[] = [
    ...(shown === null ? [] : [{ at: shown.created, type: "session_created" as const, session: shown }]),
    ...earlier.map((tried) => ({ at: tried.created, type: "earlier_try" as const, payment: tried })),
    { at: decision.created, type: "decision", decision },
    ...inOrder(authentications, attempts),
    ...refunds.data.reverse().map((refund) => {
      const attempt = attempts.find(({ refund_id }) => refund_id === refund.id);
      return {
        at: refund.created,
        type: "refund" as const,
        refund,
        attempt: attempt === undefined ? null : toAttemptInfo(attempt),
      };
    }),
    ...events.reverse().map((event) => ({
      at: unixSeconds(event.created_at),
      type: "event" as const,
      event: toSummary(event),
      deliveries: deliveries.filter(({ event_id }) => event_id === event.id),
    })),
  ];
  timeline.sort((a, b) => a.at - b.at);
  return {
    ...payment,
    ...money,
    later_payment: later ?? null,
    timeline,
    is_cut: refunds.has_more || attempts.length === maxAttempts || events.length === maxEvents,
  };
}

async function readMoney(db: Db, tenant: Tenant, chargeId: string): Promise<PaymentMoney> {
  const [disputes, ledger, attention] = await Promise.all([
    disputesOf(db, tenant, chargeId),
    ledgerOf(db, tenant, chargeId),
    attentionOf(db, tenant, chargeId),
  ]);
  return { disputes, ledger, attention };
}

/** Returns the session's failed payments before this one, oldest first. */
async function readEarlierTries(db: Db, tenant: Tenant, sessionId: string, before: string) {
  const tries = chargeRows(db, tenant, (charges) =>
    charges.where("session_id", "=", sessionId).where("id", "<", before).where("status", "=", "failed"),
  );
  const rows = await tries.orderBy("charge.id", "desc").limit(maxEarlierTries).execute();
  return rows.reverse().map(toPaymentRow);
}

/** Returns the session's newest payment after this one: often the one that succeeded. */
async function readLaterPayment(db: Db, tenant: Tenant, sessionId: string, after: string) {
  const later = db.selectFrom("charge").select(["id", "status"]).where(ownedBy(tenant));
  return await later
    .where("session_id", "=", sessionId)
    .where("id", ">", after)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Sorts authentications and attempts by time. A second authentication follows the first authorization, because its
 * decline required it.
 */
function inOrder(authentications: Row<"authentication">[], attempts: Row<"attempt">[]): TimelineEntry[] {
  const all = [
    ...authentications.map((row) => ({ row, entry: toAuthenticationEntry(row) })),
    ...attempts.flatMap((row) => {
      const entry = toAttemptEntry(row);
      return entry === null ? [] : [{ row, entry }];
    }),
  ];
  return all.sort((a, b) => a.row.created_at.getTime() - b.row.created_at.getTime()).map(({ entry }) => entry);
}

function toAuthenticationEntry(row: Row<"authentication">): TimelineEntry {
  const authentication: AuthenticationInfo = {
    id: row.server_trans_id ?? row.id,
    is_step_up: row.is_step_up,
    status: row.status,
    version: row.version,
    flow: row.flow,
    result: row.result,
    trans_status: row.trans_status,
    trans_status_reason: row.trans_status_reason,
    eci: row.eci,
    liability_shift: isProved(row.result),
    cardholder_info: row.cardholder_info,
  };
  return { at: unixSeconds(row.created_at), type: "authentication", authentication };
}

/** Returns null for a refund's attempt, which is shown with the refund, and for a verification, which has no charge. */
function toAttemptEntry(row: Row<"attempt">): TimelineEntry | null {
  const at = unixSeconds(row.created_at);
  const attempt = toAttemptInfo(row);
  switch (row.kind) {
    case "authorize":
      return { at, type: "authorization", attempt };
    case "capture":
      return { at, type: "capture", attempt };
    case "cancel":
      return { at, type: "cancellation", attempt };
    case "reverse":
      return { at, type: "reversal", attempt };
    case "refund":
    case "verify":
      return null;
  }
}

function toAttemptInfo(row: Row<"attempt">): AttemptInfo {
  return {
    id: row.id,
    kind: row.kind,
    reversal: row.reversal,
    status: row.status,
    accepted: row.accepted_at === null ? null : unixSeconds(row.accepted_at),
    amount: row.amount,
    is_step_up: row.is_step_up,
    calls: row.calls,
    decline_code: row.decline_code,
    acquirer_id: row.acquirer_id,
    authorization_code: row.authorization_code,
    avs_result: row.avs_result,
    cvc_result: row.cvc_result,
    network_transaction_id: row.network_transaction_id,
    refusal_code: row.refusal_code,
    refusal_reason: row.refusal_reason,
    finished: row.finished_at === null ? null : unixSeconds(row.finished_at),
    next_call: row.status === "processing" && row.accepted_at === null ? unixSeconds(row.next_call_at) : null,
  };
}
