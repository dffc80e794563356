/** Reads the account's log of API requests and its audit log. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { AuditQuery, RequestsQuery, type AuditRows, type LoggedRequests } from "@oriel/protocol/dashboard/log";
import { operatorActions } from "../../../merchants/audit/audit-log.ts";
import { listAudit } from "../../../merchants/audit/list-audit.ts";
import { listRequests } from "../../../merchants/request-log/request-log.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";

export function logRoutes({ db }: PlatformContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      "/data/:account/:mode/requests",
      { config: { needs: "developing" }, schema: { querystring: RequestsQuery } },
      async ({ workspace, query }): Promise<LoggedRequests> => {
        const { data, has_more } = await listRequests(db, workspace.tenant, query, query);
        return { data, has_more };
      },
    );

    app.get(
      "/data/:account/:mode/audit",
      { config: { needs: "owning" }, schema: { querystring: AuditQuery } },
      async ({ workspace, query }): Promise<AuditRows> => {
        const { data, has_more } = await listAudit(db, workspace.accountId, query);
        return {
          data: data.map(({ id, created_at, actor, action, object_id, outcome, details: { address, ...details } }) => {
            const isByOperator = (operatorActions as readonly string[]).includes(action) || actor.startsWith("cli ");
            return {
              id,
              created: unixSeconds(created_at),
              // The account's team sees that it was an operator, but not which one, and not where they work.
              actor: isByOperator ? "operator" : actor,
              address: isByOperator || typeof address !== "string" ? null : address,
              action,
              object_id,
              outcome,
              details,
            };
          }),
          has_more,
        };
      },
    );
  };
}
