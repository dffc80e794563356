/**
 * What live mode needs, and which bank it is that a mode's money moves at.
 *
 * Off, a live key may do nothing. On, it may read, look after webhooks, detach cards and end sessions. What asks the
 * bank needs a live bank (`LIVE_BANK_URL`); what begins a payment also needs the account's merchant id there, which an
 * operator sets.
 */
import type { CardBank } from "@oriel/vault";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { modeOf, type Tenant } from "../../platform/tenant.ts";

/** @throws ApiError `live_mode_unavailable` */
export function requireLiveModeOn({ config: { live } }: Pick<PlatformContext, "config">, tenant: Tenant): void {
  if (tenant.livemode && !live)
    throw new ApiError("live_mode_unavailable", "Live mode is off on this service. Use a test key.");
}

/** The only way from an object's mode to a bank. Null: it is live mode's, and there is none (any more). */
export function bankOf({ vault }: Pick<PlatformContext, "vault">, owned: Pick<Tenant, "livemode">): CardBank | null {
  return vault[modeOf(owned)];
}

/**
 * For what moves money of a payment that there is.
 * @throws ApiError `live_mode_unavailable`, `acquirer_not_configured`
 */
export function requireBank(context: Pick<PlatformContext, "vault" | "config">, tenant: Tenant): CardBank {
  requireLiveModeOn(context, tenant);
  const bank = bankOf(context, tenant);
  if (bank === null) throw acquirerMissing();
  return bank;
}

/** For what begins a payment. @throws ApiError `live_mode_unavailable`, `acquirer_not_configured` */
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
    "No acquirer is set up for this account, so it cannot take live payments.",
  );
}
