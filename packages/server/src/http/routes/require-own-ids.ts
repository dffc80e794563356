/**
 * Refuses cursors and filters that can't be IDs of this account and mode. An empty list would look like proof: "this
 * decision wasn't charged". The objects needn't exist, because the object at a cursor may be deleted.
 */
import type { FastifyRequest } from "fastify";
import { ApiError } from "../../platform/errors.ts";
import { tenantOfId } from "../../platform/ids.ts";

/** A preHandler hook. The query's schema has checked the prefixes. */
export async function requireOwnIds({ query, tenant }: FastifyRequest): Promise<void> {
  for (const [param, value] of Object.entries(query ?? {})) {
    if (!param.endsWith("_id") && param !== "starting_after" && param !== "ending_before") continue;
    const owner = tenantOfId(String(value));
    if (owner === undefined) {
      const message = `\`${param}\` isn't a complete ID. Send the ID exactly as you received it.`;
      throw new ApiError("parameter_invalid", message, { param });
    }
    if (owner.accountNo !== tenant.accountNo || owner.livemode !== tenant.livemode) {
      const message = `\`${param}\` is an ID of another account or of the other mode. Check the ID, and check that the key has the right mode.`;
      throw new ApiError("resource_missing", message, { param });
    }
  }
}
