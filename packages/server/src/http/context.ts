import type { MerchantContext } from "../merchants/context.ts";
import type { PaymentContext } from "../payments/context.ts";
import type { WebhookContext } from "../webhooks/context.ts";

/** All of it: routes call every folder. */
export interface Context extends MerchantContext, PaymentContext, WebhookContext {}
