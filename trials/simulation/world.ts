/** One seed's world, and what its shop, customers and acquirer know about each other. */
import type { Method } from "../../packages/server/test/setup/test-service.ts";
import type { Chance } from "../chance.ts";
import type { Order as ReconciledOrder } from "../reconcile.ts";
import type { SimulatedAcquirer } from "./acquirer.ts";
import type { ApiResponse } from "./api-response.ts";
import type { Conditions } from "./conditions.ts";
import type { Journal } from "./journal.ts";
import type { Ended } from "./processes.ts";
import type { Schedule } from "./schedule.ts";
import type { SimulatedService } from "./service.ts";
import type { Shop } from "./shop.ts";

/** The response to a request, or `null` if the process died first. */
export type Response = ApiResponse | null;

export interface World {
  seed: number;
  service: SimulatedService;
  shop: Shop;
  schedule: Schedule;
  journal: Journal;
  chance: Chance;
  conditions: Conditions;
  acquirer: SimulatedAcquirer;
  /** What the service logged as an error. */
  errors: string[];
  orders: Order[];
  /** The charges that the shop has asked to cancel. */
  canceled: Set<string>;
  /** The IDs of the notifications that the service accepted. */
  accepted: Set<string>;
  /** Sends a request to the service, whose process may die. */
  request(
    who: string,
    host: "api" | "frame",
    method: Method,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Runs an action in a process that may die. A process whose statement fails counts as dead. */
  act<T>(what: string, action: () => Promise<T>): Promise<Ended<T>>;
}

export interface Order extends ReconciledOrder {
  currency: string;
  captureMethod: "automatic" | "manual";
  pressed: Map<number, number>;
  decisions: Set<string>;
  sessions: Set<string>;
}
