/**
 * Examples for the OpenAPI document: a valid request and its response for each operation, and the event types with
 * their descriptions. They all belong to one fictional shop. A test validates them against their schemas.
 */
import type {
  AttentionItem,
  CardTestingReport,
  CaptureCharge,
  Charge,
  CheckoutSession,
  AttachPaymentMethod,
  CreateCharge,
  CreateCheckoutSession,
  CreateCustomer,
  Customer,
  DeletedCustomer,
  UpdateCustomer,
  UpdatePaymentMethod,
  CreatedCheckoutSession,
  CreatedWebhookEndpoint,
  CreateDecision,
  CreateRefund,
  CreateWebhookEndpoint,
  Decision,
  Dispute,
  Event,
  EventType,
  LedgerEntry,
  PaymentMethod,
  Refund,
  DeletedWebhookEndpoint,
  Delivery,
  RedeliverEvent,
  RedeliverRange,
  Redelivery,
  RotateSecret,
  UpdateCheckoutSession,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
} from "@oriel/protocol/api";
import { apiVersion } from "@oriel/protocol/api";

export interface OperationExample {
  /** Absent if the operation has no body or doesn't need one. */
  request?: object;
  response: object;
}

const created = 1_795_171_373;

const session: CheckoutSession = {
  id: "cs_01m7w91ys4nxqxa1tm466dgqsg7m2kq4s",
  object: "checkout_session",
  livemode: false,
  created,
  mode: "payment",
  status: "open",
  payment_status: "unpaid",
  amount: 4900,
  currency: "eur",
  confirmation: "automatic",
  capture_method: "automatic",
  save_payment_method: false,
  submit_button: "built-in",
  version: 1,
  line_items: [{ name: "Cup, glazed", amount: 2450, quantity: 2 }],
  shipping_options: [],
  shipping_option: null,
  discounts: [],
  tax_amount: null,
  collect: { promotion_code: false },
  collected: { promotion_code: null },
  update_request: null,
  allowed_origins: ["https://shop.example"],
  return_url: "https://shop.example/thanks",
  cancel_url: null,
  description: null,
  customer: { email: "ada@customer.example", reference: "customer-77" },
  locale: null,
  appearance: null,
  attempts_left: 5,
  payment_method_id: null,
  decision_id: null,
  expires_at: created + 3600,
  metadata: { order_id: "1234" },
};

const decision: Decision = {
  id: "dec_01m7w8tm0gat6zb3ckf69hwmyc7m2kq4s",
  object: "decision",
  livemode: false,
  created,
  status: "approved",
  amount: 4900,
  currency: "eur",
  payment_method_id: "pm_card_visa",
  session_id: null,
  risk: { level: "normal", reasons: [] },
  three_d_secure: null,
  decline_code: null,
  charge_id: null,
  expires_at: created + 900,
};

const charge: Charge = {
  id: "ch_01m7w8tm40akc12wm1ffznyazc7m2kq4s",
  object: "charge",
  livemode: false,
  created,
  status: "succeeded",
  amount: 4900,
  currency: "eur",
  amount_captured: 4900,
  amount_refunded: 0,
  capture_method: "automatic",
  pending_operation: null,
  payment_method_id: decision.payment_method_id,
  decision_id: decision.id,
  session_id: null,
  session_version: null,
  failure: null,
  metadata: { order_id: "1234" },
};
const reserved: Charge = { ...charge, status: "authorized", amount_captured: 0, capture_method: "manual" };

const refund: Refund = {
  id: "re_01m7w8tmpyyg99yxyn8txm6th77m2kq4s",
  object: "refund",
  livemode: false,
  created,
  status: "succeeded",
  amount: 1500,
  currency: "eur",
  charge_id: charge.id,
  reason: "One cup arrived broken",
  failure: null,
};

const dispute: Dispute = {
  id: "dp_01m7w9dx2h5v8k1n4q7t0w3y6b7m2kq4s",
  object: "dispute",
  livemode: false,
  created,
  status: "needs_response",
  charge_id: charge.id,
  amount: 4900,
  currency: "eur",
  reason: "10.4",
  respond_by: created + 18 * 86_400,
  acquirer_id: "VX2K7RM9QH4TB6NC",
};

const ledgerEntry: LedgerEntry = {
  object: "ledger_entry",
  livemode: false,
  created,
  charge_id: charge.id,
  kind: "chargeback",
  amount: -4900,
  currency: "eur",
  reference: dispute.acquirer_id,
};

const customer: Customer = {
  id: "cus_01m7w8s5d9f2h6k1n4p8r3t7v0x7m2kq4s",
  object: "customer",
  livemode: false,
  created,
  reference: "customer-77",
  email: "ada@customer.example",
  name: "Ada Vance",
  phone: null,
  metadata: {},
};

