/** The types of the tables in `schema/acquirer-accounts.ts`. */
import type { ColumnType, Generated } from "kysely";
import type { Dispute, LedgerEntry } from "@oriel/protocol/api";
import type { AttentionKind } from "@oriel/protocol/api";
import type { ConnectorName } from "@oriel/protocol/connectors";
import type { ConnectorSettings } from "@oriel/protocol/dashboard/acquirers";

/** Written as JSON text, read as a value. */
type Json<T> = ColumnType<T, string, string>;

interface Owned {
  account_no: number;
  livemode: boolean;
}

export interface AcquirerTables {
  acquirer_account: Owned & {
    id: string;
    connector: ConnectorName;
    /** What isn't secret. Its form depends on the connector. */
    settings: Json<ConnectorSettings>;
    /** Of the credentials in the vault that belong to the settings. */
    credentials_version: string;
    created_at: Date;
    updated_at: Date;
    /** Null: current. */
    replaced_at: Date | null;
  };
  acquirer_notification: Owned & {
    acquirer_account_id: string;
    /** The same for each copy of it. */
    id: string;
    status: "received" | "processed" | "unmatched";
    /** What the connector read. It has no card data. */
    contents: Json<Record<string, unknown>>;
    tries: Generated<number>;
    next_try_at: Date;
    received_at: Date;
    processed_at: Date | null;
  };
  ledger_entry: Owned & {
    charge_id: string;
    kind: LedgerEntry["kind"];
    /** The acquirer's ID of the movement, or our attempt's ID if the acquirer has none. */
    reference: string;
    /** Positive if it belongs to the merchant. */
    amount: number;
    currency: string;
    attempt_id: string | null;
    created_at: Date;
  };
  dispute: Owned & {
    id: string;
    charge_id: string;
    acquirer_id: string;
    status: Dispute["status"];
    amount: number | null;
    currency: string | null;
    reason: string | null;
    respond_by: Date | null;
    /** The types of the acquirer's events so far. The status follows from them. */
    events: string[];
    created_at: Date;
    closed_at: Date | null;
  };
  /** Something that needs a person's attention. */
  attention: Owned & {
    id: string;
    kind: AttentionKind;
    /** The ID of what it's about, and then the item's own ID if it was resolved and raised again. Unique for each kind. */
    subject: string;
    charge_id: string | null;
    attempt_id: string | null;
    details: Json<Record<string, string | number | null>>;
    created_at: Date;
    resolved_at: Date | null;
    /** The user, or null if it has resolved itself. */
    resolved_by: string | null;
  };
}
