/** The functions that the service calls in the database. `migrate` creates them. */
import { approve } from "./payments/charges/approve-charge.ts";
import { start as startCharge } from "./payments/charges/start-charge.ts";
import { insert as decide } from "./payments/decisions/decision-state.ts";
import { numberBatch } from "./payments/events/feed-queue.ts";
import { record } from "./payments/events/record-event.ts";
import { settle } from "./payments/refunds/settle-refund.ts";
import { start as startRefund } from "./payments/refunds/start-refund.ts";
import { returnToBucket, returnToReserve } from "./payments/risk/bucket.ts";
import { begin as beginTry } from "./payments/risk/card-attempts.ts";
import { insert as createSession } from "./payments/sessions/checkout-sessions.ts";
import type { StoredFunction } from "./platform/storage/stored-function.ts";

export const storedFunctions: readonly StoredFunction[] = [
  createSession,
  decide,
  startCharge,
  approve,
  startRefund,
  settle,
  record,
  numberBatch,
  beginTry,
  returnToBucket,
  returnToReserve,
];
