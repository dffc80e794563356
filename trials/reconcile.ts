/**
 * Reconciles our records with the acquirer's, once everything is quiet: our ledger is the acquirer's, each attempt
 * was processed once and with the same outcome, nobody paid twice for an order, nobody paid a total that no form
 * showed, every payment is for the version that it names, every status agrees with the money, no approved payment was reversed without a cause, every decline says
 * why, every event tells the truth, and nothing is open without a plan. Both `chaos.ts` and `simulate.ts` use it.
 */
import { movementsOf } from "../packages/sandbox/src/adyen/payment.ts";
import { claimSeconds, repeatSeconds, sendSeconds } from "../packages/server/src/payments/attempts/deadlines.ts";
import type { AttemptKind, Row } from "../packages/server/src/platform/storage/tables.ts";
import type { AcquirerPayment, AcquirerRecord } from "./acquirer-records.ts";
import type { Records } from "./records.ts";

/** What is known without asking the service. */
export interface Evidence {
  /** Everything that the acquirer has recorded. */
  payments: readonly AcquirerPayment[];
  /** Whether it also has a record of each request that it declined. */
  recordsDeclines: boolean;
  /** What the service has sent, by our reference, oldest first. Empty if nobody watched. */
  sent: ReadonlyMap<string, readonly Sent[]>;
  /** Whether workers paused for minutes, so that things were sent too late. */
  workersPaused: boolean;
  /** The IDs of the notifications that the service accepted. */
  accepted: Iterable<string>;
  /**
   * The charges that the shop has asked to cancel. Null if no approved payment may be reversed, because processes are
   * back within seconds and every client waits.
   */
  canceled: ReadonlySet<string> | null;
  orders: readonly Order[];
  /** What the service logged as an error. */
  errors: readonly string[];
}

/** A request that the service has sent. */
export interface Sent {
  atMs: number;
  /** What the service has received. Null if nothing has arrived. */
  reply: { body: unknown } | null;
  /** The process that has sent it. */
  process: { isDead: boolean; writesLeft: number } | null;
}

/** Something that a customer wants to buy once. */
export interface Order {
  number: number;
  /** If it's paid in a session, the session's amount may change. */
  amount: number;
  /** The total, by the session's version, that the form showed when the customer pressed Pay. */
  pressed: ReadonlyMap<number, number>;
  /** All decisions and sessions that were made for it. */
  decisions: ReadonlySet<string>;
  sessions: ReadonlySet<string>;
}

/** Returns the differences, each as a sentence. None: everything agrees. */
export function reconcile(evidence: Evidence, records: Records): string[] {
  const differences: string[] = [];
  for (const check of [
    ledgersAgree,
    attemptsAgree,
    nobodyPaidTwice,
    nobodyPaidUnseenTotals,
    statusesAgree,
    refundsAgree,
    nothingIsReversedWithoutCause,
    unknownIsRepeated,
    declinesSayWhy,
    sessionsAgree,
    versionsAgree,
    eventsAgree,
    nothingIsForgotten,
    notificationsAreProcessed,
    attentionIsNeeded,
    noErrors,
  ])
    check(evidence, records, (difference) => differences.push(`${check.name}: ${difference}`));
  return differences;
}

/** The shortest time for which a payment with an unknown outcome is repeated. */
const repeatedForMs = 4 * 60_000;
/** The same for what needs no card. The pauses can take a day at the end. */
const repeatedForDaysMs = 5 * 24 * 3_600_000;
/** A request without a response must have been sent again by then. The worker may first have other calls to make, of 20 seconds each. */
const soonMs = 5 * 60_000;

type Report = (difference: string) => void;
type Charge = Row<"charge">;
type Attempt = Row<"attempt">;

/** The acquirer's payments of a charge: one for each authorization. */
function paymentsOf({ payments }: Evidence, { attempts }: Records, charge: Charge): AcquirerPayment[] {
  const own = attempts.filter(({ kind, charge_id }) => kind === "authorize" && charge_id === charge.id);
  return payments.filter(({ reference }) => own.some(({ id }) => id === reference));
}

