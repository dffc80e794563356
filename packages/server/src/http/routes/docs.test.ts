/** Checks that the guides list exactly the error codes, decline codes, events and test cards that exist. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allEventTypes, deliveryFailures, eventTypes } from "@oriel/protocol/api";
import { customerReason, declineAdvice, declineCodes } from "@oriel/protocol/declines";
import { errorCodes, statusOfCode, statusOfType, type ErrorCode } from "@oriel/protocol/errors";
import { sharedTestCards, testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";

const root = new URL("../../../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

/** Returns the cells of the table rows between a heading and the next one of the same level. */
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

  it("says what each error code means and what to do, and lists no other codes", () => {
    const rows = rowsUnder(text, "## Codes");
    expect(rows.map(([code]) => plain(code)).sort()).toEqual(Object.keys(errorCodes).sort());
    for (const row of rows) expect(row.filter((cell) => cell !== "")).toHaveLength(4);
  });

  it("lists each error code with its HTTP status", () => {
    const listed = rowsUnder(text, "## Codes").map(([code, status]) => [plain(code), /^\d+/.exec(status ?? "")?.[0]]);
    const own: Partial<Record<ErrorCode, number>> = { ...statusOfCode, route_unknown: 404, resource_missing: 404 };
    const expected = Object.entries(errorCodes).map(([code, type]) => [
      code,
      String(own[code as ErrorCode] ?? statusOfType[type]),
    ]); // `Object.entries` loses the type of the keys
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected));
  });

  it("lists each decline code with its advice and the customer's message, and lists no other codes", () => {
    const advice = /^(do_not_try_again|confirm_card_data|try_again_later)$/;
    const rows = rowsUnder(text, "## Decline codes").filter(([code]) => !advice.test(plain(code)));
    const listed = rows.map(([code, , retry, customer]) => [plain(code), [plain(retry), plain(customer)]]);
    expect(listed).toHaveLength(declineCodes.length);
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(declineCodes.map((code) => [code, [declineAdvice(code), customerReason(code)]])),
    );
  });
});

describe("docs/api/charges.md", () => {
  it("says when each event type is sent", () => {
    const text = read("docs/api/charges.md");
    const table = text.slice(text.indexOf("## Which event when"));
    for (const type of eventTypes) expect(table).toContain(`\`${type}\``);
  });
});

describe("docs/api/webhooks.md", () => {
  it("says what each event type contains and what each delivery failure means", () => {
    const text = read("docs/api/webhooks.md");
    const listed = rowsUnder(text, "## Events").flatMap(([types]) => plain(types).split(", "));
    expect(listed.toSorted()).toEqual([...allEventTypes].toSorted());
    const failures = rowsUnder(text, "## Deliveries").map(([failure]) => plain(failure));
    expect(failures.toSorted()).toEqual([...deliveryFailures].toSorted());
  });
});

describe("docs/testing.md", () => {
  it("lists every test card of the sandbox bank and no others", () => {
    const known = [testCards, troubleCards, sharedTestCards, threeDSecureCards].flatMap((cards): string[] =>
      Object.values(cards).flat(),
    );
    const rows = [...read("docs/testing.md").matchAll(/^\| \d{4} \d{4,6} .*$/gm)].map(([row]) => row);
    const listed = rows.flatMap((row) =>
      [...row.matchAll(/\b\d{4} (\d{4} \d{4} \d{4}|\d{6} \d{5})\b/g)].map(([number]) => number),
    );
    expect(known.length).toBeGreaterThan(80);
    expect(new Set(listed.map((number) => number.replaceAll(" ", "")))).toEqual(new Set(known));
  });
});
