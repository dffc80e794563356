/** Every endpoint that reads or writes a table that grows; lists at the top, deep in, and by what they can be filtered by. */
import type { Scenario } from "../api/scenarios.ts";
import { scenarios } from "../api/scenarios.ts";
import { copyOf } from "./fill.ts";

/** @param payments in the tables @param endpoint of the deliveries */
export function endpointsOf(payments: number, endpoint: string): Scenario[] {
  /** Anywhere in the tables, so that nothing is read twice. */
  const any = (prefix: string) => copyOf(prefix, 5 * (1 + Math.floor((Math.random() * payments) / 5)));
  const reads: Record<string, () => string> = {
    "one charge": () => `/charges/${any("ch")}`,
    "one session": () => `/checkout_sessions/${any("cs")}`,
    "one decision": () => `/decisions/${any("dec")}`,
    "one refund": () => `/refunds/${any("re")}`,
    "one event": () => `/events/${any("evt")}`,
    charges: () => "/charges",
    "charges, deep in": () => `/charges?starting_after=${any("ch")}`,
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