function ledgersAgree(evidence: Evidence, records: Records, report: Report): void {
  for (const charge of records.charges) {
    const ours = sumByCurrency(records.entries.filter(({ charge_id }) => charge_id === charge.id));
    const entries = paymentsOf(evidence, records, charge).flatMap((payment) => payment.entries);
    const merchant = entries.filter(({ account }) => account === "merchant");
    const theirs = sumByCurrency(merchant.map(({ value, currency }) => ({ amount: value, currency })));
    for (const currency of new Set([...ours.keys(), ...theirs.keys()]))
      if ((ours.get(currency) ?? 0) !== (theirs.get(currency) ?? 0))
        report(
          `the ledger of ${charge.id} has ${ours.get(currency) ?? 0} ${currency}, and the acquirer has ${theirs.get(currency) ?? 0}`,
        );
  }
}

const recordKinds: Record<AttemptKind, AcquirerRecord["kind"][]> = {
  authorize: ["authorization"],
  verify: ["authorization"],
  capture: ["capture"],
  cancel: ["cancel"],
  refund: ["refund"],
  reverse: ["cancel", "refund", "reversal", "technical_cancel"],
};

/** Each attempt was processed at most once, each of the acquirer's records is about one, and the outcomes are the same. */
function attemptsAgree({ payments, recordsDeclines }: Evidence, { attempts, entries }: Records, report: Report): void {
  const theirs = Map.groupBy(
    payments.flatMap((payment): AcquirerRecord[] => [payment, ...payment.operations]),
    ({ reference }) => reference,
  );
  const known = new Set(attempts.map(({ id }) => id));
  for (const [reference, [record]] of theirs)
    if (reference !== null && !known.has(reference))
      report(`the acquirer has the ${record?.kind} ${reference}, which isn't an attempt`);
  for (const attempt of attempts) {
    const { id, kind, status, decline_code, amount, acquirer_id } = attempt;
    const [record, ...more] = theirs.get(id) ?? [];
    if (more.length > 0) report(`the acquirer processed the ${kind} ${id} ${more.length + 1} times`);
    if (status === "processing") continue; // `nothingIsForgotten`
    if (record === undefined) {
      if (status === "approved" || recordsDeclines)
        report(`the ${kind} ${id} is ${status}, but the acquirer has no record of it`);
      continue;
    }
    if (!recordKinds[kind].includes(record.kind)) report(`the ${kind} ${id} is a ${record.kind} at the acquirer`);
    if (
      record.status !== null &&
      record.status !== status &&
      !isUndone(attempt, payments, attempts) &&
      !failedEarly(attempt, entries)
    )
      report(`the ${kind} ${id} is ${status}, but ${record.status} at the acquirer`);
    if (recordsDeclines && record.declineCode !== decline_code)
      report(`the ${kind} ${id} has the decline code ${decline_code}, but ${record.declineCode} at the acquirer`);
    if (status !== "approved") continue;
    if (record.amount !== null && record.amount !== amount)
      report(`the ${kind} ${id} is for ${amount}, but for ${record.amount} at the acquirer`);
    if (record.acquirerId !== null && record.acquirerId !== acquirer_id)
      report(`the ${kind} ${id} has the acquirer's ID ${acquirer_id}, but is ${record.acquirerId} there`);
  }
}

/**
 * An approval that was reversed, or whose capture failed before its outcome was known, is a declined attempt. Other
 * checks make sure that nothing is left of it.
 */
function isUndone(
  { id, kind, charge_id, is_step_up }: Attempt,
  payments: readonly AcquirerPayment[],
  attempts: readonly Attempt[],
): boolean {
  if (kind !== "authorize") return false;
  const reversal = attempts.find(
    (other) => other.kind === "reverse" && other.charge_id === charge_id && other.is_step_up === is_step_up,
  );
  const [payment] = payments.filter(({ reference }) => reference === id);
  return reversal !== undefined || payment?.entries.some(({ type }) => type === "capture_failed") === true;
}

/** A capture or refund is declined because its failure was reported before its outcome. */
function failedEarly({ id, status }: Attempt, entries: readonly Row<"ledger_entry">[]): boolean {
  const own = entries.filter(({ attempt_id }) => attempt_id === id);
  const createdAt = (...kinds: Row<"ledger_entry">["kind"][]) =>
    own.find(({ kind }) => kinds.includes(kind))?.created_at.getTime();
  const failedAt = createdAt("capture_failed", "refund_failed", "refund_reversed");
  return status === "declined" && failedAt !== undefined && failedAt <= (createdAt("capture", "refund") ?? Infinity);
}

