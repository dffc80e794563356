/**
 * Sends due deliveries, in every process that runs background work. It looks for them every second, when a transaction
 * announces new ones, and when a finished attempt frees capacity.
 *
 * Attempts in progress are limited per process, per account and per endpoint, with one at a time for an endpoint that
 * has been failing. Slow and dead endpoints therefore delay only their owner's deliveries.
 */
import { setImmediate } from "node:timers/promises";
import { deliveriesChannel } from "../payments/events/enqueue.ts";
import { createClaimLoop, clockDifferenceMs } from "../platform/background/claim-loop.ts";
import { stackOf } from "../platform/stack-of.ts";
import type { Database } from "../platform/storage/database.ts";
import { claimDeliveries, type DueDelivery } from "./claim-deliveries.ts";
import type { WebhookContext } from "./context.ts";
import { deliver } from "./deliver.ts";

const maxAtOnce = 400;
/** Claiming costs more than a delivery, so it waits until there is capacity for this many. */
const minCapacity = 20;
/** If more of an account's endpoints hang than this allows, only the account's own deliveries are delayed. */
const bounds = { perAccount: 150, perEndpoint: 10, perFailingEndpoint: 1 };
/** At shutdown, how long to wait for attempts in progress before their deliveries go back to the queue. */
const shutdownMs = 5_000;

/** @returns a function that stops claiming deliveries and waits for those in progress */
export async function startDispatcher(context: WebhookContext, database: Database): Promise<() => Promise<void>> {
  const inProgress = new Set<Promise<void>>();
  const taken = new Map<string, number>();
  const aborting = new AbortController();

  const loop = createClaimLoop(context, "deliveries", {
    hasCapacity: () => inProgress.size <= maxAtOnce - minCapacity,
    async claim() {
      const capacity = { ...bounds, total: maxAtOnce - inProgress.size, taken };
      const found = await claimDeliveries(context, capacity, clockDifferenceMs);
      for (const delivery of found) begin(delivery);
      await setImmediate(); // PGlite responds within the same turn of the event loop; let other work run
      return found.length > 0;
    },
  });

  function begin(delivery: DueDelivery): void {
    const { id, failing_since } = delivery.endpoint;
    const limit = failing_since === null ? bounds.perEndpoint : bounds.perFailingEndpoint;
    taken.set(id, (taken.get(id) ?? 0) + 1);
    const sent = deliver(context, delivery, aborting.signal)
      .catch((error: unknown) => {
        const details = { delivery: delivery.id, error: stackOf(error) };
        context.log.error(details, "Failed to record the result of a delivery; the delivery will be retried");
      })
      .finally(() => end(id, limit, sent));
    inProgress.add(sent);
  }

  function end(endpointId: string, limit: number, sent: Promise<void>): void {
    const count = taken.get(endpointId) ?? 1;
    // At a limit, other deliveries may have been waiting for this one to end.
    const wasFull = count >= limit || inProgress.size >= bounds.perAccount;
    inProgress.delete(sent);
    if (count === 1) taken.delete(endpointId);
    else taken.set(endpointId, count - 1);
    // A search in progress doesn't know about the freed capacity yet.
    if (wasFull || loop.isClaiming()) loop.claimSoon();
  }

  await loop.start(database, deliveriesChannel);
  return async () => {
    await loop.stop();
    const shutdownTimer = setTimeout(() => aborting.abort(), shutdownMs);
    await Promise.all(inProgress);
    clearTimeout(shutdownTimer);
  };
}
