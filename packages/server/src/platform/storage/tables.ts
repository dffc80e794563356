/**
 * The tables of `migrations/`, as Kysely sees them. Times are `Date`, amounts are safe integers (see
 * `platform/storage/values.ts`).
 */
import type { ColumnType, Generated, Selectable } from "kysely";
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { DeclineCode } from "@oriel/protocol/declines";
import type {
  Charge,
  CheckoutSession,
  Decision,
  Delivery,
  DeliveryFailure,
  EventType,
  LineItem,
  Refund,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import type { BillingDetails } from "@oriel/protocol/frame";
import type { FrameAppearance } from "@oriel/protocol/frame-looks";
import type { BrowserFields, ChallengeWindowSize, MessageVersion, TransStatus } from "@oriel/protocol/threeds";
import type { LoginTables } from "./login-tables.ts";
import type { RiskTables } from "./risk-tables.ts";
import type { UnderwritingTables } from "./underwriting-tables.ts";

/**
 * Written as JSON text, read as a value: node-postgres sends an object as JSON by itself, but an array as a PostgreSQL
 * array.
 */
type Json<T> = ColumnType<T, string, string>;

/** By the database itself, which takes nobody else's word for it. */
type FilledIn<T> = ColumnType<T, never, never>;

export type ThreeDSResult = NonNullable<Decision["three_d_secure"]>["result"];

/** What the bank is asked for. `verify`: whether a card is good, without money. */
export type AttemptKind = "authorize" | "verify" | "capture" | "cancel" | "refund";

/** An RReq that came too late, without its proof. */
export interface LateResult {
  trans_status: TransStatus;
  trans_status_reason: string | null;
  challenge_cancel: string | null;
  eci: string | null;
  received_at: string;
}

interface Owned {
  account_id: string;
  livemode: boolean;
}

export interface Tables extends RiskTables, LoginTables, UnderwritingTables {
  account: {
    id: string;
    name: string;
    allowed_origins: Generated<string[]>;
    /** Where its sessions may send customers: `shop.example`, `localhost:4242`. Empty: anywhere. */
    return_url_hosts: Generated<string[]>;
    /** Of sessions that say nothing of it. */
    appearance: Json<FrameAppearance | null> | null;
    status: Generated<"active" | "suspended">;
    /** Null: test keys only. */
    live_approved_at: Date | null;
    /** At live mode's acquirer. Null: no live payments. */
    acquirer_merchant_id: string | null;
    created_at: Date;
  };
  api_key: Owned & {
    id: string;
    name: string;
    scope: "full" | "read" | "checkout";
    hash: Buffer;
    last4: string;
    created_at: Date;
    first_used_at: Date | null;
    last_used_at: Date | null;
    /** Given by rolling. */
    expires_at: Date | null;
    revoked_at: Date | null;
  };
  checkout_session: Owned & {
    id: string;
    client_secret_hash: Buffer;
    status: CheckoutSession["status"];
    payment_status: CheckoutSession["payment_status"];
    mode: CheckoutSession["mode"];
    /** Null in mode `setup` only, where they are not needed. */
    amount: number | null;
    currency: string | null;
    capture_method: Charge["capture_method"];
    save_payment_method: boolean;
    submit_button: Generated<CheckoutSession["submit_button"]>;
    locale: string | null;
    appearance: Json<FrameAppearance | null> | null;
    line_items: Json<LineItem[]>;
    confirmation: CheckoutSession["confirmation"];
    allowed_origins: string[];
    return_url: string | null;
    cancel_url: string | null;
    description: string | null;
    customer: Json<{ email?: string; name?: string; reference?: string } | null> | null;
    metadata: Json<Record<string, string>>;
    failed_payments: Generated<number>;
    payment_decision_id: string | null;
    /** A payment request of an earlier round begins no payment. */
    payment_round: Generated<number>;
    expires_at: Date;
    created_at: Date;
  };
  payment_method: Owned & {
    id: string;
    session_id: string;
    brand: string;
    last4: string;
    exp_month: number;
    exp_year: number;
    /** The one that the customer chose, of a card that two share. */
    network: CardNetwork | null;
    /** Erased with the card. */
    billing_details: Json<BillingDetails | null> | null;
    /** Keyed by the vault; for velocity only. */
    fingerprint: Buffer | null;
    /** Saved: works beyond its session. */
    reusable: Generated<boolean>;
    detached_at: Date | null;
    card_erased_at: Date | null;
    created_at: Date;
  };
  decision: Owned & {
    id: string;
    session_id: string | null;
    payment_method_id: string;
    status: Decision["status"];
    amount: number;
    currency: string;
    risk_level: Decision["risk"]["level"];
    risk_reasons: string[];
    three_ds_result: ThreeDSResult | null;
    three_ds_version: string | null;
    eci: string | null;
    decline_code: DeclineCode | null;
    cardholder_info: string | null;
    charge_id: string | null;
    /** Whose sale it is at live mode's acquirer. Null in test mode. */
    acquirer_merchant_id: string | null;
    /** What the checkout page calls the request that it came of. */
    request_id: string | null;
    expires_at: Date;
    created_at: Date;
  };
  authentication: {
    /** threeDSServerTransID, a UUID. */
    id: string;
    decision_id: string;
    /** The second one, because the bank declined the first authorisation for want of it. */
    is_step_up: Generated<boolean>;
    status: "method" | "authenticating" | "challenge" | "awaiting_result" | "decoupled" | "complete";
    version: MessageVersion;
    method_url: string | null;
    method_notified: Generated<boolean>;
    /** Whose 3DS Method serves for this one too. */
    method_id: string | null;
    browser: Json<BrowserFields>;
    browser_accept: string | null;
    browser_user_agent: string;
    browser_ip: string;
    challenge_window_size: ChallengeWindowSize;
    /** How the bank asked the customer; null where it decided by itself. */
    asked: "challenge" | "decoupled" | null;
    acs_url: string | null;
    acs_trans_id: string | null;
    ds_trans_id: string | null;
    trans_status: TransStatus | null;
    trans_status_reason: string | null;
    challenge_cancel: string | null;
    eci: string | null;
    authentication_value: string | null;
    cardholder_info: string | null;
    /** What the browser brought back. Decides nothing. */
    browser_hint: string | null;
    /** Of the bank's RReq, once there was one. */
    rreq_digest: Buffer | null;
    /** What the bank said after the end. Changed nothing. */
    late_result: Json<LateResult> | null;
    result: ThreeDSResult | null;
    /** When the bank was last asked for a result that had not arrived. */
    result_asked_at: Date | null;
    deadline: Date;
    created_at: Date;
  };
  charge: Owned & {
    id: string;
    session_id: string | null;
    payment_method_id: string;
    decision_id: string;
    status: Charge["status"];
    amount: number;
    currency: string;
    amount_captured: Generated<number>;
    amount_refunded: Generated<number>;
    /** Reserved by refunds whose outcome is not known yet. */
    amount_refunding: Generated<number>;
    capture_method: Charge["capture_method"];
    /** The capture or cancellation under way. */
    busy_attempt_id: string | null;
    decline_code: DeclineCode | null;
    metadata: Json<Record<string, string>>;
    created_at: Date;
  };
  refund: Owned & {
    id: string;
    charge_id: string;
    status: Refund["status"];
    amount: number;
    currency: string;
    reason: string | null;
    decline_code: DeclineCode | null;
    created_at: Date;
  };
  attempt: Owned & {
    id: string;
    kind: AttemptKind;
    decision_id: string;
    /** The second authorisation of a charge, after a second authentication. */
    is_step_up: Generated<boolean>;
    /** Null for `verify`, where there is none. */
    charge_id: string | null;
    refund_id: string | null;
    amount: number;
    status: "processing" | "approved" | "declined";
    times_asked: Generated<number>;
    next_ask_at: Date;
    /** Somebody asks the bank just now; nobody else does before this time. */
    asking_until: Date | null;
    request_id: string | null;
    idempotency_key: string | null;
    decline_code: DeclineCode | null;
    /** The merchant does not want it sent any more. */
    withdrawn_at: Date | null;
    created_at: Date;
    finished_at: Date | null;
  };
  webhook_endpoint: Owned & {
    id: string;
    url: string;
    sealed_secret: Buffer;
    enabled_events: string[] | null;
    description: string | null;
    status: WebhookEndpoint["status"];
    created_at: Date;
    /** The secret before this one, which signs as well until then. */
    sealed_previous_secret: Buffer | null;
    previous_secret_until: Date | null;
    disabled_reason: WebhookEndpoint["disabled_reason"];
    /** The first failure since the last success. */
    failing_since: Date | null;
    /** Nothing is sent before this time. */
    held_until: Date | null;
    /** Of the first delivery that was answered with 2xx. */
    first_success_at: Date | null;
    deleted_at: Date | null;
  };
  event_sequence: { object_id: string; last: number; last_order_key: number };
  event: Owned & {
    id: string;
    type: EventType;
    object_id: string;
    object_sequence: number;
    object: Json<Record<string, unknown>>;
    request_id: string | null;
    idempotency_key: string | null;
    created_at: Date;
    order_key: number;
    position: Generated<number>;
  };
  event_redelivery: Owned & { event_id: string; order_key: number; position: Generated<number> };
  /** One row, for `/readyz`. */
  write_check: { only_row: Generated<boolean>; written_at: Date };
  event_clock: { only_row: Generated<boolean>; ahead: number; reached: number };
  delivery: {
    id: string;
    event_id: string;
    endpoint_id: string;
    status: Delivery["status"];
    tries: Generated<number>;
    /** While it is being tried: when somebody else may, if nobody has written down what came of it. */
    next_try_at: Date;
    response_status: number | null;
    failure: DeliveryFailure | null;
    created_at: Date;
    last_try_at: Date | null;
    duration_ms: number | null;
    response_body: string | null;
  };
  /** What is still sealed for its own id alone: see `bind-seals.ts`. */
  seal_to_bind: { kind: "webhook_endpoint" | "application" | "application_document"; id: string };
  server_key: { name: string; check_value: Buffer };
  search_term: { term: Buffer; object_id: string };
  rate_bucket: { name: string; tokens: number; granted: number; refilled_at: Date };
  audit_log: {
    id: string;
    account_id: string | null;
    actor: string;
    action: string;
    object_id: string | null;
    outcome: "done" | "refused";
    details: Json<Record<string, string | number | boolean | null>>;
    created_at: Date;
    sequence: FilledIn<number>;
    previous_hash: FilledIn<Buffer>;
    hash: FilledIn<Buffer>;
  };
  /** What the row of the audit log with the highest number holds. */
  audit_head: { sequence: FilledIn<number>; hash: FilledIn<Buffer> };
  request_log: Owned & {
    /** The request's. */
    id: string;
    api_key_id: string;
    method: string;
    path: string;
    status: number;
    error_code: string | null;
    idempotency_key: string | null;
    /** Of a request that came under another one's key: the names of the fields that differed. */
    differed: string[] | null;
    duration_ms: number;
    created_at: Date;
  };
  idempotency_key: Owned & {
    key: string;
    fingerprint: Buffer;
    claim: string;
    lease_until: Date | null;
    /** The recovery point: this attempt has the answer. */
    attempt_id: string | null;
    /** Keyed digests of the request's fields, so that a mismatch can be told without keeping the values. */
    field_digests: Json<Record<string, string>> | null;
    /** What differed in the last request that was refused. */
    differed: string[] | null;
    answered_at: Date | null;
    response_status: number | null;
    sealed_response: Buffer | null;
    created_at: Date;
  };
}

export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
