/** Compares a run with the acquirer's own records: the sandbox bank's, or those of its simulator of Adyen. */
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import { readRecords, type Records } from "../records.ts";
import type { AdyenPayment, AdyenSide } from "./adyen-side.ts";
import type { BankProcess } from "./bank.ts";
import { checkAdyenAttempts, checkAdyenSales, checkAgreement, checkUndone } from "./check-adyen.ts";
import { checkNotifications } from "./check-notifications.ts";
import { checkAttempts, checkSales, type CheckedSales } from "./check-records.ts";
import type { Sale } from "./ledger.ts";

export interface AcquirerCheck extends CheckedSales {
  /** Null at the sandbox bank's own acquirer. */
  adyen: { records: Records; payments: AdyenPayment[] } | null;
}

export async function checkSandbox(db: Db, sales: readonly Sale[], bank: BankProcess): Promise<AcquirerCheck> {
  const books = await bank.books();
  const { once, mistakes } = checkSales(sales, books);
  return { once, mistakes: [...mistakes, ...(await checkAttempts(db, books))], adyen: null };
}

export async function checkAdyen(db: Db, sales: readonly Sale[], adyen: AdyenSide): Promise<AcquirerCheck> {
  const payments = await adyen.payments();
  const records = await readRecords({ service: { context: { db } }, shop: adyen });
  const { once, mistakes } = checkAdyenSales(sales, payments, records);
  const all = [
    ...mistakes,
    ...checkAdyenAttempts(records, payments),
    ...checkUndone(records),
    ...checkAgreement(records, payments),
    ...checkNotifications(records, adyen.accepted),
  ];
  return { once, mistakes: all, adyen: { records, payments } };
}
