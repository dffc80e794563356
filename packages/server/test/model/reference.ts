/**
 * The reference model: what the service should do, in plain assignments. It has no database, no transactions and no
 * concurrency, and each command is one step.
 *
 * It uses the world's clock. "Due" means the same as in the service: when the acquirer doesn't respond, a worker checks
 * again after the pauses below, or a reader does after at least one second. If the acquirer doesn't know an
 * authorization, the service resends it for fifteen minutes or until it is withdrawn, and it fails five minutes later.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type {
  Expected,
  ModelAttempt,
  ModelCharge,
  ModelDecision,
  ModelPaymentMethod,
  ModelRefund,
  ModelRequest,
  ModelSession,
  Outcome,
} from "./objects.ts";
import type { Clock, When } from "./world.ts";

/** Pauses between checks. The next one is the longest pause here that isn't longer than the attempt has been open. */
const pausesMs = [1_000, 2_000, 5_000, 10_000, 20_000, 300_000, 3_600_000, 86_400_000];
const claimMs = 4_000;
const sendMs = 15 * 60_000;
const inFlightMs = 5 * 60_000;
export const decisionMs = 15 * 60_000;
export const challengeMs = 10.5 * 60_000;
const maxFailures = 5;

export class Reference {
  readonly clock: Clock;
  fault: { when: When; always: boolean } | null = null;
  death: When | null = null;
  readonly sessions: ModelSession[] = [];
  readonly decisions: ModelDecision[] = [];
  readonly charges: ModelCharge[] = [];
  readonly refunds: ModelRefund[] = [];
  readonly attempts: ModelAttempt[] = [];
  readonly methods: ModelPaymentMethod[] = [];
  readonly requests: ModelRequest[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get now(): number {
    return this.clock.ms;
  }

  /** Stores an attempt. No process has run it yet. */
  begin(
    attempt: Pick<ModelAttempt, "kind" | "decision" | "charge" | "refund" | "amount">,
    isStepUp = false,
  ): ModelAttempt {
    const begun: ModelAttempt = {
      isStepUp,
      ...attempt,
      atBank: null,
      outcome: null,
      createdAt: this.now,
      withdrawnAt: null,
      calls: 0,
      nextCallAt: this.now,
      claimedUntil: 0,
      request: null,
    };
    this.attempts.push(begun);
    return begun;
  }

  /** Creates a charge that consumes a decision. */
  beginCharge(decision: ModelDecision, amount: number, captureMethod: ModelCharge["captureMethod"]): ModelAttempt {
    const charge = this.#addCharge(decision, amount, captureMethod);
    decision.status = "consumed";
    if (decision.session !== null) decision.session.paymentStatus = "processing";
    decision.attempt = this.begin({ kind: "authorize", decision, charge, refund: null, amount });
    return decision.attempt;
  }

  /** Calls the acquirer if the attempt is due. Returns "died" if the process died. */
  call(attempt: ModelAttempt, wanted: boolean): "settled" | "unknown" | "died" | "left" {
    if (attempt.outcome !== null || attempt.claimedUntil > this.now) return "left";
    if (!wanted && attempt.nextCallAt > this.now + 5_000) return "left";
    attempt.calls += 1;
    attempt.claimedUntil = this.now + claimMs;
    const known = attempt.calls > 1 ? this.#lookUp(attempt) : null;
    const said = known ?? this.#tooLate(attempt) ?? this.#operate(attempt);
    if (said === "died") return "died";
    if (said === "silence") {
      const pause = pausesMs.findLast((ms) => ms <= this.now - attempt.createdAt) ?? 1_000;
      const end = lastSend(attempt) + inFlightMs;
      const next = Math.min(this.now + pause, end > this.now ? end : Infinity);
      if (attempt.nextCallAt <= this.now) attempt.nextCallAt = next;
      attempt.claimedUntil = this.now + 1_000;
      return "unknown";
    }
    this.#settle(attempt, said);
    return "settled";
  }

  /** The response to the request that created an attempt. */
  responseTo(attempt: ModelAttempt): Expected {
    const called = this.call(attempt, true);
    if (called === "died") return { status: 500, code: "internal_error" };
    const { outcome, refund, charge } = attempt;
    if (outcome === null) return { status: 503, code: "payment_outcome_unknown" };
    if (outcome !== "approved") return { status: 402, code: "card_declined", declineCode: outcome };
    return { status: 200, body: refund === null ? showCharge(charge) : showRefund(refund) };
  }

  /**
   * What follows automatically from a session's approved decision. Returns null if the merchant's server creates the
   * charge.
   */
  goOn(decision: ModelDecision, session: ModelSession): ModelAttempt | null {
    if (decision.amount === 0) {
      decision.status = "consumed";
      decision.attempt = this.begin({ kind: "verify", decision, charge: null, refund: null, amount: 0 });
      return decision.attempt;
    }
    if (session.confirmation === "server") return null;
    return this.beginCharge(decision, decision.amount, session.captureMethod);
  }

  /** Ends 3-D Secure. Returns the attempt to run. */
  conclude(decision: ModelDecision, declineCode: DeclineCode | null): ModelAttempt | null {
    const { session, authentication } = decision;
    if (session === null || authentication === null || authentication.status === "complete") return null;
    authentication.status = "complete";
    if (authentication.isStepUp) return this.#concludeStepUp(decision, session, declineCode);
    if (declineCode === null) {
      decision.status = "approved";
      decision.expiresAt = this.now + decisionMs;
      return this.goOn(decision, session);
    }
    decision.status = "declined";
    decision.declineCode = declineCode;
    if (decision.amount === 0) this.#release(session);
    else this.#fail(this.#addCharge(decision, decision.amount, "automatic"), declineCode);
    return null;
  }

  /** Ends a step-up: the acquirer required authentication after all. */
  #concludeStepUp(
    decision: ModelDecision,
    session: ModelSession,
    declineCode: DeclineCode | null,
  ): ModelAttempt | null {
    const { attempt: first } = decision;
    if (first === null) throw new Error("Bug: a step-up without a first attempt");
    if (declineCode === null) {
      const { kind, charge, amount } = first;
      decision.attempt = this.begin({ kind, decision, charge, refund: null, amount }, true);
      return decision.attempt;
    }
    decision.declineCode = declineCode;
    if (first.charge === null) this.#release(session);
    else this.#fail(first.charge, declineCode);
    return null;
  }

