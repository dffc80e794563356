import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

const keys = { BANK_API_KEY: "one", BANK_RESULTS_KEY: "two" };

test("listens on loopback port 4100, serves pages on bank.localhost and keeps its ledger in memory by default", () => {
  expect(readConfig(keys)).toEqual({
    host: "127.0.0.1",
    port: 4100,
    bank: { origin: "http://bank.localhost:4100", apiKey: "one", resultsKey: "two", dataDirectory: undefined },
  });
});

test("derives the pages' origin from the port unless it is set", () => {
  expect(readConfig({ ...keys, BANK_PORT: "5100" }).bank.origin).toBe("http://bank.localhost:5100");
  expect(readConfig({ ...keys, BANK_ORIGIN: "https://bank.example" }).bank.origin).toBe("https://bank.example");
});

test.each(["BANK_API_KEY", "BANK_RESULTS_KEY"])(
  "refuses to start without %s and says which variable to set",
  (name) => {
    expect(() => readConfig({ ...keys, [name]: undefined })).toThrow(`Set ${name}`);
    expect(() => readConfig({ ...keys, [name]: "" })).toThrow(`Set ${name}`);
  },
);

test("refuses a key that isn't valid in a header, without repeating it", () => {
  expect(() => readConfig({ ...keys, BANK_API_KEY: "two words" })).toThrow(/^BANK_API_KEY must be/);
  expect(() => readConfig({ ...keys, BANK_API_KEY: "two words" })).not.toThrow("two words");
});

test.each(["0", "70000", "-1", "4100x", "1e3"])("refuses %s as a port", (BANK_PORT) => {
  expect(() => readConfig({ ...keys, BANK_PORT })).toThrow("BANK_PORT");
});

test.each([
  "bank.localhost",
  "http://bank.localhost:4100/",
  "http://bank.localhost/acs",
  "ftp://bank.localhost",
  "null",
])("refuses %s as an origin", (BANK_ORIGIN) => {
  expect(() => readConfig({ ...keys, BANK_ORIGIN })).toThrow("BANK_ORIGIN");
});

test("reads the idle time and the app's response time in milliseconds", () => {
  const { bank } = readConfig({ ...keys, BANK_IDLE_MS: "2500", BANK_DECOUPLED_MS: "1" });
  expect([bank.idleWithinMs, bank.decoupledAfterMs]).toEqual([2_500, 1]);
});

test.each(["0", "-1", "2.5", "3600001", "soon"])("refuses %s as a time", (text) => {
  expect(() => readConfig({ ...keys, BANK_IDLE_MS: text })).toThrow("BANK_IDLE_MS must be");
  expect(() => readConfig({ ...keys, BANK_DECOUPLED_MS: text })).toThrow("BANK_DECOUPLED_MS must be");
});
