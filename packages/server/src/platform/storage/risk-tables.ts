/** The Kysely types of the tables in `schema/risk.ts` and `schema/card-testing.ts`. */
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
  /** See `payments/risk/attack-report.ts`. */
  card_testing_report: {
    account_no: number;
    livemode: boolean;
    id: string;
    /** The time since which attempts are counted. */
    started_at: Date;
    /** When the attack was last seen. */
    seen_at: Date;
    /** Null while it is ongoing. */
    ended_at: Date | null;
    attempts: number;
    stopped: number;
    declined: number;
    approved: number;
    created_at: Date;
  };
  /** See `payments/risk/admission.ts`. */
  admission: {
    account_no: number;
    livemode: boolean;
    /**
     * How strangers are admitted: without a challenge while there are tokens, only with one, or always without one. Null:
     * the operator's default.
     */
    policy: NewCustomersPolicy | null;
    bucket_size: number;
    tokens: number;
    /** Tokens added since the start of the day. */
    refilled: number;
    /** The maximum of `refilled`. */
    daily_cap: number;
    /** Payments of strangers until here have refilled the bucket, unless they were refunded. */
    matured_until: Date;
    /** When the worker last updated this row. */
    tended_at: Date;
  };
}
