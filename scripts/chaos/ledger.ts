/**
 * What the clients asked for and what they were told: the side of the comparison that knows nothing of our database.
 * Every sale has an amount that no other sale has, so the bank's books can be read without anything that we wrote down.
 */
import type { Answer } from "./send.ts";

export interface Sale {
  amount: number;
  /** A card number typed into a form, or a charge over the API. */
  by: "api" | "checkout";
  /** Absent: over the API alone. */
  sessionId?: string;
  /** What became of it, as the client was told: money taken or reserved, or declined. Null: no final answer yet. */
  told: "approved" | "declined" | null;
  /** Once it is known. */
  chargeId: string | null;
  /** What was asked for afterwards. */
  operations: Operation[];
}

export interface Operation {
  kind: "capture" | "cancel" | "refund";
  amount: number;
  answer: Answer | null;
}

export interface Ledger {
  sales: Sale[];
  /** Sessions that saved a card without a payment. */
  setups: { sessionId: string; isDone: boolean }[];
  /** Answers that no client should ever get, as sentences. */
  unexpected: string[];
  /** Customers who canceled during 3-D Secure, because the page said nothing new for too long. */
  gaveUp: number;
  /** Flows under way. */
  busy: number;
  openSale(by: Sale["by"]): Sale;
}

const currency = "eur";
export const money = (sale: Sale) => ({ amount: sale.amount, currency });

export function createLedger(): Ledger {
  const sales: Sale[] = [];
  return {
    sales,
    setups: [],
    unexpected: [],
    gaveUp: 0,
    busy: 0,
    openSale(by) {
      const sale: Sale = { amount: 1_000 + sales.length * 3, by, told: null, chargeId: null, operations: [] };
      sales.push(sale);
      return sale;
    },
  };
}
