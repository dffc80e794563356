/**
 * The public API's request and response schemas, and the types inferred from them. Unknown fields are rejected, nothing
 * is coerced, and amounts are integers in the currency's smallest unit.
 *
 * The server validates with these schemas and builds the OpenAPI document from them. Other packages import only the
 * types, so no browser bundle contains the schemas.
 */
export * from "./checkout-sessions.ts";
export * from "./decisions.ts";
export * from "./charges.ts";
export * from "./refunds.ts";
export * from "./disputes.ts";
export * from "./ledger-entries.ts";
export * from "./payment-methods.ts";
export * from "./customers.ts";
export * from "./card-testing-reports.ts";
export * from "./attention-items.ts";
export * from "./events.ts";
export * from "./webhooks.ts";
export * from "./lists.ts";

/** The API version of every event and response. */
export const apiVersion = "2026-11-20";
