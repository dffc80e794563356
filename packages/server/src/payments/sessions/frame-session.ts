/**
 * A checkout session as the checkout page sees it. The page identifies it with a client secret or a token and gets the
 * data that the form needs.
 */
import type { FrameResponse, FrameSession, FrameWhy } from "@oriel/protocol/frame";
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import { accountName } from "../../merchants/accounts/accounts.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInPath } from "../../platform/errors.ts";
import { tenantOfId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { waitForFirstStep, type DeclineContext } from "../risk/decline-timing.ts";
import { isClientSecretOf } from "./embed-url.ts";
import { newFrameToken, readFrameToken } from "./frame-token.ts";
import { viewPayment } from "./payment-view.ts";
import { toCheckoutSession } from "./session-object.ts";
import { beginRound } from "./session-state.ts";

type FrameContext = Pick<PlatformContext, "db" | "nodes" | "vault" | "keys" | "config" | "now"> & DeclineContext;

/**
 * @param lostRequest the ID of a request to pay, or to complete the session, whose response the page never received. If
 * that request hasn't arrived yet, it will be refused when it arrives
 * @throws ApiError `client_secret_invalid`, both for an unknown session and for a wrong secret
 */
export async function openFrameSession(
  context: FrameContext,
  sessionId: string,
  clientSecret: string,
  lostRequest?: string,
): Promise<FrameSession> {
  const found = await findSession(context, sessionId);
  if (found === undefined || !isClientSecretOf(found, clientSecret)) throw clientSecretInvalid();
  const received = lostRequest === undefined ? null : await giveUpUnlessReceived(context.db, sessionId, lostRequest);
  const latest = found.payment_decision_id;
  const decision = received ?? (latest === null ? null : await findPaymentDecision(context, sessionId, latest));
  // Read again afterwards, because the lookup may start a new round and the payment may have progressed.
  const mayHaveChanged = lostRequest !== undefined || decision !== null;
  const row = mayHaveChanged ? ((await findSession(context, sessionId)) ?? found) : found;
  // The URL may have been replaced, and the token below is for the secret in this row.
  if (!isClientSecretOf(row, clientSecret)) throw clientSecretInvalid();
  const session = toCheckoutSession(row, context.now());
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
      merchant_name: withoutHidden(await accountName(context.db, row.account_no)),
      description: session.description === null ? null : withoutHidden(session.description),
      line_items: session.line_items.map(withPlainName),
      shipping_options: session.shipping_options.map(withPlainName),
      shipping_option: session.shipping_option,
      discounts: session.discounts.map(withPlainName),
      tax_amount: session.tax_amount,
      collect: session.collect,
      allowed_origins: session.allowed_origins,
      return_url: session.return_url,
      cancel_url: session.cancel_url,
      expires_at: session.expires_at,
      attempts_left: session.attempts_left,
      payment_round: row.payment_round,
      version: row.version,
    },
    encryption: context.vault.encryption(row.id),
    received: lostRequest === undefined ? null : received !== null,
    payment: decision === null ? null : await viewPayment(context, row, decision),
    now: context.now().getTime(),
  };
}

function clientSecretInvalid(): ApiError {
  return new ApiError("client_secret_invalid", "This checkout URL is incomplete or invalid. Go back to the shop.");
}

function withPlainName<Named extends { name: string }>(named: Named): Named {
  return { ...named, name: withoutHidden(named.name) };
}

/**
 * Finds the payment that a request created. If no payment exists, makes sure that the request can no longer create one,
 * or complete the session without a payment. The session's row is locked, and both need the same lock. So a request that
 * arrives later is refused because its round is over.
 *
 * @returns the payment's decision, or null
 */
async function giveUpUnlessReceived(db: Db, sessionId: string, requestId: string): Promise<Row<"decision"> | null> {
  return await db.transaction().execute(async (tx) => {
    await tx.selectFrom("checkout_session").select("id").where(hasId(sessionId)).forUpdate().execute();
    const decision = await tx
      .selectFrom("decision")
      .selectAll()
      .where(hasId(sessionId, "session_id"))
      .where("request_id", "=", requestId)
      .executeTakeFirst();
    if (decision === undefined) await beginRound(tx, sessionId);
    return decision ?? null;
  });
}

/**
 * Finds out why the iframe of a session doesn't respond. Anyone who knows the session ID can read the result, so it
 * reveals no more than `frame-ancestors` and the page itself. A completed session still has a page, but a canceled or
 * unknown session doesn't.
 */
export async function silenceReason(context: FrameContext, sessionId: string, origin: string): Promise<FrameWhy> {
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

/** Finds the session of a page's token. @throws ApiError `frame_token_invalid` */
export async function sessionOfToken(context: FrameContext, token: string | null): Promise<Row<"checkout_session">> {
  const session = await findSession(context, readFrameToken(context, token));
  if (session === undefined) throw new Error("Bug: a token refers to an unknown session");
  return session;
}

/** Returns the current state of a session's payment. @throws ApiError 404 for a payment of another session */
export async function retrievePayment(
  context: FrameContext,
  sessionId: string,
  paymentId: string,
): Promise<FrameResponse> {
  const decision = await findPaymentDecision(context, sessionId, paymentId);
  // Read the session after the payment. If the session is still open here, it was open when the payment failed.
  const row = await findSession(context, sessionId);
  if (row === undefined) throw new Error("Bug: a payment has no session");
  const { status, attempts_left } = toCheckoutSession(row, context.now());
  const payment = await viewPayment(context, row, decision);
  if (decision.payer === "new" && decision.declined_at !== null) await waitForFirstStep(context, decision.declined_at);
  return {
    payment,
    session: { status, attempts_left },
    encryption: context.vault.encryption(sessionId),
  };
}

/** Finds the decision of a payment: both have the same ID. @throws ApiError 404 for a payment of another session */
export async function findPaymentDecision(
  { db }: Pick<PlatformContext, "db">,
  sessionId: string,
  paymentId: string,
): Promise<Row<"decision">> {
  const decision = await db
    .selectFrom("decision")
    .selectAll()
    .where(hasId(paymentId))
    .where(hasId(sessionId, "session_id"))
    .executeTakeFirst();
  if (decision === undefined) throw missingInPath("payment", paymentId);
  return decision;
}

async function findSession(
  { db, nodes }: Pick<PlatformContext, "db" | "nodes">,
  id: string,
): Promise<Row<"checkout_session"> | undefined> {
  nodes.requireNodeOf(tenantOfId(id)?.accountNo);
  return await db.selectFrom("checkout_session").selectAll().where(hasId(id)).executeTakeFirst();
}
