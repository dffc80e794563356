/**
 * What merchants' servers ask for, as often as they ask it: each scenario is one thing that a merchant wants, in as
 * many requests as it takes.
 */

/** Sends a request to the API and answers with what came. @throws Error for any answer but 2xx */
export type Send = (method: "GET" | "POST" | "PATCH", path: string, body?: object) => Promise<Answer>;

/** As much of it as is read here. */
export interface Answer {
  id: string;
  session?: { id: string };
}

export interface Scenario {
  /** As the tables call it. */
  name: string;
  /** Makes what it is about; answers with its id. */
  prepare?(send: Send): Promise<string>;
  /** @param subject what `prepare` made, of this client alone */
  run(send: Send, subject: string): Promise<unknown>;
}

const payment_method_id = "pm_card_visa";
/** One more than that is made, so that there is another page. */
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
    name: "a checkout session is made",
    run: (send) => send("POST", "/checkout_sessions", { ...money, allowed_origins: ["https://shop.example"] }),
  },
  charge: { name: "decision and charge", run: (send) => charge(send) },
  // One cent after the other, of a charge that never runs out.
  refund: {
    name: "a refund",
    prepare: (send) => charge(send, 99_999_999),
    run: (send, charge_id) => send("POST", "/refunds", { charge_id, amount: 1 }),
  },
  list: {
    name: "a list page of ten charges",
    async prepare(send) {
      for (let made = 0; made <= listed; made++) await charge(send);
      return "";
    },
    run: (send) => send("GET", `/charges?limit=${listed}`),
  },
  retrieval: {
    name: "one charge is read",
    prepare: (send) => charge(send),
    run: (send, id) => send("GET", `/charges/${id}`),
  },
};