/** The customer's side: what was captured and not refunded. */
function nobodyPaidTwice(evidence: Evidence, records: Records, report: Report): void {
  for (const order of evidence.orders) {
    const charges = chargesOf(order, records);
    const paid = charges.flatMap((charge) => paymentsOf(evidence, records, charge).flatMap(movementsOf));
    const net = paid.reduce((sum, { value }) => sum + value, 0);
    const isKnown = charges.some(
      (charge) =>
        isUndoneByHand(records, charge) ||
        hasOpenItem(records, "captured_again", ({ charge_id }) => charge_id === charge.id),
    );
    const session = records.sessions.find(({ id }) => order.sessions.has(id));
    const amount = session?.amount ?? order.amount;
    if (net > amount && !isKnown) report(`order ${order.number} of ${amount} was paid with ${net}`);
  }
}

function nobodyPaidUnseenTotals({ orders }: Evidence, records: Records, report: Report): void {
  for (const order of orders)
    for (const { id, session_id, session_version, amount } of chargesOf(order, records))
      if (session_id !== null && order.pressed.get(session_version ?? 0) !== amount)
        report(`${id} of order ${order.number} is for ${amount}, which no form showed when Pay was pressed`);
  for (const { id, version } of records.sessions.filter(isCompleteWithoutPayment)) {
    const order = orders.find(({ sessions }) => sessions.has(id));
    if (order?.pressed.get(version) !== 0)
      report(`${id} was completed for 0, which no form showed when Pay was pressed`);
  }
}

function isCompleteWithoutPayment({ status, payment_decision_id }: Row<"checkout_session">): boolean {
  return status === "complete" && payment_decision_id === null;
}

