import type { MerchantContext } from "../merchants/context.ts";
import type { PaymentContext } from "../payments/context.ts";
import type { WebhookContext } from "../webhooks/context.ts";

/** Everything that any folder needs, because routes call all of them. */
export interface Context extends MerchantContext, PaymentContext, WebhookContext {}
