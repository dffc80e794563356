/**
 * The dashboard's requests about disputes and about what needs attention, under `/data/:account/:mode/`. Reading needs
 * `data.read`, and resolving needs `payments.manage`. The operator's requests about acquirer accounts are under
 * `/operator/accounts/:id/` and change something only after confirming the operator's identity.
 */
import Type, { type Static } from "typebox";
import {
  disputeStatuses,
  type AttentionItem as AttentionObject,
  type Dispute,
  type LedgerEntry,
} from "../api/index.ts";
import { connectorNames, type ConnectorName } from "../connectors.ts";
import { closed, nullable, words } from "../shapes.ts";
import { pageParams } from "./page.ts";

/** `GET disputes` -> a `Page` of disputes, newest first */
export const DisputesQuery = closed({ ...pageParams, status: Type.Optional(words(disputeStatuses)) });
export type DisputesQuery = Static<typeof DisputesQuery>;

/** Part of a payment's details. */
export interface PaymentMoney {
  disputes: Dispute[];
  /** Oldest first. */
  ledger: LedgerEntry[];
  attention: AttentionItem[];
}

/** As in the API, and what became of it. */
export interface AttentionItem extends AttentionObject {
  /** Null: open. */
  resolved: number | null;
  /** The email address of the user who resolved it. Null if it has resolved itself. */
  resolved_by: string | null;
}

/** `GET attention` -> a `Page` of {@link AttentionItem}, newest first */
export const AttentionQuery = closed({ ...pageParams, state: Type.Optional(words(["open", "resolved"])) });
export type AttentionQuery = Static<typeof AttentionQuery>;

/** `GET attention/count` -> {@link AttentionCount}: open items, at most 100, and open disputes that need a response. */
export interface AttentionCount {
  attention: number;
  disputes: number;
}

/**
 * `POST attention/:id/resolve`, after confirming the user's identity -> {@link AttentionItem}. `mark_failed` is only for
 * `outcome_unknown` and `operation_overdue`: it ends what `details.operation` names as failed. If the acquirer reports the
 * approval of an authorization later, it's canceled or refunded automatically.
 */
export const ResolveAttention = closed({ mark_failed: Type.Optional(Type.Boolean()) });
export type ResolveAttention = Static<typeof ResolveAttention>;

/** Not secret. Adyen: `merchant_account`, `api_url`, `multiple_partial_captures`. */
export const ConnectorSettings = Type.Record(
  Type.String({ maxLength: 60 }),
  Type.Union([Type.String({ maxLength: 2048 }), Type.Boolean()]),
);
export type ConnectorSettings = Readonly<Static<typeof ConnectorSettings>>;

/** `GET /operator/accounts/:id/acquirers`: of both modes, newest first. Credentials are never returned. */
export interface OperatorAcquirers {
  data: OperatorAcquirer[];
}

/** An account's own account at a vendor. */
export interface OperatorAcquirer {
  /** `aa_...` */
  id: string;
  livemode: boolean;
  connector: ConnectorName;
  settings: ConnectorSettings;
  /** Enter it as the webhook's URL at the vendor. */
  notification_url: string;
  created: number;
  updated: number;
  /** Null: current, so new payments are made with it. Otherwise it's only for the payments that were made with it. */
  replaced: number | null;
}

/**
 * `POST /operator/accounts/:id/acquirers`, after confirming the operator's identity -> {@link OperatorAcquirers}. Sets the
 * current acquirer account of a mode. With the same account at the vendor, the current one changes, for its earlier payments
 * too. With another one, a new one replaces it.
 *
 * With `id`, the acquirer account with that ID changes instead, for example the keys of a replaced one. It must be of the
 * same account and mode, otherwise the response is 400 `resource_missing`. Its account at the vendor can't change, and a
 * replaced one doesn't become current again.
 *
 * Adyen's credentials are `api_key`, and `hmac_keys` with the webhook's key, or the old and the new one. They can be omitted
 * if the account at the vendor and the host of its API stay the same. Then they don't change.
 *
 * Wrong values return `parameter_invalid`, with a `param` such as `settings.merchant_account` or `credentials.api_key`.
 */
export const SetAcquirerAccount = closed({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  livemode: Type.Boolean(),
  connector: words(connectorNames),
  settings: ConnectorSettings,
  credentials: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 60 }),
      Type.Union([Type.String({ maxLength: 2048 }), Type.Array(Type.String({ maxLength: 2048 }), { maxItems: 10 })]),
    ),
  ),
  /**
   * The acquirer account that the operator saw and changes or replaces; null for none. If it has changed since then, and
   * not to the requested settings, the response is 409 `changed_meanwhile`. Left out to overwrite any.
   */
  seen: Type.Optional(nullable(closed({ id: Type.String({ maxLength: 100 }), settings: ConnectorSettings }))),
});
export type SetAcquirerAccount = Static<typeof SetAcquirerAccount>;
