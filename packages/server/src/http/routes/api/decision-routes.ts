/** `/api/v1/decisions`. */
import { CreateDecision } from "@oriel/protocol/api";
import { requireExpressible } from "../../../merchants/accounts/live-mode.ts";
import {
  createDecision,
  judgeDecision,
  retrieveDecision,
  decisionRefusal,
} from "../../../payments/decisions/decisions.ts";
import { deleteTry } from "../../../payments/risk/card-attempts.ts";
import { checkCurrency } from "../../../platform/money/currency.ts";
import type { Context } from "../../context.ts";
import { claimOrReplay, hooksAtOnce, inOneStatement, newKeyOf, type IdempotentHooks } from "../idempotent-post.ts";
import { creation, retrieval, type ApiInstance, type Noun } from "./describe.ts";

const decision: Noun = { one: "a decision", many: "Decisions", schema: "Decision" };

export function decisionRoutes(app: ApiInstance, context: Context, idempotent: IdempotentHooks): void {
  const created =
    "Requests a decision for a payment without the customer present. Use a saved payment method or, in test mode, one of the `pm_card_...` test methods.";
  app.post(
    "/decisions",
    {
      ...hooksAtOnce(idempotent),
      preHandler: async ({ body, tenant, acquirerAccountId }) => {
        checkCurrency(body.currency);
        await requireExpressible(context, tenant, acquirerAccountId, body);
      },
      schema: creation(decision, CreateDecision, created),
    },
    async (request, reply) => {
      const { tenant, body } = request;
      const judge = async () => await judgeDecision(context, tenant, body, newKeyOf(request));
      let judged = await judge().catch(async (error: unknown) => {
        if (await claimOrReplay(context, request, reply)) throw error; // the refusal is stored under the key
        return null;
      });
      if (judged === undefined && (await claimOrReplay(context, request, reply))) judged = await judge();
      if (!judged) return; // another request had the key
      const isMine = await inOneStatement(
        context,
        request,
        reply,
        (db, key) => createDecision(context, db, tenant, body, judged, key),
        (tx) => decisionRefusal(tx, tenant, body),
      );
      if (!isMine) await deleteTry(context.db, judged.id);
    },
  );
  app.get(
    "/decisions/:id",
    { schema: retrieval(decision) },
    async ({ tenant, params }) => await retrieveDecision(context, tenant, params.id),
  );
}
