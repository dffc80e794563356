/** The tables of `migrations/0003-risk.ts`, as Kysely sees them. */

/** What became of a try. `rejected`: our rules said no, and the bank was not asked. `abandoned`: nobody finished it. */
export type TryOutcome = "approved" | "declined" | "rejected" | "abandoned";

export interface RiskTables {
  card_try: {
    decision_id: string;
    account_id: string;
    livemode: boolean;
    session_id: string | null;
    /** Keyed, from the vault: says "the same card again" and nothing else. */
    fingerprint: Buffer | null;
    /** See `payments/risk/ip-network.ts`. */
    network: string | null;
    /** 0 when a card is only kept for later. */
    amount: number;
    currency: string;
    outcome: "pending" | TryOutcome;
    created_at: Date;
  };
  attack_report: {
    account_id: string;
    livemode: boolean;
    rule: string;
    verdict: "challenge" | "decline";
    /** Beginning of the hour: a rule is reported once in it. */
    hour: Date;
    tries: number;
    declined: number;
    cards: number;
    networks: number;
    created_at: Date;
  };
}