/**
 * A late approval couldn't be undone, nobody knows if it was, or its capture failed or was repeated after it had been
 * refunded. It's listed under "Needs attention".
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

function chargesOf({ decisions, sessions }: Order, { charges }: Records): Charge[] {
  return charges.filter(
    ({ decision_id, session_id }) => decisions.has(decision_id) || (session_id !== null && sessions.has(session_id)),
  );
}

function statusesAgree(evidence: Evidence, records: Records, report: Report): void {
  for (const charge of records.charges) {
    const { id, status, amount_captured, amount_refunded, amount_refunding } = charge;
    const isAbout = (item: { charge_id: string | null }) => item.charge_id === id;
    const own = records.entries.filter(({ charge_id }) => charge_id === id);
    const sumOf = (...kinds: Row<"ledger_entry">["kind"][]) =>
      own.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amount }) => sum + amount, 0);
    const attempts = records.attempts.filter(({ charge_id }) => charge_id === id);
    const refunds = records.refunds.filter(({ charge_id }) => charge_id === id);
    const isApproved = attempts.some(({ kind, status: outcome }) => kind === "authorize" && outcome === "approved");
    const isReversed = attempts.some(({ kind }) => kind === "reverse");
    const captured = sumOf("capture");
    const capturedNow = sumOf("capture", "capture_failed", "capture_repeated");
    const net = capturedNow + sumOf("refund", "refund_failed", "refund_reversed", "refund_repeated");
    const payments = paymentsOf(evidence, records, charge);
    for (const { amount } of payments)
      if (amount !== charge.amount) report(`${id} is for ${charge.amount}, but for ${amount} at the acquirer`);
    const reserved = payments
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
          report(`${id} says that ${amount_captured} was captured, its ledger ${captured}`);
        if (capturedNow === 0 && refunded === 0 && refunding === 0)
          report(`${id} succeeded, but its capture has failed, and nothing was refunded`);
        if (reserved !== 0 && !isUndoneByHand(records, charge))
          report(`${id} succeeded, but ${reserved} is still reserved`);
        break;
      case "authorized":
        if (net !== 0) report(`${id} is authorized, but the merchant has ${net}`);
        if (amount_captured !== 0) report(`${id} is ${status}, but says that ${amount_captured} was captured`);
        if (reserved === 0 && charge.busy_attempt_id === null) report(`${id} is authorized, but nothing is reserved`);
        break;
      case "canceled":
      case "failed":
        // If the capture and its refund have failed, a refund that's made again is the merchant's loss.
        if (net !== 0 && !isUndoneByHand(records, charge) && !hasOpenItem(records, "refunded_again", isAbout))
          report(`${id} is ${status}, but the merchant has ${net}`);
        if (reserved !== 0 && !isUndoneByHand(records, charge))
          report(`${id} is ${status}, but ${reserved} is reserved`);
        if (amount_captured !== 0) report(`${id} is ${status}, but says that ${amount_captured} was captured`);
        if (status === "canceled" && !isApproved) report(`${id} is canceled, but wasn't authorized`);
        if (status === "failed" && isApproved && !isReversed && captured === 0)
          report(`${id} is failed, but was authorized and not reversed`);
        break;
      case "processing":
        if (net !== 0) report(`${id} is processing, but the merchant has ${net}`);
        if (amount_captured !== 0) report(`${id} is ${status}, but says that ${amount_captured} was captured`);
        break;
    }
    if (refunded !== amount_refunded)
      report(`${id} says that ${amount_refunded} was refunded, its refunds ${refunded}`);
    if (refunding !== amount_refunding)
      report(`${id} says that ${amount_refunding} is being refunded, its refunds ${refunding}`);
    if (
      (charge.pending_operation !== null) !==
      attempts.some((attempt) => isReservationWork(attempt) && isWaiting(attempt))
    )
      report(`${id} has the pending operation ${charge.pending_operation}, but its attempts don't`);
  }
}

function refundsAgree(_evidence: Evidence, records: Records, report: Report): void {
  for (const refund of records.refunds) {
    const [attempt] = records.attempts.filter(({ refund_id }) => refund_id === refund.id);
    if (attempt === undefined) {
      report(`${refund.id} has no attempt`);
      continue;
    }
    const entered = records.entries
      .filter(({ charge_id, attempt_id }) => charge_id === refund.charge_id && attempt_id === attempt.id)
      .reduce((sum, { amount }) => sum - amount, 0);
    const isRefundedTwice = hasOpenItem(records, "refunded_again", ({ attempt_id }) => attempt_id === attempt.id);
    if (
      entered !== (refund.status === "succeeded" ? refund.amount : 0) &&
      !(entered === refund.amount && isRefundedTwice)
    )
      report(`${refund.id} of ${refund.amount} is ${refund.status}, but its ledger has ${entered}`);
    if ((refund.status === "pending") !== isWaiting(attempt))
      report(`${refund.id} is ${refund.status}, but its attempt isn't`);
    else if ((refund.status === "processing" || refund.status === "pending") !== (attempt.status === "processing"))
      report(`${refund.id} is ${refund.status}, but its attempt is ${attempt.status}`);
  }
}

/**
 * The service reverses an approved payment for one of three causes only: the shop has asked to cancel the charge, its
 * capture failed before its outcome was known, or the outcome was still unknown when the payment couldn't be sent again
 * (`docs/acquirers/pending-outcomes.md`). For the third, its time must be over, and it must have been repeated until
 * then, unless no worker was there to do it.
 */
function nothingIsReversedWithoutCause(evidence: Evidence, { attempts }: Records, report: Report): void {
  for (const reversal of attempts.filter(({ kind }) => kind === "reverse")) {
    const { charge_id, is_step_up, created_at } = reversal;
    const authorization = attempts.find(
      (attempt) => attempt.kind === "authorize" && attempt.charge_id === charge_id && attempt.is_step_up === is_step_up,
    );
    if (authorization === undefined || charge_id === null) {
      report(`${reversal.id} reverses nothing`);
      continue;
    }
    if (evidence.canceled === null) {
      report(`${authorization.id} was given up and reversed`);
      continue;
    }
    const payments = evidence.payments.filter(({ reference }) => reference === authorization.id);
    const types = payments.flatMap(({ entries }) => entries.map(({ type }) => type));
    if (!types.includes("authorized") || types.includes("capture_failed") || evidence.canceled.has(charge_id)) continue;
    const first = (authorization.first_called_at ?? authorization.created_at).getTime();
    const end = Math.min(first + repeatSeconds * 1000, authorization.created_at.getTime() + sendSeconds * 1000);
    if (created_at.getTime() < end) report(`${authorization.id} was approved, but is reversed before its time is over`);
    const last = evidence.sent.get(authorization.id)?.at(-1)?.atMs ?? 0;
    // The pauses are short at first, and the last one can take the rest of the time.
    if (last - first < repeatedForMs && !evidence.workersPaused)
      report(`${authorization.id} was approved, but is reversed and wasn't repeated until its time was over`);
  }
}

