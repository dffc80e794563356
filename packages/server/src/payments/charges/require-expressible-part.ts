/** Checks the amount of a capture or refund before anything is written. */
import { requireExpressible } from "../../merchants/accounts/live-mode.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";

interface Part {
  /** The account's current acquirer account. Without one, nothing is read or checked. */
  acquirerAccountId: string | null;
  chargeId: string;
  /** If undefined, it's everything that is left, which was checked when the charge was created. */
  amount: number | undefined;
}

/**
 * Checks that the charge's acquirer can express a part of its amount. A charge that doesn't exist is refused later.
 *
 * @throws ApiError `amount_invalid`, `acquirer_not_configured`
 */
export async function requireExpressiblePart(
  context: Pick<PlatformContext, "db" | "vault" | "acquirerAccounts" | "config">,
  tenant: Tenant,
  { acquirerAccountId, chargeId, amount }: Part,
): Promise<void> {
  if (acquirerAccountId === null || amount === undefined) return;
  const charge = await context.db
    .selectFrom("charge")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "charge.decision_id").on(sameOwner("decision", "charge")),
    )
    .select(["charge.currency", "decision.acquirer_account_id"])
    .where(ownedBy(tenant, "charge"))
    .where("charge.id", "=", chargeId)
    .executeTakeFirst();
  if (charge === undefined) return;
  const { currency, acquirer_account_id: itsAccountId } = charge;
  await requireExpressible(context, tenant, itsAccountId, { amount, currency });
}
