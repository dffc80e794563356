/**
 * Checks what must compile and what must not, with `npm run types`. Behavior at run time is asserted where
 * there is any.
 */
import { expect, expectTypeOf, test, vi } from "vitest";
import {
  type Charge,
  type CheckoutSession,
  createClient,
  type DeclineAdvice,
  type DeclineCode,
  type DeletedCustomer,
  type Dispute,
  type Event,
  OrielApiError,
  OrielCardError,
  OrielConnectionError,
  OrielError,
  OrielInvalidRequestError,
  type EventWalk,
  type PaymentMethodSnapshot,
  type Delivery,
  type Refund,
  type WebhookEndpoint,
  type AttentionItem,
  type CardTestingReport,
} from "./index.ts";

const fetched = vi.fn(async () => new Response('{"object":"list","data":[],"has_more":false}'));
const oriel = createClient({
  apiUrl: "https://api.pay.example.com",
  secretKey: "oriel_sk_test_abc",
  // The calls below may run, but send nothing to the network.
  fetch: fetched,
});

test("requires amount and currency for a payment, but not for a setup", async () => {
  await oriel.checkoutSessions.create({ amount: 4900, currency: "eur" });
  await oriel.checkoutSessions.create({ mode: "payment", amount: 4900, currency: "eur", capture_method: "manual" });
  await oriel.checkoutSessions.create({ mode: "setup" });
  const mode: "payment" | "setup" = oriel ? "payment" : "setup";
  await oriel.checkoutSessions.create({
    mode,
    amount: 4900,
    currency: "eur",
    line_items: [{ name: "A cup", amount: 4900, quantity: 1 }],
  });
  // @ts-expect-error a payment without an amount
  await oriel.checkoutSessions.create({});
  // @ts-expect-error an amount without its currency
  await oriel.checkoutSessions.create({ mode: "payment", amount: 4900 });
  // @ts-expect-error an unknown mode
  await oriel.checkoutSessions.create({ mode: "subscription", amount: 4900, currency: "eur" });
  // @ts-expect-error an amount that isn't a number
  await oriel.checkoutSessions.create({ amount: "4900", currency: "eur" });
  // @ts-expect-error an unknown field
  await oriel.checkoutSessions.create({ amount: 4900, currency: "eur", amout: 1 });
  // @ts-expect-error an unknown capture method
  await oriel.checkoutSessions.create({ amount: 4900, currency: "eur", capture_method: "later" });
  expectTypeOf<CheckoutSession["amount"]>().toEqualTypeOf<number | null>();
  expect(fetched).toHaveBeenCalled();
});

test("accepts each endpoint's parameters", async () => {
  await oriel.charges.capture("ch_1");
  await oriel.charges.capture("ch_1", { amount: 1 }, { idempotencyKey: "k", maxRetries: 0 });
  await oriel.refunds.create({ charge_id: "ch_1", reason: "broken" }, { idempotencyKey: "k" });
  // @ts-expect-error a charge without a decision
  await oriel.charges.create({ amount: 1, currency: "eur", payment_method_id: "pm_1" });
  // @ts-expect-error a refund without a charge
  await oriel.refunds.create({ amount: 1 }, { idempotencyKey: "k" });
  // @ts-expect-error a refund without an idempotency key
  await expect(oriel.refunds.create({ charge_id: "ch_1" })).rejects.toThrow(TypeError);
  // @ts-expect-error options in place of params
  await oriel.charges.capture("ch_1", { idempotencyKey: "k" });
  // @ts-expect-error an idempotency key on a read
  await oriel.charges.retrieve("ch_1", { idempotencyKey: "k" });
  // @ts-expect-error a filter that doesn't exist
  await oriel.charges.list({ charge_id: "ch_1" });
  // @ts-expect-error an unknown event type
  await oriel.events.list({ type: "payment.failed" });
  // @ts-expect-error an ID that isn't a string
  await expect(oriel.charges.retrieve(5)).rejects.toThrow(TypeError);
  expectTypeOf(oriel.refunds.create).returns.resolves.toEqualTypeOf<Refund>();
  expectTypeOf(oriel.charges.cancel).returns.resolves.toEqualTypeOf<Charge>();
});

test("types each listAll with the list's objects and filters, but without a page size", () => {
  expect(oriel.charges.listAll()[Symbol.asyncIterator]).toBeTypeOf("function");
  expectTypeOf(oriel.charges.listAll({ session_id: "cs_1" })).toEqualTypeOf<AsyncIterable<Charge>>();
  expectTypeOf(oriel.events.listAll({ starting_after: "evt_1" })).toEqualTypeOf<AsyncIterable<Event>>();
  // @ts-expect-error a page size
  oriel.charges.listAll({ limit: 5 });
  // @ts-expect-error iterating backward
  oriel.charges.listAll({ ending_before: "ch_1" });
});

test("types walkAll with a required start position, and pages with cursors", () => {
  expectTypeOf(oriel.events.walkAll({ after: "start", type: "ping" })).toEqualTypeOf<AsyncIterable<EventWalk>>();
  expectTypeOf<EventWalk["cursor"]>().toEqualTypeOf<string>();
  expectTypeOf<EventWalk["data"]>().toEqualTypeOf<Event[]>();
  // @ts-expect-error a missing start position
  const nowhere = () => oriel.events.walkAll({});
  // @ts-expect-error a page size
  oriel.events.walkAll({ after: "now", limit: 5 });
  // @ts-expect-error the cursor of a list
  const listed = () => oriel.events.list({ after: "now" });
  // @ts-expect-error walking backward
  const back = () => oriel.events.walk({ after: "now", ending_before: "evt_1" });
  expect([nowhere, listed, back]).toHaveLength(3);
});

