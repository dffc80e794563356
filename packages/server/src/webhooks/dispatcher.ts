/**
 * Sends what is due, in every process that works. It looks for deliveries when a transaction says that there are new
 * ones, when a try has made room where there may be more, and every second for what has become due by itself or was
 * missed.
 *
 * Everything is bounded: so many tries at once in this process, so many of them to the endpoints of one account and to
 * one endpoint, and one to an endpoint that has been failing, so that slow and dead endpoints hold up nobody but their
 * owner.
 */
import { setImmediate } from "node:timers/promises";
import type { WebhookContext } from "./context.ts";
import type { Database } from "../platform/storage/database.ts";
import { listen } from "../platform/storage/listen.ts";
import { claimDeliveries, type DueDelivery } from "./claim-deliveries.ts";
import { deliver } from "./deliver.ts";
import { deliveriesChannel } from "../payments/events/enqueue.ts";
import { stackOf } from "../platform/stack-of.ts";

const maxAtOnce = 400;
/** A look costs more than a delivery: where there is hardly any room it waits until there is more. */
const minRoom = 20;
/** An account with more endpoints that hang than this has room for holds up its own others, and nobody else. */
const bounds = { perAccount: 150, perEndpoint: 10, perFailingEndpoint: 1 };
const lookEveryMs = 1_000;
/** When this process is told to end: how long it goes on with what is under way, before it hands it back. */
const endWithinMs = 5_000;

/** @returns a function that stops taking up more, and ends what is under way */
export async function startDispatcher(context: WebhookContext, database: Database): Promise<() => Promise<void>> {
  const underWay = new Set<Promise<void>>();
  const taken = new Map<string, number>();
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let isStopping = false;
  const givenUp = new AbortController();

  function look(): void {
    lookAgain = true;
    if (isStopping || looking !== null) return;
    looking = takeUp()
      .catch((error: unknown) => {
        const details = { error: stackOf(error) };
        context.log.error(details, "Could not look for due deliveries; it is tried again in a second");
      })
      .finally(() => {
        looking = null;
        if (lookAgain && hasRoom()) look(); // it was said just now
      });
  }

  const hasRoom = () => underWay.size <= maxAtOnce - minRoom;

  /** Until nothing is found. */
  async function takeUp(): Promise<void> {
    while (lookAgain && hasRoom()) {
      if (isStopping) return;
      lookAgain = false;
      const found = await claimDeliveries(context, { ...bounds, total: maxAtOnce - underWay.size, taken });
      if (found.length > 0) lookAgain = true;
      for (const delivery of found) begin(delivery);
      await setImmediate(); // PGlite answers without leaving the event loop's turn: others have to get theirs
    }
  }

  function begin(delivery: DueDelivery): void {
    const { id, failing_since } = delivery.endpoint;
    const limit = failing_since === null ? bounds.perEndpoint : bounds.perFailingEndpoint;
    taken.set(id, (taken.get(id) ?? 0) + 1);
    const sent = deliver(context, delivery, givenUp.signal)
      .catch((error: unknown) => {
        const details = { delivery: delivery.id, error: stackOf(error) };
        context.log.error(details, "A delivery could not be written down and will be tried again");
      })
      .finally(() => end(id, limit, sent));
    underWay.add(sent);
  }

  function end(endpointId: string, limit: number, sent: Promise<void>): void {
    const count = taken.get(endpointId) ?? 1;
    const wasFull = count >= limit || underWay.size >= bounds.perAccount; // so there may be some that waited for this room
    underWay.delete(sent);
    if (count === 1) taken.delete(endpointId);
    else taken.set(endpointId, count - 1);
    // A look that goes on just now did not know of this room.
    if (wasFull || looking !== null) look();
  }

  const stopListening = await listen(database, deliveriesChannel, look);
  const timer = setInterval(look, lookEveryMs);
  look();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await stopListening();
    await looking;
    const patience = setTimeout(() => givenUp.abort(), endWithinMs);
    await Promise.all(underWay);
    clearTimeout(patience);
  };
}
