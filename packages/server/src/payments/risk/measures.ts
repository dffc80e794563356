/**
 * The measurements for the rules. They count card tries in a window that ends now, using an index and reading no more
 * rows than needed. The card try being assessed is already committed, so it's included.
 */
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { sharedCard } from "./shared-tries.ts";

/** The properties that card tries are counted by. */
export interface Subject {
  tenant: Tenant;
  /** Null if the customer isn't present, because the merchant's server charges a saved card. */
  sessionId: string | null;
  network: string | null;
  fingerprint: Buffer | null;
  amount: number;
  currency: string;
}

export type Scope = "card" | "session" | "address" | "account";

/** A measurement: `value` in the rule's unit, measured over `of` card tries. */
export interface Measured {
  value: number;
  of: number;
}

/** The card tries that count together: those of a scope since a time. */
export interface Window {
  of: Scope;
  subject: Subject;
  since: Date;
}

/** @param bound the number at which counting may stop */
export type Measure = (db: Db, window: Window, bound: number) => Promise<Measured>;

const nothing: Measured = { value: 0, of: 0 };
/** The maximum number of card tries that a ratio covers, newest first. */
export const maxSample = 1000;

export const countTries: Measure = async (db, window, bound) => {
  const count = await countUpTo(db, triesIn(db, window), bound);
  return { value: count, of: count };
};

/** Also counts the current try as declined, because the rule decides whether another decline is acceptable. */
export const countDeclines: Measure = async (db, window, bound) => {
  const count = 1 + (await countUpTo(db, asTries(sharedTries(db, window).where("is_declined", "=", true)), bound));
  return { value: count, of: count };
};

/**
 * The percentage of declines among the card tries that an acquirer or issuer approved or declined. Tries that our own
 * rules rejected say nothing about the cards.
 */
export const declineRatio: Measure = async (db, window) => {
  const newest = ownTries(db, window)
    .where("outcome", "in", ["approved", "declined"])
    .select("outcome")
    .orderBy("created_at", "desc")
    .limit(maxSample);
  const { total, declined } = await db
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [
      fn.countAll<number>().as("total"),
      fn.countAll<number>().filterWhere("outcome", "=", "declined").as("declined"),
    ])
    .executeTakeFirstOrThrow();
  return total === 0 ? nothing : { value: (100 * declined) / total, of: total };
};

/** The amount relative to the largest of the newest approved payments. Saved cards without a payment don't count. */
export const timesTheLargest: Measure = async (db, window) => {
  const { amount, currency } = window.subject;
  const newest = ownTries(db, window)
    .where("outcome", "=", "approved")
    .where("currency", "=", currency)
    .where("amount", ">", 0)
    .select("amount")
    .orderBy("created_at", "desc")
    .limit(maxSample);
  const { paid, largest } = await db
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [fn.countAll<number>().as("paid"), fn.max("amount").as("largest")])
    .executeTakeFirstOrThrow();
  return largest === null || largest === 0 ? nothing : { value: amount / largest, of: paid };
};

/** Whether the card try can be counted by this property. Renewals have no session and no network. */
export function hasScope(of: Scope, { sessionId, network, fingerprint }: Subject): boolean {
  return { card: fingerprint, session: sessionId, address: network, account: "" }[of] !== null;
}

/** The times of the card tries, to find out when the oldest leaves the window. */
export function timesIn(db: Db, window: Window) {
  return triesIn(db, window).select("created_at");
}

function triesIn(db: Db, window: Window) {
  const isShared = window.of === "card" || window.of === "address";
  return isShared ? asTries(sharedTries(db, window)) : ownTries(db, window);
}

/** Both tables have the columns `decision_id` and `created_at`. Kysely has no type for "one of the two". */
function asTries(shared: ReturnType<typeof sharedTries>) {
  return shared as unknown as ReturnType<typeof ownTries>;
}

/** The tries of one card or from one network, at all accounts of the mode. */
function sharedTries(db: Db, { of, subject: { tenant, network, fingerprint }, since }: Window) {
  const tries = db.selectFrom("shared_try").where("livemode", "=", tenant.livemode).where("created_at", ">", since);
  return of === "card"
    ? tries.where("card", "=", fingerprint && sharedCard(tenant, fingerprint))
    : tries.where("network", "=", network);
}

/**
 * The tries in one session, or at the account's checkout. An account's renewals, which its server starts, never count
 * toward its checkout, where anyone can try a card.
 */
function ownTries(db: Db, { of, subject: { tenant, sessionId }, since }: Window) {
  const tries = db.selectFrom("card_try").where(ownedBy(tenant)).where("created_at", ">", since);
  return of === "session"
    ? tries.where("session_id", "=", sessionId)
    : tries.where("session_id", sessionId === null ? "is" : "is not", null);
}

async function countUpTo(db: Db, tries: ReturnType<typeof triesIn>, bound: number): Promise<number> {
  const { count } = await db
    .selectFrom(tries.select("decision_id").limit(bound).as("some"))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}
