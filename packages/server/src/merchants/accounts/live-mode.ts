/**
 * Checks the requirements of live mode, and chooses the bank that moves the money for an object.
 *
 * If live mode is off, live keys don't work. If it is on, they can read data, manage webhooks, detach cards and end
 * sessions. Requests that need the acquirer also need a live bank (`LIVE_BANK_URL`). Starting a payment also needs the
 * account's merchant ID at that bank, which an operator sets.
 */
import type { CardBank } from "@oriel/vault";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { modeOf, type Tenant } from "../../platform/tenant.ts";

/** @throws ApiError `live_mode_unavailable` */
export function requireLiveModeOn({ config: { live } }: Pick<PlatformContext, "config">, tenant: Tenant): void {
  if (tenant.livemode && !live)
    throw new ApiError("live_mode_unavailable", "Live mode isn't enabled on this service. Use a test key.");
}

/**
 * Returns the bank for an object's mode, or null for live mode if no live bank is configured. No other code chooses a
 * bank.
 */
export function bankOf({ vault }: Pick<PlatformContext, "vault">, owned: Pick<Tenant, "livemode">): CardBank | null {
  return vault[modeOf(owned)];
}

/**
 * For requests that move the money of an existing payment.
 * @throws ApiError `live_mode_unavailable`, `acquirer_not_configured`
 */
export function requireBank(context: Pick<PlatformContext, "vault" | "config">, tenant: Tenant): CardBank {
  requireLiveModeOn(context, tenant);
  const bank = bankOf(context, tenant);
  if (bank === null) throw acquirerMissing();
  return bank;
}

/** For requests that start a payment. @throws ApiError `live_mode_unavailable`, `acquirer_not_configured` */
export function requireAcquirer(
  context: Pick<PlatformContext, "vault" | "config">,
  tenant: Tenant,
  acquirerMerchantId: string | null,
): void {
  requireBank(context, tenant);
  if (tenant.livemode && acquirerMerchantId === null) throw acquirerMissing();
}

export function acquirerMissing(): ApiError {
  return new ApiError(
    "acquirer_not_configured",
    "This account can't take live payments because no acquirer is set up for it. Ask the operator to set one up.",
  );
}
