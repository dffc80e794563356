import { expect, test } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import type { Entry } from "./ledger-entry.ts";
import { Books } from "./ledger.ts";

const answer: Authorization = {
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
const entry: Entry = { kind: "authorization", fingerprint: "f", answer, refuses: {} };

const enter = (books: Books, decide = (): Entry => entry) => books.enter("authorization", "r1", "f", decide);

test("responds to the first request, a duplicate and a lookup only after the entry is written", async () => {
  let write = () => {};
  const written = new Promise<void>((resolve) => (write = resolve));
  const books = new Books({ append: () => written, close: async () => {} }, []);
  const answered: string[] = [];
  const all = [
    enter(books).then(() => answered.push("first")),
    enter(books).then(() => answered.push("duplicate")),
    books.find("authorization", "r1").then(() => answered.push("question")),
    books.all("authorization").then(() => answered.push("list")),
  ];
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(answered).toEqual([]);
  write();
  await Promise.all(all);
  expect(answered).toHaveLength(4);
});

test("a lookup doesn't return later changes that aren't written yet", async () => {
  const books = new Books({ append: () => new Promise(() => {}), close: async () => {} }, []);
  const question = books.find("authorization", "r1");
  const list = books.all("authorization");
  void enter(books);
  expect(await question).toBeUndefined();
  expect(await list).toEqual([]);
});

test("decides an outcome only once for any number of concurrent requests", async () => {
  let decisions = 0;
  const decide = () => {
    decisions += 1;
    return entry;
  };
  const books = new Books({ append: async () => {}, close: async () => {} }, []);
  await Promise.all(Array.from({ length: 20 }, () => enter(books, decide)));
  expect(decisions).toBe(1);
});

test("sends no response when the write fails", async () => {
  const books = new Books({ append: () => Promise.reject(new Error("disk full")), close: async () => {} }, []);
  await expect(enter(books)).rejects.toThrow("disk full");
  await expect(enter(books)).rejects.toThrow("disk full");
  await expect(books.find("authorization", "r1")).rejects.toThrow("disk full");
});
