/**
 * Formats an expiry date. People type `4/29`, `4.29`, `4 29`, `0429`, `04 / 29` or `04/2029`, in whatever digits their
 * keyboard has; password managers and browsers also fill in `2029-04`, `202904`, `29/04` or `2904`. All become
 * `04 / 29`. The first two digits are the year if they can only be one, from 20 on.
 */
import { plainDigits } from "@oriel/protocol/plain-digits";
import { onlyDigits } from "./format-number.ts";
import type { Formatted } from "./format-number.ts";

const separator = " / ";

/**
 * @param caret the position of the caret in `raw`
 * @param deleting whether the customer is deleting; a trailing separator isn't added back then, because it could never
 *   be deleted
 */
export function formatExpiry(raw: string, caret: number, deleting: boolean): Formatted {
  const { month, year } = split(raw);
  const value = month.length === 2 && (year !== "" || !deleting) ? month + separator + year : month;
  return { value, caret: caretBeforeLast(value, onlyDigits(raw.slice(caret)).length) };
}

function split(written: string): { month: string; year: string } {
  const numbers = plainDigits(written).trim().replace(/^\D+/, "").replace(/\D+/g, "/");
  const monthFirst = numbers.replace(/^(20\d\d|[2-9]\d)\/?(0[1-9]|1[0-2]|(?<=^20\d\d\/)[1-9])\/?$/, "$2/$1");
  const [head = "", ...rest] = monthFirst.split("/");
  const isMarked = rest.length > 0;
  // A one-digit month: either a separator follows (`4/29`, `4 29`), or no two-digit month fits (`4`, `13`).
  const single =
    head !== "0" && (head.length === 1 ? isMarked || head > "1" : !isMarked && Number(head.slice(0, 2)) > 12);
  const month = single ? `0${head.slice(0, 1)}` : head.slice(0, 2);
  const year = shortYear(head.slice(single ? 1 : 2) + rest.join(""));
  return month > "19" && year[1] && year > "00" && year < "13" ? { month: year, year: month } : { month, year };
}

/** Shortens `2029` to `29`, and leaves an incomplete four-digit year (`20`, `202`) unchanged. */
function shortYear(digits: string): string {
  return /^20\d?$/.test(digits) ? digits : digits.replace(/^20/, "").slice(0, 2);
}

/** Keeps the number of digits after the caret. */
function caretBeforeLast(value: string, digitCount: number): number {
  return Math.max(value.search(new RegExp(`(\\d\\D*){${digitCount}}$`)), 0);
}
