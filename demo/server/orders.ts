/**
 * The shop's orders. Only an event can mark one as paid or placed (`apply-event.ts`).
 *
 * Deliveries can be repeated and out of order, so an event counts once (by its ID), and no later event undoes "paid". A
 * failed payment is counted but doesn't close the order, because the customer may try again.
 *
 * Kept in memory, and if a folder is set, as one JSON line per change in a file, so that a restart loses no order.
 */
import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Bill } from "./prices.ts";

export const ways = ["script", "app", "redirect"] as const;

/** The integration that the customer pays with. */
export type Way = (typeof ways)[number];

export interface Order {
  /** Unguessable, because anyone who has it may see the order's page. */
  readonly id: string;
  readonly way: Way;
  readonly session_id: string | null;
  /** `placed`: complete, and there was nothing to pay. */
  readonly status: "open" | "paid" | "placed";
  readonly failed_payments: number;
  /** What the customer chose, which is final once the order isn't open anymore. */
  readonly bill?: Bill;
  /** IDs of the events that were applied. */
  readonly events: readonly string[];
}

/** The result of an event. Only `applied` means that something may have changed. */
export type Outcome = "applied" | "replayed" | "ignored" | "unknown_order" | "mismatch";

/** Beyond this many orders, the oldest unpaid one is deleted. */
const maxOrders = 10_000;

export class Orders {
  readonly #byId = new Map<string, Order>();
  readonly #file: string | null;

  constructor(dataDir: string | null) {
    this.#file = dataDir === null ? null : join(dataDir, "orders.jsonl");
    if (dataDir !== null) mkdirSync(dataDir, { recursive: true });
    if (this.#file !== null && existsSync(this.#file)) {
      for (const order of readOrders(this.#file)) this.#byId.set(order.id, order);
    }
  }

  get(id: string): Order | null {
    return this.#byId.get(id) ?? null;
  }

  /** Creates an order for the product. Null if the shop is full. */
  open(way: Way): Order | null {
    if (this.#byId.size >= maxOrders && !this.#forgetOldestUnpaid()) return null;
    const id = `ord_${randomBytes(16).toString("hex")}`;
    return this.#save({ id, way, session_id: null, status: "open", failed_payments: 0, events: [] });
  }

  #forgetOldestUnpaid(): boolean {
    for (const { id, status } of this.#byId.values()) {
      if (status === "open") return this.#byId.delete(id);
    }
    return false;
  }

  /** Links the order to its session. Call this before the customer gets the session. */
  attachSession(order: Order, sessionId: string): Order {
    return this.#save({ ...order, session_id: sessionId });
  }

  countFailure(id: string, eventId: string): Outcome {
    return this.#change(id, eventId, ({ failed_payments }) => ({ failed_payments: failed_payments + 1 }));
  }

  complete(id: string, eventId: string, bill: Bill): Outcome {
    return this.#change(id, eventId, () => ({ status: bill.total === 0 ? "placed" : "paid", bill }));
  }

  /** Changes the order, unless the event has done so before. */
  #change(id: string, eventId: string, change: (order: Order) => Partial<Order>): Outcome {
    const order = this.#byId.get(id);
    if (order === undefined) return "unknown_order";
    if (order.events.includes(eventId)) return "replayed";
    this.#save({ ...order, ...change(order), events: [...order.events, eventId] });
    return "applied";
  }

  #save(order: Order): Order {
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(order)}\n`, { mode: 0o600 });
    this.#byId.set(order.id, order);
    return order;
  }
}

/**
 * A crash may have cut the last line short. Its change was never acknowledged and will be sent again. The partial line
 * is removed, so that the next one isn't appended to it.
 */
function readOrders(file: string): Order[] {
  const bytes = readFileSync(file);
  const whole = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
  if (whole.byteLength < bytes.byteLength) truncateSync(file, whole.byteLength);
  return whole
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Order); // written in this format above
}
