/**
 * A payment: one try of a customer's to pay a session, from the encrypted card to the outcome. Its id is its decision's. This is the road
 * between the frame's requests and the nouns; each step is theirs.
 *
 * ```
 * startPayment --(card takes no part in 3DS)--> charge
 *      |
 *      +--> three_ds --authenticatePayment--> charge | challenge | declined
 *                                                       |
 *                              the bank's RReq (threeds/receive-result) or cancelPayment
 * ```
 */
import type { FramePaymentRequest } from "@oriel/protocol/frame";
import { accountName } from "../accounts/accounts.ts";
import { beginAutomaticCharge } from "../charges/begin-charge.ts";
import { waitForAttempt } from "../charges/charges.ts";
import type { Context } from "../context.ts";
import { decisionExpiry, expireDecisions } from "../decisions/decisions.ts";
import { ApiError } from "../errors.ts";
import { newId } from "../ids.ts";
import { claimForPayment } from "../sessions/session-state.ts";
import type { Row } from "../storage/tables.ts";
import { authenticate, conclude, openAuthentication, type BrowserSeen } from "../threeds/authentications.ts";
import type { CardRangeOf, CardSummary } from "@oriel/vault";

/** A card is kept a day longer than its session could need it, should nobody erase it before. */
const keepCardMs = 24 * 60 * 60 * 1000;

/** Takes a card and goes as far as it can without the customer. Returns the payment's id. */
export async function startPayment(
  context: Context,
  session: Row<"checkout_session">,
  request: FramePaymentRequest,
  seen: Pick<BrowserSeen, "ip" | "userAgent">,
): Promise<string> {
  const { vault, now } = context;
  const startedAt = now();
  refuseIfOver(session, startedAt);
  const paymentMethodId = newId("pm", startedAt);
  const stored = await vault.storeCard({
    message: request.card,
    sessionId: session.id,
    paymentMethodId,
    accountId: session.account_id,
    mode: session.livemode ? "live" : "test",
    keepUntil: new Date(session.expires_at.getTime() + keepCardMs),
  });
  if (!stored.ok) throw cardMessageRefused(stored.refusal);

  try {
    const range = await vault.cardRange(paymentMethodId);
    const payment = await beginPayment(
      context,
      session,
      { paymentMethodId, summary: stored.summary, range, request, seen },
      startedAt,
    );
    if (payment.attemptId !== null) await waitForAttempt(context, payment.attemptId);
    return payment.id;
  } catch (error) {
    // Unless the payment stands, nobody would come for its card before its time is over.
    if (!(await hasPaymentMethod(context, paymentMethodId))) await vault.erase([paymentMethodId]);
    throw error;
  }
}

interface PaymentToBegin {
  paymentMethodId: string;
  summary: CardSummary;
  range: CardRangeOf;
  request: FramePaymentRequest;
  seen: Pick<BrowserSeen, "ip" | "userAgent">;
}

/** The transaction that makes a payment: the session is claimed, or nothing is written. */
async function beginPayment(
  context: Context,
  session: Row<"checkout_session">,
  { paymentMethodId, summary, range, request, seen }: PaymentToBegin,
  now: Date,
): Promise<{ id: string; attemptId: string | null }> {
  const id = newId("dec", now);
  const takesPart = range !== null && range !== "unknown";
  return await context.db.transaction().execute(async (tx) => {
    // An approved decision that nobody charged with in time must not stand in the customer's way until the sweeper comes.
    await expireDecisions(tx, { sessionId: session.id }, now);
    if (!(await claimForPayment(tx, session.id, id, now))) throw session.expires_at <= now ? sessionClosed() : inProgress();
    await tx
      .insertInto("payment_method")
      .values(paymentMethodRow(session, paymentMethodId, summary, now))
      .execute();
    const decision = await tx
      .insertInto("decision")
      .values({
        id,
        account_id: session.account_id,
        livemode: session.livemode,
        session_id: session.id,
        payment_method_id: paymentMethodId,
        status: takesPart ? "requires_action" : "approved",
        three_ds_result: takesPart ? null : range === null ? "not_supported" : "unavailable",
        amount: session.amount,
        currency: session.currency,
        risk_level: "normal",
        risk_reasons: [],
        expires_at: decisionExpiry(now),
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    if (!takesPart) return { id, attemptId: await beginAutomaticCharge(context, tx, decision) };
    const browser = { ...seen, fields: request.browser, challengeWindowSize: request.challenge_window_size };
    await openAuthentication(tx, id, range, browser, now);
    return { id, attemptId: null };
  });
}

async function hasPaymentMethod({ db }: Context, id: string): Promise<boolean> {
  return (await db.selectFrom("payment_method").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

/** The 3DS Method is over, however it ended: ask the bank. Asking twice asks once. */
export async function authenticatePayment(context: Context, decision: Row<"decision">): Promise<void> {
  const attemptId = await authenticate(context, decision, await accountName(context.db, decision.account_id));
  if (attemptId !== null) await waitForAttempt(context, attemptId);
}

/** The customer gives up the challenge. Too late, once the bank has spoken. */
export async function cancelPayment(context: Context, decision: Row<"decision">): Promise<void> {
  const authentication = await context.db
    .selectFrom("authentication")
    .select("id")
    .where("decision_id", "=", decision.id)
    .executeTakeFirst();
  if (authentication === undefined) return;
  await conclude(context, authentication.id, "canceled");
}

/** Saves the vault the work; whether the session is free is decided by the claim. */
function refuseIfOver(session: Row<"checkout_session">, now: Date): void {
  if (session.status === "open" && (session.payment_decision_id !== null || session.expires_at > now)) return;
  throw sessionClosed();
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

function cardMessageRefused(refusal: "card_message_stale" | "card_message_invalid"): ApiError {
  const message =
    refusal === "card_message_stale"
      ? "The card message is too old or was used before. Encrypt again with the key and nonce beside this error."
      : "The card message cannot be read. Check the card's number, expiry and code.";
  return new ApiError(refusal, message, { param: "card" });
}

function paymentMethodRow(session: Row<"checkout_session">, id: string, summary: CardSummary, now: Date) {
  return {
    id,
    account_id: session.account_id,
    livemode: session.livemode,
    session_id: session.id,
    brand: summary.brand,
    last4: summary.last4,
    exp_month: summary.expMonth,
    exp_year: summary.expYear,
    created_at: now,
  };
}
