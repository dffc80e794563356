/**
 * A payment covers everything from the customer's encrypted card to the outcome. It has the same ID as its decision.
 * This file handles the iframe's requests. The individual steps are in other files.
 *
 * ```
 * startPayment --(card not enrolled in 3-D Secure)--> charge
 *      |
 *      +--> three_ds --authenticatePayment--> charge | challenge | decoupled | declined | three_ds (at a vendor, once)
 *              ^                                |         +------------+
 *              |                                |         the RReq (threeds/receive-result) or cancelPayment
 *              +---- the issuer requires authentication, once (threeds/step-up)
 * ```
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { FramePaymentRequest } from "@oriel/protocol/frame";
import type { CardSummary, Enrollment, StoreCardResult } from "@oriel/vault";
import { accountName, acquirerForPayments } from "../../merchants/accounts/accounts.ts";
import { acquirerMissing, requireAcquirerFor, requireLiveModeOn } from "../../merchants/accounts/live-mode.ts";
import { ApiError } from "../../platform/errors.ts";
import { keyValues } from "../../platform/idempotency/idempotency.ts";
import { newId } from "../../platform/ids.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import type { AttemptToRun } from "../attempts/subject.ts";
import type { PaymentContext } from "../context.ts";
import { expireDecisionOf, insertDecision, newDecision } from "../decisions/decision-state.ts";
import { eraseCard } from "../payment-methods/erase-card.ts";
import { refuseCardData } from "../payment-methods/refuse-card-data.ts";
import { admit } from "../risk/admission.ts";
import { assess, isConfirmed, type Assessment } from "../risk/assess.ts";
import { beginTry, deleteTry } from "../risk/card-attempts.ts";
import { findPayer, type Payer, type PayerTraits } from "../risk/payers.ts";
import { findSession } from "../sessions/checkout-sessions.ts";
import {
  givenUp,
  inProgress,
  sessionChanged,
  sessionClosed,
  shownRefusal,
  type Shown,
} from "../sessions/page-refusals.ts";
import { claimForPayment, needsCard } from "../sessions/session-state.ts";
import { judge } from "../threeds/outcome.ts";
import { continuePayment } from "./continue-payment.ts";
import { failPayment } from "./fail-payment.ts";
import { authenticate, openAuthentication, type BrowserSeen } from "./threeds/authentications.ts";
import { conclude } from "./threeds/conclude.ts";
import { endOverdue, findOverdue } from "./threeds/overdue.ts";
import { refreshAttempt, waitForAttempt } from "./wait-for-attempt.ts";

/** Cards that weren't erased earlier expire from the vault one day after the session could still need them. */
const cardRetentionMs = 24 * 60 * 60 * 1000;

/**
 * Stores the card and continues the payment until it ends or needs the customer.
 *
 * @returns the payment's ID
 */
export async function startPayment(
  context: PaymentContext,
  session: Row<"checkout_session">,
  request: FramePaymentRequest,
  seen: Pick<BrowserSeen, "ip" | "userAgent">,
): Promise<string> {
  const { vault, now } = context;
  const startedAt = now();
  refuseCardData(request.billing_details);
  refuseIfEnded(session, startedAt);
  const shown = shownBy(request, session);
  if (shown.version !== session.version) throw sessionChanged();
  if (shown.payment_round !== session.payment_round) throw givenUp();
  if (!needsCard(session)) throw cardNotNeeded();
  const tenant = tenantOf(session);
  requireLiveModeOn(context, tenant);
  const choice = await acquirerForPayments(context.db, tenant);
  if (choice === null) throw sessionClosed();
  const acquirer = await requireAcquirerFor(context, tenant, choice.acquirerAccountId);
  const id = newId("dec", startedAt, tenant);
  const cardTry = { tenant, decisionId: id, sessionId: session.id, ip: seen.ip, ...moneyToAuthorize(session) };
  await beginTry(context, cardTry);
  const paymentMethodId = newId("pm", startedAt, tenant);
  const stored = await vault.storeCard({
    message: request.card,
    sessionId: session.id,
    paymentMethodId,
    accountNo: session.account_no,
    acquirer,
    eraseAt: new Date(session.expires_at.getTime() + cardRetentionMs),
  });
  if (!stored.ok) {
    await deleteTry(context.db, id);
    throw cardMessageRefused(stored.refusal);
  }

  try {
    const { threeDS } = acquirer;
    const enrollment: EnrollmentIfKnown =
      threeDS.kind === "vendor"
        ? "at_vendor"
        : await threeDS.enrollment({ paymentMethodId, accountNo: session.account_no });
    const traits = { fingerprint: stored.fingerprint, device: deviceOf(request) };
    const payer = await findPayer(context, tenant, traits);
    const isReturning = payer?.kind === "returning";
    const risk = await assess(context, cardTry, { fingerprint: stored.fingerprint, isReturning });
    const card = { id: paymentMethodId, summary: stored.summary, ...traits, enrollment };
    const { acquirerAccountId } = choice;
    const payment = { id, acquirerAccountId, card, risk, payer, request, seen };
    const attempt = await beginPayment(context, session, payment, startedAt);
    if (attempt !== null) await waitForAttempt(context, attempt);
    return id;
  } catch (error) {
    // If no payment was created, nothing else would erase this card before it expires.
    if (!(await hasPaymentMethod(context, paymentMethodId))) {
      await deleteTry(context.db, id);
      await vault.erase([paymentMethodId]);
    }
    throw error;
  }
}

