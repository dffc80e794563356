/**
 * The overview of one merchant's charges and refunds over the last days, as daily totals in UTC by currency. Charges
 * and refunds take one statement each, over a range of IDs, which sort by time. The statements return only totals, so
 * the result is small no matter how many charges there are.
 */
import { sql } from "kysely";
import type { CurrencyOverview, DayOverview, Overview, PaymentCounts } from "@oriel/protocol/dashboard/payments";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { PlatformContext } from "../../platform/context.ts";
import { firstIdOf } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";

const dayMs = 24 * 3_600_000;
const shownDeclines = 10;

/** Decline codes of payments that failed in 3-D Secure. */
const threeDSecureFailures: ReadonlySet<DeclineCode> = new Set<DeclineCode>([
  "authentication_failed",
  "authentication_rejected",
  "authentication_canceled",
  "authentication_timed_out",
  "authentication_unavailable",
]);

/** @param days number of days, including today */
export async function readOverview(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  tenant: Tenant,
  days: number,
): Promise<Overview> {
  const today = Math.floor(now().getTime() / dayMs);
  const first = today - days + 1;
  const [charges, refunds] = await Promise.all([countCharges(db, tenant, first), countRefunds(db, tenant, first)]);

  const currencies = new Map<string, Map<number, PaymentCounts>>();
  const countsOf = ({ currency, day }: { currency: string; day: number }): PaymentCounts => {
    const byDay = currencies.get(currency) ?? new Map<number, PaymentCounts>();
    currencies.set(currency, byDay);
    const counts = byDay.get(day) ?? { ...none };
    byDay.set(day, counts);
    return counts;
  };
  for (const row of charges) add(countsOf(row), countsOfStatus(row));
  for (const row of refunds) add(countsOf(row), { refunded: row.refunded });

  const declines = countDeclines(charges);
  const sumOf = (matches: (code: DeclineCode) => boolean) =>
    declines.reduce((sum, { decline_code, count }) => sum + (matches(decline_code) ? count : 0), 0);
  return {
    days,
    from: dateOf(first),
    to: dateOf(today),
    currencies: [...currencies]
      .map(([currency, byDay]) => overviewOf(currency, byDay, first, today))
      .sort((a, b) => b.payments - a.payments || (a.currency < b.currency ? -1 : 1)),
    declines: declines.slice(0, shownDeclines),
    risk_refused: sumOf((code) => code === "risk_rejected"),
    three_d_secure_failed: sumOf((code) => threeDSecureFailures.has(code)),
  };
}

const none: Readonly<PaymentCounts> = { captured: 0, refunded: 0, payments: 0, approved: 0, failed: 0 };

/** The day of a row's creation time. IDs contain the time too, but in an encoded form. */
const dayNumber = sql<number>`floor(date_part('epoch', created_at) / 86400)::int`;
/** Capped at the largest integer that JSON parsers read exactly. Realistic totals don't reach it. */
const sumOfAmounts = (column: "amount" | "amount_captured") =>
  sql<number>`least(sum(${sql.ref(column)}), ${Number.MAX_SAFE_INTEGER}::bigint)::bigint`;

interface ChargeCount extends Pick<Row<"charge">, "currency" | "status" | "decline_code"> {
  day: number;
  count: number;
  captured: number;
}

async function countCharges(db: Db, tenant: Tenant, firstDay: number): Promise<ChargeCount[]> {
  return await db
    .selectFrom("charge")
    .select(["currency", "status", "decline_code", dayNumber.as("day")])
    .select([sql<number>`count(*)`.as("count"), sumOfAmounts("amount_captured").as("captured")])
    .where(ownedBy(tenant))
    .where("id", ">=", firstIdOf("ch", new Date(firstDay * dayMs)))
    .groupBy(["currency", "status", "decline_code", "day"])
    .execute();
}

async function countRefunds(db: Db, tenant: Tenant, firstDay: number) {
  return await db
    .selectFrom("refund")
    .select(["currency", dayNumber.as("day"), sumOfAmounts("amount").as("refunded")])
    .where(ownedBy(tenant))
    .where("id", ">=", firstIdOf("re", new Date(firstDay * dayMs)))
    .where("status", "=", "succeeded")
    .groupBy(["currency", "day"])
    .execute();
}

function countsOfStatus({ status, count, captured }: ChargeCount): Partial<PaymentCounts> {
  switch (status) {
    case "succeeded":
    case "authorized":
    case "canceled":
      return { payments: count, approved: count, captured };
    case "failed":
      return { payments: count, failed: count };
    case "processing":
      return { payments: count };
  }
}

/** Counts the declines by code, most frequent first. */
function countDeclines(charges: ChargeCount[]): Overview["declines"] {
  const counts = new Map<DeclineCode, number>();
  for (const { decline_code: code, count } of charges)
    if (code !== null) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts]
    .map(([decline_code, count]) => ({ decline_code, count }))
    .sort((a, b) => b.count - a.count || (a.decline_code < b.decline_code ? -1 : 1));
}

function overviewOf(
  currency: string,
  byDay: Map<number, PaymentCounts>,
  first: number,
  today: number,
): CurrencyOverview {
  const total = { ...none };
  const series: DayOverview[] = [];
  for (let day = first; day <= today; day++) {
    const counts = byDay.get(day) ?? none;
    add(total, counts);
    series.push({ date: dateOf(day), ...counts });
  }
  const { approved, failed } = total;
  return { currency, ...total, success_rate: approved + failed === 0 ? null : approved / (approved + failed), series };
}

function add(total: PaymentCounts, more: Partial<PaymentCounts>): void {
  total.captured = Math.min(total.captured + (more.captured ?? 0), Number.MAX_SAFE_INTEGER);
  total.refunded = Math.min(total.refunded + (more.refunded ?? 0), Number.MAX_SAFE_INTEGER);
  total.payments += more.payments ?? 0;
  total.approved += more.approved ?? 0;
  total.failed += more.failed ?? 0;
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
