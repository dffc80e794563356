/** Common operations of merchants' servers. Each scenario is one operation, with as many requests as it takes. */

/** Sends a request to the API and returns the response. @throws Error for any status except 2xx */
export type Send = (method: "GET" | "POST" | "PATCH", path: string, body?: object) => Promise<ApiResponse>;

/** The fields that are used here. */
export interface ApiResponse {
  id: string;
  session?: { id: string };
}

export interface Scenario {
  /** Name in the tables. */
  name: string;
  /** Creates the subject and returns its ID. */
  prepare?(send: Send): Promise<string>;
  /** @param subject - Created by `prepare`, for this client alone. */
  run(send: Send, subject: string): Promise<unknown>;
}

const payment_method_id = "pm_card_visa";
/** Page size of lists. One more object is created, so that there's another page. */
const listed = 10;
const money = { amount: 4900, currency: "eur" };

async function charge(send: Send, amount = money.amount): Promise<string> {
  const payment = { payment_method_id, ...money, amount };
  const decision = await send("POST", "/decisions", payment);
  return (await send("POST", "/charges", { ...payment, decision_id: decision.id })).id;
}

export type ScenarioName = "session" | "charge" | "refund" | "list" | "retrieval";

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  session: {
    name: "create a checkout session",
    run: (send) => send("POST", "/checkout_sessions", { ...money, allowed_origins: ["https://shop.example"] }),
  },
  charge: { name: "decision and charge", run: (send) => charge(send) },
  // Refunds one cent at a time from a charge that is too large to run out.
  refund: {
    name: "a refund",
    prepare: (send) => charge(send, 99_999_999),
    run: (send, charge_id) => send("POST", "/refunds", { charge_id, amount: 1 }),
  },
  list: {
    name: "list ten charges",
    async prepare(send) {
      for (let made = 0; made <= listed; made++) await charge(send);
      return "";
    },
    run: (send) => send("GET", `/charges?limit=${listed}`),
  },
  retrieval: {
    name: "retrieve a charge",
    prepare: (send) => charge(send),
    run: (send, id) => send("GET", `/charges/${id}`),
  },
};
