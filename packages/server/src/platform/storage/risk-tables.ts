/** The Kysely types of the tables in `schema/risk.ts`. */

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
    /** The customer's network; see `payments/risk/ip-network.ts`. */
    network: string | null;
    /** 0 if the card is only saved. */
    amount: number;
    currency: string;
    outcome: "pending" | TryOutcome;
    created_at: Date;
  };
  attack_report: {
    account_no: number;
    livemode: boolean;
    rule: string;
    verdict: "challenge" | "decline";
    /** The start of the hour. A rule is reported at most once per hour. */
    hour: Date;
    tries: number;
    declined: number;
    cards: number;
    networks: number;
    created_at: Date;
  };
}
