/**
 * The guides of the API say as much as there is, and nothing else: every error code, every decline code, every test
 * card.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allEventTypes, deliveryFailures, eventTypes } from "@oriel/protocol/api";
import { customerReason, declineAdvice, declineCodes } from "@oriel/protocol/declines";
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";
import { errorCodes, statusOfCode, statusOfType, type ErrorCode } from "@oriel/protocol/errors";

const root = new URL("../../../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

/** The rows of the tables between one heading and the next of its rank, cell by cell. */
function rowsUnder(text: string, heading: string): string[][] {
  const rank = heading.slice(0, heading.indexOf(" ") + 1);
  const begin = text.indexOf(`\n${heading}\n`);
  const end = text.indexOf(`\n${rank}`, begin + heading.length);
  const lines = text.slice(begin, end === -1 ? undefined : end).split("\n");
  return lines
    .filter((line) => /^\| [`\d]/.test(line))
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

const plain = (cell: string | undefined) => cell?.replaceAll("`", "") ?? "";

describe("docs/api/errors.md", () => {
  const text = read("docs/api/errors.md");

  it("says of every error code what it means and what to do, and names no other", () => {
    const rows = rowsUnder(text, "## Codes");
    expect(rows.map(([code]) => plain(code)).sort()).toEqual(Object.keys(errorCodes).sort());
    for (const row of rows) expect(row.filter((cell) => cell !== "")).toHaveLength(4);
  });

  it("gives each error code the status that it has", () => {
    const told = rowsUnder(text, "## Codes").map(([code, status]) => [plain(code), /^\d+/.exec(status ?? "")?.[0]]);
    const own: Partial<Record<ErrorCode, number>> = { ...statusOfCode, route_unknown: 404, resource_missing: 404 };
    const expected = Object.entries(errorCodes).map(([code, type]) => [
      code,
      String(own[code as ErrorCode] ?? statusOfType[type]),
    ]); // the list's own keys
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
  });

  it("gives every decline code its advice and what the customer hears, and names no other", () => {
    const advice = /^(do_not_try_again|confirm_card_data|try_again_later)$/;
    const rows = rowsUnder(text, "## Decline codes").filter(([code]) => !advice.test(plain(code)));
    const told = rows.map(([code, , retry, customer]) => [plain(code), [plain(retry), plain(customer)]]);
    expect(told).toHaveLength(declineCodes.length);
    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(declineCodes.map((code) => [code, [declineAdvice(code), customerReason(code)]])),
    );
  });
});

describe("docs/api/charges.md", () => {
  it("says of every event type when it comes", () => {
    const text = read("docs/api/charges.md");
    const table = text.slice(text.indexOf("## Which event when"));
    for (const type of eventTypes) expect(table).toContain(`\`${type}\``);
  });
});

describe("docs/api/webhooks.md", () => {
  it("says of every event type what it holds, and of every failure of a delivery what it means", () => {
    const text = read("docs/api/webhooks.md");
    const told = rowsUnder(text, "## Events").flatMap(([types]) => plain(types).split(", "));
    expect(told.toSorted()).toEqual([...allEventTypes].toSorted());
    const failures = rowsUnder(text, "## Deliveries").map(([failure]) => plain(failure));
    expect(failures.toSorted()).toEqual([...deliveryFailures].toSorted());
  });
});

describe("docs/testing.md", () => {
  it("lists every card of the sandbox bank, and no other", () => {
    const known = [testCards, troubleCards, sharedTestCards, threeDSecureCards].flatMap((cards): string[] =>
      Object.values(cards).flat(),
    );
    const rows = [...read("docs/testing.md").matchAll(/^\| \d{4} \d{4,6} .*$/gm)].map(([row]) => row);
    const told = rows.flatMap((row) =>
      [...row.matchAll(/\b\d{4} (\d{4} \d{4} \d{4}|\d{6} \d{5})\b/g)].map(([number]) => number),
    );
    expect(known.length).toBeGreaterThan(80);
    expect(new Set(told.map((number) => number.replaceAll(" ", "")))).toEqual(new Set(known));
  });
});
