/**
 * Formats an expiry date. People type `4/29`, `4.29`, `4 29`, `0429`, `04 / 29` or `04/2029`, in whatever digits their
 * keyboard has; password managers and browsers fill in `04/2029` or `2029-04`. All become `04 / 29`.
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
  const raw = plainDigits(written);
  const iso = /^\s*(20\d\d)\s*[-/.]\s*(\d\d?)\s*$/.exec(raw);
  const [, head = "", mark = "", rest = ""] = /^\D*(\d*)(\D*)(.*)/s.exec(iso ? `${iso[2]}/${iso[1]}` : raw) ?? [];
  const isMarked = mark.trim() !== "" || rest !== "";
  // A one-digit month: either a separator follows (`4/29`, `4 29`), or no two-digit month fits (`4`, `13`).
  const single =
    head !== "0" && (head.length === 1 ? isMarked || head > "1" : !isMarked && Number(head.slice(0, 2)) > 12);
  const used = single ? 1 : 2;
  return {
    month: single ? `0${head.slice(0, 1)}` : head.slice(0, 2),
    year: shortYear(head.slice(used) + onlyDigits(rest)),
  };
}

/** Shortens `2029` to `29`, and leaves an incomplete four-digit year (`20`, `202`) unchanged. */
function shortYear(digits: string): string {
  return /^20\d?$/.test(digits) ? digits : digits.replace(/^20/, "").slice(0, 2);
}

/** Keeps the number of digits after the caret. */
function caretBeforeLast(value: string, digitCount: number): number {
  return Math.max(value.search(new RegExp(`(\\d\\D*){${digitCount}}$`)), 0);
}