  /** Expires an approved decision that is out of time and frees its session. */
  expireDecision(decision: ModelDecision): void {
    if (!runsOut(decision) || decision.expiresAt > this.now) return;
    decision.status = "expired";
    if (decision.session?.payment === decision) decision.session.payment = null;
  }

  endSession(session: ModelSession, status: "expired" | "canceled"): void {
    session.status = status;
    if (status === "expired") session.events.push("checkout_session.expired");
  }

  /** What a worker does in one run. */
  work(): void {
    for (const decision of this.decisions) {
      const { authentication } = decision;
      if (authentication !== null && authentication.deadline <= this.now)
        this.conclude(decision, "authentication_timed_out");
    }
    for (const decision of this.decisions) this.expireDecision(decision);
    for (const session of this.sessions) {
      const isUnclaimed = session.status === "open" && session.payment === null;
      if (isUnclaimed && session.expiresAt <= this.now) this.endSession(session, "expired");
    }
    for (const attempt of this.attempts) this.call(attempt, false);
  }

  /** Returns null if the acquirer has no record of it. */
  #lookUp(attempt: ModelAttempt): Outcome | "silence" | null {
    if (this.fault?.when !== "before") return attempt.atBank;
    if (!this.fault.always) this.fault = null;
    return "silence";
  }

  /** The result of an attempt that the acquirer has no record of. Returns null if it may still be sent. */
  #tooLate(attempt: ModelAttempt): Outcome | "silence" | null {
    const last = lastSend(attempt);
    if (this.now < last) return null;
    return attempt.calls > 1 && this.now < last + inFlightMs ? "silence" : "processing_error";
  }

  #operate(attempt: ModelAttempt): Outcome | "silence" | "died" {
    const { death, fault } = this;
    this.death = null;
    if (death === "before") return "died";
    if (fault?.always === false) this.fault = null;
    if (fault?.when !== "before") attempt.atBank = bankOutcome(attempt);
    if (death === "after") return "died";
    return fault === null ? (attempt.atBank ?? "silence") : "silence";
  }

  #settle(attempt: ModelAttempt, outcome: Outcome): void {
    attempt.outcome = outcome;
    const { kind, charge, refund, request, decision } = attempt;
    if (outcome === "authentication_required" && !attempt.isStepUp && isCustomerPresent(decision)) {
      decision.authentication = { status: "method", deadline: this.now + challengeMs, isStepUp: true };
      return;
    }
    if (request !== null) request.stored = { status: outcome === "approved" ? 200 : 402, text: null };
    if (charge === null) return this.#settleVerification(decision, outcome);
    if (kind === "authorize") return this.#settleAuthorization(charge, outcome);
    if (refund !== null) return settleRefund(charge, refund, outcome);
    charge.busy = null;
    if (outcome !== "approved")
      return void charge.events.push(kind === "capture" ? "charge.capture_failed" : "charge.cancel_failed");
    const { session } = charge.decision;
    charge.status = kind === "capture" ? "succeeded" : "canceled";
    charge.events.push(kind === "capture" ? "payment.succeeded" : "charge.canceled");
    if (kind === "capture") charge.captured = attempt.amount;
    if (session !== null) session.paymentStatus = kind === "capture" ? "paid" : "unpaid";
  }

  #settleAuthorization(charge: ModelCharge, outcome: Outcome): void {
    if (outcome !== "approved") return this.#fail(charge, outcome);
    const isTaken = charge.captureMethod === "automatic";
    charge.status = isTaken ? "succeeded" : "authorized";
    charge.captured = isTaken ? charge.amount : 0;
    charge.events.push(isTaken ? "payment.succeeded" : "charge.authorized");
    const { session, method } = charge.decision;
    if (session === null) return;
    session.status = "complete";
    session.paymentStatus = isTaken ? "paid" : "authorized";
    if (session.saves) save(method);
  }

  #settleVerification(decision: ModelDecision, outcome: Outcome): void {
    const { session, method } = decision;
    if (session === null) throw new Error("Bug: a verification without its session");
    if (outcome !== "approved") return this.#release(session);
    session.status = "complete";
    session.events.push("checkout_session.completed");
    save(method);
  }

  #fail(charge: ModelCharge, declineCode: DeclineCode): void {
    charge.status = "failed";
    charge.declineCode = declineCode;
    charge.events.push("payment_failed");
    if (charge.decision.session !== null) this.#release(charge.decision.session);
  }

  /** After a failure. The fifth one ends the session. */
  #release(session: ModelSession): void {
    session.payment = null;
    session.paymentStatus = session.mode === "setup" ? "none" : "unpaid";
    session.failed += 1;
    if (session.failed >= maxFailures) this.endSession(session, "expired");
  }

  #addCharge(decision: ModelDecision, amount: number, captureMethod: ModelCharge["captureMethod"]): ModelCharge {
    const charge: ModelCharge = {
      id: null,
      events: [],
      decision,
      status: "processing",
      captureMethod,
      amount,
      captured: 0,
      refunded: 0,
      refunding: 0,
      busy: null,
      declineCode: null,
    };
    this.charges.push(charge);
    return charge;
  }
}

