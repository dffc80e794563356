/** Compares a run with the records of its acquirer: the sandbox bank's own, or the simulator of Adyen. */
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import type { AcquirerPayment } from "../acquirer-records.ts";
import { reconcile, type Order } from "../reconcile.ts";
import { readRecords, type Records } from "../records.ts";
import { checkSales, type CheckedSales } from "./check-sales.ts";
import type { Sale } from "./client-records.ts";
import type { Mistake } from "./mistake.ts";

export interface AcquirerCheck extends CheckedSales {
  records: Records;
  payments: AcquirerPayment[];
}

/** What the acquirer knows at the end of a run. */
export interface Acquirer {
  payments(): Promise<AcquirerPayment[]>;
  /** Whether it also has a record of each request that it declined. */
  recordsDeclines: boolean;
  /** The IDs of the notifications that the service accepted. */
  accepted: Iterable<string>;
  /**
   * How many of these attempts the acquirer has decided. Doesn't count those for which it doesn't respond, for example
   * because of a fault.
   */
  countDecided(attempts: readonly RequestedAttempt[]): Promise<number>;
}

export type RequestedAttempt = Pick<Row<"attempt">, "id" | "kind">;

export async function checkAcquirer(
  db: Db,
  accountId: string,
  sales: readonly Sale[],
  { payments: readPayments, recordsDeclines, accepted }: Acquirer,
): Promise<AcquirerCheck> {
  const payments = await readPayments();
  const account = db.selectFrom("account").select("account_no").where("id", "=", accountId);
  const records = await readRecords(db, (await account.executeTakeFirstOrThrow()).account_no);
  const { once, mistakes } = checkSales(sales, payments, recordsDeclines);
  const differences = reconcile(
    {
      payments,
      recordsDeclines,
      accepted,
      sent: new Map(), // nobody watches the requests
      workersPaused: false,
      canceled: null,
      orders: sales.flatMap(orderOf),
      errors: [],
    },
    records,
  );
  const ledger = differences.map((what): Mistake => ({ kind: "ledger", what }));
  return { once, mistakes: [...mistakes, ...ledger], records, payments };
}

/** A sale in a session. The others are compared by amount only. */
function orderOf({ sessionId, amount, pressed }: Sale, index: number): Order[] {
  if (sessionId === undefined) return [];
  return [{ number: index + 1, amount, pressed, decisions: new Set(), sessions: new Set([sessionId]) }];
}