test("accepts only known statuses, event types and overlaps", () => {
  expectTypeOf(oriel.webhookEndpoints.listAllDeliveries("we_1", { event_id: "evt_1" })).toEqualTypeOf<
    AsyncIterable<Delivery>
  >();
  expectTypeOf(oriel.webhookEndpoints.update).returns.resolves.toEqualTypeOf<WebhookEndpoint>();
  const subscribe = async (id: string) => {
    const { enabled_events } = await oriel.webhookEndpoints.retrieve(id);
    return oriel.webhookEndpoints.update(id, { enabled_events: [...(enabled_events ?? []), "refund.failed"] });
  };
  expect(subscribe).toBeTypeOf("function");
  const wrong = [
    // @ts-expect-error an unknown status
    () => oriel.webhookEndpoints.update("we_1", { status: "paused" }),
    // @ts-expect-error an unknown event type
    () => oriel.webhookEndpoints.update("we_1", { enabled_events: ["payment.failed"] }),
    // @ts-expect-error a subscription to pings
    () => oriel.webhookEndpoints.create({ url: "https://shop.example/", enabled_events: ["ping"] }),
    // @ts-expect-error an unknown overlap
    () => oriel.webhookEndpoints.rotateSecret("we_1", { overlap: "2d" }),
    // @ts-expect-error a missing start time
    () => oriel.webhookEndpoints.redeliver("we_1", {}),
    // @ts-expect-error an idempotency key on a deletion
    () => oriel.webhookEndpoints.del("we_1", { idempotencyKey: "k" }),
    // @ts-expect-error a page size
    () => oriel.webhookEndpoints.listAllDeliveries("we_1", { limit: 5 }),
  ];
  expect(wrong).toHaveLength(7);
});

test("narrows fields and codes by error class", () => {
  const read = (error: OrielError): string | null => {
    if (error instanceof OrielCardError) {
      expectTypeOf(error.declineCode).toEqualTypeOf<DeclineCode>();
      expectTypeOf(error.advice).toEqualTypeOf<DeclineAdvice>();
      expectTypeOf(error.code).toEqualTypeOf<"card_declined">();
      return error.advice;
    }
    if (error instanceof OrielConnectionError) {
      expectTypeOf(error.code).toEqualTypeOf<"timeout" | "canceled" | "network" | "response_malformed">();
    }
    if (error instanceof OrielInvalidRequestError) {
      const narrowed = error.code === "decision_expired" ? error.code : null;
      expectTypeOf(narrowed).toEqualTypeOf<"decision_expired" | null>();
      // @ts-expect-error a code of another type
      return error.code === "payment_outcome_unknown" ? "" : null;
    }
    if (error instanceof OrielApiError) expectTypeOf<"payment_outcome_unknown">().toExtend<typeof error.code>();
    // @ts-expect-error an unknown code
    if (error.code === "card_decline") return "";
    // @ts-expect-error a field of card errors only
    return error.declineCode ?? null;
  };
  expect(read(new OrielCardError({ ...details, declineCode: "lost_card" }))).toBe("do_not_try_again");
  expect(read(new OrielError(details))).toBeNull();
});

test("narrows an event's object by event type", () => {
  const amountOf = (event: Event): number | null => {
    switch (event.type) {
      case "refund.succeeded":
      case "refund.failed":
        expectTypeOf(event.data.object).toEqualTypeOf<Refund>();
        return event.data.object.amount;
      case "dispute.created":
      case "dispute.updated":
      case "dispute.closed":
        expectTypeOf(event.data.object).toEqualTypeOf<Dispute>();
        return event.data.object.amount;
      case "checkout_session.completed":
      case "checkout_session.expired":
      case "checkout_session.update_requested":
        expectTypeOf(event.data.object).toEqualTypeOf<CheckoutSession>();
        return event.data.object.amount;
      case "payment.succeeded":
      case "payment_failed":
      case "charge.authorized":
      case "charge.canceled":
      case "charge.capture_failed":
      case "charge.cancel_failed":
        return event.data.object.amount_captured;
      case "payment_method.attached":
      case "payment_method.updated":
      case "payment_method.detached":
        expectTypeOf(event.data.object).toEqualTypeOf<PaymentMethodSnapshot>();
        return null;
      case "customer.deleted":
        expectTypeOf(event.data.object).toEqualTypeOf<DeletedCustomer>();
        return null;
      case "account.card_testing":
        expectTypeOf(event.data.object).toEqualTypeOf<CardTestingReport>();
        return null;
      case "account.needs_attention":
        expectTypeOf(event.data.object).toEqualTypeOf<AttentionItem>();
        return null;
      case "webhook_endpoint.disabled":
      case "ping":
        expectTypeOf(event.data.object).toEqualTypeOf<WebhookEndpoint>();
        return null;
    }
  };
  expect(amountOf).toBeTypeOf("function");
});

const details = {
  type: "card_error",
  code: "card_declined",
  message: "The card was declined.",
  param: null,
  status: 402,
  requestId: null,
  idempotencyKey: null,
  retries: 0,
  retryAfterSeconds: null,
} as const;
