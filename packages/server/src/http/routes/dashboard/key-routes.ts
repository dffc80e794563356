/** Secret keys in the dashboard: `/data/:account/:mode/keys`. Only the response that creates a key contains it. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { CreateSecretKey, RollSecretKey, type NewSecretKey, type SecretKey } from "@oriel/protocol/dashboard/setup";
import { listQuery } from "@oriel/protocol/shapes";
import {
  ApiKeyRefusal,
  createApiKey,
  findApiKey,
  listKeysOf,
  revokeApiKey,
  rollApiKey,
  stateOf,
  type KnownApiKey,
  type NewApiKey,
} from "../../../merchants/accounts/api-keys.ts";
import { actorName } from "../../../merchants/members/members.ts";
import type { PlatformContext } from "../../../platform/context.ts";
import { missingInPath } from "../../../platform/errors.ts";
import type { Tenant } from "../../../platform/tenant.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";
import { Nothing } from "../params.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";
import { DashboardError } from "./errors.ts";

const developing = { config: { needs: "developing" } } as const;
const withStepUp = { config: { needs: "developing", stepUp: true } } as const;

export function keyRoutes({ db, now }: Pick<PlatformContext, "db" | "now">): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      "/data/:account/:mode/keys",
      { ...developing, schema: { params: WorkspacePath, querystring: listQuery("key") } },
      async ({ workspace, query }) => await listKeysOf(db, workspace.tenant, query, (key) => toSecretKey(key, now())),
    );

    app.post(
      "/data/:account/:mode/keys",
      { ...withStepUp, schema: { params: WorkspacePath, body: CreateSecretKey } },
      async ({ workspace: { tenant }, visitor, body }) => {
        const { name, scope } = body;
        const made = createApiKey(db, tenant, now(), { name, scope, actor: actorName(visitor) });
        return await shownOnce(tenant, await made.catch(refuse));
      },
    );

    app.post(
      "/data/:account/:mode/keys/:id/roll",
      { ...withStepUp, schema: { params: WorkspacePathById, body: RollSecretKey } },
      async ({ workspace: { tenant }, visitor, params: { id }, body: { overlap = "24h" } }) => {
        const rolled = rollApiKey(db, tenant, id, overlap, now(), actorName(visitor));
        return await shownOnce(tenant, await rolled.catch((error: unknown) => refuse(error, id)));
      },
    );

    app.post(
      "/data/:account/:mode/keys/:id/revoke",
      { ...developing, schema: { params: WorkspacePathById, body: Nothing } },
      async ({ workspace: { tenant }, visitor, params: { id } }): Promise<SecretKey> => {
        const revoked = revokeApiKey(db, tenant, id, now(), actorName(visitor));
        await revoked.catch((error: unknown) => refuse(error, id));
        return toSecretKey(await findApiKey(db, tenant, id), now());
      },
    );
  };

  async function shownOnce(tenant: Tenant, { id, secretKey }: NewApiKey): Promise<NewSecretKey> {
    return { key: toSecretKey(await findApiKey(db, tenant, id), now()), secret_key: secretKey };
  }
}

function toSecretKey(key: KnownApiKey, now: Date): SecretKey {
  const seconds = (time: Date | null) => (time === null ? null : unixSeconds(time));
  const { id, name, scope, last4 } = key;
  return {
    id,
    name,
    scope,
    last4,
    created: unixSeconds(key.created_at),
    last_used: seconds(key.last_used_at),
    expires: seconds(key.expires_at),
    revoked: seconds(key.revoked_at),
    state: stateOf(key, now),
  };
}

/** @param id the ID from the path */
function refuse(error: unknown, id = ""): never {
  if (!(error instanceof ApiKeyRefusal)) throw error;
  switch (error.reason) {
    case "missing":
      throw missingInPath("secret key", id);
    case "not_valid":
      throw new DashboardError("not_possible_now", "This key is no longer valid. Create a new key.");
    case "not_approved":
      throw new DashboardError(
        "not_possible_now",
        "This account needs approval before you can create live keys. Apply for live mode first.",
      );
  }
}