const paymentMethod: PaymentMethod = {
  id: "pm_01m7w8t3q2e5h8kznwrtxa4v9c7m2kq4s",
  object: "payment_method",
  livemode: false,
  created,
  brand: "visa",
  last4: "4242",
  exp_month: 12,
  exp_year: 2030,
  network: null,
  billing_details: { name: "Ada Vance", postal_code: "04109", country: "DE" },
  session_id: session.id,
  reusable: true,
  customer_id: customer.id,
  usage: "off_session",
  consent: null,
  removable_by_customer: true,
  last_used_at: created,
};
const { exp_month: _month, exp_year: _year, billing_details: _billing, consent: _consent, ...snapshot } = paymentMethod;

const deletedCustomer: DeletedCustomer = { id: customer.id, object: "customer", deleted: true };

const endpoint: WebhookEndpoint = {
  id: "we_01m7w91yzjn77e4mbexycrbp287m2kq4s",
  object: "webhook_endpoint",
  livemode: false,
  created,
  url: "https://shop.example/webhooks/oriel",
  enabled_events: ["payment.succeeded", "payment_failed"],
  description: "Orders",
  status: "enabled",
  disabled_reason: null,
  failing_since: null,
  previous_secret_expires_at: null,
};

const cardTestingReport: CardTestingReport = {
  id: "ctr_01m7w9a7f2pvd0c6s5t1xq4m8n7m2kq4s",
  object: "card_testing_report",
  livemode: true,
  created,
  started_at: created - 3_600,
  ended_at: null,
  attempts: 143,
  blocked: 92,
  declined: 40,
  approved: 11,
};

const attentionItem: AttentionItem = {
  id: "na_01m7w9c4k2w6r0t5y8z3v1n7q4n7m2kq4s",
  object: "attention_item",
  livemode: true,
  created,
  kind: "fraud_reported",
  charge_id: charge.id,
  details: {
    acquirer_account: null,
    acquirer_event: "NOTIFICATION_OF_FRAUD",
    acquirer_id: "LMXNBH4TSG9X9Z53",
    reference: charge.id,
    amount: charge.amount,
    currency: charge.currency,
    reason: null,
  },
};

const delivery: Delivery = {
  id: "del_01m7w93c4kq0v5n8zjt2xw7r6y7m2kq4s",
  object: "delivery",
  created,
  event_id: "evt_01m7w8tmqmfnhsmdcbe3dsjqyg7m2kq4s",
  event_type: "payment.succeeded",
  webhook_endpoint_id: endpoint.id,
  status: "pending",
  tries: 1,
  next_try_at: created + 6,
  last_try: {
    at: created + 1,
    duration_ms: 34,
    response_status: 500,
    response_body: "Internal Server Error",
    failure: "response_status",
  },
};

const failure: Charge["failure"] = {
  code: "card_declined",
  decline_code: "insufficient_funds",
  advice: "try_again_later",
  message: "The card has insufficient funds. The customer can use another card or try again another day.",
};

const setup: CheckoutSession = {
  ...session,
  mode: "setup",
  status: "complete",
  payment_status: "none",
  amount: null,
  currency: null,
  line_items: [],
  payment_method_id: paymentMethod.id,
};

const pending = { kind: "promotion_code", status: "pending", reason: null, requested_at: created + 60 } as const;
const withCode: CheckoutSession = {
  ...session,
  collect: { promotion_code: true },
  collected: { promotion_code: "SPRING" },
  update_request: pending,
};