/** The time after which an attempt is no longer sent. */
function lastSend({ kind, createdAt, withdrawnAt }: ModelAttempt): number {
  if (kind !== "authorize" && kind !== "verify") return Infinity;
  return Math.min(createdAt + sendMs, withdrawnAt ?? Infinity);
}

function settleRefund(charge: ModelCharge, refund: ModelRefund, outcome: Outcome): void {
  charge.refunding -= refund.amount;
  if (outcome === "approved") charge.refunded += refund.amount;
  refund.status = outcome === "approved" ? "succeeded" : "failed";
  refund.declineCode = outcome === "approved" ? null : outcome;
  refund.events.push(outcome === "approved" ? "refund.succeeded" : "refund.failed");
}

/** Whether the customer completed 3-D Secure in this payment, on a page that continues automatically. */
function isCustomerPresent({ session, authentication, amount }: ModelDecision): boolean {
  const continues = session?.confirmation === "automatic" || amount === 0;
  return session !== null && continues && authentication !== null;
}

/** Expects only requests that are possible, because the service has already refused the others. */
function bankOutcome({ kind, decision, isStepUp }: ModelAttempt): Outcome {
  const { says, refuses, threeDS } = decision.method.card;
  switch (kind) {
    case "authorize":
    case "verify":
      return threeDS === "soft" && !isStepUp ? "authentication_required" : says;
    case "capture":
    case "refund":
      return refuses === kind ? "generic_decline" : "approved";
    case "cancel":
      return "approved";
  }
}

/** A detached card stays detached, even if the payment that was to save it succeeds. */
function save(method: ModelPaymentMethod): void {
  method.reusable = !method.detached;
}

/** Whether the decision has a time limit. One that requires authentication ends with the authentication instead. */
export function runsOut({ status, authentication }: ModelDecision): boolean {
  return status === "approved" || (status === "requires_action" && authentication === null);
}

export function showCharge(charge: ModelCharge | null): object {
  if (charge === null) throw new Error("Bug: no charge to show");
  return {
    object: "charge",
    status: charge.status,
    amount: charge.amount,
    amount_captured: charge.captured,
    amount_refunded: charge.refunded,
    capture_method: charge.captureMethod,
  };
}

export function showRefund({ status, amount }: ModelRefund): object {
  return { object: "refund", status, amount };
}
