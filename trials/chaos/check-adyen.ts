/**
 * Checks the money of a run at the simulator of Adyen: what clients were told against Adyen's ledger by amounts alone, our
 * attempts against Adyen's references one to one, and everything else that must be true once it's quiet
 * (`../simulation/compare.ts`): our ledger is Adyen's, and statuses, sessions and events agree with it.
 */
import { compare } from "../simulation/compare.ts";
import type { Records } from "../records.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import type { AdyenPayment } from "./adyen-side.ts";
import { compareCounts, type CheckedSales } from "./check-records.ts";
import type { Mistake } from "./mistake.ts";
import type { Operation, Sale } from "./ledger.ts";

/**
 * Compares sales with Adyen's ledger without reading our database, except for the late approvals that couldn't be undone
 * and that a person was told about.
 */
export function checkAdyenSales(
  sales: readonly Sale[],
  payments: readonly AdyenPayment[],
  { attention }: Pick<Records, "attention">,
): CheckedSales {
  const told = new Set(
    attention.filter(({ kind }) => kind === "reversal_failed").map(({ details }) => details["reference"]),
  );
  const byAmount = Map.groupBy(payments, ({ amount }) => amount.value);
  const mistakes = sales.map((sale) => checkSale(sale, byAmount.get(sale.amount) ?? [], told));
  const amounts = new Set(sales.map(({ amount }) => amount));
  const strangers = payments
    .filter(({ amount }) => amount.value !== 0 && !amounts.has(amount.value))
    .map(({ merchantReference }): Mistake => ({
      kind: "lost",
      what: `Adyen has ${merchantReference}, but no client requested it`,
    }));
  return { once: mistakes.filter((of) => of.length === 0).length, mistakes: [...mistakes.flat(), ...strangers] };
}

/** An authorization that was undone leaves nothing. So of a sale's payments, at most one has moved money in the end. */
function checkSale(sale: Sale, payments: readonly AdyenPayment[], told: ReadonlySet<unknown>): Mistake[] {
  const name = `the sale of ${sale.amount}${sale.sessionId === undefined ? "" : ` in ${sale.sessionId}`}`;
  if (sale.told === null) return [{ kind: "stuck", what: `${name}: its client got no final response` }];
  // In the iframe a customer may use several cards. Over the API there's exactly one authorization.
  const mistakes = sale.by === "api" ? compareCounts(`${name}: authorizations`, 1, payments.length) : [];
  const expected = expectedOf(sale);
  const balances = payments.filter(({ merchantReference }) => !told.has(merchantReference)).map(balanceOf);
  const own = balances.findIndex((balance) => isSame(balance, expected));
  const others = balances.filter((_, i) => i !== own);
  const isExpected = sale.told === "declined" || own !== -1;
  for (const balance of sale.told === "declined" ? balances : others) {
    if (isNothing(balance)) continue;
    const kind = isExpected ? "twice" : "lost";
    mistakes.push({ kind, what: `${name}: Adyen has ${show(balance)}, the client was told of ${show(expected)}` });
  }
  if (!isExpected && mistakes.length === 0)
    mistakes.push({ kind: "lost", what: `${name}: the client was told of ${show(expected)}, Adyen has nothing` });
  return mistakes;
}

interface Balance {
  reserved: number;
  captured: number;
  refunded: number;
}

function expectedOf({ told, amount, capturedAtOnce, operations }: Sale): Balance {
  if (told !== "approved") return { reserved: 0, captured: 0, refunded: 0 };
  const sum = (kind: Operation["kind"]) =>
    operations
      .filter((one) => one.kind === kind && one.outcome === "done")
      .reduce((total, one) => total + one.amount, 0);
  const captured = capturedAtOnce + sum("capture");
  return { reserved: captured + sum("cancel") === 0 ? amount : 0, captured, refunded: sum("refund") };
}

function balanceOf({ entries }: AdyenPayment): Balance {
  const sum = (account: string, ...types: string[]) =>
    entries
      .filter((entry) => entry.account === account && (types.length === 0 || types.includes(entry.type)))
      .reduce((total, { value }) => total + value, 0);
  const refunded = -sum("merchant", "refunded") || 0; // never -0
  return { reserved: sum("reserved"), captured: sum("merchant", "captured"), refunded };
}

