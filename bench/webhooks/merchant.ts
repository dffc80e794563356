/** A merchant with its own account that creates events over the API by making charges and refunds. */
import { createAccount } from "../../packages/server/src/merchants/accounts/accounts.ts";
import { createApiKey } from "../../packages/server/src/merchants/accounts/api-keys.ts";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";

export interface Merchant {
  /** @returns its ID */
  openEndpoint(url: string): Promise<string>;
  /** A disabled endpoint gets no events. Once it's enabled, it gets only new ones. */
  setStatus(endpointId: string, status: "enabled" | "disabled"): Promise<void>;
  /** @returns IDs of decisions, each good for one charge */
  approve(count: number): Promise<string[]>;
  /** Makes one event. */
  charge(decisionId: string): Promise<string>;
  /** Makes a number of events as fast as possible. */
  makeEvents(count: number): Promise<void>;
}

const timeoutMs = 30_000;
const atOnce = 16;
/** Makes one charge with refunds: one event each. */
const eventsOfOneSale = 20;
const card = "pm_card_visa";
const money = { amount: 1000, currency: "eur" };

/** @param apiUrl - URL of a process that serves the API. */
export async function createMerchant(db: Db, apiUrl: string): Promise<Merchant> {
  const { accountNo } = await createAccount(db, "Merchant", new Date());
  const { secretKey } = await createApiKey(db, { accountNo, livemode: false }, new Date());

  async function send(method: "POST" | "PATCH", path: string, body: object): Promise<string> {
    const response = await fetch(`${apiUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} got ${response.status} ${text}`);
    return (JSON.parse(text) as { id: string }).id; // every object has an ID
  }

  const post = (path: string, body: object) => send("POST", path, body);
  const approve = () => post("/decisions", { payment_method_id: card, ...money });
  const charge = (decisionId: string) =>
    post("/charges", { payment_method_id: card, decision_id: decisionId, ...money });
  return {
    openEndpoint: (url) => post("/webhook_endpoints", { url }),
    setStatus: async (id, status) => void (await send("PATCH", `/webhook_endpoints/${id}`, { status })),
    approve: (count) => inParallel(Array.from({ length: count }, () => approve)),
    charge,
    async makeEvents(count) {
      const sales = Array.from({ length: Math.ceil(count / eventsOfOneSale) }, (_, n) => async () => {
        const chargeId = await charge(await approve());
        const refunds = Math.min(eventsOfOneSale, count - n * eventsOfOneSale) - 1;
        for (let i = 0; i < refunds; i++) await post("/refunds", { charge_id: chargeId, amount: 1 });
      });
      await inParallel(sales);
    },
  };
}

/** Runs tasks with limited concurrency. Returns the results in the order of the tasks. */
async function inParallel<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < tasks.length; n = next++) {
      const task = tasks[n];
      if (task !== undefined) results[n] = await task();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length) }, lane));
  return results;
}
