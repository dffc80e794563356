/**
 * What must be true of a world once it's quiet: our ledger is the acquirer's, nobody paid twice for an order, every status
 * agrees with the money, no approved payment was reversed without a cause, every decline says why, every event tells the
 * truth, and nothing is open without a plan.
 */
import { fromAdyenAmount } from "../../packages/vault/src/connectors/adyen/amounts.ts";
import { movementsOf, type Entry, type Payment } from "../../packages/sandbox/src/adyen/payment.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import { claimSeconds, repeatSeconds, sendSeconds } from "../../packages/server/src/payments/attempts/deadlines.ts";
import type { Sent } from "./acquirer.ts";
import type { Records } from "../records.ts";
import type { Weather } from "./weather.ts";
import type { Order } from "./world.ts";

/** What is known about a world without asking the service. */
export interface Outside {
  acquirer: {
    ledger: { paymentsOf(reference: string): Payment[] };
    /** Our references of all payments that it has received. */
    references: Iterable<string>;
    /** What the service has sent, by our reference, oldest first. */
    sent: ReadonlyMap<string, readonly Sent[]>;
  };
  /** The charges that the shop has asked to cancel. */
  canceled: ReadonlySet<string>;
  weather: Pick<Weather, "idleWorkers">;
  orders: readonly Pick<Order, "number" | "amount" | "decisions" | "sessions">[];
  /** What the service logged as an error. */
  errors: readonly string[];
  journal: { normalize(text: string): string };
}

/** Returns the differences, each as a sentence. None: everything agrees. */
export function compare(world: Outside, records: Records): string[] {
  const differences: string[] = [];
  for (const check of [
    ledgersAgree,
    everyPaymentIsKnown,
    nobodyPaidTwice,
    statusesAgree,
    nothingIsReversedWithoutCause,
    unknownIsRepeated,
    declinesSayWhy,
    sessionsAgree,
    eventsTellTheTruth,
    nothingIsForgotten,
    nobodyIsToldInVain,
    noErrors,
  ])
    check(world, records, (difference) => differences.push(world.journal.normalize(`${check.name}: ${difference}`)));
  return differences;
}

/** How long a payment whose outcome is unknown is repeated at least. */
const repeatedForMs = 4 * 60_000;
/** The same for what needs no card. The pauses can take a day at the end. */
const repeatedForDaysMs = 5 * 24 * 3_600_000;
/** By then, it was sent for the second time. The worker waits for what others send before, 20 seconds for each call. */
const soonMs = 5 * 60_000;

type Say = (difference: string) => void;
type Charge = Row<"charge">;

/** The acquirer's payments of a charge: one for each authorization. */
function paymentsOf({ acquirer }: Outside, { attempts }: Records, charge: Charge): Payment[] {
  return attempts
    .filter(({ kind, charge_id }) => kind === "authorize" && charge_id === charge.id)
    .flatMap(({ id }) => acquirer.ledger.paymentsOf(id));
}

function ledgersAgree(world: Outside, records: Records, say: Say): void {
  for (const charge of records.charges) {
    const ours = sumByCurrency(records.entries.filter(({ charge_id }) => charge_id === charge.id));
    const merchant = paymentsOf(world, records, charge).flatMap(({ entries }) => entries.filter(isMerchants));
    const theirs = sumByCurrency(merchant.map(toMoney));
    for (const currency of new Set([...ours.keys(), ...theirs.keys()]))
      if ((ours.get(currency) ?? 0) !== (theirs.get(currency) ?? 0))
        say(
          `the ledger of ${charge.id} has ${ours.get(currency) ?? 0} ${currency}, and the acquirer has ${theirs.get(currency) ?? 0}`,
        );
  }
}

/** Each payment at the acquirer belongs to an authorization of ours. */
function everyPaymentIsKnown({ acquirer }: Outside, { attempts }: Records, say: Say): void {
  const known = new Set(attempts.map(({ id }) => id));
  for (const reference of acquirer.references)
    if (!known.has(reference)) say(`the acquirer has a payment for ${reference}, which isn't an attempt`);
}

