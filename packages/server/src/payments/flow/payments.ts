/**
 * A payment: one try of a customer's to pay a session, from the encrypted card to the outcome. Its id is its
 * decision's. This file leads from the iframe's requests to the outcome; the steps are in other files.
 *
 * ```
 * startPayment --(card takes no part in 3DS)--> charge
 *      |
 *      +--> three_ds --authenticatePayment--> charge | challenge | decoupled | declined
 *              ^                                |         +------------+
 *              |                                |         the bank's RReq (threeds/receive-result) or cancelPayment
 *              +---- the bank wants the customer after all, once (threeds/step-up)
 * ```
 */
import type { FramePaymentRequest } from "@oriel/protocol/frame";
import { accountName, takesPayments } from "../../merchants/accounts/accounts.ts";
import { requireBank } from "../../merchants/accounts/live-mode.ts";
import type { CardRangeOf, CardSummary, StoreCardResult } from "@oriel/vault";
import { refreshAttempt, waitForAttempt } from "./wait-for-attempt.ts";
import type { PaymentContext } from "../context.ts";
import { expireDecisions, insertDecision } from "../decisions/decision-state.ts";
import { ApiError } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import { assess, isConfirmed, type Assessment } from "../risk/assess.ts";
import { beginTry, forgetTry } from "../risk/card-tries.ts";
import { claimForPayment } from "../sessions/session-state.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { modeOf, tenantOf } from "../../platform/tenant.ts";
import { authenticate, openAuthentication, type BrowserSeen } from "./threeds/authentications.ts";
import { conclude } from "./threeds/conclude.ts";
import { judge } from "../threeds/outcome.ts";
import { endOverdue, findOverdue } from "./threeds/overdue.ts";
import { beginAutomatically } from "./begin-automatically.ts";
import { eraseCard } from "../payment-methods/erase-card.ts";
import { failPayment } from "./fail-payment.ts";
import { refuseCardData } from "../payment-methods/refuse-card-data.ts";

/** A card is kept a day longer than its session could need it, in case nobody erases it before. */
const keepCardMs = 24 * 60 * 60 * 1000;

/** Takes a card and goes as far as it can without the customer. Returns the payment's id. */
export async function startPayment(
  context: PaymentContext,
  session: Row<"checkout_session">,
  request: FramePaymentRequest,
  seen: Pick<BrowserSeen, "ip" | "userAgent">,
): Promise<string> {
  const { vault, now } = context;
  const startedAt = now();
  refuseCardData(request.billing_details);
  refuseIfOver(session, startedAt);
  if (roundOf(request, session) !== session.payment_round) throw givenUp();
  const tenant = tenantOf(session);
  const bank = requireBank(context, tenant);
  if (!(await takesPayments(context.db, tenant))) throw sessionClosed();
  const id = newId("dec", startedAt);
  const cardTry = { tenant, decisionId: id, sessionId: session.id, ip: seen.ip, ...moneyOf(session) };
  await beginTry(context, cardTry);
  const paymentMethodId = newId("pm", startedAt);
  const stored = await vault.storeCard({
    message: request.card,
    sessionId: session.id,
    paymentMethodId,
    accountId: session.account_id,
    mode: modeOf(tenant),
    keepUntil: new Date(session.expires_at.getTime() + keepCardMs),
  });
  if (!stored.ok) {
    await forgetTry(context.db, id);
    throw cardMessageRefused(stored.refusal);
  }

  try {
    const range = await bank.cardRange({ paymentMethodId, accountId: session.account_id });
    const risk = await assess(context, cardTry, stored.fingerprint);
    const card = { id: paymentMethodId, summary: stored.summary, fingerprint: stored.fingerprint, range };
    const attemptId = await beginPayment(context, session, { id, card, risk, request, seen }, startedAt);
    if (attemptId !== null) await waitForAttempt(context, attemptId);
    return id;
  } catch (error) {
    // Unless the payment stands, nobody would come for its card before its time is over.
    if (!(await hasPaymentMethod(context, paymentMethodId))) {
      await forgetTry(context.db, id);
      await vault.erase([paymentMethodId]);
    }
    throw error;
  }
}

interface PaymentToBegin {
  /** The decision's. */
  id: string;
  card: { id: string; summary: CardSummary; fingerprint: Buffer; range: CardRangeOf };
  risk: Assessment;
  request: FramePaymentRequest;
  seen: Pick<BrowserSeen, "ip" | "userAgent">;
}

/**
 * The transaction that makes a payment: the session is claimed, or nothing is written. Returns the attempt to run, if
 * the bank is to be asked.
 */
async function beginPayment(
  context: PaymentContext,
  session: Row<"checkout_session">,
  { id, card, risk, request, seen }: PaymentToBegin,
  now: Date,
): Promise<string | null> {
  const { range } = card;
  const first = firstVerdict(range, risk, context.config.threeDSecure);
  const begun = await context.db.transaction().execute(async (tx) => {
    // An approved decision that nobody charged with in time must not stand in the customer's way until the sweeper
    // comes.
    await expireDecisions(tx, { sessionId: session.id }, now);
    const round = roundOf(request, session);
    if (!(await claimForPayment(tx, session.id, id, round, now))) throw await whyNotClaimed(tx, session, round, now);
    await tx
      .insertInto("payment_method")
      .values(paymentMethodRow(session, card, request.billing_details, now))
      .execute();
    const decision = await insertDecision(
      tx,
      tenantOf(session),
      {
        id,
        session_id: session.id,
        payment_method_id: card.id,
        ...first,
        ...moneyOf(session),
        risk_level: risk.level,
        risk_reasons: risk.reasons,
        request_id: request.request_id ?? null,
      },
      now,
    );
    if (decision.status === "declined") {
      await failPayment(context, tx, decision);
    } else if (decision.status === "approved") {
      return await beginAutomatically(context, tx, decision);
    } else if (range !== null && range !== "unknown") {
      const browser = { ...seen, fields: request.browser, challengeWindowSize: request.challenge_window_size };
      await openAuthentication(tx, decision, range, browser, now);
    }
    return null;
  });
  if (first.status === "declined") await eraseCard(context, card.id);
  return begun;
}

