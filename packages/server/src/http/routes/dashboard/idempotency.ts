/** What the dashboard's idempotent requests share: the space of their idempotency keys, and their audit entries. */
import type { FastifyRequest } from "fastify";
import { recordAudit, type AuditAction } from "../../../merchants/audit/audit-log.ts";
import { actorName } from "../../../merchants/members/members.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import type { Context } from "../../context.ts";
import type { KeySpace } from "../idempotent-post.ts";

/** The API's idempotency keys contain no space (`checkKeyFormat`), so they can't collide with these names. */
export const keysOfDashboard: KeySpace = {
  tenantOf: ({ workspace }) => workspace.tenant,
  storedAs: (key) => `dashboard ${key}`,
};

export async function auditInWorkspace(
  { now }: Pick<Context, "now">,
  tx: Tx,
  { visitor, workspace }: FastifyRequest,
  action: AuditAction,
  objectId: string | null,
  details: Record<string, string | number>,
): Promise<void> {
  const { accountNo, livemode } = workspace.tenant;
  const entry = { actor: actorName(visitor), action, accountNo, objectId, details: { ...details, livemode } };
  await recordAudit(tx, entry, now());
}