/** The customer's side: what was captured and not refunded. */
function nobodyPaidTwice(world: Outside, records: Records, say: Say): void {
  for (const order of world.orders) {
    const charges = chargesOf(order, records);
    const paid = charges.flatMap((charge) =>
      paymentsOf(world, records, charge).flatMap((payment) => movementsOf(payment).map(toMoney)),
    );
    const net = paid.reduce((sum, { amount }) => sum + amount, 0);
    const isKnown = charges.some(
      (charge) =>
        isUndoneByHand(records, charge) ||
        isTold(records, "captured_again", ({ charge_id }) => charge_id === charge.id),
    );
    if (net > order.amount && !isKnown) say(`order ${order.number} of ${order.amount} was paid with ${net}`);
  }
}

/**
 * A late approval couldn't be undone, nobody knows if it was, or its capture failed or was repeated after it had been
 * refunded. A person was told.
 */
function isUndoneByHand({ attention, attempts }: Records, charge: Charge): boolean {
  const own = attempts.filter(({ charge_id }) => charge_id === charge.id);
  const reversals = own.filter(({ kind }) => kind === "reverse");
  if (reversals.length === 0) return false;
  return attention.some(({ kind, attempt_id, resolved_at }) => {
    const about = kind === "capture_failed_late" || kind === "captured_again" ? own : reversals;
    return resolved_at === null && about.some(({ id }) => id === attempt_id);
  });
}

function chargesOf({ decisions, sessions }: Outside["orders"][number], { charges }: Records): Charge[] {
  return charges.filter(
    ({ decision_id, session_id }) => decisions.has(decision_id) || (session_id !== null && sessions.has(session_id)),
  );
}

function statusesAgree(world: Outside, records: Records, say: Say): void {
  for (const charge of records.charges) {
    const { id, status, amount_captured, amount_refunded, amount_refunding } = charge;
    const isAbout = (item: { charge_id: string | null }) => item.charge_id === id;
    const own = records.entries.filter(({ charge_id }) => charge_id === id);
    const sumOf = (...kinds: Row<"ledger_entry">["kind"][]) =>
      own.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amount }) => sum + amount, 0);
    const attempts = records.attempts.filter(({ charge_id }) => charge_id === id);
    const refunds = records.refunds.filter(({ charge_id }) => charge_id === id);
    const captured = sumOf("capture");
    const capturedNow = sumOf("capture", "capture_failed", "capture_repeated");
    const net = capturedNow + sumOf("refund", "refund_failed", "refund_reversed", "refund_repeated");
    const reserved = paymentsOf(world, records, charge)
      .flatMap(({ entries }) => entries)
      .filter(({ account }) => account === "reserved")
      .reduce((sum, { value }) => sum + value, 0);
    const refunded = refunds
      .filter((refund) => refund.status === "succeeded")
      .reduce((sum, { amount }) => sum + amount, 0);
    const refunding = refunds
      .filter((refund) => refund.status === "processing" || refund.status === "pending")
      .reduce((sum, { amount }) => sum + amount, 0);
    switch (status) {
      case "succeeded":
        if (captured !== amount_captured)
          say(`${id} says that ${amount_captured} was captured, its ledger ${captured}`);
        if (capturedNow === 0 && refunded === 0 && refunding === 0)
          say(`${id} succeeded, but its capture has failed, and nothing was refunded`);
        if (reserved !== 0 && !isUndoneByHand(records, charge))
          say(`${id} succeeded, but ${reserved} is still reserved`);
        break;
      case "authorized":
        if (net !== 0) say(`${id} is authorized, but the merchant has ${net}`);
        if (reserved === 0 && charge.busy_attempt_id === null) say(`${id} is authorized, but nothing is reserved`);
        break;
      case "canceled":
      case "failed":
        // If the capture and its refund have failed, a refund that's made again is the merchant's loss.
        if (net !== 0 && !isUndoneByHand(records, charge) && !isTold(records, "refunded_again", isAbout))
          say(`${id} is ${status}, but the merchant has ${net}`);
        if (reserved !== 0 && !isUndoneByHand(records, charge)) say(`${id} is ${status}, but ${reserved} is reserved`);
        if (amount_captured !== 0) say(`${id} is ${status}, but says that ${amount_captured} was captured`);
        break;
      case "processing":
        if (net !== 0) say(`${id} is processing, but the merchant has ${net}`);
        break;
    }
    if (refunded !== amount_refunded) say(`${id} says that ${amount_refunded} was refunded, its refunds ${refunded}`);
    if (refunding !== amount_refunding)
      say(`${id} says that ${amount_refunding} is being refunded, its refunds ${refunding}`);
    if (
      (charge.pending_operation !== null) !==
      attempts.some((attempt) => isReservationWork(attempt) && isWaiting(attempt))
    )
      say(`${id} has the pending operation ${charge.pending_operation}, but its attempts don't`);
  }
  for (const refund of records.refunds) {
    const [attempt] = records.attempts.filter(({ refund_id }) => refund_id === refund.id);
    if (attempt === undefined) {
      say(`${refund.id} has no attempt`);
      continue;
    }
    const entered = records.entries
      .filter(({ charge_id, attempt_id }) => charge_id === refund.charge_id && attempt_id === attempt.id)
      .reduce((sum, { amount }) => sum - amount, 0);
    const isRefundedTwice = isTold(records, "refunded_again", ({ attempt_id }) => attempt_id === attempt.id);
    if (
      entered !== (refund.status === "succeeded" ? refund.amount : 0) &&
      !(entered === refund.amount && isRefundedTwice)
    )
      say(`${refund.id} of ${refund.amount} is ${refund.status}, but its ledger has ${entered}`);
    if ((refund.status === "pending") !== isWaiting(attempt))
      say(`${refund.id} is ${refund.status}, but its attempt isn't`);
    else if ((refund.status === "processing" || refund.status === "pending") !== (attempt.status === "processing"))
      say(`${refund.id} is ${refund.status}, but its attempt is ${attempt.status}`);
  }
}