/**
 * What can be said before the customer's bank is asked. `unavailable`: nobody knows whether the card takes part in 3-D
 * Secure.
 */
function firstVerdict(range: CardRangeOf, risk: Assessment, policy: PaymentContext["config"]["threeDSecure"]) {
  const takesPart = range !== null && range !== "unknown";
  if (risk.verdict === "decline")
    return { status: "declined", decline_code: "risk_rejected", three_ds_result: null } as const;
  if (takesPart) return { status: "requires_action", decline_code: null, three_ds_result: null } as const;
  const three_ds_result = range === null ? "not_supported" : "unavailable";
  const verdict = judge(three_ds_result, { policy });
  if (!verdict.ok) return { status: "declined", decline_code: verdict.declineCode, three_ds_result } as const;
  return isConfirmed(risk.level, three_ds_result)
    ? ({ status: "approved", decline_code: null, three_ds_result } as const)
    : ({ status: "declined", decline_code: "risk_rejected", three_ds_result } as const);
}

/** Nothing is charged to save a card; the currency is then only what the bank's message wants filled in. */
function moneyOf({ mode, amount, currency }: Row<"checkout_session">): { amount: number; currency: string } {
  if (mode === "setup") return { amount: 0, currency: currency ?? "eur" };
  if (amount === null || currency === null) throw new Error("Bug: a payment session without its amount");
  return { amount, currency };
}

async function hasPaymentMethod({ db }: PaymentContext, id: string): Promise<boolean> {
  return (await db.selectFrom("payment_method").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/** The 3DS Method is over, however it ended: ask the bank. Asking twice asks once. */
export async function authenticatePayment(context: PaymentContext, decision: Row<"decision">): Promise<void> {
  const attemptId = await authenticate(context, decision, await accountName(context.db, decision.account_id));
  if (attemptId !== null) await waitForAttempt(context, attemptId);
}

/**
 * For a customer who waits: ends what has waited too long for the customer's bank, and has the bank asked whose answer
 * is not there yet.
 */
export async function refreshPayment(context: PaymentContext, decisionId: string): Promise<void> {
  for (const overdue of await findOverdue(context, { decisionId })) await endOverdue(context, overdue);
  const open = await context.db
    .selectFrom("attempt")
    .select("id")
    .where("decision_id", "=", decisionId)
    .where("kind", "in", ["authorize", "verify"])
    .where("status", "=", "processing")
    .executeTakeFirst();
  if (open !== undefined) await refreshAttempt(context, open.id);
}

/** The customer gives up, the challenge or what comes before it. Too late, once the bank has spoken. */
export async function cancelPayment(context: PaymentContext, decision: Row<"decision">): Promise<void> {
  const authentication = await context.db
    .selectFrom("authentication")
    .select("id")
    .where("decision_id", "=", decision.id)
    .where("status", "!=", "complete")
    .executeTakeFirst();
  if (authentication === undefined) return;
  await conclude(context, authentication.id, "canceled");
}

/** Saves the vault the work; whether the session is free is decided by the claim. */
function refuseIfOver(session: Row<"checkout_session">, now: Date): void {
  if (session.status === "open" && (session.payment_decision_id !== null || session.expires_at > now)) return;
  throw sessionClosed();
}

/** A page from before there were rounds names none. */
function roundOf(request: FramePaymentRequest, session: Row<"checkout_session">): number {
  return request.payment_round ?? session.payment_round;
}

async function whyNotClaimed(
  tx: Tx,
  { id, expires_at }: Row<"checkout_session">,
  round: number,
  now: Date,
): Promise<ApiError> {
  if (expires_at <= now) return sessionClosed();
  const { payment_round } = await tx
    .selectFrom("checkout_session")
    .select("payment_round")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return payment_round === round ? inProgress() : givenUp();
}

/** The page asked for this request, was told that it had not arrived, and told the customer so. */
function givenUp(): ApiError {
  return new ApiError(
    "card_message_stale",
    "This payment request was given up as lost, or another one of its session was. Open the session again, and send a new request.",
    { param: "payment_round" },
  );
}

function sessionClosed(): ApiError {
  return new ApiError("session_closed", "This checkout session is over. Go back to the shop.");
}

function inProgress(): ApiError {
  return new ApiError(
    "session_payment_in_progress",
    "Another payment of this checkout session is under way. Wait for its outcome.",
  );
}

type CardRefusal = Extract<StoreCardResult, { ok: false }>["refusal"];

function cardMessageRefused(refusal: CardRefusal): ApiError {
  return new ApiError(refusal, refusalSentences[refusal], { param: "card" });
}

const refusalSentences: Record<CardRefusal, string> = {
  card_message_stale:
    "The card message is too old or was used before. Encrypt again with the key and nonce beside this error.",
  card_message_invalid: "The card message cannot be read. Check the card's number, expiry and code.",
  not_a_test_card:
    "This is test mode: only the bank's published test cards are taken. A real card's number was not kept.",
};

function paymentMethodRow(
  session: Row<"checkout_session">,
  { id, summary, fingerprint }: PaymentToBegin["card"],
  billing: FramePaymentRequest["billing_details"],
  now: Date,
) {
  return {
    id,
    fingerprint,
    billing_details: billing === undefined || Object.keys(billing).length === 0 ? null : JSON.stringify(billing),
    account_id: session.account_id,
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
