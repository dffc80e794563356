/**
 * What live mode needs, and which bank it is that a mode's money moves at.
 *
 * Off, a live key may do nothing. On, it may read, and look after webhooks. To move money, which the creation of a checkout session begins, takes
 * a live bank (`LIVE_BANK_URL`), and the account's merchant id there, which an operator sets. Test mode has a bank of its own: `Banks` says so by type.
 */
import type { CardBank } from "@oriel/vault";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { Tenant } from "../tenant.ts";

/** As much of an account as decides whether it may move money in live mode. */
export interface AcquirerOfAccount {
  acquirerMerchantId: string | null;
}

/** @throws ApiError `live_mode_unavailable` */
export function requireLiveModeOn({ config: { live } }: { config: Pick<Context["config"], "live"> }, tenant: Tenant): void {
  if (tenant.livemode && !live) throw new ApiError("live_mode_unavailable", "Live mode is off on this service. Use a test key.");
}

/** @throws ApiError `live_mode_unavailable`, `acquirer_not_configured` */
export function requireAcquirer(
  context: Pick<Context, "vault"> & { config: Pick<Context["config"], "live"> },
  tenant: Tenant,
  { acquirerMerchantId }: AcquirerOfAccount,
): void {
  requireLiveModeOn(context, tenant);
  if (tenant.livemode && (bankOf(context, tenant) === null || acquirerMerchantId === null)) throw acquirerMissing();
}

/** The only way from an object's mode to a bank. Null: it is live mode's, and there is none (any more). */
export function bankOf({ vault }: Pick<Context, "vault">, { livemode }: Pick<Tenant, "livemode">): CardBank | null {
  return livemode ? vault.live : vault.test;
}

/** @throws ApiError `acquirer_not_configured` */
export function requireBank(context: Pick<Context, "vault">, owned: Pick<Tenant, "livemode">): CardBank {
  const bank = bankOf(context, owned);
  if (bank === null) throw acquirerMissing();
  return bank;
}

function acquirerMissing(): ApiError {
  return new ApiError("acquirer_not_configured", "No acquirer is set up for this account, so it cannot take live payments yet.");
}