/**
 * The service reverses an approved payment for one of three causes only: the shop has asked to cancel the charge, its capture
 * failed before its outcome was known, or the outcome was still unknown when the payment couldn't be sent again
 * (`docs/acquirers/pending-outcomes.md`). For the third, its time must be over, and it must have been repeated until then,
 * unless no worker was there to do it.
 */
function nothingIsReversedWithoutCause(world: Outside, { attempts }: Records, say: Say): void {
  for (const reversal of attempts.filter(({ kind }) => kind === "reverse")) {
    const { charge_id, is_step_up, created_at } = reversal;
    const authorization = attempts.find(
      (attempt) => attempt.kind === "authorize" && attempt.charge_id === charge_id && attempt.is_step_up === is_step_up,
    );
    if (authorization === undefined || charge_id === null) {
      say(`${reversal.id} reverses nothing`);
      continue;
    }
    const payments = world.acquirer.ledger.paymentsOf(authorization.id);
    const types = payments.flatMap(({ entries }) => entries.map(({ type }) => type));
    if (!types.includes("authorized") || types.includes("capture_failed") || world.canceled.has(charge_id)) continue;
    const first = (authorization.first_called_at ?? authorization.created_at).getTime();
    const end = Math.min(first + repeatSeconds * 1000, authorization.created_at.getTime() + sendSeconds * 1000);
    if (created_at.getTime() < end) say(`${authorization.id} was approved, but is reversed before its time is over`);
    const last = world.acquirer.sent.get(authorization.id)?.at(-1)?.atMs ?? 0;
    // The pauses are short at first, and the last one can take the rest of the time.
    if (last - first < repeatedForMs && world.weather.idleWorkers === 0)
      say(`${authorization.id} was approved, but is reversed and wasn't repeated until its time was over`);
  }
}

/** An authorization whose outcome stays unknown is sent again, unless the shop has asked to cancel the charge. */
function unknownIsRepeated(world: Outside, { attempts }: Records, say: Say): void {
  if (world.weather.idleWorkers > 0) return;
  for (const { id, kind, charge_id, finished_at } of attempts) {
    const sent = world.acquirer.sent.get(id) ?? [];
    if (kind !== "authorize" || sent[0] === undefined || sent.length > 1) continue;
    const isOver = finished_at !== null && finished_at.getTime() - sent[0].atMs < soonMs;
    if (!isOver && !world.canceled.has(charge_id ?? ""))
      say(`the outcome of ${id} was unknown, but it wasn't sent again`);
  }
}

/**
 * A refusal says why, and so must the service if the reply to its first request has arrived in time. That's while the
 * process's claim lasts, which isn't renewed in these worlds.
 */
