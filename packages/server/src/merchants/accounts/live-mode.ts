/**
 * Checks the requirements of live mode, and chooses the acquirer that moves the money for an object.
 *
 * If live mode is off, live keys don't work. If it is on, they can read data, manage webhooks, detach cards, and change
 * and end sessions. Requests that need an acquirer also need the account's own one for live mode
 * (`acquirer-accounts.ts`), or the service's default one (`LIVE_BANK_URL`). To start a payment with the default one, the
 * account needs its merchant ID there, which an operator sets. In test mode, there's always a default one.
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { CardAcquirer } from "@oriel/vault";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { modeOf, type Tenant } from "../../platform/tenant.ts";

type AcquirerContext = Pick<PlatformContext, "vault" | "acquirerAccounts">;

/** @throws ApiError `live_mode_unavailable` */
export function requireLiveModeOn({ config: { live } }: Pick<PlatformContext, "config">, tenant: Tenant): void {
  if (tenant.livemode && !live)
    throw new ApiError("live_mode_unavailable", "Live mode isn't enabled on this service. Use a test key.");
}

/**
 * Returns the acquirer of an object. No other code chooses one. It's cached, so changed settings and credentials take
 * effect in all processes within a minute.
 *
 * @param acquirerAccountId the one that the decision keeps, or for a new decision the account's current one. Null: the
 *   mode's default acquirer
 * @returns null if there's none or it can't be used now
 */
export async function acquirerFor(
  { vault, acquirerAccounts }: AcquirerContext,
  owner: Tenant,
  acquirerAccountId: string | null,
): Promise<CardAcquirer | null> {
  if (acquirerAccountId === null) return await vault.acquirer(modeOf(owner), null);
  const account = await acquirerAccounts.find(owner, acquirerAccountId);
  if (account === null) return null;
  const acquirer = await vault.acquirer(modeOf(owner), account);
  if (acquirer !== null) return acquirer;
  // Its credentials may have been replaced and erased since it was read.
  acquirerAccounts.forget(acquirerAccountId);
  const again = await acquirerAccounts.find(owner, acquirerAccountId);
  return again && (await vault.acquirer(modeOf(owner), again));
}

/** Like {@link acquirerFor}. @throws ApiError `live_mode_unavailable`, `acquirer_not_configured` */
export async function requireAcquirerFor(
  context: AcquirerContext & Pick<PlatformContext, "config">,
  owner: Tenant,
  acquirerAccountId: string | null,
): Promise<CardAcquirer> {
  requireLiveModeOn(context, owner);
  const acquirer = await acquirerFor(context, owner, acquirerAccountId);
  if (acquirer === null) throw acquirerMissing();
  return acquirer;
}

/** What an account's new payments are made with. At most one counts: its own acquirer account, or the default acquirer. */
export interface AcquirerChoice {
  /** The account's current acquirer account. */
  acquirerAccountId: string | null;
  /** The account's merchant ID at the default live acquirer. */
  acquirerMerchantId: string | null;
}

/**
 * For requests that move the money of an existing payment. It may have been made with another acquirer, which is only
 * found later.
 *
 * @throws ApiError `live_mode_unavailable`, `acquirer_not_configured`
 */
export function requireAnyAcquirer(
  context: Pick<PlatformContext, "vault" | "config">,
  tenant: Tenant,
  { acquirerAccountId }: Pick<AcquirerChoice, "acquirerAccountId">,
): void {
  requireLiveModeOn(context, tenant);
  if (acquirerAccountId === null && context.vault[modeOf(tenant)] === null) throw acquirerMissing();
}

/** For requests that start a payment. @throws ApiError `live_mode_unavailable`, `acquirer_not_configured` */
export function requireAcquirer(
  context: Pick<PlatformContext, "vault" | "config">,
  tenant: Tenant,
  choice: AcquirerChoice,
): void {
  requireAnyAcquirer(context, tenant, choice);
  if (!canStartPayments(tenant, choice)) throw acquirerMissing();
}

export function canStartPayments({ livemode }: Tenant, choice: AcquirerChoice): boolean {
  return !livemode || choice.acquirerAccountId !== null || choice.acquirerMerchantId !== null;
}

/**
 * Returns a function that checks that the account's own acquirer can express an amount in its own unit. The default
 * acquirers use the same unit as we do.
 *
 * @returns a function that throws ApiError `currency_unknown` or `amount_invalid`
 * @throws ApiError `live_mode_unavailable`, `acquirer_not_configured`
 */
export async function amountCheckOf(
  context: AcquirerContext & Pick<PlatformContext, "config">,
  tenant: Tenant,
  acquirerAccountId: string | null,
): Promise<(money: { amount: number; currency: string }) => void> {
  if (acquirerAccountId === null) return () => {};
  const { capabilities } = await requireAcquirerFor(context, tenant, acquirerAccountId);
  return ({ amount, currency }) => {
    if (capabilities.toVendorAmount({ amount, currency }) !== null) return;
    if (capabilities.toVendorAmount({ amount: 0, currency }) === null)
      throw new ApiError(
        "currency_unknown",
        `Your acquirer doesn't support payments in ${currency.toUpperCase()}. Use another currency.`,
        { param: "currency" },
      );
    throw new ApiError(
      "amount_invalid",
      `Your acquirer can't process ${formatAmount(amount, currency, "en")}, because it doesn't support fractions of this currency. Use a whole amount.`,
      { param: "amount" },
    );
  };
}

/** Checks one amount with {@link amountCheckOf}. */
export async function requireExpressible(
  context: AcquirerContext & Pick<PlatformContext, "config">,
  tenant: Tenant,
  acquirerAccountId: string | null,
  money: { amount: number; currency: string },
): Promise<void> {
  (await amountCheckOf(context, tenant, acquirerAccountId))(money);
}

export function acquirerMissing(): ApiError {
  return new ApiError(
    "acquirer_not_configured",
    "This account can't take payments in this mode because no acquirer is set up for it. Ask the operator to set one up.",
  );
}
