/**
 * Checks the money. What clients were told must match the bank's ledger by amounts alone, and our attempts must match
 * the bank's references one to one.
 */
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import { bankKinds, type Books } from "./bank.ts";
import type { Mistake } from "./mistake.ts";
import type { Operation, Sale } from "./ledger.ts";

export interface CheckedSales {
  /** The number of sales that are in the ledger exactly as reported to the client. */
  once: number;
  mistakes: Mistake[];
}

/** Compares sales with the bank's ledger without reading our database. */
export function checkSales(sales: readonly Sale[], books: Books): CheckedSales {
  const mistakes = sales.map((sale) => checkSale(sale, books));
  const amounts = new Set(sales.map(({ amount }) => amount));
  const strangers = books.authorizations
    .filter(({ amount }) => amount !== 0 && !amounts.has(amount))
    .map(({ reference }): Mistake => ({ kind: "lost", what: `The bank has ${reference}, but no client requested it` }));
  return { once: mistakes.filter((of) => of.length === 0).length, mistakes: [...mistakes.flat(), ...strangers] };
}

function checkSale(sale: Sale, { authorizations, captures, cancels, refunds }: Books): Mistake[] {
  const name = `the sale of ${sale.amount}${sale.sessionId === undefined ? "" : ` in ${sale.sessionId}`}`;
  if (sale.told === null) return [{ kind: "stuck", what: `${name}: its client got no final response` }];
  const ours = authorizations.filter(({ amount }) => amount === sale.amount);
  const approved = ours.filter(({ status }) => status === "approved");
  const mistakes = compareCounts(`${name}: approvals`, sale.told === "approved" ? 1 : 0, approved.length);
  // In the iframe a customer may use several cards. Over the API there's exactly one authorization.
  if (sale.by === "api") mistakes.push(...compareCounts(`${name}: authorizations`, 1, ours.length));
  const [authorization] = approved;
  if (authorization === undefined) return mistakes;

  const later = {
    capture: captures,
    cancel: cancels.map((cancel) => ({ ...cancel, amount: sale.amount })),
    refund: refunds,
  };
  for (const kind of ["capture", "cancel", "refund"] as const) {
    const there = later[kind].filter((entry) => entry.authorization === authorization.reference);
    for (const [status, outcome] of [
      ["approved", "done"],
      ["declined", "declined"],
    ] as const) {
      const done = ascending(there.filter((entry) => entry.status === status).map(({ amount }) => amount));
      const told = ascending(amountsOf(sale, kind, outcome));
      mistakes.push(...compareCounts(`${name}: each ${kind} ${status}`, told.length, done.length));
      if (told.length === done.length && told.join() !== done.join())
        mistakes.push({
          kind: "lost",
          what: `${name}: amounts of each ${kind} ${status}: the client was told ${told.join()}, the bank has ${done.join()}`,
        });
    }
  }
  return mistakes;
}

function amountsOf({ operations }: Sale, kind: Operation["kind"], outcome: Operation["outcome"]): number[] {
  return operations.filter((one) => one.kind === kind && one.outcome === outcome).map(({ amount }) => amount);
}

function ascending(amounts: number[]): number[] {
  return amounts.toSorted((a, b) => a - b);
}

export function compareCounts(what: string, told: number, there: number): Mistake[] {
  if (told === there) return [];
  return [
    {
      kind: there > told ? "twice" : "lost",
      what: `${what}: the client was told of ${told}, but the bank has ${there}`,
    },
  ];
}

/**
 * Each attempt has one entry in the ledger and each entry one attempt, with the same outcome. Each charge has the
 * bank's amounts.
 */
export async function checkAttempts(db: Db, books: Books): Promise<Mistake[]> {
  const attempts = await db.selectFrom("attempt").selectAll().execute();
  const entries = new Map(
    Object.entries({
      authorization: books.authorizations,
      capture: books.captures,
      cancel: books.cancels,
      refund: books.refunds,
    }).flatMap(([kind, list]) => list.map((entry) => [`${kind} ${entry.reference}`, entry] as const)),
  );
  const wrong: string[] = [];
  for (const { id, kind, status, decline_code, amount } of attempts) {
    const entry = entries.get(`${bankKinds[kind]} ${id}`);
    entries.delete(`${bankKinds[kind]} ${id}`);
    if (entry === undefined) wrong.push(`The ${kind} ${id} is ${status}, but the bank has no record of it`);
    else if (entry.status !== status || (entry.decline_code ?? null) !== decline_code)
      wrong.push(
        `The ${kind} ${id} is ${status} (${decline_code}), but ${entry.status} (${entry.decline_code}) at the bank`,
      );
    else if ("amount" in entry && entry.amount !== amount)
      wrong.push(`The ${kind} ${id} is for ${amount}, but for ${entry.amount} at the bank`);
  }
  wrong.push(...[...entries.keys()].map((key) => `The bank has a record of the ${key}, but we don't`));
  wrong.push(...(await checkCharges(db, books)));
  return wrong.map((what) => ({ kind: "lost", what }));
}

async function checkCharges(db: Db, { authorizations }: Books): Promise<string[]> {
  const charges = await db
    .selectFrom("charge")
    .innerJoin("attempt", (join) =>
      join.onRef("attempt.charge_id", "=", "charge.id").on("attempt.kind", "=", "authorize"),
    )
    .select(["attempt.id as reference", "charge.id", "charge.status", "charge.amount"])
    .select(["charge.amount_captured", "charge.amount_refunded"])
    .execute();
  const byReference = new Map(authorizations.map((authorization) => [authorization.reference, authorization]));
  return charges.flatMap(({ reference, id, ...ours }) => {
    const theirs = byReference.get(reference);
    if (theirs === undefined) return []; // reported above
    const { amount, amount_captured, amount_refunded, canceled, status } = theirs;
    const expected = {
      status:
        status === "declined" ? "failed" : canceled ? "canceled" : amount_captured > 0 ? "succeeded" : "authorized",
      amount,
      amount_captured,
      amount_refunded,
    };
    const [mine, bank] = [JSON.stringify(ours), JSON.stringify(expected)];
    return mine === bank ? [] : [`The charge ${id} is ${mine}, but in the bank's ledger ${bank}`];
  });
}