function declinesSayWhy({ acquirer }: Outside, { attempts }: Records, say: Say): void {
  for (const { id, kind, status, refusal_code, created_at, finished_at } of attempts) {
    if ((kind !== "authorize" && kind !== "verify") || status !== "declined" || finished_at === null) continue;
    const [first] = acquirer.sent.get(id) ?? [];
    const { resultCode, refusalReasonCode } = (first?.reply?.body ?? {}) as Partial<Record<string, string>>;
    if (first === undefined || resultCode === undefined) continue;
    const hasEnded = first.process !== null && (first.process.isDead || first.process.writesLeft < 0);
    const isInTime = finished_at.getTime() - created_at.getTime() < claimSeconds * 1000;
    if (isInTime && !hasEnded && refusal_code !== refusalReasonCode)
      say(`${id} was declined with ${refusalReasonCode}, but says ${refusal_code}`);
  }
}

/** Whether a person was told something that's still open. */
function isTold(
  { attention }: Records,
  kind: Row<"attention">["kind"],
  isAbout: (item: Row<"attention">) => boolean,
): boolean {
  return attention.some((item) => item.kind === kind && item.resolved_at === null && isAbout(item));
}

function isReservationWork({ kind }: Row<"attempt">): boolean {
  return kind === "capture" || kind === "cancel";
}

function repeatsForDays(kind: Row<"attempt">["kind"]): boolean {
  return kind === "capture" || kind === "cancel" || kind === "refund";
}

function isWaiting({ status, accepted_at }: Row<"attempt">): boolean {
  return status === "processing" && accepted_at !== null;
}

function sessionsAgree(_world: Outside, { sessions, charges }: Records, say: Say): void {
  const expected: Partial<Record<Charge["status"], string>> = {
    succeeded: "paid",
    authorized: "authorized",
    processing: "processing",
  };
  for (const { id, mode, payment_status } of sessions) {
    const standing = charges.filter(({ session_id, status }) => session_id === id && status in expected);
    if (standing.length > 1) say(`${id} has ${standing.length} charges that didn't fail`);
    const without = mode === "setup" ? "none" : "unpaid";
    const should = standing[0] === undefined ? without : expected[standing[0].status];
    if (payment_status !== should) say(`${id} is ${payment_status}, but should be ${should}`);
  }
}

function eventsTellTheTruth(_world: Outside, records: Records, say: Say): void {
  const { charges, refunds, disputes, events, attempts } = records;
  const byObject = Map.groupBy(events, ({ object_id }) => object_id);
  const last = (id: string) =>
    (byObject.get(id) ?? []).toSorted((a, b) => a.object_sequence - b.object_sequence).at(-1);
  for (const [id, own] of byObject) {
    const numbers = own.map(({ object_sequence }) => object_sequence).sort((a, b) => a - b);
    if (numbers.some((number, index) => number !== index + 1))
      say(`the events of ${id} have the numbers ${numbers.join(", ")}`);
  }
  for (const charge of charges) {
    const { id, status, amount_captured } = charge;
    const event = last(id);
    const isSteppedUp = attempts.some(({ charge_id, is_step_up }) => charge_id === id && is_step_up);
    if (event === undefined) {
      if (status !== "processing" && status !== "authorized") say(`${id} is ${status}, but no event says so`);
      continue;
    }
    const { object } = event;
    if (object["status"] !== status && !isSteppedUp)
      say(`${id} is ${status}, but the last event ${event.type} says ${String(object["status"])}`);
    else if (object["amount_captured"] !== amount_captured)
      say(
        `${id} captured ${amount_captured}, but the last event ${event.type} says ${String(object["amount_captured"])}`,
      );
    if (status === "succeeded" && !(byObject.get(id) ?? []).some(({ type }) => type === "payment.succeeded"))
      say(`${id} succeeded, but there's no payment.succeeded`);
  }
  for (const refund of refunds) {
    const event = last(refund.id);
    const isFinal = refund.status === "succeeded" || refund.status === "failed";
    if (event === undefined ? isFinal : event.object["status"] !== refund.status)
      say(`${refund.id} is ${refund.status}, but the last event says ${String(event?.object["status"])}`);
  }
  for (const dispute of disputes) {
    const event = last(dispute.id);
    if (event?.object["status"] !== dispute.status)
      say(`${dispute.id} is ${dispute.status}, but the last event says ${String(event?.object["status"])}`);
  }
}

