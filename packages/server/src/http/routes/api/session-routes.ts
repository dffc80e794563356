/** `/api/v1/checkout_sessions`. */
import { CreateCheckoutSession, UpdateCheckoutSession, type CheckoutSession } from "@oriel/protocol/api";
import { listQuery } from "@oriel/protocol/shapes";
import { endCheckoutSession } from "../../../payments/flow/end-session.ts";
import { updateCheckoutSession } from "../../../payments/flow/update-session.ts";
import {
  checkCheckoutSession,
  createCheckoutSession,
  listCheckoutSessions,
  retrieveCheckoutSession,
} from "../../../payments/sessions/checkout-sessions.ts";
import { replaceEmbedUrl } from "../../../payments/sessions/replace-embed-url.ts";
import type { Context } from "../../context.ts";
import { hooksAtOnce, inOneStatement, inOneTransaction, type IdempotentHooks } from "../idempotent-post.ts";
import { Nothing } from "../params.ts";
import { action, change, creation, listing, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const session: Noun = { one: "a checkout session", many: "Checkout sessions", schema: "CheckoutSession" };

export function sessionRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  const created =
    "Creates a checkout session and returns its `embed_url`, which you pass to the loader or redirect the customer to. You can't retrieve the URL later, but you can replace it.";
  app.post(
    "/checkout_sessions",
    {
      ...hooksAtOnce(idempotent),
      schema: creation(session, CreateCheckoutSession, created, "CreatedCheckoutSession"),
    },
    async (request, reply) => {
      const { tenant, body } = request;
      const defaults = await checkCheckoutSession(context, tenant, body);
      await inOneStatement(context, request, reply, (db, key) =>
        createCheckoutSession(context, db, tenant, body, defaults, { key }),
      );
    },
  );
  app.get(
    "/checkout_sessions",
    { schema: listing(session, listQuery("cs")) },
    async ({ tenant, query }) => await listCheckoutSessions(context, tenant, query),
  );
  app.get(
    "/checkout_sessions/:id",
    { schema: retrieval(session) },
    async ({ tenant, params }) => await retrieveCheckoutSession(context, tenant, params.id),
  );
  app.patch(
    "/checkout_sessions/:id",
    {
      schema: change(
        session,
        "Update",
        UpdateCheckoutSession,
        "Changes the fields that you send, while the session is open and no payment is in progress. Other fields keep their values. If the amount or one of its parts changes, the session gets the next `version`, and customers who have seen an earlier total must press Pay again.",
      ),
    },
    async ({ tenant, params, body }) => await updateCheckoutSession(context, tenant, params.id, body),
  );
  app.post(
    "/checkout_sessions/:id/embed_url",
    {
      ...idempotent,
      schema: {
        ...action(
          session,
          "Replace the URL of",
          Nothing,
          "Returns a new `embed_url`, so that you don't have to store the first one. The old URL stops working: a page that was opened with it can follow a payment in progress, but it can't start one.",
          "CreatedCheckoutSession",
        ),
        operationId: "replaceEmbedUrl",
      },
    },
    async (request, reply) => {
      const { tenant, params } = request;
      return await inOneTransaction(context, request, reply, (tx) => replaceEmbedUrl(context, tx, tenant, params.id));
    },
  );
  end(
    "expire",
    "expired",
    "Expire",
    "Expires an open session immediately and sends a `checkout_session.expired` event. You can't expire a session while a payment is in progress.",
  );
  end(
    "cancel",
    "canceled",
    "Cancel",
    "Cancels an open session without sending an event. You can't cancel a session while a payment is in progress.",
  );

  function end(
    path: string,
    status: Extract<CheckoutSession["status"], "expired" | "canceled">,
    verb: string,
    what: string,
  ) {
    app.post(
      `/checkout_sessions/:id/${path}`,
      { ...idempotent, schema: action(session, verb, Nothing, what) },
      async (request, reply) => {
        const { tenant, params } = request;
        return await inOneTransaction(context, request, reply, (tx, cause) =>
          endCheckoutSession(context, tx, tenant, params.id, status, cause),
        );
      },
    );
  }
}
