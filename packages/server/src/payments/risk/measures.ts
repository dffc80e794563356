/**
 * The measurements for the rules. They count card tries in a window that ends now, using an index and reading no more
 * rows than needed. The card try being assessed is already committed, so it's included.
 */
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Tenant } from "../../platform/tenant.ts";

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

/** Measures the card tries that count together with `subject`. @param bound the number at which counting may stop */
export type Measure = (db: Db, tries: Tries, subject: Subject, bound: number) => Promise<Measured>;

const nothing: Measured = { value: 0, of: 0 };
/** The maximum number of card tries that a ratio covers, newest first. */
export const maxSample = 1000;

export const countTries: Measure = async (db, tries, _subject, bound) => {
  const count = await countUpTo(db, tries.select("decision_id"), bound);
  return { value: count, of: count };
};

/** Also counts the current try as declined, because the rule decides whether another decline is acceptable. */
export const countDeclines: Measure = async (db, tries, _subject, bound) => {
  const count = 1 + (await countUpTo(db, tries.where("outcome", "=", "declined").select("decision_id"), bound));
  return { value: count, of: count };
};

/**
 * The percentage of declines among the card tries that an acquirer or issuer approved or declined. Tries that our own
 * rules rejected say nothing about the cards.
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

/** The amount relative to the largest of the newest approved payments. Saved cards without a payment don't count. */
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
 * The card tries that count together with this one; null if it lacks the property for this scope. Test mode never
 * counts toward live mode. An account's renewals, which its server starts, never count toward its checkout, where
 * anyone can try a card.
 */
export function triesOf(db: Db, scope: Scope, { tenant, sessionId, network, fingerprint }: Subject, since: Date) {
  const tries = db.selectFrom("card_try").where("created_at", ">", since);
  switch (scope) {
    case "card": {
      if (fingerprint === null) return null;
      const ofCard = tries.where("livemode", "=", tenant.livemode).where("fingerprint", "=", fingerprint);
      // In test mode, everyone uses the same few card numbers.
      return tenant.livemode ? ofCard : ofCard.where("account_no", "=", tenant.accountNo);
    }
    case "session":
      return sessionId === null ? null : tries.where(ownedBy(tenant)).where("session_id", "=", sessionId);
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
