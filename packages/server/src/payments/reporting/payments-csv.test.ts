/** Tests with text that a spreadsheet would run as a formula or split into several cells. */
import { describe, expect, it } from "vitest";
import type { PaymentRow } from "@oriel/protocol/dashboard/payments";
import { csvPieces, csvRow, inMajorUnits } from "./payments-csv.ts";

const tab = "\t";

describe("csvRow", () => {
  it.each([
    ["=1+1", `"'=1+1"`],
    ["+49 30 1234", `"'+49 30 1234"`],
    ["-2+3", `"'-2+3"`],
    ["-5", `"'-5"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    [`=HYPERLINK("http://x.example")`, `"'=HYPERLINK(""http://x.example"")"`],
    ["=cmd|'/C calc'!A0", `"'=cmd|'/C calc'!A0"`],
    [`${tab}=1`, `"'${tab}'=1"`],
    [`${tab}one`, `"'${tab}one"`],
    ["\rone", `"'\rone"`],
    ["   =1+1", `"'   =1+1"`],
    ["\u00a0\u3000=1+1", `"'\u00a0\u3000=1+1"`],
    ["\u{ff1d}1+1", `"'\u{ff1d}1+1"`],
    ["\u{ff0b}1", `"'\u{ff0b}1"`],
    ["\u{ff0d}1", `"'\u{ff0d}1"`],
    ["\u{ff20}A1", `"'\u{ff20}A1"`],
  ])("adds an apostrophe before text that starts like a formula: %j", (text, cell) => {
    expect(csvRow([text])).toBe(`${cell}\r\n`);
  });

  it.each([
    ["\u200b=1+1", `"[U+200B]=1+1"`],
    ["\u202e=1+1", `"[U+202E]=1+1"`],
    ["\u2066=1+1", `"[U+2066]=1+1"`],
    ["\u3164=1+1", `"[U+3164]=1+1"`],
    ["\u200d=1+1", `"[U+200D]=1+1"`],
    ["Ann\u202egnp.exe", `"Ann[U+202E]gnp.exe"`],
  ])("shows invisible characters as code points: %j", (text, cell) => {
    expect(csvRow([text])).toBe(`${cell}\r\n`);
  });

  it.each([
    ["a;=1+1", `"a;'=1+1"`],
    ["a,+1", `"a,'+1"`],
    [`a${tab}-1`, `"a${tab}'-1"`],
    ["a\n@SUM(A1)", `"a\n'@SUM(A1)"`],
    ["a\r\n=1", `"a\r\n'=1"`],
    ["a;  =1", `"a;  '=1"`],
    ["a;\u00a0=1", `"a;\u00a0'=1"`],
    ["a;;,=1", `"a;;,'=1"`],
    ["a;=1;=2", `"a;'=1;'=2"`],
    ["=1;=2", `"'=1;'=2"`],
    ["a;\u{ff1d}1", `"a;'\u{ff1d}1"`],
    ["a;\u{ff0b}1", `"a;'\u{ff0b}1"`],
    ["a;\u{ff0d}1", `"a;'\u{ff0d}1"`],
    ["a;\u{ff20}A1", `"a;'\u{ff20}A1"`],
    ["a;\u22121", `"a;'\u22121"`],
    [`a;"=1+1;`, `"a;""'=1+1;"`],
  ])("adds an apostrophe before formula signs after other separators: %j", (text, cell) => {
    expect(csvRow([text])).toBe(`${cell}\r\n`);
  });

  it.each([
    ["plain", `"plain"`],
    [`say "hi", then`, `"say ""hi"", then"`],
    ["two\r\nlines", `"two\r\nlines"`],
    ["1=1", `"1=1"`],
    ["a;b, c-d;1=1", `"a;b, c-d;1=1"`],
    ["anna@shop.example, b@shop.example", `"anna@shop.example, b@shop.example"`],
    ["a: =1+1", `"a: =1+1"`],
    [`{"a":"-5","b":"=1"}`, `"{""a"":""-5"",""b"":""=1""}"`],
    ["<script>alert(1)</script>", `"<script>alert(1)</script>"`],
    ["שלום \u{200f}100", `"שלום [U+200F]100"`],
    ["x".repeat(500), `"${"x".repeat(500)}"`],
  ])("keeps plain text in one cell: %j", (text, cell) => {
    expect(csvRow([text])).toBe(`${cell}\r\n`);
  });

  it("writes numbers unquoted and null as an empty cell", () => {
    expect(csvRow([{ number: "-12.50" }, null, "a"])).toBe('-12.50,,"a"\r\n');
  });
});

describe("csvPieces", () => {
  const amounts = { amount: 4900, amount_captured: 4900, amount_refunded: 0, currency: "eur" };
  const named = { customer_name: null, customer_reference: null };
  const others = {
    brand: null,
    last4: null,
    customer_email: null,
    ...named,
    three_d_secure_result: null,
    failure: null,
  };
  const ids = { id: "ch_1", session_id: null, payment_method_id: "pm_1", decision_id: "dec_1" };
  const order = { number: null, description: null, first_item: null, item_count: 0 };
  /** Without the fields that the file doesn't show. */
  const rows = (count: number, metadata: Record<string, string>) =>
    Array.from(
      { length: count },
      () =>
        ({
          ...ids,
          ...amounts,
          ...others,
          order,
          created: 1,
          status: "succeeded",
          metadata,
          session_metadata: {},
        }) as unknown as PaymentRow,
    );

  it("ends a piece once it is 32 KiB long, and lets other work run before the next one", async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key ${i}`, "x".repeat(500)]));
    let turns = 0;
    const count = () => void (turns += 1);
    const lengths: number[] = [];
    for await (const piece of csvPieces(rows(100, metadata))) {
      expect(turns).toBe(lengths.length);
      lengths.push(piece.length);
      setImmediate(count);
    }
    expect(lengths).toHaveLength(50);
    expect(Math.max(...lengths)).toBeLessThan(64 * 1024);
  });

  it("puts short rows in one piece", async () => {
    const lines: number[] = [];
    for await (const piece of csvPieces(rows(100, {}))) lines.push(piece.split("\r\n").length);
    expect(lines).toEqual([101]);
  });
});

it.each([
  [4900, "eur", "49.00"],
  [5, "eur", "0.05"],
  [0, "usd", "0.00"],
  [4900, "jpy", "4900"],
  [1234, "kwd", "1.234"],
  [999_999_999_999, "eur", "9999999999.99"],
])("converts %d minor units of %s to %s", (amount, currency, number) => {
  expect(inMajorUnits(amount, currency)).toEqual({ number });
});
