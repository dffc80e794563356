import { expect, test } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import type { Entry } from "./ledger-entry.ts";
import { Ledger } from "./ledger.ts";

const response: Authorization = {
  reference: "r1",
  status: "approved",
  amount: 1,
  currency: "eur",
  captured: true,
  amount_captured: 1,
  amount_refunded: 0,
  canceled: false,
  authorization_id: "bank_1",
  card: { last4: "4242" },
  authenticated: false,
  requests: 1,
  created: 1,
};
const entry: Entry = { kind: "authorization", fingerprint: "f", response, refuses: {} };

const enter = (ledger: Ledger, decide = (): Entry => entry) => ledger.enter("authorization", "r1", "f", decide);

test("responds to the first request, a duplicate and a lookup only after the entry is written", async () => {
  let write = () => {};
  const written = new Promise<void>((resolve) => (write = resolve));
  const ledger = new Ledger({ append: () => written, close: async () => {} }, []);
  const order: string[] = [];
  const all = [
    enter(ledger).then(() => order.push("first")),
    enter(ledger).then(() => order.push("duplicate")),
    ledger.find("authorization", "r1").then(() => order.push("lookup")),
    ledger.all("authorization").then(() => order.push("list")),
  ];
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(order).toEqual([]);
  write();
  await Promise.all(all);
  expect(order).toHaveLength(4);
});

test("a lookup doesn't return later changes that aren't written yet", async () => {
  const ledger = new Ledger({ append: () => new Promise(() => {}), close: async () => {} }, []);
  const lookup = ledger.find("authorization", "r1");
  const list = ledger.all("authorization");
  void enter(ledger);
  expect(await lookup).toBeUndefined();
  expect(await list).toEqual([]);
});

test("decides an outcome only once for any number of concurrent requests", async () => {
  let decisions = 0;
  const decide = () => {
    decisions += 1;
    return entry;
  };
  const ledger = new Ledger({ append: async () => {}, close: async () => {} }, []);
  await Promise.all(Array.from({ length: 20 }, () => enter(ledger, decide)));
  expect(decisions).toBe(1);
});

test("sends no response when the write fails", async () => {
  const ledger = new Ledger({ append: () => Promise.reject(new Error("disk full")), close: async () => {} }, []);
  await expect(enter(ledger)).rejects.toThrow("disk full");
  await expect(enter(ledger)).rejects.toThrow("disk full");
  await expect(ledger.find("authorization", "r1")).rejects.toThrow("disk full");
});
