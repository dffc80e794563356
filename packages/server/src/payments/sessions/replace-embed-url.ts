/** Issues a session's `embed_url` again. */
import type { CreatedCheckoutSession } from "@oriel/protocol/api";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { findSession } from "./checkout-sessions.ts";
import { newEmbedUrl } from "./embed-url.ts";
import { endRefusal, toCheckoutSession } from "./session-object.ts";
import { replaceSecret } from "./session-state.ts";

/**
 * Replaces the URL of a session that still has a page. The old URL no longer opens it, and a page that was opened with
 * the old URL can only follow a payment in progress.
 *
 * @throws ApiError 404 `resource_missing`, or `session_closed` if the session has expired or was canceled
 */
export async function replaceEmbedUrl(
  context: Pick<PlatformContext, "config" | "now">,
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<CreatedCheckoutSession> {
  const { embed_url, client_secret_hash } = newEmbedUrl(context, id);
  await replaceSecret(tx, tenant, id, client_secret_hash);
  const session = toCheckoutSession(await findSession(tx, tenant, id), context.now());
  if (session.status !== "open" && session.status !== "complete") throw endRefusal(session);
  return { session, embed_url };
}