function nothingIsForgotten(world: Outside, records: Records, say: Say): void {
  const { attempts, attention, notifications, charges } = records;
  for (const { id, kind, charge_id, status, next_call_at } of attempts) {
    if (status !== "processing") continue;
    if (isKnownToAcquirer(world, records, id))
      say(`${kind} ${id} is still open, but the acquirer has reported its outcome`);
    const isPlanned = next_call_at.getTime() < Date.parse("2100-01-01");
    const isKnown = attention.some(
      (item) =>
        item.resolved_at === null &&
        (item.attempt_id === id || (item.charge_id !== null && item.charge_id === charge_id)),
    );
    if (!isKnown) say(`${kind} ${id} is still open${isPlanned ? "" : ", and nothing is planned"}`);
    const sent = world.acquirer.sent.get(id) ?? [];
    const repeatedMs = (sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0);
    if (sent.length > 0 && repeatsForDays(kind) && repeatedMs < repeatedForDaysMs)
      say(`${kind} ${id} is still open, but wasn't repeated for a week`);
  }
  for (const { id, status, busy_attempt_id } of charges) {
    const isOpen = attempts.some((attempt) => attempt.charge_id === id && attempt.status === "processing");
    if ((status === "processing" || busy_attempt_id !== null) && !isOpen)
      say(`${id} is ${status}, but no attempt is open`);
  }
  // The acquirer only says what happened, so nothing is unexpected, except a repetition that's reported before the failure.
  const repeated = attempts
    .flatMap(({ id }) => world.acquirer.ledger.paymentsOf(id))
    .flatMap(({ entries }) => entries.filter(({ type }) => type.endsWith("_again")));
  const isExpected = (text: string) => repeated.some(({ pspReference }) => text.includes(pspReference));
  for (const { id, status } of notifications) {
    if (status === "received") say(`the notification ${id} wasn't processed`);
    if (status === "unmatched" && !isExpected(id)) say(`the notification ${id} fits nothing`);
  }
  for (const { kind, subject } of attention)
    if (kind === "unexpected_notification" && !isExpected(subject))
      say(`a person was told about the unexpected notification ${subject}`);
}

/** What a person is still asked to look at needs it. */
function nobodyIsToldInVain(world: Outside, records: Records, say: Say): void {
  for (const { kind, subject, attempt_id, charge_id, resolved_at } of records.attention) {
    if (resolved_at !== null) continue;
    const attempt = records.attempts.find(({ id }) => id === attempt_id);
    const charge = records.charges.find(({ id }) => id === charge_id);
    const isAboutOpen = kind === "outcome_unknown" || kind === "operation_overdue";
    if (isAboutOpen && attempt?.status !== "processing") say(`${kind} about ${subject} wasn't resolved when it ended`);
    if (kind !== "reversal_failed" || charge === undefined) continue;
    const entries = paymentsOf(world, records, charge).flatMap((payment) => payment.entries);
    const isSettled = ["reserved", "merchant"].every(
      (account) =>
        entries.filter((entry) => entry.account === account).reduce((sum, { value }) => sum + value, 0) === 0,
    );
    // A cancellation is declined if the authorization has expired. The service can't tell why.
    const hasExpired = entries.some(({ type }) => type === "expired");
    if (isSettled && !hasExpired) say(`${kind} about ${subject} wasn't necessary`);
  }
}

/** Whether the acquirer has received the operation. Everything that it has to say has been delivered by now. */
function isKnownToAcquirer({ acquirer }: Outside, { attempts }: Records, id: string): boolean {
  const payments = attempts.flatMap((attempt) =>
    attempt.kind === "authorize" ? acquirer.ledger.paymentsOf(attempt.id) : [],
  );
  return payments.some(
    ({ merchantReference, modifications }) =>
      merchantReference === id || modifications.some(({ reference }) => reference === id),
  );
}

function noErrors({ errors }: Outside, _records: Records, say: Say): void {
  for (const error of errors) say(error);
}

function isMerchants({ account }: Entry): boolean {
  return account === "merchant";
}

/** In ISO 4217's unit. */
function toMoney({ value, currency }: Entry): { amount: number; currency: string } {
  const money = fromAdyenAmount(Math.abs(value), currency);
  if (money === null) throw new Error(`Bug: ${value} ${currency} can't be converted`);
  return { ...money, amount: Math.sign(value) * money.amount };
}

function sumByCurrency(entries: readonly { amount: number; currency: string }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { amount, currency } of entries) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return sums;
}
