import { describe, expect, it } from "vitest";
import { isDatabaseFailure } from "./is-database-failure.ts";

const withCode = (code: string) => Object.assign(new Error("a driver's message"), { code });

describe("isDatabaseFailure", () => {
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
    "CIINF",
    "ECONNREFUSED",
    "ECONNRESET",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENOTFOUND",
  ])("returns true for the code %s", (code) => {
    expect(isDatabaseFailure(withCode(code))).toBe(true);
  });

  it.each([
    ["a result with different columns", { code: "0A000", routine: "RevalidateCachedQuery" }],
    ["a connection that hasn't prepared it", { code: "26000" }],
    ["a connection that has already prepared it", { code: "42P05" }],
  ])("returns true for a rejected prepared statement: %s", (_name, details) => {
    expect(isDatabaseFailure(Object.assign(new Error("gespeicherter Plan"), details))).toBe(true);
  });

  it.each([
    "timeout exceeded when trying to connect",
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "Query read timeout",
    "Postgres connection has been discarded",
    "Client was closed and is not queryable",
  ])("returns true for the client library's message: %s", (message) => {
    expect(isDatabaseFailure(new Error(message))).toBe(true);
  });

  it.each([
    "failure on connection marked as essential: db-2:5432",
    "cannot execute a distributed query from a query on a shard",
  ])("returns true for an internal error of Citus: %s", (message) => {
    expect(isDatabaseFailure(Object.assign(new Error(message), { code: "XX000" }))).toBe(true);
  });

  it.each([
    ["another internal error", Object.assign(new Error("cache lookup failed for type 1"), { code: "XX000" })],
    ["a missing table", withCode("42P01")],
    ["a violated constraint", withCode("23505")],
    ["an unsupported feature", Object.assign(withCode("0A000"), { routine: "transformStmt" })],
    ["a division by zero", withCode("22012")],
    ["a bug", new TypeError("Cannot read properties of undefined")],
    ["a value that isn't an error", "57014"],
  ])("returns false for %s", (_name, error) => {
    expect(isDatabaseFailure(error)).toBe(false);
  });
});