/** Keyed by operationId. */
export const operationExamples: Readonly<Record<string, OperationExample>> = {
  createCheckoutSession: {
    request: {
      amount: 4900,
      currency: "eur",
      line_items: session.line_items,
      allowed_origins: session.allowed_origins,
      return_url: "https://shop.example/thanks",
      customer: { email: "ada@customer.example", reference: "customer-77" },
      metadata: session.metadata,
    } satisfies CreateCheckoutSession,
    response: {
      session,
      embed_url: `https://pay.example.com/c/${session.id}#k3q9...`,
    } satisfies CreatedCheckoutSession,
  },
  replaceEmbedUrl: {
    request: {},
    response: {
      session,
      embed_url: `https://pay.example.com/c/${session.id}#Zt1x...`,
    } satisfies CreatedCheckoutSession,
  },
  listCheckoutSessions: { response: listOf(session) },
  retrieveCheckoutSession: { response: session },
  expireCheckoutSession: { request: {}, response: { ...session, status: "expired" } satisfies CheckoutSession },
  updateCheckoutSession: {
    request: {
      discounts: [{ name: "SPRING", amount: 900 }],
      if_promotion_code: "SPRING",
    } satisfies UpdateCheckoutSession,
    response: {
      ...withCode,
      update_request: { ...pending, status: "accepted" },
      amount: 4000,
      version: 2,
      discounts: [{ name: "SPRING", amount: 900 }],
    } satisfies CheckoutSession,
  },
  cancelCheckoutSession: { request: {}, response: { ...session, status: "canceled" } satisfies CheckoutSession },

  createDecision: {
    request: { payment_method_id: "pm_card_visa", amount: 4900, currency: "eur" } satisfies CreateDecision,
    response: decision,
  },
  retrieveDecision: { response: decision },

  createCharge: {
    request: {
      amount: 4900,
      currency: "eur",
      payment_method_id: decision.payment_method_id,
      decision_id: decision.id,
      metadata: charge.metadata,
    } satisfies CreateCharge,
    response: charge,
  },
  listCharges: { response: listOf(charge) },
  retrieveCharge: { response: charge },
  captureCharge: {
    request: { amount: 2450 } satisfies CaptureCharge,
    response: { ...reserved, status: "succeeded", amount_captured: 2450 } satisfies Charge,
  },
  cancelCharge: { request: {}, response: { ...reserved, status: "canceled" } satisfies Charge },

  createRefund: {
    request: { charge_id: charge.id, amount: 1500, reason: "One cup arrived broken" } satisfies CreateRefund,
    response: refund,
  },
  listRefunds: { response: listOf(refund) },
  retrieveRefund: { response: refund },

  listDisputes: { response: listOf(dispute) },
  retrieveDispute: { response: dispute },
  listLedgerEntries: { response: listOf(ledgerEntry) },

  createCustomer: {
    request: { reference: "customer-77", email: "ada@customer.example", name: "Ada Vance" } satisfies CreateCustomer,
    response: customer,
  },
  listCustomers: { response: listOf(customer) },
  retrieveCustomer: { response: customer },
  updateCustomer: {
    request: { phone: "+49 30 123456", name: null } satisfies UpdateCustomer,
    response: { ...customer, phone: "+49 30 123456", name: null } satisfies Customer,
  },
  deleteCustomer: { response: deletedCustomer },
  listCustomerPaymentMethods: { response: listOf(paymentMethod) },

  retrievePaymentMethod: { response: paymentMethod },
  updatePaymentMethod: {
    request: { removable_by_customer: false } satisfies UpdatePaymentMethod,
    response: { ...paymentMethod, removable_by_customer: false } satisfies PaymentMethod,
  },
  attachPaymentMethod: {
    request: { customer_id: customer.id } satisfies AttachPaymentMethod,
    response: paymentMethod,
  },
  detachPaymentMethod: {
    request: {},
    response: { ...paymentMethod, reusable: false, usage: null } satisfies PaymentMethod,
  },

  createWebhookEndpoint: {
    request: {
      url: endpoint.url,
      enabled_events: ["payment.succeeded", "payment_failed"],
      description: "Orders",
    } satisfies CreateWebhookEndpoint,
    response: { ...endpoint, secret: "whsec_..." } satisfies CreatedWebhookEndpoint,
  },
  listWebhookEndpoints: { response: listOf(endpoint) },
  retrieveWebhookEndpoint: { response: endpoint },
  updateWebhookEndpoint: {
    request: { status: "disabled" } satisfies UpdateWebhookEndpoint,
    response: { ...endpoint, status: "disabled", disabled_reason: "requested" } satisfies WebhookEndpoint,
  },
  deleteWebhookEndpoint: {
    response: { id: endpoint.id, object: "webhook_endpoint", deleted: true } satisfies DeletedWebhookEndpoint,
  },
  rotateWebhookEndpoint: {
    request: { overlap: "24h" } satisfies RotateSecret,
    response: {
      ...endpoint,
      previous_secret_expires_at: created + 86_400,
      secret: "whsec_...",
    } satisfies CreatedWebhookEndpoint,
  },
  pingWebhookEndpoint: { request: {}, response: eventExample("ping") },
  listDeliveries: { response: listOf(delivery) },
  redeliverWebhookEndpoint: {
    request: { from: created, to: created + 3_600 } satisfies RedeliverRange,
    response: { object: "redelivery", deliveries: 12 } satisfies Redelivery,
  },

  listEvents: { response: listOf(eventExample("payment.succeeded")) },
  retrieveEvent: { response: eventExample("payment.succeeded") },
  redeliverEvent: {
    request: { webhook_endpoint_id: endpoint.id } satisfies RedeliverEvent,
    response: { object: "redelivery", deliveries: 1 } satisfies Redelivery,
  },
};

