/**
 * How the rules measure: counts over the tries of a window that ends now, by an index and never over more rows than
 * needed. The try that is being judged is among the rows, committed before it is counted.
 */
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy, type Tenant } from "../../platform/tenant.ts";

/** What a try is counted by. */
export interface Subject {
  tenant: Tenant;
  /** Null when the customer is absent: a saved card is charged by the merchant's server. */
  sessionId: string | null;
  network: string | null;
  fingerprint: Buffer | null;
  amount: number;
  currency: string;
}

export type Scope = "card" | "session" | "address" | "account";

/** `value` in the rule's unit; `of` so many tries. */
export interface Measured {
  value: number;
  of: number;
}

/** Measures tries that count together with `subject`. @param bound counting further than this tells nothing more */
export type Measure = (db: Db, tries: Tries, subject: Subject, bound: number) => Promise<Measured>;

const nothing: Measured = { value: 0, of: 0 };
/** A share is taken of the newest tries of the window, this many at most. */
export const maxSample = 1000;

export const countTries: Measure = async (db, tries, _subject, bound) => {
  const count = await countUpTo(db, tries.select("decision_id"), bound);
  return { value: count, of: count };
};

/** This try is counted as if it were declined too: the question is whether it may be. */
export const countDeclines: Measure = async (db, tries, _subject, bound) => {
  const count = 1 + (await countUpTo(db, tries.where("outcome", "=", "declined").select("decision_id"), bound));
  return { value: count, of: count };
};

/**
 * In percent of the tries that the bank, or the customer's bank, has answered. What our own rules rejected tells
 * nothing of the cards.
 */
export const declineRatio: Measure = async (db, tries) => {
  const newest = tries
    .where("outcome", "in", ["approved", "declined"])
    .select("outcome")
    .orderBy("created_at", "desc")
    .limit(maxSample);
  const { answered, declined } = await db
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [
      fn.countAll<number>().as("answered"),
      fn.countAll<number>().filterWhere("outcome", "=", "declined").as("declined"),
    ])
    .executeTakeFirstOrThrow();
  return answered === 0 ? nothing : { value: (100 * declined) / answered, of: answered };
};

/** Of the newest payments that were approved. A card that was only kept is no payment. */
export const timesTheLargest: Measure = async (db, tries, subject) => {
  const newest = tries
    .where("outcome", "=", "approved")
    .where("currency", "=", subject.currency)
    .where("amount", ">", 0)
    .select("amount")
    .orderBy("created_at", "desc")
    .limit(maxSample);
  const { paid, largest } = await db
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [fn.countAll<number>().as("paid"), fn.max("amount").as("largest")])
    .executeTakeFirstOrThrow();
  return largest === null || largest === 0 ? nothing : { value: subject.amount / largest, of: paid };
};

/**
 * The tries that count together with this one; null when it has nothing to be counted by. Test mode never counts for
 * live mode, and an account's renewals, which its server starts, never count for its checkout, where anybody can try a
 * card.
 */
export function triesOf(db: Db, scope: Scope, { tenant, sessionId, network, fingerprint }: Subject, since: Date) {
  const tries = db.selectFrom("card_try").where("created_at", ">", since);
  switch (scope) {
    case "card": {
      if (fingerprint === null) return null;
      const ofCard = tries.where("livemode", "=", tenant.livemode).where("fingerprint", "=", fingerprint);
      // In test mode everybody pays with the same few numbers.
      return tenant.livemode ? ofCard : ofCard.where("account_id", "=", tenant.accountId);
    }
    case "session":
      return sessionId === null ? null : tries.where("session_id", "=", sessionId);
    case "address":
      return network === null ? null : tries.where("livemode", "=", tenant.livemode).where("network", "=", network);
    case "account":
      return tries.where(ownedBy(tenant)).where("session_id", sessionId === null ? "is" : "is not", null);
  }
}

type Tries = NonNullable<ReturnType<typeof triesOf>>;

async function countUpTo(db: Db, tries: ReturnType<Tries["select"]>, bound: number): Promise<number> {
  const { count } = await db
    .selectFrom(tries.limit(bound).as("some"))
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}
