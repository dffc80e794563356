/**
 * A checkout session as its own page sees it: found by a client secret or a token of that page, shown with what the
 * form needs.
 */
import { withoutHidden } from "@oriel/protocol/foreign-text";
import type { FrameAnswer, FrameSession, FrameWhy } from "@oriel/protocol/frame";
import { accountName } from "../../merchants/accounts/accounts.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInPath } from "../../platform/errors.ts";
import { viewPayment } from "./payment-view.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { isClientSecretOf } from "./checkout-sessions.ts";
import { toCheckoutSession } from "./session-object.ts";
import { beginRound } from "./session-state.ts";
import { newFrameToken, readFrameToken } from "./frame-token.ts";

type FrameContext = Pick<PlatformContext, "db" | "vault" | "keys" | "config" | "now">;

/**
 * @param lostRequest the payment request whose answer the page never got; if it has not arrived yet, it is refused from
 *   now on
 * @throws ApiError `client_secret_invalid`; an unknown session and a wrong secret look alike
 */
export async function openFrameSession(
  context: FrameContext,
  sessionId: string,
  clientSecret: string,
  lostRequest?: string,
): Promise<FrameSession> {
  const found = await findSession(context, sessionId);
  if (found === undefined || !isClientSecretOf(found, clientSecret)) {
    throw new ApiError(
      "client_secret_invalid",
      "This checkout address is not complete or not valid. Go back to the shop.",
    );
  }
  const asked = lostRequest === undefined ? null : await giveUpUnlessReceived(context.db, sessionId, lostRequest);
  // Read after that, for what it changed, and for what became of the payment meanwhile.
  const row = lostRequest === undefined ? found : ((await findSession(context, sessionId)) ?? found);
  const session = toCheckoutSession(row, context.now());
  const current = row.payment_decision_id === null ? null : await findPayment(context, row.id, row.payment_decision_id);
  const payment = asked ?? current;
  return {
    token: newFrameToken(context, row),
    session: {
      id: session.id,
      livemode: session.livemode,
      status: session.status,
      payment_status: session.payment_status,
      mode: session.mode,
      amount: session.mode === "setup" ? null : session.amount,
      currency: session.mode === "setup" ? null : session.currency,
      save_payment_method: session.save_payment_method,
      submit_button: session.submit_button,
      merchant_name: withoutHidden(await accountName(context.db, row.account_id)),
      description: session.description === null ? null : withoutHidden(session.description),
      line_items: session.line_items.map((item) => ({ ...item, name: withoutHidden(item.name) })),
      allowed_origins: session.allowed_origins,
      return_url: session.return_url,
      cancel_url: session.cancel_url,
      expires_at: session.expires_at,
      attempts_left: session.attempts_left,
      payment_round: row.payment_round,
    },
    encryption: context.vault.encryption(row.id),
    received: lostRequest === undefined ? null : asked !== null,
    payment: payment === null ? null : await viewPayment(context, row, payment),
    now: context.now().getTime(),
  };
}

/**
 * The payment that came of a request; or null, and then none ever will. Both are decided under the lock of the
 * session's row, which a payment takes to begin: a request that still is under way, or arrives later, finds a round
 * that is not its own.
 */
async function giveUpUnlessReceived(db: Db, sessionId: string, requestId: string): Promise<Row<"decision"> | null> {
  return await db.transaction().execute(async (tx) => {
    await tx.selectFrom("checkout_session").select("id").where("id", "=", sessionId).forUpdate().execute();
    const decision = await tx
      .selectFrom("decision")
      .selectAll()
      .where("session_id", "=", sessionId)
      .where("request_id", "=", requestId)
      .executeTakeFirst();
    if (decision === undefined) await beginRound(tx, sessionId);
    return decision ?? null;
  });
}

/**
 * How things stand with a session whose frame stays silent, told to anyone who knows its id: no more than
 * `frame-ancestors` and the page's own words tell. One that is complete has a page to show; one that was canceled, or
 * never was, has none.
 */
export async function whySilent(context: FrameContext, sessionId: string, origin: string): Promise<FrameWhy> {
  const row = await findSession(context, sessionId);
  if (row === undefined) return { session: "invalid", listed: false };
  const listed = row.allowed_origins.includes(origin);
  switch (toCheckoutSession(row, context.now()).status) {
    case "open":
    case "complete":
      return { session: "open", listed };
    case "expired":
      return { session: "expired", listed };
    case "canceled":
      return { session: "invalid", listed };
  }
}

/** The session a page's token is for. @throws ApiError `frame_token_invalid` */
export async function sessionOfToken(context: FrameContext, token: string | null): Promise<Row<"checkout_session">> {
  const session = await findSession(context, readFrameToken(context, token));
  if (session === undefined) throw new Error("Bug: a token for a session that never was");
  return session;
}

/** Where a payment of a session stands. @throws ApiError 404 for a payment of another */
export async function answerAboutPayment(
  context: FrameContext,
  sessionId: string,
  paymentId: string,
): Promise<FrameAnswer> {
  const payment = await findPayment(context, sessionId, paymentId);
  // Read after the payment: a session that is still open here was open when the payment was seen to have failed.
  const row = await findSession(context, sessionId);
  if (row === undefined) throw new Error("Bug: a payment without its session");
  const { status, attempts_left } = toCheckoutSession(row, context.now());
  return {
    payment: await viewPayment(context, row, payment),
    session: { status, attempts_left },
    encryption: context.vault.encryption(sessionId),
  };
}

/** A payment is its decision. @throws ApiError 404 for a payment of another session */
export async function findPayment(
  { db }: Pick<PlatformContext, "db">,
  sessionId: string,
  paymentId: string,
): Promise<Row<"decision">> {
  const decision = await db
    .selectFrom("decision")
    .selectAll()
    .where("id", "=", paymentId)
    .where("session_id", "=", sessionId)
    .executeTakeFirst();
  if (decision === undefined) throw missingInPath("payment", paymentId);
  return decision;
}

async function findSession(
  { db }: Pick<PlatformContext, "db">,
  id: string,
): Promise<Row<"checkout_session"> | undefined> {
  return await db.selectFrom("checkout_session").selectAll().where("id", "=", id).executeTakeFirst();
}