/** An authorization whose outcome stays unknown is sent again, unless the shop has asked to cancel the charge. */
function unknownIsRepeated(evidence: Evidence, { attempts }: Records, report: Report): void {
  if (evidence.workersPaused) return;
  for (const { id, kind, charge_id, finished_at } of attempts) {
    const sent = evidence.sent.get(id) ?? [];
    if (kind !== "authorize" || sent[0] === undefined || sent.length > 1) continue;
    const wasQuick = finished_at !== null && finished_at.getTime() - sent[0].atMs < soonMs;
    if (!wasQuick && !evidence.canceled?.has(charge_id ?? ""))
      report(`the outcome of ${id} was unknown, but it wasn't sent again`);
  }
}

/**
 * A refusal says why, and so must the service if the reply to its first request has arrived in time. That's while the
 * process's claim lasts, which isn't renewed in these worlds.
 */
function declinesSayWhy({ sent }: Evidence, { attempts }: Records, report: Report): void {
  for (const { id, kind, status, refusal_code, created_at, finished_at } of attempts) {
    if ((kind !== "authorize" && kind !== "verify") || status !== "declined" || finished_at === null) continue;
    const [first] = sent.get(id) ?? [];
    const { resultCode, refusalReasonCode } = (first?.reply?.body ?? {}) as Partial<Record<string, string>>;
    if (first === undefined || resultCode === undefined) continue;
    const hasEnded = first.process !== null && (first.process.isDead || first.process.writesLeft < 0);
    const isInTime = finished_at.getTime() - created_at.getTime() < claimSeconds * 1000;
    if (isInTime && !hasEnded && refusal_code !== refusalReasonCode)
      report(`${id} was declined with ${refusalReasonCode}, but says ${refusal_code}`);
  }
}

/** Whether something like this still needs attention. */
function hasOpenItem(
  { attention }: Records,
  kind: Row<"attention">["kind"],
  isAbout: (item: Row<"attention">) => boolean,
): boolean {
  return attention.some((item) => item.kind === kind && item.resolved_at === null && isAbout(item));
}

function isReservationWork({ kind }: Attempt): boolean {
  return kind === "capture" || kind === "cancel";
}

function repeatsForDays(kind: AttemptKind): boolean {
  return kind === "capture" || kind === "cancel" || kind === "refund";
}

function isWaiting({ status, accepted_at }: Attempt): boolean {
  return status === "processing" && accepted_at !== null;
}

function sessionsAgree(_evidence: Evidence, { sessions, charges, events }: Records, report: Report): void {
  const expected: Partial<Record<Charge["status"], string>> = {
    succeeded: "paid",
    authorized: "authorized",
    processing: "processing",
  };
  for (const { id, mode, status, payment_status, payment_decision_id, promotion_code_entries } of sessions) {
    const notFailed = charges.filter((charge) => charge.session_id === id && charge.status in expected);
    if (notFailed.length > 1) report(`${id} has ${notFailed.length} charges that didn't fail`);
    const without = mode === "setup" ? "none" : "unpaid";
    const should = notFailed[0] === undefined ? without : expected[notFailed[0].status];
    if (payment_status !== should) report(`${id} is ${payment_status}, but should be ${should}`);
    const hasCharge = charges.some(({ decision_id }) => decision_id === payment_decision_id);
    const own = events.filter(({ object_id }) => object_id === id);
    const requests = own.filter(({ type }) => type === "checkout_session.update_requested");
    if (requests.length !== promotion_code_entries)
      report(`${promotion_code_entries} codes were entered in ${id}, but ${requests.length} events say so`);
    const completions = own.filter(({ type }) => type === "checkout_session.completed");
    const expectedEvents = status === "complete" && !hasCharge ? 1 : 0;
    if (completions.length !== expectedEvents)
      report(
        `${id} is ${status} and has ${completions.length} events of its completion, but should have ${expectedEvents}`,
      );
  }
}

type Version = Pick<Row<"session_version">, "version" | "amount" | "line_items" | "shipping_options"> &
  Pick<Row<"session_version">, "shipping_option" | "discounts" | "tax_amount">;

/**
 * Each version costs as much as its parts, each payment is for the version that it names, and each promotion code took
 * effect once. In these worlds, only a code changes which discounts there are.
 */