export const eventDescriptions: Record<EventType, string> = {
  "payment.succeeded": "A payment was captured. `data.object` is the charge, including its session.",
  payment_failed: "A payment attempt failed. `data.object` is the charge, and its `failure` field explains why.",
  "charge.authorized": "A charge was authorized. You can now capture or cancel it.",
  "charge.canceled": "A charge was canceled, and its authorized amount was released.",
  "charge.capture_failed":
    "A capture failed. The charge stays `authorized`, or is `failed` if the capture had succeeded before. Its `failure` field explains why.",
  "charge.cancel_failed":
    "The acquirer declined the cancellation. The charge stays `authorized`, and its `failure` field explains why.",
  "refund.succeeded": "A refund succeeded. `data.object` is the refund.",
  "refund.failed": "A refund failed, possibly after it had succeeded. You can try to refund the charge again.",
  "dispute.created": "A customer disputed a charge. `data.object` is the dispute.",
  "dispute.updated": "Something happened in a dispute, such as a chargeback. `data.object` is the dispute.",
  "dispute.closed": "A dispute was won or lost. `data.object` is the dispute.",
  "checkout_session.completed":
    "A checkout session was completed without a charge: its mode is `setup`, or its total is 0. `data.object` is the session.",
  "checkout_session.expired":
    "A checkout session expired or ran out of payment attempts. `data.object` is the session.",
  "checkout_session.update_requested":
    "The customer entered a promotion code. `data.object` is the session. Update it to accept or reject the code.",
  "payment_method.attached":
    "A saved card was attached to a customer. `data.object` is the payment method, without its expiry date, billing details and consent.",
  "payment_method.updated":
    "You changed a payment method. `data.object` is the payment method, without its expiry date, billing details and consent.",
  "payment_method.detached":
    "A card was detached, also because its customer was deleted. `data.object` is the payment method, without its expiry date, billing details and consent.",
  "customer.deleted": "A customer was deleted. `data.object` has the customer's ID.",
  "account.card_testing":
    "Card testing was detected at your checkout, or has ended. `data.object` is the card testing report.",
  "account.needs_attention":
    "Oriel can't resolve something with the acquirer by itself. `data.object` is the new item on the dashboard's Needs attention page.",
  "webhook_endpoint.disabled":
    "One of your other webhook endpoints was disabled. `data.object` is that endpoint, and its `disabled_reason` field explains why.",
  ping: "You requested a ping. `data.object` is the endpoint that receives it.",
};

/** Returns an example of an event in a webhook's body. */
export function eventExample(type: EventType): Event {
  return {
    id: "evt_01m7w8tmqmfnhsmdcbe3dsjqyg7m2kq4s",
    object: "event",
    type,
    created,
    api_version: apiVersion,
    livemode: false,
    object_sequence: 1,
    data: { object: objectOf(type) },
    request: { id: "req_01m7w8tm3pjcxkmvzs3hsh3r557m2kq4s", idempotency_key: "order-1234" },
  } as Event; // TypeScript can't tell that `objectOf` returns the object for this type
}

function objectOf(type: EventType): Event["data"]["object"] {
  switch (type) {
    case "payment.succeeded":
      return { ...charge, session: null };
    case "payment_failed":
      return { ...charge, status: "failed", amount_captured: 0, failure, session: null };
    case "charge.authorized":
      return { ...reserved, session: null };
    case "charge.canceled":
      return { ...reserved, status: "canceled", session: null };
    case "charge.capture_failed":
    case "charge.cancel_failed":
      return { ...reserved, failure, session: null };
    case "refund.succeeded":
      return refund;
    case "refund.failed":
      return { ...refund, status: "failed", failure };
    case "dispute.created":
      return dispute;
    case "dispute.updated":
      return { ...dispute, status: "under_review" };
    case "dispute.closed":
      return { ...dispute, status: "lost" };
    case "checkout_session.completed":
      return setup;
    case "checkout_session.expired":
      return { ...session, status: "expired" };
    case "checkout_session.update_requested":
      return withCode;
    case "payment_method.attached":
      return snapshot;
    case "payment_method.updated":
      return { ...snapshot, removable_by_customer: false };
    case "payment_method.detached":
      return { ...snapshot, reusable: false, usage: null };
    case "customer.deleted":
      return deletedCustomer;
    case "account.card_testing":
      return cardTestingReport;
    case "account.needs_attention":
      return attentionItem;
    case "webhook_endpoint.disabled":
      return { ...endpoint, status: "disabled", disabled_reason: "failing", failing_since: created - 432_000 };
    case "ping":
      return endpoint;
  }
}

function listOf(member: object): object {
  return { object: "list", data: [member], has_more: false };
}
