/** Reads the account's log of API requests and its audit log. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { AuditQuery, RequestsQuery, type AuditRows, type LoggedRequests } from "@oriel/protocol/dashboard-log";
import { listAudit } from "../../../merchants/audit/list-audit.ts";
import { operatorActions } from "../../../merchants/audit/audit-log.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import { listRequests } from "../../../merchants/request-log/request-log.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";

export function logRoutes({ db }: PlatformContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      "/data/:account/:mode/requests",
      { config: { needs: "developing" }, schema: { querystring: RequestsQuery } },
      async ({ desk, query }): Promise<LoggedRequests> => {
        const { data, has_more } = await listRequests(db, desk.tenant, query, query);
        return { data, has_more };
      },
    );

    app.get(
      "/data/:account/:mode/audit",
      { config: { needs: "owning" }, schema: { querystring: AuditQuery } },
      async ({ desk, query }): Promise<AuditRows> => {
        const { data, has_more } = await listAudit(db, desk.accountId, query);
        return {
          data: data.map(({ id, created_at, actor, action, object_id, outcome, details }) => ({
            id,
            created: unixSeconds(created_at),
            actor: shownActor(actor, action),
            action,
            object_id,
            outcome,
            details,
          })),
          has_more,
        };
      },
    );
  };
}

/** Hides which operator acted. The account's team sees only that it was an operator. */
function shownActor(actor: string, action: string): string {
  const isOperators = (operatorActions as readonly string[]).includes(action);
  return isOperators || actor.startsWith("cli ") ? "operator" : actor;
}