function versionsAgree(_evidence: Evidence, { sessions, versions, charges }: Records, report: Report): void {
  const replaced = Map.groupBy(versions, ({ session_id }) => session_id);
  const paid = Map.groupBy(charges, ({ session_id }) => session_id);
  for (const session of sessions) {
    if (session.mode === "setup") continue;
    const { id, status, payment_decision_id, promotion_code_entries, promotion_codes_without_effect } = session;
    const earlier = (replaced.get(id) ?? []).toSorted((a, b) => a.version - b.version);
    const own: Version[] = [...earlier, { ...session, amount: Number(session.amount) }];
    if (own.some(({ version }, index) => version !== index + 1))
      report(`${id} has the versions ${own.map(({ version }) => version).join(", ")}`);
    for (const version of own) {
      if (version.line_items.length > 0 && version.amount !== sumOfParts(version))
        report(
          `version ${version.version} of ${id} is for ${version.amount}, but its parts for ${sumOfParts(version)}`,
        );
      const names = version.discounts.map(({ name }) => name);
      if (new Set(names).size !== names.length)
        report(`version ${version.version} of ${id} has the same discount twice`);
    }
    for (const charge of paid.get(id) ?? []) {
      const named = own.find(({ version }) => version === charge.session_version);
      if (named?.amount !== charge.amount)
        report(
          `${charge.id} is for ${charge.amount}, but version ${charge.session_version} of ${id} for ${named?.amount}`,
        );
    }
    if (status === "complete" && payment_decision_id === null && session.amount !== 0)
      report(`${id} was completed without a payment, but is for ${session.amount}`);
    const namesOf = ({ discounts }: Version) => discounts.map(({ name }) => name).join();
    const effects = own.filter(
      (version, index) => index > 0 && namesOf(version) !== namesOf(own[index - 1] ?? version),
    );
    const withEffect = promotion_code_entries - promotion_codes_without_effect;
    if (effects.length !== withEffect)
      report(`${withEffect} codes took effect in ${id}, but its discounts changed ${effects.length} times`);
  }
}

function sumOfParts({ line_items, shipping_options, shipping_option, discounts, tax_amount }: Version): number {
  const items = line_items.reduce((sum, { amount, quantity }) => sum + amount * quantity, 0);
  const shipping = shipping_options.find(({ id }) => id === shipping_option)?.amount ?? 0;
  return items + shipping - discounts.reduce((sum, { amount }) => sum + amount, 0) + (tax_amount ?? 0);
}

function eventsAgree(_evidence: Evidence, records: Records, report: Report): void {
  const { charges, refunds, disputes, events, attempts } = records;
  const byObject = Map.groupBy(events, ({ object_id }) => object_id);
  const last = (id: string) =>
    (byObject.get(id) ?? []).toSorted((a, b) => a.object_sequence - b.object_sequence).at(-1);
  for (const [id, own] of byObject) {
    const numbers = own.map(({ object_sequence }) => object_sequence).sort((a, b) => a - b);
    if (numbers.some((number, index) => number !== index + 1))
      report(`the events of ${id} have the numbers ${numbers.join(", ")}`);
  }
  for (const charge of charges) {
    const { id, status, amount_captured } = charge;
    const event = last(id);
    const isSteppedUp = attempts.some(({ charge_id, is_step_up }) => charge_id === id && is_step_up);
    if (event === undefined) {
      if (status !== "processing" && status !== "authorized") report(`${id} is ${status}, but no event says so`);
      continue;
    }
    const { object } = event;
    if (object["status"] !== status && !isSteppedUp)
      report(`${id} is ${status}, but the last event ${event.type} says ${String(object["status"])}`);
    else if (object["amount_captured"] !== amount_captured)
      report(
        `${id} captured ${amount_captured}, but the last event ${event.type} says ${String(object["amount_captured"])}`,
      );
    if (status === "succeeded" && !(byObject.get(id) ?? []).some(({ type }) => type === "payment.succeeded"))
      report(`${id} succeeded, but there's no payment.succeeded`);
  }
  for (const refund of refunds) {
    const event = last(refund.id);
    const isFinal = refund.status === "succeeded" || refund.status === "failed";
    if (event === undefined ? isFinal : event.object["status"] !== refund.status)
      report(`${refund.id} is ${refund.status}, but the last event says ${String(event?.object["status"])}`);
  }
  for (const dispute of disputes) {
    const event = last(dispute.id);
    if (event?.object["status"] !== dispute.status)
      report(`${dispute.id} is ${dispute.status}, but the last event says ${String(event?.object["status"])}`);
  }
}