function isNothing({ reserved, captured, refunded }: Balance): boolean {
  return reserved === 0 && captured === refunded;
}

function isSame(one: Balance, other: Balance): boolean {
  return show(one) === show(other);
}

function show({ reserved, captured, refunded }: Balance): string {
  return `${reserved} reserved, ${captured} captured and ${refunded} refunded`;
}

/**
 * Each attempt was processed at most once, each payment and each requested modification has one attempt, and the outcomes
 * are the same. An approval that was undone is a declined attempt here (`checkAdyenSales` checks that it was undone).
 */
export function checkAdyenAttempts({ attempts }: Records, payments: readonly AdyenPayment[]): Mistake[] {
  const paid = Map.groupBy(payments, ({ merchantReference }) => merchantReference);
  const modifications = Map.groupBy(
    payments.flatMap((payment) => payment.modifications).filter(({ reference }) => reference !== null),
    ({ reference }) => reference ?? "",
  );
  const known = new Set(attempts.map(({ id }) => id));
  const strangers = [...paid.keys(), ...modifications.keys()]
    .filter((reference) => !known.has(reference))
    .map((reference): Mistake => ({ kind: "lost", what: `Adyen has a record of ${reference}, but we don't` }));
  return [
    ...strangers,
    ...attempts.flatMap((attempt) => {
      const there = isPayment(attempt)
        ? (paid.get(attempt.id) ?? []).map(fromPayment)
        : (modifications.get(attempt.id) ?? []).map(fromModification);
      return checkAttempt(attempt, there);
    }),
  ];
}

interface Record {
  isDone: boolean;
  acquirerId: string;
  amount: number;
}

/** A verification leaves no trace of its outcome. */
function fromPayment({ pspReference, amount, entries }: AdyenPayment): Record {
  return { isDone: amount.value === 0 || entries.length > 0, acquirerId: pspReference, amount: amount.value };
}

function fromModification({ state, pspReference, amount }: AdyenPayment["modifications"][number]): Record {
  return { isDone: state === "done", acquirerId: pspReference, amount: amount.value };
}

function checkAttempt(attempt: Row<"attempt">, there: readonly Record[]): Mistake[] {
  const { id, kind, status, acquirer_id, amount } = attempt;
  const name = `the ${kind} ${id}`;
  if (there.length > 1) return [{ kind: "twice", what: `Adyen processed ${name} ${there.length} times` }];
  const [record] = there;
  if (status === "approved") {
    if (record === undefined || !record.isDone)
      return [{ kind: "lost", what: `${name} is approved, but Adyen has ${JSON.stringify(record)}` }];
    if (record.acquirerId !== acquirer_id || record.amount !== amount)
      return [
        { kind: "lost", what: `${name} is ${acquirer_id} for ${amount}, but Adyen has ${JSON.stringify(record)}` },
      ];
  }
  if (status === "declined" && !isPayment(attempt) && record?.isDone)
    return [{ kind: "lost", what: `${name} is declined, but Adyen has done it` }];
  return [];
}

function isPayment({ kind }: Row<"attempt">): boolean {
  return kind === "authorize" || kind === "verify";
}

/**
 * Processes are back within seconds and every client waits, so no payment may be given up, and no approval undone because
 * of that.
 */
export function checkUndone({ attempts }: Records): Mistake[] {
  return attempts
    .filter(({ kind }) => kind === "reverse")
    .map(({ id, reversal, charge_id }) => ({
      kind: "lost",
      what: `${charge_id} was given up, and ${id} reversed it by ${reversal}`,
    }));
}

/** The differences between our records and Adyen's ledger, and within our records. */
export function checkAgreement(records: Records, payments: readonly AdyenPayment[]): Mistake[] {
  const paid = Map.groupBy(payments, ({ merchantReference }) => merchantReference);
  const outside = {
    acquirer: {
      ledger: { paymentsOf: (reference: string) => paid.get(reference) ?? [] },
      references: paid.keys(),
      sent: new Map(), // nobody watches the requests
    },
    canceled: new Set(records.charges.map(({ id }) => id)), // any of them may be
    weather: { idleWorkers: 1 },
    orders: [], // `checkAdyenSales` compares them by amount
    errors: [],
    journal: { normalize: (text: string) => text },
  };
  return compare(outside, records).map((what) => ({ kind: "ledger", what }));
}
