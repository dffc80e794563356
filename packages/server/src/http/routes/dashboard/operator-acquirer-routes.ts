/** The operator console's requests about an account's own acquirers. See `operator-routes.ts`. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { SetAcquirerAccount, type OperatorAcquirers } from "@oriel/protocol/dashboard/acquirers";
import { AcquirerAccountError } from "@oriel/vault";
import { listAcquirerAccounts, setAcquirerAccount } from "../../../merchants/accounts/acquirer-accounts.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { ApiError, missingInPath } from "../../../platform/errors.ts";
import type { Context } from "../../context.ts";
import { ById, NoQuery } from "../params.ts";

export function operatorAcquirerRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { db } = context;

  return async (app) => {
    app.get(
      "/operator/accounts/:id/acquirers",
      { config: { needs: "operator" }, schema: { params: ById, querystring: NoQuery } },
      async ({ params: { id } }): Promise<OperatorAcquirers> => ({
        data: await listAcquirerAccounts(db, await accountNoOf(id), context.config.apiUrl),
      }),
    );

    app.post(
      "/operator/accounts/:id/acquirers",
      { config: { needs: "operator", stepUp: true }, schema: { params: ById, body: SetAcquirerAccount } },
      async ({ params: { id }, body: { livemode, ...entered }, visitor }): Promise<OperatorAcquirers> => {
        const accountNo = await accountNoOf(id);
        const tenant = { accountNo, livemode };
        await setAcquirerAccount(context, tenant, entered, actorName(visitor), context).catch(refuse);
        return { data: await listAcquirerAccounts(db, accountNo, context.config.apiUrl) };
      },
    );
  };

  async function accountNoOf(id: string): Promise<number> {
    const account = await db.selectFrom("account").select("account_no").where("id", "=", id).executeTakeFirst();
    if (account === undefined) throw missingInPath("account", id);
    return account.account_no;
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof AcquirerAccountError)) throw error;
  throw new ApiError("parameter_invalid", error.message, error.param === null ? {} : { param: error.param });
}
