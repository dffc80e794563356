/**
 * Adyen's ledger: payments, their modifications and disputes, and the notifications about them. No I/O and no timers:
 * time advances with the injected clock, and everything that is due is decided before a method does anything else.
 *
 * A modification gets the response `received`. Its outcome is decided later, in the order in which modifications
 * become due, and then a notification reports it. A technical cancel refers to the latest payment with the reference
 * when it's received. If there's none, it fails, and a payment that arrives later isn't canceled. (Adyen doesn't
 * document this case, and a client must survive the less favorable reading.)
 *
 * The ledger keeps the last four digits of a card number and no other card data.
 */
import { isCurrency } from "@oriel/protocol/currency";
import { defaultKeyLifetimeMs, IdempotencyKeys } from "./idempotency.ts";
import {
  refused,
  type Amount,
  type AmountRequest,
  type CancelRequest,
  type DisputeEventCode,
  type FailureEventCode,
  type ModificationResponse,
  type PaymentRequest,
  type PaymentResponse,
  type Reply,
  type TechnicalCancelRequest,
} from "./messages.ts";
import {
  authorisationItem,
  disputeItem,
  expiryItem,
  failureItem,
  modificationItem,
  repetitionItem,
} from "./notifications.ts";
import {
  balancesOf,
  captureMoves,
  decideCancel,
  decideCapture,
  decideRefund,
  decideReversal,
  disputeMove,
  expiryMove,
  failureMove,
  repetitionMove,
  reservedOf,
  type Balance,
  type Entry,
  type Modification,
  type ModificationKind,
  type Move,
  type Outcome,
  type Payment,
} from "./payment.ts";
import { Payments } from "./payments.ts";
import { refusalFor, type Issuer } from "./refusals.ts";
import { authCodeOf, brandOf, captureDelayMs, modificationReply, paymentResponse } from "./responses.ts";
import { Timeline, type Delays, type Notification } from "./timeline.ts";

export interface AdyenLedgerOptions {
  now: () => Date;
  /** 16 characters, unique. */
  newPspReference: () => string;
  merchantAccount: string;
  issuer: Issuer;
  /** Identifies a request without revealing its card. */
  fingerprint: (operation: string, body: object) => string;
  /** Whether the merchant account has multiple partial captures. Default: false */
  multiplePartialCaptures?: boolean | undefined;
  /** How long an idempotency key is known. Default: 7 days. */
  keyLifetimeMs?: number | undefined;
  /** Default: one second each, and no delay of captures. */
  delays?: Partial<Delays> | undefined;
}

export interface Dispute {
  paymentPspReference: string;
  eventCode: DisputeEventCode;
  /** Default: the payment's amount. */
  amount?: Amount;
  /** Continues the dispute with this reference. If absent, a new dispute is opened. */
  disputePspReference?: string;
  /** The card network's. Default: 10.4, Visa's code for fraud without the card being present. */
  reasonCode?: string;
}

export class AdyenLedger {
  readonly #options: AdyenLedgerOptions;
  readonly #keys: IdempotencyKeys;
  readonly #payments = new Payments();
  readonly #timeline: Timeline;
  /** What happens right after a modification's outcome, by its pspReference. */
  readonly #onceConcluded = new Map<string, (atMs: number) => void>();

  constructor(options: AdyenLedgerOptions) {
    this.#options = options;
    this.#keys = new IdempotencyKeys(options.keyLifetimeMs ?? defaultKeyLifetimeMs);
    this.#timeline = new Timeline(options.delays);
  }

