/**
 * Work on due rows of many owners, in two steps. One statement finds the rows, without locks. Then each owner has its own
 * statements, because a statement that locks or changes rows names one account. So no account waits for another one's
 * rows, and accounts can be on different database servers later.
 */
import { sql, type RawBuilder, type SelectQueryBuilder } from "kysely";
import { inParallel } from "../background/in-parallel.ts";
import type { PlatformContext } from "../context.ts";
import { stackOf } from "../stack-of.ts";
import { tenantOf, type Tenant } from "../tenant.ts";
import type { IsReachable } from "./nodes.ts";
import { ownedBy } from "./owned-by.ts";
import type { Tables } from "./tables.ts";

/** How many owners are handled in parallel. Each uses a connection. */
const ownersAtOnce = 4;
/** More rows are found than taken, so that an owner with many due rows leaves room for the others. */
const foundPerTaken = 50;
const maxFound = 1_000;

export interface OwnedRow {
  account_no: number;
  livemode: boolean;
}

/** @returns at least one row for each owner, in the order of their first rows */
export function groupByOwner<T extends OwnedRow>(rows: readonly T[]): [T, ...T[]][] {
  const groups = Map.groupBy(rows, ({ account_no, livemode }) => `${account_no} ${livemode}`);
  return [...groups.values()] as [T, ...T[]][]; // a group has the row that it was made for
}

/**
 * Does the work for each owner, a few at a time. Failures are logged and don't affect the other owners. Leaves out owners
 * whose node is missing.
 *
 * @param owners rows, or groups of rows of one owner
 * @returns the results of the work that didn't fail
 */
export async function perOwner<T extends OwnedRow | [OwnedRow, ...OwnedRow[]], R>(
  { log, nodes }: Pick<PlatformContext, "log" | "nodes">,
  step: string,
  owners: readonly T[],
  work: (owner: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const errors: unknown[] = [];
  await inParallel(owners, ownersAtOnce, async (owner) => {
    try {
      nodes.requireNodeOf(Array.isArray(owner) ? owner[0].account_no : owner.account_no);
    } catch {
      return;
    }
    try {
      results.push(await work(owner));
    } catch (error) {
      errors.push(error);
    }
  });
  if (errors.length > 0) {
    const details = { step, accounts: errors.length, error: stackOf(errors[0]) };
    log.error(details, "A step failed for some accounts and will be retried");
  }
  return results;
}

/** A row that is due. `id` identifies it among its owner's rows. */
export interface DueRow extends OwnedRow {
  id: string | Date;
}

/** How to find due rows of all owners, and how to take them from each owner. */
export interface DueRows<TB extends keyof Tables, R> {
  step: string;
  /**
   * Selects rows that are due, those that have been due for longest first, through an index. With a subquery, it's a
   * function. It's called once for all owners, with the condition that a row's node responds, and then with each owner.
   * The subquery must apply that condition or name the owner.
   */
  due: Due<TB> | ((of: Tenant | IsReachable) => Due<TB>);
  /** The column that is selected as `id`. */
  column?: string;
  /** The maximum number of rows to take. If more are due, the owners get equal shares. */
  limit: number;
  /**
   * Changes rows of one owner, in one statement or transaction. `areTaken` is the condition for them. It locks them,
   * skips rows that are locked already, and checks again that they're due.
   */
  take(areTaken: RawBuilder<boolean>, owner: Tenant): Promise<R>;
}

type Due<TB extends keyof Tables> = SelectQueryBuilder<Tables, TB, DueRow>;

/** Takes due rows. @returns what `take` returned for each owner */
export async function takeDue<TB extends keyof Tables, R>(
  context: Pick<PlatformContext, "log" | "nodes">,
  { step, due, column = "id", limit, take }: DueRows<TB, R>,
): Promise<R[]> {
  const dueOf = typeof due === "function" ? due : () => due;
  const maxRows = Math.max(limit, Math.min(limit * foundPerTaken, maxFound));
  const found = await context.nodes.ofAllAccounts(
    async (isReachable) => await dueOf(isReachable).where(isReachable()).limit(maxRows).execute(),
  );
  return await perOwner(context, step, shares(found, limit), async ({ rows, share }) => {
    const owner = tenantOf(rows[0]);
    const id = sql.ref(column);
    const own = dueOf(owner)
      .where(ownedBy(owner))
      .where(sql<boolean>`${id} = any(${rows.map((row) => row.id)})`);
    const locked = own.limit(share).forUpdate().skipLocked();
    // `array` runs the query exactly once, unlike a join, which could run it again and take more rows.
    const areTaken = sql<boolean>`(${ownedBy(owner)} and ${id} = any(array(select id from ${locked} as taken)))`;
    return await take(areTaken, owner);
  });
}

/**
 * Deletes due rows, at most `limit`.
 *
 * @param rows `due` and `column` as in {@link DueRows}
 * @returns the number of deleted rows
 */
export async function deleteDue<TB extends keyof Tables>(
  context: Pick<PlatformContext, "db" | "log" | "nodes">,
  { from, ...rows }: { from: TB } & Pick<DueRows<TB, number>, "due" | "column" | "limit">,
): Promise<number> {
  const counts = await takeDue(context, {
    ...rows,
    step: `delete from ${from}`,
    async take(areTaken) {
      const { numAffectedRows } = await sql`delete from ${sql.table(from)} where ${areTaken}`.execute(context.db);
      return Number(numAffectedRows);
    },
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

type Share<T> = OwnedRow & { rows: [T, ...T[]]; share: number };

/** Divides `limit` by giving each owner one row in turn. */
function shares<T extends OwnedRow>(found: readonly T[], limit: number): Share<T>[] {
  const turns = groupByOwner(found).flatMap((rows) => rows.map((_row, turn) => ({ rows, turn })));
  const taken = turns.toSorted((one, other) => one.turn - other.turn).slice(0, limit);
  return [...Map.groupBy(taken, ({ rows }) => rows)].map(([rows, { length: share }]) => {
    const [{ account_no, livemode }] = rows;
    return { account_no, livemode, rows, share };
  });
}
