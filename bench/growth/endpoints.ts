/**
 * The endpoints that merchants use most: operations that move money, single objects, and lists at the start, at a late
 * page and with filters.
 */
import { scenarios, type Scenario } from "../api/scenarios.ts";
import { copyOf, type Original } from "./fill.ts";

/**
 * Number of payments in the middle of the tables, of which every fifth is read. It's the same at every size, so that
 * results depend on the table size and not on what's in memory.
 */
const working = 10_000;

/**
 * @param payments - Number of payments in the tables.
 * @param original - The payment that was copied.
 * @param endpoint - ID of the webhook endpoint that has the deliveries.
 */
export function endpointsOf(payments: number, original: Original, endpoint: string): Scenario[] {
  const first = (payments - working) / 2;
  const any = (prefix: string) => copyOf(original, prefix, first + 5 * (1 + Math.floor((Math.random() * working) / 5)));
  /** An arbitrary payment, most likely not in memory, so it's read from disk. */
  const anywhere = () => 1 + Math.floor(Math.random() * payments);
  const reads: Record<string, () => string> = {
    "one charge": () => `/charges/${any("ch")}`,
    "one charge, anywhere": () => `/charges/${copyOf(original, "ch", anywhere())}`,
    "one session": () => `/checkout_sessions/${any("cs")}`,
    "one decision": () => `/decisions/${any("dec")}`,
    "one refund": () => `/refunds/${any("re")}`,
    "one event": () => `/events/${any("evt")}`,
    charges: () => "/charges",
    "charges, late page": () => `/charges?starting_after=${any("ch")}`,
    "charges, anywhere": () => `/charges?starting_after=${copyOf(original, "ch", anywhere())}`,
    "charges, backwards": () => `/charges?ending_before=${any("ch")}`,
    "charges of a session": () => `/charges?session_id=${any("cs")}`,
    "charges of a decision": () => `/charges?decision_id=${any("dec")}`,
    "sessions, late page": () => `/checkout_sessions?starting_after=${any("cs")}`,
    "refunds, late page": () => `/refunds?starting_after=${any("re")}`,
    "refunds of a charge": () => `/refunds?charge_id=${any("ch")}`,
    events: () => "/events",
    "events, late page": () => `/events?starting_after=${any("evt")}`,
    "events of a type, late page": () => `/events?type=payment.succeeded&starting_after=${any("evt")}`,
    "event feed, late page": () => `/events?after=${any("evt")}`,
    "deliveries, late page": () => `/webhook_endpoints/${endpoint}/deliveries?starting_after=${any("del")}`,
  };
  return [
    { ...scenarios.session, name: "create a session" },
    { ...scenarios.charge, name: "create a decision and charge" },
    { ...scenarios.refund, name: "refund" },
    ...Object.entries(reads).map(([name, path]): Scenario => ({ name, run: (send) => send("GET", path()) })),
  ];
}
