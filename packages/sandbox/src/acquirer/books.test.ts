import type { Authorization } from "@oriel/protocol/acquirer";
import { expect, test } from "vitest";
import { Books } from "./books.ts";

const authorization: Authorization = {
  reference: "r1",
  status: "approved",
  amount: 1,
  currency: "eur",
  captured: true,
  authorization_id: "bank_1",
  card: { last4: "4242" },
  authenticated: false,
  requests: 1,
  created: 1,
};

test("nothing is answered, to the first or to a duplicate or to a question, before it is written down", async () => {
  let write = () => {};
  const written = new Promise<void>((resolve) => (write = resolve));
  const books = new Books({ append: () => written, close: async () => {} }, []);
  const answered: string[] = [];
  const all = [
    books.enter("r1", "f", () => authorization).then(() => answered.push("first")),
    books.enter("r1", "f", () => authorization).then(() => answered.push("duplicate")),
    books.find("r1").then(() => answered.push("question")),
    books.all().then(() => answered.push("list")),
  ];
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(answered).toEqual([]);
  write();
  await Promise.all(all);
  expect(answered).toHaveLength(4);
});

test("the outcome is decided once, however many ask at once", async () => {
  let decisions = 0;
  const decide = () => {
    decisions += 1;
    return authorization;
  };
  const books = new Books({ append: async () => {}, close: async () => {} }, []);
  await Promise.all(Array.from({ length: 20 }, () => books.enter("r1", "f", decide)));
  expect(decisions).toBe(1);
});

test("what could not be written down is answered to nobody", async () => {
  const books = new Books({ append: () => Promise.reject(new Error("disk full")), close: async () => {} }, []);
  await expect(books.enter("r1", "f", () => authorization)).rejects.toThrow("disk full");
  await expect(books.enter("r1", "f", () => authorization)).rejects.toThrow("disk full");
  await expect(books.find("r1")).rejects.toThrow("disk full");
});
