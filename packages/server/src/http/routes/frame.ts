/**
 * The checkout page's JSON endpoints, on the checkout's origin. There is no CORS, so no other origin can read a
 * response, and only a page with the session's client secret can get a token. See `@oriel/protocol/frame` for the
 * contract.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { FramePromotionCodeEntry, FrameResponse } from "@oriel/protocol/frame";
import { completeSession } from "../../payments/flow/complete-session.ts";
import { chooseShippingOption, enterPromotionCode, type OpenedPage } from "../../payments/flow/customer-changes.ts";
import { authenticatePayment, cancelPayment, refreshPayment, startPayment } from "../../payments/flow/payments.ts";
import {
  retrievePayment,
  findPaymentDecision,
  openFrameSession,
  sessionOfToken,
  silenceReason,
} from "../../payments/sessions/frame-session.ts";
import { requireCurrentSecret } from "../../payments/sessions/frame-token.ts";
import { viewUpdateRequest } from "../../payments/sessions/promotion-codes.ts";
import { attemptsLeft } from "../../payments/sessions/session-state.ts";
import { refuseCardNumbers } from "../../platform/card-data/refuse-card-numbers.ts";
import { ApiError, missingInPath } from "../../platform/errors.ts";
import type { Context } from "../context.ts";
import { admitToFrame } from "./admit.ts";
import { readBearer } from "./bearer.ts";
import { onSurface } from "./hosts.ts";
import { ById, closed, Id } from "./params.ts";

const Empty = Type.Object({}, closed);
const BySession = Type.Object({ session_id: Id }, closed);
/** An ID that the page made with `crypto.randomUUID`. */
const PageUuid = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });
const Open = Type.Object(
  { client_secret: Type.String({ minLength: 1, maxLength: 100 }), lost_request: Type.Optional(PageUuid) },
  closed,
);
const Browser = Type.Object(
  {
    browserJavaEnabled: Type.Boolean(),
    browserJavascriptEnabled: Type.Boolean(),
    browserLanguage: Type.String({ maxLength: 8, pattern: "^[A-Za-z]{2,8}(-[0-9A-Za-z]{1,8})*$" }),
    browserColorDepth: Type.Enum(["1", "4", "8", "15", "16", "24", "32", "48"]),
    browserScreenHeight: Type.String({ pattern: "^\\d{1,6}$" }),
    browserScreenWidth: Type.String({ pattern: "^\\d{1,6}$" }),
    browserTZ: Type.String({ pattern: "^-?\\d{1,3}$" }),
  },
  closed,
);
/** No control characters or line breaks. `payments/payment-methods/refuse-card-data.ts` checks for card numbers. */
const oneLine = "^[^\\p{Cc}\\p{Zl}\\p{Zp}]*$";
const Billing = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: oneLine })),
    email: Type.Optional(Type.String({ minLength: 3, maxLength: 200, pattern: "^[^\\s\\p{Cc}@]+@[^\\s\\p{Cc}@]+$" })),
    postal_code: Type.Optional(Type.String({ minLength: 1, maxLength: 20, pattern: oneLine })),
    country: Type.Optional(Type.String({ pattern: "^[A-Z]{2}$" })),
  },
  closed,
);
const Round = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Complete = Type.Object({ payment_round: Round, version: Version }, closed);
const ShippingChoice = Type.Object(
  { shipping_option: Type.String({ minLength: 1, maxLength: 64 }), version: Version },
  closed,
);
/** Longer than a code, because pasted text may contain hidden characters, which `promotion-codes.ts` removes. */
const PromotionCode = Type.Object(
  { promotion_code: Type.String({ minLength: 1, maxLength: 256 }), version: Version },
  closed,
);
const StartPayment = Type.Object(
  {
    card: Type.String({ minLength: 1, maxLength: 8192 }),
    browser: Browser,
    challenge_window_size: Type.Enum(["01", "02", "03", "04", "05"]),
    billing_details: Type.Optional(Billing),
    request_id: Type.Optional(PageUuid),
    device: Type.Optional(PageUuid),
    payment_round: Type.Optional(Round),
    version: Type.Optional(Version),
  },
  closed,
);
/** An `event.origin` as browsers serialize it. The whole string is compared with the allowed origins. */
const Why = Type.Object(
  { origin: Type.String({ maxLength: 300, pattern: "^(null|[a-z][a-z0-9+.-]*://[^\\s/?#@\\\\]*)$" }) },
  closed,
);