interface PaymentToBegin {
  /** The ID of the payment and of its decision. */
  id: string;
  /** The one with which the enrollment was determined. */
  acquirerAccountId: string | null;
  card: { id: string; summary: CardSummary; enrollment: EnrollmentIfKnown } & PayerTraits;
  risk: Assessment;
  /** Null if no risk rules apply. */
  payer: Payer | null;
  request: FramePaymentRequest;
  seen: Pick<BrowserSeen, "ip" | "userAgent">;
}

/** `at_vendor`: the vendor's 3DS Server finds out once the payment has a decision. */
type EnrollmentIfKnown = Enrollment | "at_vendor";

/**
 * The transaction that creates a payment. If the session can't be claimed, nothing is written. A vendor's 3DS Server is
 * called afterward.
 *
 * @returns the attempt to run, or null if the acquirer isn't called yet
 */
async function beginPayment(
  context: PaymentContext,
  session: Row<"checkout_session">,
  { id, acquirerAccountId, card, request, seen, payer, risk: assessed }: PaymentToBegin,
  now: Date,
): Promise<AttemptToRun | null> {
  const { enrollment } = card;
  const { decision, attempt } = await context.db.transaction().execute(async (tx) => {
    // An approved decision that expired unused must not block the customer until the sweeper runs.
    await expireDecisionOf(tx, session.id, now);
    const shown = shownBy(request, session);
    const claimed = await claimForPayment(tx, session.id, id, shown, now);
    if (claimed === undefined) throw await claimRefusal(tx, session, shown, now);
    await tx
      .insertInto("payment_method")
      .values(paymentMethodRow(session, card, request.billing_details, now))
      .execute();
    const tenant = tenantOf(session);
    const money = moneyToAuthorize(claimed);
    const admission = await admit(
      tx,
      { tenant, decisionId: id, sessionId: session.id, ...money },
      { ...card, canChallenge: typeof enrollment === "object" && enrollment !== null },
      { risk: assessed, payer },
      now,
    );
    const row = newDecision(
      tenant,
      {
        id,
        session_id: session.id,
        payment_method_id: card.id,
        ...firstVerdict(enrollment, admission.risk, context.config.threeDSecure),
        ...money,
        risk_level: admission.risk.level,
        risk_reasons: admission.risk.reasons,
        payer: admission.payer,
        has_token: admission.token === "bucket",
        has_reserve: admission.token === "reserve",
        request_id: request.request_id ?? null,
      },
      now,
    );
    const key = keyValues(context, tenant, null, null);
    const decision = await insertDecision(tx, row, { key, mustBeSaved: false });
    if (decision === undefined) throw acquirerMissing();
    // The account got another acquirer just now, which would need another kind of 3-D Secure. The page sends a new
    // request.
    if (decision.acquirer_account_id !== acquirerAccountId) throw acquirerChanged();
    if (decision.status === "declined") {
      await failPayment(context, tx, decision);
    } else if (decision.status === "approved") {
      return { decision, attempt: await continuePayment(context, tx, decision) };
    } else if (enrollment !== null && enrollment !== "unknown") {
      const browser = { ...seen, fields: request.browser, challengeWindowSize: request.challenge_window_size };
      await openAuthentication(tx, decision, enrollment === "at_vendor" ? null : enrollment, browser, now);
    }
    return { decision, attempt: null };
  });
  if (decision.status === "declined") await eraseCard(context, card.id);
  if (decision.status === "requires_action" && enrollment === "at_vendor")
    return await authenticate(context, decision, await accountName(context.db, decision.account_no));
  return attempt;
}

/** The random ID that the checkout page keeps in this browser. Only its hash is stored. */
function deviceOf({ device }: FramePaymentRequest): Buffer | null {
  return device === undefined ? null : createHash("sha256").update(device).digest();
}

/**
 * Returns the decision's status before 3-D Secure. `unknown` means that nobody could tell whether the card is enrolled.
 * With `at_vendor`, it may be.
 */
function firstVerdict(
  enrollment: EnrollmentIfKnown,
  risk: Assessment,
  policy: PaymentContext["config"]["threeDSecure"],
) {
  const mayBeEnrolled = enrollment !== null && enrollment !== "unknown";
  if (risk.verdict === "decline")
    return { status: "declined", decline_code: "risk_rejected", three_ds_result: null } as const;
  if (mayBeEnrolled) return { status: "requires_action", decline_code: null, three_ds_result: null } as const;
  const three_ds_result = enrollment === null ? "not_supported" : "unavailable";
  const verdict = judge(three_ds_result, { policy });
  if (!verdict.ok) return { status: "declined", decline_code: verdict.declineCode, three_ds_result } as const;
  const frictionless = { result: three_ds_result, flow: null } as const;
  return isConfirmed({ risk_level: risk.level, risk_reasons: risk.reasons }, frictionless)
    ? ({ status: "approved", decline_code: null, three_ds_result } as const)
    : ({ status: "declined", decline_code: "risk_rejected", three_ds_result } as const);
}

