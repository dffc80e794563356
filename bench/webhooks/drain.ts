/**
 * How fast a newly started worker sends a thousand queued events, to one endpoint and to twenty endpoints of twenty
 * merchants. Measured from the first receipt to the last. The floor is a thousand bare POSTs with bodies of the same
 * length, each on its own connection like ours, and with the same peak concurrency.
 */
import { request } from "node:http";
import { rounded, type Measurement } from "../measurement.ts";
import { createMerchant } from "./merchant.ts";
import type { Receipt } from "./receivers.ts";
import { processOf, type Testbed } from "./setup.ts";

const events = 1000;
const budgetPerSecond = 300;
const drainedWithinMs = 60_000;
const postTimeoutMs = 10_000;

export async function measureDrain(testbed: Testbed): Promise<Measurement[]> {
  return [await measureTo(testbed, 1), await measureTo(testbed, 20)];
}

async function measureTo(testbed: Testbed, places: number): Promise<Measurement> {
  const { service, receivers } = testbed;
  const [api, worker] = [processOf(testbed, "api"), processOf(testbed, "worker")];
  await api.start();
  const urls: string[] = [];
  for (let n = 0; n < places; n++) {
    const merchant = await createMerchant(service.db, api.apiUrl);
    const url = await receivers.open("good");
    await merchant.openEndpoint(url);
    await merchant.makeEvents(events / places);
    urls.push(url);
  }
  await worker.start();
  const { receipts, peak } = await receivers.takeAll(urls, events, drainedWithinMs);
  await Promise.all([worker.end("SIGTERM"), api.end("SIGTERM")]);
  const unique = new Set(receipts.map(({ eventId }) => eventId)).size;
  if (unique !== events) throw new Error(`${unique} of ${events} events arrived, and some arrived twice.`);

  const bytes = Math.round(receipts.reduce((sum, receipt) => sum + receipt.bytes, 0) / receipts.length);
  await postAll(urls, peak, bytes);
  const bare = await receivers.takeAll(urls, events, drainedWithinMs);
  return {
    what: `1,000 queued events to ${places === 1 ? "one endpoint" : `${places} endpoints`}, up to ${peak} at once`,
    value: rounded(perSecond(receipts)),
    unit: "events/s",
    budget: budgetPerSecond,
    floor: rounded(perSecond(bare.receipts)),
  };
}

function perSecond(receipts: readonly Receipt[]): number {
  const times = receipts.map(({ at }) => at);
  return ((receipts.length - 1) * 1000) / (Math.max(...times) - Math.min(...times));
}

async function postAll(urls: readonly string[], atOnce: number, bytes: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let n = next++; n < events; n = next++) await post(urls[n % urls.length] ?? "", String(n), "x".repeat(bytes));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

function post(url: string, id: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "webhook-id": id, "content-length": String(body.length) };
    const outgoing = request(url, { method: "POST", headers, agent: false, timeout: postTimeoutMs }, (response) => {
      response.once("end", resolve).resume();
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error("A bare POST got no response.")));
    outgoing.once("error", reject).end(body);
  });
}