export function frameRoutes(context: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    onSurface(app, "checkout");
    app.addHook("onRequest", admitToFrame(context));
    refuseCardNumbers(app, { spared: ["card"] }); // encrypted
    app.addHook("onSend", async (_request, reply) => {
      void reply.header("cache-control", "no-store");
    });

    app.post(
      "/sessions/:session_id/open",
      { schema: { hide: true, params: BySession, body: Open } },
      async ({ params, body }) =>
        await openFrameSession(context, params.session_id, body.client_secret, body.lost_request),
    );

    app.get(
      "/sessions/:session_id/why",
      { schema: { hide: true, params: BySession, querystring: Why } },
      async ({ params, query }) => await silenceReason(context, params.session_id, query.origin),
    );

    app.post(
      "/sessions/:session_id/complete",
      { schema: { hide: true, params: BySession, body: Complete } },
      async ({ headers, params, body }): Promise<FrameResponse> => {
        const { session, token } = await pageOf(headers.authorization, params.session_id);
        requireCurrentSecret(context, token, session);
        await completeSession(context, session, body);
        return {
          payment: { id: session.id, status: "succeeded" },
          session: { status: "complete", attempts_left: attemptsLeft(session) },
          encryption: context.vault.encryption(session.id),
        };
      },
    );

    app.post(
      "/sessions/:session_id/shipping_option",
      { schema: { hide: true, params: BySession, body: ShippingChoice } },
      async ({ headers, params, body }) => {
        await chooseShippingOption(context, await pageOf(headers.authorization, params.session_id), body);
        return {};
      },
    );

    app.post(
      "/sessions/:session_id/promotion_code",
      { schema: { hide: true, params: BySession, body: PromotionCode } },
      async ({ headers, params, body }): Promise<FramePromotionCodeEntry> => {
        const page = await pageOf(headers.authorization, params.session_id);
        return { entry: await enterPromotionCode(context, page, body) };
      },
    );

    app.get(
      "/sessions/:session_id/update_request",
      { schema: { hide: true, params: BySession } },
      async ({ headers, params }) => {
        const { session } = await pageOf(headers.authorization, params.session_id);
        const request = viewUpdateRequest(session);
        if (request === undefined) throw missingInPath("update request of the checkout session", session.id);
        return request;
      },
    );

    app.post("/payments", { schema: { hide: true, body: StartPayment } }, async ({ headers, ip, body }, reply) => {
      const token = readBearer(headers.authorization) ?? "";
      const session = await sessionOfToken(context, token);
      requireCurrentSecret(context, token, session);
      // The bank rejects a 3-D Secure request without a user agent. Customers must not be able to avoid 3-D Secure by
      // omitting it.
      const userAgent = headers["user-agent"]?.trim();
      if (!userAgent)
        throw new ApiError("parameter_missing", "The `User-Agent` header is missing.", { param: "User-Agent" });
      try {
        const id = await startPayment(context, session, body, { ip, userAgent });
        return await retrievePayment(context, session.id, id);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "card_message_stale") throw error;
        return reply.code(error.status).send({ ...error.toBody(), encryption: context.vault.encryption(session.id) });
      }
    });

    app.get("/payments/:id", { schema: { hide: true, params: ById } }, async ({ headers, params }) => {
      const session = await sessionOf(headers.authorization);
      await refreshPayment(context, (await findPaymentDecision(context, session.id, params.id)).id);
      return await retrievePayment(context, session.id, params.id);
    });

    app.post(
      "/payments/:id/authenticate",
      { schema: { hide: true, params: ById, body: Empty } },
      async ({ headers, params }) => {
        const session = await sessionOf(headers.authorization);
        await authenticatePayment(context, await findPaymentDecision(context, session.id, params.id));
        return await retrievePayment(context, session.id, params.id);
      },
    );

    app.post(
      "/payments/:id/cancel",
      { schema: { hide: true, params: ById, body: Empty } },
      async ({ headers, params }) => {
        const session = await sessionOf(headers.authorization);
        await cancelPayment(context, await findPaymentDecision(context, session.id, params.id));
        return await retrievePayment(context, session.id, params.id);
      },
    );
  };

  async function sessionOf(authorization: string | undefined) {
    return await sessionOfToken(context, readBearer(authorization));
  }

  /** @throws ApiError `frame_token_invalid`, or 404 if the token is for a different session */
  async function pageOf(authorization: string | undefined, sessionId: string): Promise<OpenedPage> {
    const token = readBearer(authorization) ?? "";
    const session = await sessionOfToken(context, token);
    if (session.id !== sessionId) throw missingInPath("checkout session", sessionId);
    return { session, token };
  }
}
