/** The Kysely types of the tables in `schema/risk.ts` and `schema/card-testing.ts`. */
import type { Generated } from "kysely";
import type { NewCustomersPolicy } from "@oriel/protocol/new-customers";

/**
 * The outcome of a payment attempt with a card. `rejected`: our rules blocked it before authorization. `abandoned`: the
 * customer didn't finish.
 */
export type TryOutcome = "approved" | "declined" | "rejected" | "abandoned";

export interface RiskTables {
  card_try: {
    decision_id: string;
    account_no: number;
    livemode: boolean;
    session_id: string | null;
    /** The vault's keyed fingerprint, which only shows whether two cards are the same. */
    fingerprint: Buffer | null;
    /** 0 if the card is only saved. */
    amount: number;
    currency: string;
    outcome: "pending" | TryOutcome;
    created_at: Date;
  };
  /** See `payments/risk/shared-tries.ts`. */
  shared_try: {
    decision_id: string;
    livemode: boolean;
    card: Buffer | null;
    /** The customer's network; see `payments/risk/ip-network.ts`. */
    network: string | null;
    is_declined: boolean;
    created_at: Date;
  };
  /** See `payments/risk/card-testing-report.ts`. */
  card_testing_report: {
    account_no: number;
    livemode: boolean;
    id: string;
    /** The time since which attempts are counted. */
    started_at: Date;
    /** When card testing was last detected. */
    seen_at: Date;
    /** Null while card testing is ongoing. */
    ended_at: Date | null;
    attempts: number;
    blocked: number;
    declined: number;
    approved: number;
    created_at: Date;
  };
  /** See `payments/risk/bucket.ts`. */
  admission: {
    account_no: number;
    livemode: boolean;
    /**
     * How new customers are admitted: without a challenge while there are tokens, only with one, or always without one.
     * Null: the operator's default.
     */
    policy: NewCustomersPolicy | null;
    bucket_size: number;
    tokens: number;
    /** Tokens for customers who can't be challenged, when there are no others. */
    reserve: Generated<number>;
    /** When a customer first found no token since the merchant was notified; null if none did. */
    empty_at: Generated<Date | null>;
    /** When the merchant was last notified that the bucket is empty. */
    empty_notified_at: Generated<Date | null>;
    /** Tokens added since the start of the day. */
    refilled: number;
    /** The maximum of `refilled`. */
    daily_cap: number;
    /** Payments until here have refilled the bucket, unless they were refunded. */
    matured_until: Date;
    /** When the worker last updated this row. */
    updated_at: Date;
  };
}
