/**
 * What a live key may do. With live mode off: nothing. With it on: read, and look after webhooks. This version has no live acquirer, so every POST
 * outside webhook endpoints and events is refused, the creation of a checkout session too: its page would take a real card for a sandbox's bank.
 */
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import type { Tenant } from "../tenant.ts";

/**
 * @param route the pattern, as in `/api/v1/charges/:id`
 * @throws ApiError `live_mode_unavailable`, `acquirer_not_configured`
 */
export function checkLiveMode({ live }: Pick<Config, "live">, tenant: Tenant, method: string, route: string): void {
  if (!tenant.livemode) return;
  if (!live) throw new ApiError("live_mode_unavailable", "Live mode is off on this service. Use a test key.");
  if (method === "GET" || method === "HEAD") return;
  if (/^\/api\/v1\/(webhook_endpoints|events)(\/|$)/.test(route)) return;
  throw new ApiError("acquirer_not_configured", "No acquirer is set up for this account, so it cannot take live payments yet.");
}
