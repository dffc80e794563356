import { describe, expect, test } from "vitest";
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

describe("the simulator of Adyen", () => {
  const webhook = { BANK_ADYEN_WEBHOOK_URL: "http://127.0.0.1:5200/hook", BANK_ADYEN_HMAC_KEY: "ab".repeat(32) };
  const adyen = { ...keys, BANK_ADYEN_API_KEY: "three" };

  test("exists only with a key, and sends notifications only with a URL and a key", () => {
    expect(readConfig({ ...keys, BANK_ADYEN_WEBHOOK_URL: "" }).bank.adyen).toBeUndefined();
    expect(readConfig(adyen).bank.adyen).toEqual({ apiKey: "three", merchantAccount: "Sandbox" });
    expect(readConfig({ ...adyen, ...webhook, BANK_ADYEN_MERCHANT_ACCOUNT: "Kiln_1" }).bank.adyen).toEqual({
      apiKey: "three",
      merchantAccount: "Kiln_1",
      webhook: { url: "http://127.0.0.1:5200/hook", hmacKey: "ab".repeat(32) },
    });
  });

  test.each(["BANK_ADYEN_WEBHOOK_URL", "BANK_ADYEN_HMAC_KEY", "BANK_ADYEN_DISORDER_MS"])(
    "refuses to start with %s alone, because no notification would be sent",
    (name) => {
      expect(() => readConfig({ ...keys, [name]: "1" })).toThrow(`${name} needs BANK_ADYEN_API_KEY`);
      expect(() => readConfig({ ...adyen, [name]: "1" })).toThrow("must be");
    },
  );

  test("sends notifications late, in any order and some of them twice if it's disordered", () => {
    expect(readConfig({ ...adyen, ...webhook, BANK_ADYEN_DISORDER_MS: "400" }).bank.adyen?.webhook?.disorder).toEqual({
      maxDelayMs: 400,
      duplicates: 0.2,
      reorder: true,
    });
  });

  test.each([
    ["BANK_ADYEN_API_KEY", "two words"],
    ["BANK_ADYEN_MERCHANT_ACCOUNT", "Kiln & Clay"],
    ["BANK_ADYEN_WEBHOOK_URL", "127.0.0.1:5200"],
    ["BANK_ADYEN_WEBHOOK_URL", ""],
    ["BANK_ADYEN_WEBHOOK_URL", "http://user:topsecret@127.0.0.1:5200/hook"],
    ["BANK_ADYEN_HMAC_KEY", "ab"],
    ["BANK_ADYEN_HMAC_KEY", ""],
    ["BANK_ADYEN_DISORDER_MS", "-1"],
  ])("refuses to start if %s is %j", (name, value) => {
    expect(() => readConfig({ ...adyen, ...webhook, [name]: value })).toThrow(`${name} must be`);
  });
});
