/**
 * Exports the payments list as CSV: RFC 4180 in UTF-8, with a byte order mark so that spreadsheets detect the encoding.
 *
 * Some of the text comes from customers and merchants, and spreadsheets run text that starts like a formula (OWASP, CSV
 * injection). So all text is quoted, and an apostrophe is added before a formula sign at the start, also after blanks
 * and also in full-width form. The same applies within the text, wherever a spreadsheet with another separator would
 * start a new cell. Invisible characters are shown as code points. Amounts are our own numbers and stay unquoted.
 */
import { setImmediate } from "node:timers/promises";
import { currencyExponent } from "@oriel/protocol/currency";
import {
  csvEnds,
  csvHeartbeat,
  maxCsvRows,
  type PaymentRow,
  type PaymentsCsvQuery,
} from "@oriel/protocol/dashboard/payments";
import { visible } from "@oriel/protocol/hidden-characters";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { searchPayments } from "./payment-search.ts";

const rowsAtOnce = 500;
/** A piece of the file ends with the row that makes it this long. The metadata of one row can have 27,000 characters. */
const pieceLength = 32 * 1024;
/**
 * The maximum number of incomplete search pages. At 5,000 charges per page, that is a million charges without a match.
 */
const maxEmptySearches = 200;

type Cell = string | { number: string } | null;

const columns: Record<string, (charge: PaymentRow) => Cell> = {
  id: ({ id }) => id,
  created_utc: ({ created }) => new Date(created * 1000).toISOString(),
  status: ({ status }) => status,
  order_number: ({ order }) => order.number,
  description: ({ order }) => order.description,
  amount: ({ amount, currency }) => inMajorUnits(amount, currency),
  amount_captured: ({ amount_captured, currency }) => inMajorUnits(amount_captured, currency),
  amount_refunded: ({ amount_refunded, currency }) => inMajorUnits(amount_refunded, currency),
  currency: ({ currency }) => currency.toUpperCase(),
  brand: ({ brand }) => brand,
  last4: ({ last4 }) => last4,
  customer_name: ({ customer_name }) => customer_name,
  customer_email: ({ customer_email }) => customer_email,
  customer_reference: ({ customer_reference }) => customer_reference,
  three_d_secure: ({ three_d_secure_result }) => three_d_secure_result,
  decline_code: ({ failure }) => failure?.decline_code ?? null,
  session_id: ({ session_id }) => session_id,
  payment_method_id: ({ payment_method_id }) => payment_method_id,
  decision_id: ({ decision_id }) => decision_id,
  metadata: ({ metadata }) => jsonCell(metadata),
  session_metadata: ({ session_metadata }) => jsonCell(session_metadata),
};

/**
 * Yields the file in pieces, newest charges first. Only one page of the search is in memory at a time. The first piece
 * comes after the first search, so that a search that fails gets an error response instead of a file that breaks off.
 * The last line says that the file ends here, and whether payments are missing from it.
 */
export async function* paymentsCsv(
  context: Pick<PlatformContext, "db">,
  tenant: Tenant,
  filters: PaymentsCsvQuery,
): AsyncGenerator<string> {
  let startingAfter: string | null = null;
  let rows = 0;
  let emptySearches = 0;
  while (rows < maxCsvRows && emptySearches < maxEmptySearches) {
    const limit = Math.min(rowsAtOnce, maxCsvRows - rows);
    const page = await searchPayments(context, tenant, filters, { limit, startingAfter });
    if (startingAfter === null) yield `\u{feff}${csvRow(Object.keys(columns))}`;
    rows += page.data.length;
    if (page.searched_to !== null) emptySearches++;
    yield* csvPieces(page.data);
    if (page.cursor === null) return yield csvEnds.complete;
    if (page.data.length === 0) yield csvHeartbeat;
    startingAfter = page.cursor;
  }
  yield csvEnds.limited;
}

/** Lets other requests run after each piece, even if the client reads as fast as we write. */
export async function* csvPieces(charges: readonly PaymentRow[]): AsyncGenerator<string> {
  let piece = "";
  for (const charge of charges) {
    piece += chargeRow(charge);
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
    await setImmediate();
  }
  if (piece !== "") yield piece;
}

function chargeRow(charge: PaymentRow): string {
  return csvRow(Object.values(columns).map((read) => read(charge)));
}

function jsonCell(metadata: Readonly<Record<string, string>>): Cell {
  return Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata);
}

export function csvRow(cells: Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/**
 * `=`, `+`, `-` and `@`, also in full-width form, and the mathematical minus, optionally after blanks, tabs, line
 * breaks and zero-width characters.
 */
const startsLikeFormula = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212]|^[\s\p{Cf}]*[\t\r\n]/u;

/**
 * The same signs after characters that separate cells in other formats. Such readers also remove quotation marks. Looks
 * back only from a sign, because looking back from every blank takes quadratic time.
 */
const laterFormula = /[=+\-@\uff1d\uff0b\uff0d\uff20\u2212](?<=[;,\t\r\n][\s\p{Cf}"]*.)/gu;

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return cell.number;
  const text = visible(cell);
  const inside = text.replace(laterFormula, "'$&");
  const harmless = startsLikeFormula.test(text) ? `'${inside}` : inside;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Converts minor units without floating point: 4900 eur is 49.00, with a dot, and 4900 jpy is 4900. */
export function inMajorUnits(amount: number, currency: string): { number: string } {
  const decimals = currencyExponent(currency);
  if (decimals === 0) return { number: String(amount) };
  const digits = String(amount).padStart(decimals + 1, "0");
  return { number: `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}` };
}