/**
 * In mode `setup`, nothing is paid. The currency is then only a placeholder, because the 3-D Secure message requires
 * one.
 */
function moneyToAuthorize({ mode, amount, currency }: Pick<Row<"checkout_session">, "mode" | "amount" | "currency">): {
  amount: number;
  currency: string;
} {
  if (mode === "setup") return { amount: 0, currency: currency ?? "eur" };
  if (amount === null || currency === null) throw new Error("Bug: a payment session has no amount or currency");
  return { amount, currency };
}

async function hasPaymentMethod({ db }: PaymentContext, id: string): Promise<boolean> {
  return (await db.selectFrom("payment_method").select("id").where(hasId(id)).executeTakeFirst()) !== undefined;
}

/**
 * Starts the authentication once the 3DS Method has ended, successfully or not. Repeated calls have no further effect.
 */
export async function authenticatePayment(context: PaymentContext, decision: Row<"decision">): Promise<void> {
  const attempt = await authenticate(context, decision, await accountName(context.db, decision.account_no));
  if (attempt !== null) await waitForAttempt(context, attempt);
}

/**
 * Updates the payment of a waiting customer: ends an overdue authentication, and checks an unknown outcome with the
 * acquirer.
 */
export async function refreshPayment(context: PaymentContext, decisionId: string): Promise<void> {
  for (const overdue of await findOverdue(context, { decisionId })) await endOverdue(context, overdue);
  const open = await context.db
    .selectFrom("attempt")
    .select("id")
    .where(hasId(decisionId, "decision_id"))
    // With parameters, a prepared statement couldn't use the index of these kinds.
    .where(sql<boolean>`kind in ('authorize', 'verify')`)
    .where("status", "=", "processing")
    .executeTakeFirst();
  if (open !== undefined) await refreshAttempt(context, open.id);
}

/** Cancels a payment during or before the challenge. Does nothing once the authentication is complete. */
export async function cancelPayment(context: PaymentContext, decision: Row<"decision">): Promise<void> {
  const authentication = await context.db
    .selectFrom("authentication")
    .select(["account_no", "livemode", "id"])
    .where(hasId(decision.id, "decision_id"))
    .where("status", "!=", "complete")
    .executeTakeFirst();
  if (authentication === undefined) return;
  await conclude(context, authentication, "canceled");
}

/**
 * Refuses a closed session before the card is stored. Whether a payment is in progress is checked later, when the
 * session is claimed.
 */
function refuseIfEnded(session: Row<"checkout_session">, now: Date): void {
  if (session.status === "open" && (session.payment_decision_id !== null || session.expires_at > now)) return;
  throw sessionClosed();
}

/**
 * Pages that were loaded before rounds or versions were introduced don't send them. They know only the first version.
 */
function shownBy(request: FramePaymentRequest, session: Row<"checkout_session">): Shown {
  return { payment_round: request.payment_round ?? session.payment_round, version: request.version ?? 1 };
}

async function claimRefusal(tx: Tx, session: Row<"checkout_session">, shown: Shown, now: Date): Promise<ApiError> {
  return shownRefusal(await findSession(tx, tenantOf(session), session.id), shown, now) ?? inProgress();
}

function cardNotNeeded(): ApiError {
  return new ApiError(
    "parameter_invalid",
    "The total of this checkout session is 0 and it saves no card. Complete it without one.",
    { param: "card" },
  );
}

function acquirerChanged(): ApiError {
  return new ApiError(
    "card_message_stale",
    "This account's acquirer changed during the request. Nothing was charged. Open the session again and send a new request.",
    { param: "card" },
  );
}

type CardRefusal = Extract<StoreCardResult, { ok: false }>["refusal"];

function cardMessageRefused(refusal: CardRefusal): ApiError {
  return new ApiError(refusal, refusalMessages[refusal], { param: "card" });
}

const refusalMessages: Record<CardRefusal, string> = {
  card_message_stale:
    "The encrypted card data has expired or was already used. Encrypt the card data again with the key and nonce in this response.",
  card_message_invalid: "The encrypted card data can't be read. Check the card number, expiry date and security code.",
  not_a_test_card: "Test mode accepts only the published test cards. This card number wasn't stored.",
};

function paymentMethodRow(
  session: Row<"checkout_session">,
  { id, summary, fingerprint, device }: PaymentToBegin["card"],
  billing: FramePaymentRequest["billing_details"],
  now: Date,
) {
  return {
    id,
    fingerprint,
    device,
    billing_details: billing === undefined || Object.keys(billing).length === 0 ? null : JSON.stringify(billing),
    account_no: session.account_no,
    livemode: session.livemode,
    session_id: session.id,
    brand: summary.brand,
    last4: summary.last4,
    exp_month: summary.expMonth,
    exp_year: summary.expYear,
    network: summary.network,
    created_at: now,
  };
}
