/**
 * Compares the clients' records with the acquirer's, by the sales' unique amounts alone. None of our records are
 * read, so none of them needs to be trusted.
 */
import type { AcquirerPayment } from "../acquirer-records.ts";
import type { Operation, Sale } from "./client-records.ts";
import type { Mistake } from "./mistake.ts";

export interface CheckedSales {
  /** The number of sales that the acquirer has exactly as reported to the client. */
  once: number;
  mistakes: Mistake[];
}

/** @param recordsDeclines - Whether the acquirer also has a record of each request that it declined. */
export function checkSales(
  sales: readonly Sale[],
  payments: readonly AcquirerPayment[],
  recordsDeclines: boolean,
): CheckedSales {
  const byAmount = Map.groupBy(payments, ({ amount }) => amount);
  const amountsOfSale = ({ amount, pressed }: Sale) =>
    [...new Set([amount, ...pressed.values()])].filter((total) => total !== 0); // verifications are for 0
  const mistakes = sales.map((sale) =>
    checkSale(
      sale,
      amountsOfSale(sale).flatMap((amount) => byAmount.get(amount) ?? []),
      recordsDeclines,
    ),
  );
  const amounts = new Set([0, ...sales.flatMap(amountsOfSale)]);
  const strangers = payments
    .filter(({ amount }) => !amounts.has(amount))
    .map(({ reference }): Mistake => ({
      kind: "lost",
      what: `The acquirer has ${reference}, but no client requested it`,
    }));
  return { once: mistakes.filter((of) => of.length === 0).length, mistakes: [...mistakes.flat(), ...strangers] };
}

function checkSale(sale: Sale, payments: readonly AcquirerPayment[], recordsDeclines: boolean): Mistake[] {
  const name = `the sale of ${sale.amount}${sale.sessionId === undefined ? "" : ` in ${sale.sessionId}`}`;
  if (sale.reported === null) return [{ kind: "stuck", what: `${name}: its client got no final response` }];
  const approved = payments.filter(({ status }) => status === "approved");
  const mistakes = compareCounts(`${name}: approvals`, sale.reported === "approved" ? 1 : 0, approved.length);
  // In the iframe a customer may use several cards. Over the API there's exactly one authorization.
  if (sale.by === "api") mistakes.push(...compareCounts(`${name}: authorizations`, 1, payments.length));
  const [payment] = approved;
  if (payment === undefined) return mistakes;
  if (payment.amount !== sale.amount)
    mistakes.push({ kind: "lost", what: `${name}: the acquirer has approved ${payment.amount}, an earlier total` });

  for (const kind of ["capture", "cancel", "refund"] as const) {
    for (const status of recordsDeclines ? (["approved", "declined"] as const) : (["approved"] as const)) {
      const reported = amountsOf(sale.operations, kind, status);
      const there = amountsOf(payment.operations, kind, status);
      const what = `${name}: each ${kind} ${status}`;
      mistakes.push(...compareCounts(what, reported.length, there.length));
      if (reported.length === there.length && reported.join() !== there.join())
        mistakes.push({
          kind: "lost",
          what: `${what}: the client's records have ${reported.join()}, but the acquirer has ${there.join()}`,
        });
    }
  }
  const [expected, balance] = [expectedOf(sale), balanceOf(payment)].map(show);
  if (expected !== balance)
    mistakes.push({
      kind: "lost",
      what: `${name}: the client's records have ${expected}, but the acquirer has ${balance}`,
    });
  return mistakes;
}

/** Sorted. Cancellations have none. Operations that the acquirer started itself aren't among them. */
function amountsOf(
  operations: readonly (Operation | AcquirerPayment["operations"][number])[],
  kind: Operation["kind"],
  status: "approved" | "declined",
): number[] {
  return operations
    .filter((one) => one.kind === kind && ("outcome" in one ? one.outcome : one.reference && one.status) === status)
    .map(({ amount }) => (kind === "cancel" ? 0 : (amount ?? 0)))
    .toSorted((a, b) => a - b);
}

interface Balance {
  reserved: number;
  captured: number;
  refunded: number;
}

function expectedOf({ amount, capturedAtOnce, operations }: Sale): Balance {
  const sum = (kind: Operation["kind"]) =>
    operations
      .filter((one) => one.kind === kind && one.outcome === "approved")
      .reduce((total, one) => total + one.amount, 0);
  const captured = capturedAtOnce + sum("capture");
  return { reserved: captured + sum("cancel") === 0 ? amount : 0, captured, refunded: sum("refund") };
}

function balanceOf({ entries }: AcquirerPayment): Balance {
  const sum = (account: string, type?: string) =>
    entries
      .filter((entry) => entry.account === account && (type === undefined || entry.type === type))
      .reduce((total, { value }) => total + value, 0);
  return {
    reserved: sum("reserved"),
    captured: sum("merchant", "captured"),
    refunded: Math.abs(sum("merchant", "refunded")),
  };
}

function show({ reserved, captured, refunded }: Balance): string {
  return `${reserved} reserved, ${captured} captured and ${refunded} refunded`;
}

function compareCounts(what: string, reported: number, there: number): Mistake[] {
  if (reported === there) return [];
  return [
    {
      kind: there > reported ? "twice" : "lost",
      what: `${what}: the client's records have ${reported}, but the acquirer has ${there}`,
    },
  ];
}
