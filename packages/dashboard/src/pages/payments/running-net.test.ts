import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "@oriel/protocol/api";
import { netsOf, withRunningNet } from "./running-net.ts";

function entry(kind: LedgerEntry["kind"], amount: number, currency = "eur"): LedgerEntry {
  const reference = `${kind} of ${amount}`;
  return { object: "ledger_entry", livemode: false, created: 1, charge_id: "ch_1", kind, amount, currency, reference };
}

describe("withRunningNet", () => {
  it("adds up entries, below zero if more was lost than captured", () => {
    const entries = [entry("capture", 4900), entry("refund", -4900), entry("chargeback", -4900)];
    expect(withRunningNet(entries).map(({ net }) => net)).toEqual([4900, 0, -4900]);
  });

  it("adds up each currency separately", () => {
    const entries = [entry("capture", 4900), entry("chargeback", -5200, "usd"), entry("refund", -900)];
    expect(withRunningNet(entries).map(({ net }) => net)).toEqual([4900, -5200, 4000]);
  });

  it("is empty for a payment without movements", () => {
    expect(withRunningNet([])).toEqual([]);
  });
});

describe("netsOf", () => {
  it("adds up each currency, the payment's first", () => {
    const entries = [entry("chargeback", -5200, "usd"), entry("capture", 4900), entry("refund", -900)];
    expect(netsOf(entries, "eur")).toEqual([
      { currency: "eur", amount: 4000 },
      { currency: "usd", amount: -5200 },
    ]);
  });

  it("is 0 in the payment's currency if nothing moved", () => {
    expect(netsOf([], "jpy")).toEqual([{ currency: "jpy", amount: 0 }]);
  });
});
