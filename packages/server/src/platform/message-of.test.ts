import { expect, it } from "vitest";
import { messageOf } from "./message-of.ts";
import { asLoss } from "./storage/database-loss.ts";

const refused = new AggregateError([
  new Error("connect ECONNREFUSED ::1:1"),
  new Error("connect ECONNREFUSED 127.0.0.1:1"),
]);

it.each([
  [new Error("no"), "no"],
  ["a string", "a string"],
  [refused, "connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1"],
  [new AggregateError([new Error("one")], "all"), "all"],
])("reads the message of %s", (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});

it("a command says which addresses of PostgreSQL's host refused", () => {
  const loss = asLoss(Object.assign(refused, { code: "ECONNREFUSED" }), "during the backup");
  expect(messageOf(loss)).toContain("during the backup: connect ECONNREFUSED ::1:1, connect");
});
