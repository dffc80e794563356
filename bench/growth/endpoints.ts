/**
 * The endpoints that merchants ask most: what makes money move, one of each object, and lists at the top, deep in, and
 * by what they can be filtered by.
 */
import { scenarios, type Scenario } from "../api/scenarios.ts";
import { copyOf } from "./fill.ts";

/**
 * Every fifth of so many payments in the middle of the tables is read: as many in every size, so that what differs is
 * how much there is around them, and not what of it is in memory.
 */
const working = 10_000;

/** @param payments in the tables @param endpoint of the deliveries */
export function endpointsOf(payments: number, endpoint: string): Scenario[] {
  const first = (payments - working) / 2;
  const any = (prefix: string) => copyOf(prefix, first + 5 * (1 + Math.floor((Math.random() * working) / 5)));
  /** Nobody has looked at it for long, so it comes from the disk. */
  const anywhere = () => 1 + Math.floor(Math.random() * payments);
  const reads: Record<string, () => string> = {
    "one charge": () => `/charges/${any("ch")}`,
    "one charge, anywhere": () => `/charges/${copyOf("ch", anywhere())}`,
    "one session": () => `/checkout_sessions/${any("cs")}`,
    "one decision": () => `/decisions/${any("dec")}`,
    "one refund": () => `/refunds/${any("re")}`,
    "one event": () => `/events/${any("evt")}`,
    charges: () => "/charges",
    "charges, deep in": () => `/charges?starting_after=${any("ch")}`,
    "charges, anywhere": () => `/charges?starting_after=${copyOf("ch", anywhere())}`,
    "charges, backwards": () => `/charges?ending_before=${any("ch")}`,
    "charges of a session": () => `/charges?session_id=${any("cs")}`,
    "charges of a decision": () => `/charges?decision_id=${any("dec")}`,
    "sessions, deep in": () => `/checkout_sessions?starting_after=${any("cs")}`,
    "refunds, deep in": () => `/refunds?starting_after=${any("re")}`,
    "refunds of a charge": () => `/refunds?charge_id=${any("ch")}`,
    events: () => "/events",
    "events, deep in": () => `/events?starting_after=${any("evt")}`,
    "events of a type, deep in": () => `/events?type=payment.succeeded&starting_after=${any("evt")}`,
    "the walk of events, deep in": () => `/events?after=${any("evt")}`,
    "deliveries, deep in": () => `/webhook_endpoints/${endpoint}/deliveries?starting_after=${any("del")}`,
  };
  return [
    { ...scenarios.session, name: "make a session" },
    { ...scenarios.charge, name: "decide and charge" },
    { ...scenarios.refund, name: "refund" },
    ...Object.entries(reads).map(([name, path]): Scenario => ({ name, run: (send) => send("GET", path()) })),
  ];
}