  /** `POST /payments` */
  pay(request: PaymentRequest, idempotencyKey?: string): Reply<PaymentResponse> {
    return this.#process("pay", request, idempotencyKey, (nowMs) => {
      if (!isCurrency(request.amount.currency.toLowerCase()))
        return refused(422, "138", "The currency isn't supported.");
      return { status: 200, body: this.#authorise(request, nowMs) };
    });
  }

  /** `POST /payments/{paymentPspReference}/captures` */
  capture(paymentPspReference: string, request: AmountRequest, idempotencyKey?: string): Reply<ModificationResponse> {
    return this.#modify("capture", paymentPspReference, request, idempotencyKey, (payment, amount) =>
      decideCapture(payment, amount, this.#options.multiplePartialCaptures ?? false),
    );
  }

  /** `POST /payments/{paymentPspReference}/refunds` */
  refund(paymentPspReference: string, request: AmountRequest, idempotencyKey?: string): Reply<ModificationResponse> {
    return this.#modify("refund", paymentPspReference, request, idempotencyKey, decideRefund);
  }

  /** `POST /payments/{paymentPspReference}/cancels` */
  cancel(paymentPspReference: string, request: CancelRequest, idempotencyKey?: string): Reply<ModificationResponse> {
    return this.#modify("cancel", paymentPspReference, request, idempotencyKey, decideCancel);
  }

  /** `POST /payments/{paymentPspReference}/reversals`. Adyen has none with multiple partial captures. */
  reverse(paymentPspReference: string, request: CancelRequest, idempotencyKey?: string): Reply<ModificationResponse> {
    return this.#modify("reversal", paymentPspReference, request, idempotencyKey, (payment, amount) =>
      this.#options.multiplePartialCaptures
        ? { reason: "Not supported with multiple partial captures" }
        : decideReversal(payment, amount),
    );
  }

  /** `POST /cancels` */
  technicalCancel(request: TechnicalCancelRequest, idempotencyKey?: string): Reply<ModificationResponse> {
    return this.#process("technical cancel", request, idempotencyKey, (nowMs) => {
      const { merchantAccount, paymentReference, reference } = request;
      const payment = this.#payments.withReference(paymentReference).at(-1) ?? null;
      const amount = payment?.amount ?? { value: 0, currency: "EUR" };
      const modification = this.#newModification("technical_cancel", reference, amount);
      if (payment !== null) this.#payments.addModification(payment, modification);
      this.#timeline.decide(nowMs, (atMs) => {
        const outcome = payment === null ? { reason: "No payment has this reference" } : decideCancel(payment);
        this.#conclude(payment, modification, outcome, paymentReference, atMs);
      });
      return modificationReply(modification, { merchantAccount, paymentReference });
    });
  }

  /** Runs a request that moves no money. It shares the idempotency keys with the payments, as at Adyen. */
  runOnce<Body extends object>(
    operation: string,
    request: { merchantAccount: string },
    idempotencyKey: string | undefined,
    act: () => Reply<Body>,
  ): Reply<Body> {
    return this.#process(operation, request, idempotencyKey, act);
  }

  /** Adds an event of a dispute. Returns null if the payment is unknown. */
  dispute(dispute: Dispute): { disputePspReference: string } | null {
    const nowMs = this.#advance();
    const payment = this.#payments.find(dispute.paymentPspReference);
    if (payment === undefined) return null;
    const { eventCode, amount = payment.amount, reasonCode = "10.4" } = dispute;
    const pspReference = dispute.disputePspReference ?? this.#options.newPspReference();
    const move = disputeMove(eventCode, amount);
    if (move !== null) enter(payment, [move], pspReference, amount.currency, nowMs);
    const item = disputeItem(payment, { pspReference, eventCode, amount, reasonCode }, this.#context(nowMs));
    this.#timeline.notify(item, nowMs);
    return { disputePspReference: pspReference };
  }

  /**
   * Lets a capture or refund fail after it was done. If its outcome is still open then, it fails right after it was
   * done, unless it's refused. Returns false if there's no capture or refund that can still fail.
   */
  fail(pspReference: string, eventCode: FailureEventCode): boolean {
    const nowMs = this.#advance();
    const found = this.#payments.findModification(pspReference);
    const kinds: ModificationKind[] = eventCode === "CAPTURE_FAILED" ? ["capture"] : ["refund", "reversal"];
    if (found === undefined || !kinds.includes(found.modification.kind)) return false;
    const { payment, modification } = found;
    if (modification.state !== "received" && !canFail(payment, modification)) return false;
    const failNow = (atMs: number) => this.#failLater(payment, modification, eventCode, atMs);
    this.#timeline.decide(nowMs, (atMs) => {
      if (modification.state === "received") this.#onceConcluded.set(pspReference, failNow);
      else failNow(atMs);
    });
    return true;
  }

  #failLater(payment: Payment, modification: Modification, eventCode: FailureEventCode, atMs: number): void {
    if (!canFail(payment, modification)) return;
    modification.state = "failed_later";
    const { pspReference, amount } = modification;
    enter(payment, [failureMove(eventCode, amount)], pspReference, amount.currency, atMs);
    this.#timeline.notify(failureItem(payment, modification, eventCode, this.#context(atMs)), atMs);
  }

  /**
   * Captures or refunds again what failed after it was done, without a request. Adyen doesn't say whether that has a
   * pspReference of its own. Returns null if it hasn't failed.
   */
  repeat(pspReference: string, { hasNewReference }: { hasNewReference: boolean }): Modification | null {
    const nowMs = this.#advance();
    const found = this.#payments.findModification(pspReference);
    if (found?.modification.state !== "failed_later") return null;
    const { payment, modification } = found;
    modification.state = "repeated";
    let repeated = modification;
    if (hasNewReference) {
      repeated = { ...modification, pspReference: this.#options.newPspReference(), state: "done" };
      this.#payments.addModification(payment, repeated);
    }
    enter(payment, [repetitionMove(repeated)], repeated.pspReference, repeated.amount.currency, nowMs);
    this.#timeline.notify(repetitionItem(payment, repeated, this.#context(nowMs)), nowMs);
    return structuredClone(repeated);
  }

  /** Releases what an authorization still reserves. Returns false if it reserves nothing. */
  expire(pspReference: string): boolean {
    const nowMs = this.#advance();
    const payment = this.#payments.find(pspReference);
    const reserved = payment === undefined ? 0 : reservedOf(payment);
    if (payment === undefined || reserved === 0) return false;
    const { currency } = payment.amount;
    const expiryReference = this.#options.newPspReference();
    enter(payment, [expiryMove(payment)], expiryReference, currency, nowMs);
    const item = expiryItem(payment, { value: reserved, currency }, expiryReference, this.#context(nowMs));
    this.#timeline.notify(item, nowMs);
    return true;
  }

  /** Decides at once what is still waiting for its outcome. */
  decideAll(): void {
    this.#timeline.decideAll(this.#advance());
  }

  /** Affects what is requested from now on. */
  setDelays(delays: Partial<Delays>): Delays {
    this.#advance();
    return (this.#timeline.delays = { ...this.#timeline.delays, ...delays });
  }

  /** Removes and returns the due notifications, in the order in which they became due. */
  takeDue(now: Date): Notification[] {
    return this.#timeline.takeDue(now.getTime());
  }

  /** When something happens next: an outcome or a notification. */
  nextDue(): Date | null {
    return this.#timeline.nextDue();
  }

  /** Copies of all payments, oldest first. */
  allPayments(): Payment[] {
    this.#advance();
    return structuredClone([...this.#payments.all()]);
  }

  /** Copies of all payments with this reference, oldest first. */
  paymentsOf(merchantReference: string): Payment[] {
    this.#advance();
    return structuredClone([...this.#payments.withReference(merchantReference)]);
  }

  /** The entries of all payments with this reference, in order for each payment. */
  entriesOf(merchantReference: string): Entry[] {
    return this.paymentsOf(merchantReference).flatMap(({ entries }) => entries);
  }

  /** By currency. */
  balanceOf(merchantReference: string): Record<string, Balance> {
    return balancesOf(this.entriesOf(merchantReference));
  }

  /** Last four digits of the card of a payment. */
  last4Of(pspReference: string): string | null {
    return this.#payments.find(pspReference)?.last4 ?? null;
  }

  #authorise(request: PaymentRequest, nowMs: number): PaymentResponse {
    const { amount, reference: merchantReference, paymentMethod } = request;
    const { outcome, refuses } = this.#options.issuer(request, nowMs);
    const pspReference = this.#options.newPspReference();
    const brand = paymentMethod.brand ?? brandOf(paymentMethod.number);
    const last4 = paymentMethod.number.slice(-4);
    const payment = { pspReference, merchantReference, amount, brand, last4, refuses, entries: [], modifications: [] };
    this.#payments.add(payment);
    if (outcome === "approved" && amount.value > 0) {
      const reserve: Move = { type: "authorized", account: "reserved", value: amount.value };
      enter(payment, [reserve], pspReference, amount.currency, nowMs);
      const chosenMs = captureDelayMs(request);
      const delayMs = chosenMs === null ? null : chosenMs + this.#timeline.delays.captureMs;
      const capture = (atMs: number) => this.#captureAutomatically(payment, atMs);
      if (delayMs === 0) capture(nowMs);
      else if (delayMs !== null) this.#timeline.decide(nowMs, capture, delayMs);
    }
    const refusal = outcome === "approved" ? null : refusalFor(outcome);
    const item = authorisationItem(payment, authCodeOf(pspReference), refusal, this.#context(nowMs));
    this.#timeline.notify(item, nowMs);
    return paymentResponse(payment, request, refusal);
  }

  /** No notification reports it, because there's no request whose outcome it would be. */
  #captureAutomatically(payment: Payment, atMs: number): void {
    const reserved = reservedOf(payment);
    if (reserved === 0) return;
    const { currency } = payment.amount;
    const modification = this.#newModification("capture", undefined, { value: reserved, currency });
    this.#payments.addModification(payment, modification);
    modification.state = "done";
    enter(payment, captureMoves(reserved, reserved), modification.pspReference, currency, atMs);
  }

  #modify(
    kind: Exclude<ModificationKind, "technical_cancel">,
    paymentPspReference: string,
    request: CancelRequest & { amount?: Amount },
    idempotencyKey: string | undefined,
    decide: (payment: Payment, amount: Amount) => Outcome,
  ): Reply<ModificationResponse> {
    return this.#process(`${kind} ${paymentPspReference}`, request, idempotencyKey, (nowMs) => {
      const payment = this.#payments.find(paymentPspReference);
      if (payment === undefined) return refused(422, "167", "No payment has this pspReference.");
      const { merchantAccount, reference, amount } = request;
      const modification = this.#newModification(kind, reference, amount ?? payment.amount);
      this.#payments.addModification(payment, modification);
      this.#timeline.decide(nowMs, (atMs) => {
        const outcome = decide(payment, modification.amount);
        this.#conclude(payment, modification, outcome, reference ?? payment.merchantReference, atMs);
      });
      return modificationReply(modification, {
        merchantAccount,
        paymentPspReference,
        ...(amount === undefined ? {} : { amount }),
      });
    });
  }

  #conclude(
    payment: Payment | null,
    modification: Modification,
    outcome: Outcome,
    merchantReference: string,
    atMs: number,
  ): void {
    const reason = "reason" in outcome ? outcome.reason : null;
    modification.state = reason === null ? "done" : "refused";
    if (payment !== null && "moves" in outcome)
      enter(payment, outcome.moves, modification.pspReference, payment.amount.currency, atMs);
    const item = modificationItem(payment, modification, merchantReference, reason, this.#context(atMs));
    this.#timeline.notify(item, atMs);
    this.#onceConcluded.get(modification.pspReference)?.(atMs);
    this.#onceConcluded.delete(modification.pspReference);
  }

  #process<Body extends object>(
    operation: string,
    request: { merchantAccount: string },
    idempotencyKey: string | undefined,
    act: (nowMs: number) => Reply<Body>,
  ): Reply<Body> {
    const nowMs = this.#advance();
    if (request.merchantAccount !== this.#options.merchantAccount)
      return refused(403, "901", "The merchant account is invalid.");
    const fingerprint = this.#options.fingerprint(operation, request);
    return this.#keys.run(idempotencyKey, fingerprint, nowMs, () => act(nowMs));
  }

  /** Decides everything that is due and returns the current time. */
  #advance(): number {
    const nowMs = this.#options.now().getTime();
    this.#timeline.advance(nowMs);
    return nowMs;
  }

  #newModification(kind: ModificationKind, reference: string | undefined, amount: Amount): Modification {
    const pspReference = this.#options.newPspReference();
    return { kind, pspReference, reference: reference ?? null, amount, state: "received" };
  }

  #context(atMs: number) {
    return { merchantAccountCode: this.#options.merchantAccount, atMs };
  }
}

/** A reversal that canceled the payment moved no money that could come back. */
function canFail(payment: Payment, { state, pspReference }: Modification): boolean {
  return (
    state === "done" &&
    !payment.entries.some((entry) => entry.pspReference === pspReference && entry.type === "canceled")
  );
}

function enter(payment: Payment, moves: readonly Move[], pspReference: string, currency: string, atMs: number): void {
  const at = new Date(atMs).toISOString();
  payment.entries.push(...moves.map((move) => ({ ...move, currency, pspReference, at })));
}
