/** The Kysely types of the tables in `schema/`. Times are `Date`, amounts are safe integers (see `values.ts`). */
import type { ColumnType, Generated, Selectable } from "kysely";
import type {
  Charge,
  CheckoutSession,
  Decision,
  Delivery,
  DeliveryFailure,
  Discount,
  EventType,
  LineItem,
  PaymentMethod,
  Refund,
  ShippingOption,
  UpdateRequest,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { BillingDetails } from "@oriel/protocol/frame";
import type { BrowserFields, ChallengeWindowSize, TransStatus } from "@oriel/protocol/threeds";
import type { AcquirerTables } from "./acquirer-tables.ts";
import type { EmailTables } from "./email-tables.ts";
import type { LoginTables } from "./login-tables.ts";
import type { RiskTables } from "./risk-tables.ts";
import type { UnderwritingTables } from "./underwriting-tables.ts";

/**
 * Written as JSON text, read as a value. node-postgres converts objects to JSON by itself, but arrays to PostgreSQL
 * arrays.
 */
type Json<T> = ColumnType<T, string, string>;

/** Set by a database trigger. It can't be written. */
type FilledIn<T> = ColumnType<T, never, never>;

export type ThreeDSResult = NonNullable<Decision["three_d_secure"]>["result"];

/** The kind of request to the acquirer. `verify` checks a card without charging it. `reverse` undoes an authorization. */
export type AttemptKind = "authorize" | "verify" | "capture" | "cancel" | "refund" | "reverse";

/** An RReq that came too late, without its authentication value. */
export interface LateResult {
  trans_status: TransStatus;
  trans_status_reason: string | null;
  challenge_cancel: string | null;
  eci: string | null;
  received_at: string;
}

interface Owned {
  account_no: number;
  livemode: boolean;
}

export interface Tables extends AcquirerTables, RiskTables, LoginTables, EmailTables, UnderwritingTables {
  installation: { only_row: Generated<boolean>; number: number };
  account: {
    account_no: number;
    id: string;
    name: string;
    allowed_origins: Generated<string[]>;
    /** Hosts to which its sessions may send customers: `shop.example`, `localhost:4242`. Empty: any host. */
    return_url_hosts: Generated<string[]>;
    /** The default for sessions that don't set one. */
    appearance: Json<FrameAppearance | null> | null;
    status: Generated<"active" | "suspended">;
    /** Null: test keys only. */
    live_approved_at: Date | null;
    /** The account's ID at the live acquirer. Null: no live payments. */
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
    /** Set when the key is rolled. */
    expires_at: Date | null;
    revoked_at: Date | null;
  };
  checkout_session: Owned & {
    id: string;
    client_secret_hash: Buffer;
    status: CheckoutSession["status"];
    /** With a total of 0, `unpaid` (`payments/sessions/session-object.ts`). */
    payment_status: Exclude<CheckoutSession["payment_status"], "no_payment_required">;
    mode: CheckoutSession["mode"];
    /** Null only if `mode` is `setup`, which needs no amount. */
    amount: number | null;
    currency: string | null;
    capture_method: Charge["capture_method"];
    save_payment_method: boolean;
    submit_button: Generated<CheckoutSession["submit_button"]>;
    locale: string | null;
    appearance: Json<FrameAppearance | null> | null;
    line_items: Json<LineItem[]>;
    /** Increases with each change of the amount or of its parts. */
    version: Generated<number>;
    /** The latest decision whose claim compared the version. */
    version_claimed_by: Generated<string | null>;
    shipping_options: Json<ShippingOption[]>;
    shipping_option: string | null;
    discounts: Json<Discount[]>;
    tax_amount: number | null;
    /** How often the customer has chosen a shipping option. */
    shipping_choices: Generated<number>;
    collects_promotion_code: Generated<boolean>;
    /** The latest one that the customer entered. */
    promotion_code: string | null;
    promotion_code_status: UpdateRequest["status"] | null;
    /** Why it was rejected. */
    promotion_code_reason: UpdateRequest["reason"];
    promotion_code_entered_at: Date | null;
    /** How many the customer has entered, which is the number of the latest one. */
    promotion_code_entries: Generated<number>;
    /** How many of the entered ones didn't change the amount or its parts. */
    promotion_codes_without_effect: Generated<number>;
    confirmation: CheckoutSession["confirmation"];
    allowed_origins: string[];
    return_url: string | null;
    cancel_url: string | null;
    description: string | null;
    customer: Json<{ email?: string; name?: string; reference?: string } | null> | null;
    metadata: Json<Record<string, string>>;
    failed_payments: Generated<number>;
    payment_decision_id: string | null;
    /** Payment requests from an earlier round can't start a payment. */
    payment_round: Generated<number>;
    expires_at: Date;
    created_at: Date;
  };
  /** What a session cost before its amount or parts of it changed. */
  session_version: Owned & {
    session_id: string;
    version: number;
    amount: number;
    line_items: Json<LineItem[]>;
    shipping_options: Json<ShippingOption[]>;
    shipping_option: string | null;
    discounts: Json<Discount[]>;
    tax_amount: number | null;
    /** When the next version replaced it. */
    replaced_at: Date;
  };
  payment_method: Owned & {
    id: string;
    session_id: string;
    brand: string;
    last4: string;
    exp_month: number;
    exp_year: number;
    /** The network the customer chose, if the card has two. */
    network: CardNetwork | null;
    /** Erased together with the card. */
    billing_details: Json<BillingDetails | null> | null;
    /** Keyed by the vault. Used only for risk rules and admission. */
    fingerprint: Buffer | null;
    /** The hash of the random ID that the checkout page stores in a browser after a payment. Used only for admission. */
    device: Buffer | null;
    /** The card is saved and can be used after its session. */
    reusable: Generated<boolean>;
    detached_at: Date | null;
    card_erased_at: Date | null;
    /** Set once. It may be deleted. */
    customer_id: string | null;
    /** Null if it isn't saved, or if it was saved before customers existed. */
    usage: PaymentMethod["usage"];
    /** What the customer agreed to when the card was saved. The IP address is erased together with the card. */
    consent: Json<PaymentMethod["consent"]> | null;
    removable_by_customer: Generated<boolean>;
    /** When an authorization was last approved. */
    last_used_at: Date | null;
    created_at: Date;
  };
  /** A person, as the merchant knows them. Once deleted, the row has no personal data. */
  customer: Owned & {
    id: string;
    /** The merchant's own ID for the person. */
    reference: string | null;
    email: string | null;
    name: string | null;
    phone: string | null;
    metadata: Json<Record<string, string>>;
    created_at: Date;
    deleted_at: Date | null;
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
    /** Null if the customer isn't present, or if no risk rules apply. */
    payer: "returning" | "new" | null;
    /** The payment took a token from the account's bucket. */
    has_token: Generated<boolean>;
    /** The payment took a token from the account's reserve. */
    has_reserve: Generated<boolean>;
    three_ds_result: ThreeDSResult | null;
    three_ds_version: string | null;
    eci: string | null;
    decline_code: DeclineCode | null;
    /** Set if 3-D Secure or the risk rules declined it. The checkout page shows the decline a fixed time afterwards. */
    declined_at: Date | null;
    cardholder_info: string | null;
    charge_id: string | null;
    /** The account's ID at the live acquirer when the decision was made. Null in test mode. */
    acquirer_merchant_id: string | null;
    /** The account's own account at a vendor when the decision was made. Null: the service's default acquirer. */
    acquirer_account_id: string | null;
    /** The checkout page's ID of the request that started the payment. */
    request_id: string | null;
    expires_at: Date;
    created_at: Date;
  };
  authentication: Owned & {
    /** A UUID. It's the threeDSServerTransID, unless the vendor's 3DS Server chooses that. */
    id: string;
    /** The threeDSServerTransID that the vendor's 3DS Server has chosen. */
    server_trans_id: string | null;
    decision_id: string;
    /** A second authentication, because the issuer declined the first authorization for lack of one. */
    is_step_up: Generated<boolean>;
    status: "method" | "authenticating" | "challenge" | "awaiting_result" | "decoupled" | "complete";
    /** Null until the vendor's 3DS Server has chosen it. */
    version: string | null;
    method_url: string | null;
    method_notified: Generated<boolean>;
    /** The authentication whose 3DS Method result is reused. */
    method_id: string | null;
    browser: Json<BrowserFields>;
    browser_accept: string | null;
    browser_user_agent: string;
    browser_ip: string;
    challenge_window_size: ChallengeWindowSize;
    /** How the issuer authenticated the customer. Null if frictionless. */
    flow: "challenge" | "decoupled" | null;
    acs_url: string | null;
    acs_trans_id: string | null;
    ds_trans_id: string | null;
    trans_status: TransStatus | null;
    trans_status_reason: string | null;
    challenge_cancel: string | null;
    eci: string | null;
    authentication_value: string | null;
    cardholder_info: string | null;
    /** The result according to the browser. Never decides the outcome. */
    browser_hint: string | null;
    /** Digest of the RReq, if one has arrived. */
    rreq_digest: Buffer | null;
    /** An RReq that arrived after the authentication ended. Has no effect. */
    late_result: Json<LateResult> | null;
    result: ThreeDSResult | null;
    /** When a missing result was last requested. */
    result_requested_at: Date | null;
    /** What the vendor's 3DS Server needs for the next request. Null before its first reply and after the end. */
    vendor_state: Json<Record<string, unknown> | null> | null;
    deadline: Date;
    created_at: Date;
  };
  charge: Owned & {
    id: string;
    session_id: string | null;
    /** Null without a session. */
    session_version: number | null;
    payment_method_id: string;
    decision_id: string;
    status: Charge["status"];
    amount: number;
    currency: string;
    amount_captured: Generated<number>;
    amount_refunded: Generated<number>;
    /** Reserved by refunds whose outcome is unknown. */
    amount_refunding: Generated<number>;
    capture_method: Charge["capture_method"];
    /** The capture or cancellation in progress. */
    busy_attempt_id: string | null;
    /** The acquirer has accepted it, and a notification has the outcome. */
    pending_operation: "capture" | "cancel" | null;
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
    /** The second authorization of a charge, after a second authentication. */
    is_step_up: Generated<boolean>;
    /** Its requests have no CVC, although the customer typed the card in for this payment. */
    without_cvc: Generated<boolean>;
    /** Null for `verify`, which has no charge. */
    charge_id: string | null;
    refund_id: string | null;
    amount: number;
    status: "processing" | "approved" | "declined";
    calls: Generated<number>;
    /** When it was claimed for its first call. Null if it was inserted claimed, or wasn't claimed yet. */
    first_called_at: Date | null;
    next_call_at: Date;
    /** A process is calling the acquirer. No other process does so before this time. */
    claimed_until: Date | null;
    request_id: string | null;
    idempotency_key: string | null;
    /** How a `reverse` attempt undoes its authorization: by our reference, or by the acquirer's ID. */
    reversal: "reference" | "cancel" | "refund" | null;
    /** Whether the first request to refund a late approval was a refund. Null if it isn't recorded. */
    sent_as_refund: boolean | null;
    /** When the acquirer accepted it. A notification has the outcome. */
    accepted_at: Date | null;
    decline_code: DeclineCode | null;
    /** When it was given up: the merchant canceled it, or it can't be repeated. It is no longer sent. */
    withdrawn_at: Date | null;
    created_at: Date;
    finished_at: Date | null;
    /** The acquirer's own ID. */
    acquirer_id: string | null;
    authorization_code: string | null;
    avs_result: string | null;
    cvc_result: string | null;
    network_transaction_id: string | null;
    /** Why it was declined, as returned by the acquirer or the issuer. */
    refusal_code: string | null;
    refusal_reason: string | null;
  };
  webhook_endpoint: Owned & {
    id: string;
    url: string;
    sealed_secret: Buffer;
    enabled_events: string[] | null;
    description: string | null;
    status: WebhookEndpoint["status"];
    created_at: Date;
    /** The previous secret, which still signs until `previous_secret_until`. */
    sealed_previous_secret: Buffer | null;
    previous_secret_until: Date | null;
    disabled_reason: WebhookEndpoint["disabled_reason"];
    /** When the first failure since the last success happened. */
    failing_since: Date | null;
    /** No webhook is sent before this time. */
    held_until: Date | null;
    /** When a delivery first got a 2xx response. */
    first_success_at: Date | null;
    deleted_at: Date | null;
  };
  event_sequence: Owned & { object_id: string; last: number };
  event: Owned & {
    id: string;
    type: EventType;
    object_id: string;
    object_sequence: number;
    object: Json<Record<string, unknown>>;
    request_id: string | null;
    idempotency_key: string | null;
    created_at: Date;
  };
  feed_queue: Owned & { position: Generated<number>; event_id: string };
  feed_counter: Owned & { last: number };
  feed_entry: Owned & { number: number; event_id: string; event_type: EventType };
  /** One row, written by `/readyz`. */
  write_check: { only_row: Generated<boolean>; written_at: Date };
  delivery: Owned & {
    id: string;
    event_id: string;
    endpoint_id: string;
    status: Delivery["status"];
    tries: Generated<number>;
    /**
     * When the next attempt is due. During an attempt, when another process may take over if no result was recorded.
     */
    next_try_at: Date;
    response_status: number | null;
    failure: DeliveryFailure | null;
    created_at: Date;
    last_try_at: Date | null;
    duration_ms: number | null;
    response_body: string | null;
  };
  server_key: { name: string; check_value: Buffer };
  search_term: Owned & { term: Buffer; object_id: string };
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
  /** The number and the hash of the latest row of the audit log. */
  audit_head: { sequence: FilledIn<number>; hash: FilledIn<Buffer> };
  request_log: Owned & {
    /** The request ID. */
    id: string;
    api_key_id: string;
    method: string;
    path: string;
    status: number;
    error_code: string | null;
    idempotency_key: string | null;
    /** For a request that reused another request's idempotency key: the names of the fields that differed. */
    differed: string[] | null;
    duration_ms: number;
    created_at: Date;
  };
  idempotency_key: Owned & {
    key: string;
    fingerprint: Buffer;
    claim: string;
    lease_until: Date | null;
    /** The recovery point: the attempt that determines the response. */
    attempt_id: string | null;
    /** Keyed digests of the request's fields, which show which fields differ without storing the values. */
    field_digests: Json<Record<string, string>> | null;
    /** The fields that differed in the last rejected request. */
    differed: string[] | null;
    answered_at: Date | null;
    response_status: number | null;
    sealed_response: Buffer | null;
    created_at: Date;
  };
}

export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
