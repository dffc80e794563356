/**
 * Builds the request that begins an authentication at a vendor's 3DS Server, without the card, which the vault adds. Billing
 * details help the issuer but are optional, and the connector leaves out what the vendor would reject.
 */
import type { VendorAuthentication } from "@oriel/vault";
import type { PlatformContext } from "../../../platform/context.ts";
import { ownerTag } from "../../../platform/ids.ts";
import type { Row } from "../../../platform/storage/tables.ts";
import { tenantOf } from "../../../platform/tenant.ts";
import { customerOf } from "../../payment-methods/customer-of.ts";

/** What is known about the payment method and its session. */
export type PaymentDetails = Pick<Row<"payment_method">, "billing_details" | "network"> &
  Pick<Row<"checkout_session">, "mode" | "save_payment_method" | "customer">;

/** Of an authentication at a vendor. No attempt has it. */
export function referenceOf({ id }: Pick<Row<"authentication">, "id">): string {
  return `aut_${id}`;
}

export function vendorRequest(
  { config }: Pick<PlatformContext, "config">,
  authentication: Row<"authentication">,
  decision: Row<"decision">,
  merchantName: string,
  { billing_details, network, mode, save_payment_method, customer }: PaymentDetails,
): Omit<VendorAuthentication, "card"> {
  const { amount, currency, risk_level } = decision;
  return {
    reference: referenceOf(authentication),
    amount,
    currency,
    ...customerOf({ billing_details, customer, browser_ip: authentication.browser_ip }),
    ...(network === null ? {} : { network }),
    usage: { kind: mode === "setup" || save_payment_method ? "store" : "once" },
    browser: {
      ...authentication.browser,
      // The Accept header of a request by a script, if the browser hasn't requested the runner page yet.
      acceptHeader: authentication.browser_accept ?? "*/*",
      userAgent: authentication.browser_user_agent,
    },
    merchantName,
    notificationUrl: `${config.checkoutOrigin}/3ds/challenge/${ownerTag(tenantOf(decision))}`,
    origin: config.checkoutOrigin,
    challengeIndicator: authentication.is_step_up || risk_level !== "normal" ? "04" : "01",
  };
}
