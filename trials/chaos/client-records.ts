/**
 * What clients requested and the responses that they received, independent of our database. Every sale has a unique
 * amount, so the bank's ledger can be read without any of our records.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ApiResponse } from "./send.ts";

export interface Sale {
  /** In a checkout, the total that the form showed when Pay was pressed last. */
  amount: number;
  /** The first of the amounts that are reserved for it. */
  firstAmount: number;
  /** Whether the customer can choose how it's shipped, and enter promotion codes. Then it can be free. */
  hasChoices: boolean;
  /** The totals for which Pay was pressed, by the session's version. */
  pressed: Map<number, number>;
  /** A card entered in a form, or a charge over the API. */
  by: "api" | "checkout";
  /** Absent for a sale over the API only. */
  sessionId?: string;
  /**
   * The outcome as reported to the client: approved (captured or reserved), declined, or free (completed for 0). Null
   * until the final response.
   */
  reported: "approved" | "declined" | "free" | null;
  /** Set once it's known. */
  chargeId: string | null;
  /** What was captured with the charge. 0 for a reservation. */
  capturedAtOnce: number;
  /** Operations requested after the charge. */
  operations: Operation[];
}

export interface Operation {
  kind: "capture" | "cancel" | "refund";
  amount: number;
  response: ApiResponse | null;
  /** Null: the client doesn't know it yet. A refused one never reached the acquirer. */
  outcome: "approved" | "declined" | "refused" | null;
}

export interface ClientRecords {
  sales: Sale[];
  /** Sessions that saved a card without a payment. */
  setups: { sessionId: string; isDone: boolean }[];
  /** A sentence for each response that no client should ever get. */
  unexpected: string[];
  /** Customers who canceled during 3-D Secure because the page didn't change for too long. */
  gaveUp: number;
  /** How often a session's total was changed. */
  changed: number;
  /** How often a customer chose a shipping option, and entered a promotion code. */
  shippingChoices: number;
  codes: number;
  /** How often the shop replied to a code, repeats included. */
  replies: number;
  /** How often a press of Pay for an earlier total was refused. */
  refused: number;
  /** How many flows clients may begin, have begun and have ended. */
  allowed: number;
  begun: number;
  ended: number;
  openSale(by: Sale["by"]): Sale;
}

const currency = "eur";
/** How many amounts are reserved for each sale, because its total may change (`shop.ts`). */
export const amountsPerSale = 12;
export const money = (sale: Sale) => ({ amount: sale.amount, currency });

export function createClientRecords(): ClientRecords {
  const sales: Sale[] = [];
  return {
    sales,
    setups: [],
    unexpected: [],
    gaveUp: 0,
    changed: 0,
    shippingChoices: 0,
    codes: 0,
    replies: 0,
    refused: 0,
    allowed: 0,
    begun: 0,
    ended: 0,
    openSale(by) {
      const firstAmount = 1_000 + sales.length * amountsPerSale;
      const sale: Sale = {
        amount: firstAmount,
        firstAmount,
        hasChoices: false,
        pressed: new Map(),
        by,
        reported: null,
        chargeId: null,
        capturedAtOnce: 0,
        operations: [],
      };
      sales.push(sale);
      return sale;
    },
  };
}

/** Longer than any flow takes. */
const stallsAfterMs = 120_000;

/** Waits until so many flows have ended. @throws Error if none ends for too long */
export async function waitForEnded(clientRecords: ClientRecords, count: number): Promise<void> {
  let [seen, since] = [clientRecords.ended, Date.now()];
  while (clientRecords.ended < count) {
    await pause(20);
    if (clientRecords.ended > seen) [seen, since] = [clientRecords.ended, Date.now()];
    else if (Date.now() - since > stallsAfterMs)
      throw new Error(`After ${seen} payments, none has ended for ${stallsAfterMs / 1000} s.`);
  }
}
