/** The operator console: `/operator`. For other users these routes don't exist (`guard.ts`). */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import {
  AccountsQuery,
  DecideApplication,
  QueueQuery,
  ReviewApplication,
  SetAcquirer,
  SwitchAccount,
  type AccountsFound,
  type OperatorAccount,
  type OperatorApplication,
  type QueuePage,
} from "@oriel/protocol/dashboard/underwriting";
import {
  setAccountStatus,
  setAcquirer,
  type AccountStatus,
  type NotifyOwners,
} from "../../../merchants/accounts/accounts.ts";
import { recordAudit } from "../../../merchants/audit/audit-log.ts";
import { emailOwners } from "../../../merchants/members/email-owners.ts";
import { actorName } from "../../../merchants/members/members.ts";
import type { Visitor } from "../../../merchants/sign-in/visitor.ts";
import { findAccounts, listQueue, viewAccount, viewApplication } from "../../../merchants/underwriting/console.ts";
import { decide, reviewApplication, type OperatorRefusal } from "../../../merchants/underwriting/decide.ts";
import { downloadDocument } from "../../../merchants/underwriting/documents.ts";
import { underwritingEmails } from "../../../merchants/underwriting/emails.ts";
import { missingInPath } from "../../../platform/errors.ts";
import type { Context } from "../../context.ts";
import { ById, closed, Id, NoQuery } from "../params.ts";
import { DashboardError } from "./errors.ts";
import { sendDocument } from "./send-document.ts";

const asOperator = { config: { needs: "operator" } } as const;
const withStepUp = { config: { needs: "operator", stepUp: true } } as const;
const ByIdAndDocument = Type.Object({ id: Id, document: Id }, closed);

export function operatorRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { db, now } = context;

  return async (app) => {
    app.get(
      "/operator/applications",
      { ...asOperator, schema: { querystring: QueueQuery } },
      async ({ query }): Promise<QueuePage> => await listQueue(db, query),
    );

    app.get(
      "/operator/applications/:id",
      { ...asOperator, schema: { params: ById, querystring: NoQuery } },
      async ({ params: { id } }): Promise<OperatorApplication> => await application(id),
    );

    app.post(
      "/operator/applications/:id/review",
      { ...asOperator, schema: { params: ById, body: ReviewApplication } },
      async ({ params: { id }, visitor }): Promise<OperatorApplication> => {
        refuse(id, await reviewApplication(context, id, actorName(visitor)));
        return await application(id);
      },
    );

    app.post(
      "/operator/applications/:id/decision",
      { ...withStepUp, schema: { params: ById, body: DecideApplication } },
      async ({ params: { id }, visitor, body }): Promise<OperatorApplication> => {
        refuse(id, await decide(context, id, body, actorName(visitor)));
        return await application(id);
      },
    );

    app.get(
      "/operator/applications/:id/documents/:document",
      { ...asOperator, schema: { params: ByIdAndDocument, querystring: NoQuery } },
      async ({ params: { id, document }, visitor }, reply) => {
        const found = await downloadDocument(context, id, document);
        if (found === undefined) throw missingInPath("document", document);
        const read = { actor: actorName(visitor), action: "application.document_read", objectId: document } as const;
        await recordAudit(db, { ...read, details: { application: id } }, now());
        return await sendDocument(reply, found);
      },
    );

    app.get(
      "/operator/accounts",
      { ...asOperator, schema: { querystring: AccountsQuery } },
      async ({ query: { search = "" } }): Promise<AccountsFound> => ({ data: await findAccounts(db, search) }),
    );

    app.get(
      "/operator/accounts/:id",
      { ...asOperator, schema: { params: ById, querystring: NoQuery } },
      async ({ params: { id } }): Promise<OperatorAccount> => await account(id),
    );

    app.post(
      "/operator/accounts/:id/suspend",
      { ...withStepUp, schema: { params: ById, body: SwitchAccount } },
      async ({ params: { id }, visitor, body: { reason } }) => await switchAccount(id, "suspended", reason, visitor),
    );

    app.post(
      "/operator/accounts/:id/resume",
      { ...withStepUp, schema: { params: ById, body: SwitchAccount } },
      async ({ params: { id }, visitor, body: { reason } }) => await switchAccount(id, "active", reason, visitor),
    );

    app.post(
      "/operator/accounts/:id/acquirer",
      { ...withStepUp, schema: { params: ById, body: SetAcquirer } },
      async ({ params: { id }, visitor, body: { merchant_id: merchantId, seen } }) => {
        await account(id);
        const write = underwritingEmails(context.config.dashboardOrigin).acquirer;
        const notifyOwners: NotifyOwners = (tx, accountNo) =>
          emailOwners(context, tx, accountNo, (accountName) => write(merchantId, { accountName }));
        await setAcquirer(db, id, merchantId, now(), actorName(visitor), { seen, notifyOwners });
        return await account(id);
      },
    );
  };

  async function application(id: string): Promise<OperatorApplication> {
    const found = await viewApplication(context, id);
    if (found === undefined) throw missingInPath("application", id);
    return found;
  }

  async function account(id: string): Promise<OperatorAccount> {
    const found = await viewAccount(context, id);
    if (found === undefined) throw missingInPath("account", id);
    return found;
  }

  async function switchAccount(
    id: string,
    status: AccountStatus,
    reason: string,
    visitor: Visitor,
  ): Promise<OperatorAccount> {
    await account(id);
    const write = underwritingEmails(context.config.dashboardOrigin).account[status];
    await setAccountStatus(db, id, status, now(), actorName(visitor), {
      reason,
      notifyOwners: (tx, accountNo) =>
        emailOwners(context, tx, accountNo, (accountName) => write({ accountName, reason })),
    });
    return await account(id);
  }
}

function refuse(id: string, refusal: OperatorRefusal | null): void {
  if (refusal === "missing") throw missingInPath("application", id);
  if (refusal === "not_possible")
    throw new DashboardError("not_possible_now", "This application's status has changed. Refresh the page.");
}
