import type { MerchantContext } from "../merchants/context.ts";
import type { PaymentContext } from "../payments/context.ts";
import type { Readiness } from "../telemetry/readiness.ts";
import type { WebhookContext } from "../webhooks/context.ts";

/** Combines the contexts of all folders, because the routes call functions from all of them. */
export interface Context extends MerchantContext, PaymentContext, WebhookContext {
  readiness: Readiness;
}
