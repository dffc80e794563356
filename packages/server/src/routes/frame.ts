/**
 * The checkout page's JSON, on its own origin: no CORS, so no other origin can read an answer, and a token that only a page with the session's
 * client secret can get. See `@oriel/protocol/frame` for the contract.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { FrameAnswer, FrameSession } from "@oriel/protocol/frame";
import type { Context } from "../context.ts";
import { ApiError, missingInPath } from "../errors.ts";
import { authenticatePayment, cancelPayment, startPayment } from "../payments/payments.ts";
import { viewPayment } from "../payments/payment-view.ts";
import { isClientSecretOf, toCheckoutSession } from "../sessions/checkout-sessions.ts";
import { newFrameToken, readFrameToken } from "../sessions/frame-token.ts";
import type { Row } from "../storage/tables.ts";
import { onSurface } from "./surface.ts";

const closed = { additionalProperties: false } as const;
const Empty = Type.Object({}, closed);
const BySession = Type.Object({ session_id: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
const Open = Type.Object({ client_secret: Type.String({ minLength: 1, maxLength: 100 }) }, closed);
const Browser = Type.Object(
  {
    browserJavaEnabled: Type.Boolean(),
    browserJavascriptEnabled: Type.Boolean(),
    browserLanguage: Type.String({ minLength: 1, maxLength: 8 }),
    browserColorDepth: Type.Enum(["1", "4", "8", "15", "16", "24", "32", "48"]),
    browserScreenHeight: Type.String({ pattern: "^\\d{1,6}$" }),
    browserScreenWidth: Type.String({ pattern: "^\\d{1,6}$" }),
    browserTZ: Type.String({ pattern: "^-?\\d{1,4}$" }),
  },
  closed,
);
const StartPayment = Type.Object(
  {
    card: Type.String({ minLength: 1, maxLength: 8192 }),
    browser: Browser,
    challenge_window_size: Type.Enum(["01", "02", "03", "04", "05"]),
  },
  closed,
);

export function frameRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    onSurface(app, "checkout");
    app.addHook("onSend", async (_request, reply) => {
      void reply.header("cache-control", "no-store");
    });

    app.post(
      "/sessions/:session_id/open",
      { schema: { hide: true, params: BySession, body: Open } },
      async ({ params, body }) => {
        const session = await findSession(params.session_id);
        if (session === undefined || !isClientSecretOf(session, body.client_secret)) {
          throw new ApiError("client_secret_invalid", "This checkout address is not complete or not valid. Go back to the shop.");
        }
        return await frameSession(session);
      },
    );

    app.post("/payments", { schema: { hide: true, body: StartPayment } }, async (request, reply) => {
      const session = await sessionOf(request.headers.authorization);
      try {
        const seen = { ip: request.ip, userAgent: request.headers["user-agent"] ?? "" };
        const id = await startPayment(context, session, request.body, seen);
        return await frameAnswer(session.id, id);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "card_message_stale") throw error;
        return reply.code(error.status).send({ ...error.toBody(), encryption: context.vault.encryption(session.id) });
      }
    });

    app.get("/payments/:id", { schema: { hide: true, params: ById } }, async ({ headers, params }) => {
      const session = await sessionOf(headers.authorization);
      return await frameAnswer(session.id, params.id);
    });

    app.post("/payments/:id/authenticate", { schema: { hide: true, params: ById, body: Empty } }, async ({ headers, params }) => {
      const session = await sessionOf(headers.authorization);
      await authenticatePayment(context, await findPayment(session.id, params.id));
      return await frameAnswer(session.id, params.id);
    });

    app.post("/payments/:id/cancel", { schema: { hide: true, params: ById, body: Empty } }, async ({ headers, params }) => {
      const session = await sessionOf(headers.authorization);
      await cancelPayment(context, await findPayment(session.id, params.id));
      return await frameAnswer(session.id, params.id);
    });
  };

  async function frameSession(row: Row<"checkout_session">): Promise<FrameSession> {
    const { name } = await context.db
      .selectFrom("account")
      .select("name")
      .where("id", "=", row.account_id)
      .executeTakeFirstOrThrow();
    const session = toCheckoutSession(row, context.now());
    const hasPayment = row.payment_decision_id !== null && (row.payment_in_flight || row.status === "complete");
    return {
      token: newFrameToken(context, row),
      session: {
        id: session.id,
        livemode: session.livemode,
        status: session.status,
        payment_status: session.payment_status,
        amount: session.amount,
        currency: session.currency,
        merchant_name: name,
        description: session.description,
        allowed_origins: session.allowed_origins,
        return_url: session.return_url,
        cancel_url: session.cancel_url,
        expires_at: session.expires_at,
        attempts_left: session.attempts_left,
      },
      encryption: context.vault.encryption(row.id),
      payment: hasPayment ? await viewPayment(context, row, await findPayment(row.id, row.payment_decision_id ?? "")) : null,
    };
  }

  async function frameAnswer(sessionId: string, paymentId: string): Promise<FrameAnswer> {
    const decision = await findPayment(sessionId, paymentId);
    // Read after the payment: a session that is still open here was open when the payment was seen to have failed.
    const row = await findSession(sessionId);
    if (row === undefined) throw new Error("Bug: a payment without its session");
    const { status, attempts_left } = toCheckoutSession(row, context.now());
    return {
      payment: await viewPayment(context, row, decision),
      session: { status, attempts_left },
      encryption: context.vault.encryption(sessionId),
    };
  }

  async function sessionOf(authorization: string | undefined): Promise<Row<"checkout_session">> {
    const session = await findSession(readFrameToken(context, authorization));
    if (session === undefined) throw new Error("Bug: a token for a session that never was");
    return session;
  }

  async function findSession(id: string): Promise<Row<"checkout_session"> | undefined> {
    return await context.db.selectFrom("checkout_session").selectAll().where("id", "=", id).executeTakeFirst();
  }

  async function findPayment(sessionId: string, id: string): Promise<Row<"decision">> {
    const decision = await context.db
      .selectFrom("decision")
      .selectAll()
      .where("id", "=", id)
      .where("session_id", "=", sessionId)
      .executeTakeFirst();
    if (decision === undefined) throw missingInPath("payment", id);
    return decision;
  }
}
