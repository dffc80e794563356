import { describe, expect, it } from "vitest";
import { isDatabaseFailure } from "./is-database-failure.ts";

const withCode = (code: string) => Object.assign(new Error("what the driver says"), { code });

describe("a database that is busy or gone", () => {
  it.each([
    "08006",
    "53100",
    "53300",
    "25006",
    "58030",
    "57P01",
    "57P03",
    "57014",
    "55P03",
    "40001",
    "40P01",
    "ECONNREFUSED",
    "ECONNRESET",
    "ENOTFOUND",
  ])("is told by its code %s", (code) => {
    expect(isDatabaseFailure(withCode(code))).toBe(true);
  });

  it.each([
    ["a result with other columns", { code: "0A000", routine: "RevalidateCachedQuery" }],
    ["a connection that has not prepared it", { code: "26000" }],
    ["a connection that has prepared it already", { code: "42P05" }],
  ])("is told by a refused prepared statement: %s", (_name, details) => {
    expect(isDatabaseFailure(Object.assign(new Error("gespeicherter Plan"), details))).toBe(true);
  });

  it.each([
    "timeout exceeded when trying to connect",
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "Query read timeout",
    "Postgres connection has been discarded",
  ])("is told by what the client library says: %s", (message) => {
    expect(isDatabaseFailure(new Error(message))).toBe(true);
  });

  it.each([
    ["a missing table", withCode("42P01")],
    ["a broken constraint", withCode("23505")],
    ["something that PostgreSQL does not support", Object.assign(withCode("0A000"), { routine: "transformStmt" })],
    ["a division by zero", withCode("22012")],
    ["a bug", new TypeError("Cannot read properties of undefined")],
    ["no error at all", "57014"],
  ])("is not %s", (_name, error) => {
    expect(isDatabaseFailure(error)).toBe(false);
  });
});