function nothingIsForgotten(evidence: Evidence, records: Records, report: Report): void {
  const { attempts, attention, charges } = records;
  const recorded = new Set(
    evidence.payments.flatMap(({ reference, operations }) => [reference, ...operations.map((one) => one.reference)]),
  );
  for (const { id, kind, charge_id, status, next_call_at } of attempts) {
    if (status !== "processing") continue;
    // Everything that the acquirer has to say has been delivered by now.
    if (recorded.has(id)) report(`${kind} ${id} is still open, but the acquirer has reported its outcome`);
    const isPlanned = next_call_at.getTime() < Date.parse("2100-01-01");
    const isKnown = attention.some(
      (item) =>
        item.resolved_at === null &&
        (item.attempt_id === id || (item.charge_id !== null && item.charge_id === charge_id)),
    );
    if (!isKnown) report(`${kind} ${id} is still open${isPlanned ? "" : ", and nothing is planned"}`);
    const sent = evidence.sent.get(id) ?? [];
    const repeatedMs = (sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0);
    if (sent.length > 0 && repeatsForDays(kind) && repeatedMs < repeatedForDaysMs)
      report(`${kind} ${id} is still open, but wasn't repeated for a week`);
  }
  for (const { id, status, busy_attempt_id } of charges) {
    const isOpen = attempts.some((attempt) => attempt.charge_id === id && attempt.status === "processing");
    if ((status === "processing" || busy_attempt_id !== null) && !isOpen)
      report(`${id} is ${status}, but no attempt is open`);
  }
}

/**
 * The acquirer only says what happened, so no notification is unexpected, except a repetition that's reported before
 * the failure.
 */
function notificationsAreProcessed({ payments, accepted }: Evidence, records: Records, report: Report): void {
  const { notifications, attention } = records;
  const stored = new Set(notifications.map(({ id }) => id));
  for (const id of accepted) if (!stored.has(id)) report(`the notification ${id} was accepted, but isn't stored`);
  const repeated = payments.flatMap(({ entries }) => entries.filter(({ type }) => type.endsWith("_again")));
  const isExpected = (text: string) => repeated.some(({ pspReference }) => text.includes(pspReference));
  for (const { id, status } of notifications) {
    if (status === "received") report(`the notification ${id} wasn't processed`);
    if (status === "unmatched" && !isExpected(id)) report(`the notification ${id} fits nothing`);
  }
  for (const { kind, subject } of attention)
    if (kind === "unexpected_notification" && !isExpected(subject))
      report(`an item was raised for the unexpected notification ${subject}`);
}

/** What a person is still asked to look at needs it. */
function attentionIsNeeded(evidence: Evidence, records: Records, report: Report): void {
  for (const { kind, subject, attempt_id, charge_id, resolved_at } of records.attention) {
    if (resolved_at !== null) continue;
    const attempt = records.attempts.find(({ id }) => id === attempt_id);
    const charge = records.charges.find(({ id }) => id === charge_id);
    const isAboutOpen = kind === "outcome_unknown" || kind === "operation_overdue";
    if (isAboutOpen && attempt?.status !== "processing")
      report(`${kind} about ${subject} wasn't resolved when it ended`);
    if (kind !== "reversal_failed" || charge === undefined) continue;
    const entries = paymentsOf(evidence, records, charge).flatMap((payment) => payment.entries);
    const isSettled = ["reserved", "merchant"].every(
      (account) =>
        entries.filter((entry) => entry.account === account).reduce((sum, { value }) => sum + value, 0) === 0,
    );
    // A cancellation is declined if the authorization has expired. The service can't tell why.
    const hasExpired = entries.some(({ type }) => type === "expired");
    if (isSettled && !hasExpired) report(`${kind} about ${subject} wasn't necessary`);
  }
}

function noErrors({ errors }: Evidence, _records: Records, report: Report): void {
  for (const error of errors) report(error);
}

function sumByCurrency(entries: readonly { amount: number; currency: string }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { amount, currency } of entries) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return sums;
}
