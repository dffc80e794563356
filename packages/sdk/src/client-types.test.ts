/**
 * The types from both sides: what must compile, and what must not. The compiler is what fails here (`tsc -p
 * tsconfig.tests.json`); what can be seen at run time too is asserted beside it.
 */
import { expect, expectTypeOf, test, vi } from "vitest";
import {
  type Charge,
  type CheckoutSession,
  createClient,
  type DeclineAdvice,
  type DeclineCode,
  type Event,
  OrielApiError,
  OrielCardError,
  OrielConnectionError,
  OrielError,
  OrielInvalidRequestError,
  type EventWalk,
  type Delivery,
  type Refund,
  type WebhookEndpoint,
} from "./index.ts";

const fetched = vi.fn(async () => new Response('{"object":"list","data":[],"has_more":false}'));
const oriel = createClient({
  apiUrl: "https://api.pay.example.com",
  secretKey: "oriel_sk_test_abc",
  // Whatever compiles below may be called; nothing leaves this process.
  fetch: fetched,
});

test("a payment needs an amount and a currency, a setup needs neither", async () => {
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
  // @ts-expect-error a payment of nothing
  await oriel.checkoutSessions.create({});
  // @ts-expect-error an amount without its currency
  await oriel.checkoutSessions.create({ mode: "payment", amount: 4900 });
  // @ts-expect-error no such mode
  await oriel.checkoutSessions.create({ mode: "subscription", amount: 4900, currency: "eur" });
  // @ts-expect-error amounts are numbers
  await oriel.checkoutSessions.create({ amount: "4900", currency: "eur" });
  // @ts-expect-error unknown fields are refused, here as there
  await oriel.checkoutSessions.create({ amount: 4900, currency: "eur", amout: 1 });
  // @ts-expect-error no such capture method
  await oriel.checkoutSessions.create({ amount: 4900, currency: "eur", capture_method: "later" });
  expectTypeOf<CheckoutSession["amount"]>().toEqualTypeOf<number | null>();
  expect(fetched).toHaveBeenCalled();
});

test("each function takes what its endpoint takes", async () => {
  await oriel.charges.capture("ch_1");
  await oriel.charges.capture("ch_1", { amount: 1 }, { idempotencyKey: "k", maxRetries: 0 });
  await oriel.refunds.create({ charge_id: "ch_1", reason: "broken" }, { idempotencyKey: "k" });
  // @ts-expect-error a charge without its decision
  await oriel.charges.create({ amount: 1, currency: "eur", payment_method_id: "pm_1" });
  // @ts-expect-error a refund of no charge
  await oriel.refunds.create({ amount: 1 }, { idempotencyKey: "k" });
  // @ts-expect-error a refund without a key
  await expect(oriel.refunds.create({ charge_id: "ch_1" })).rejects.toThrow(TypeError);
  // @ts-expect-error options are not params
  await oriel.charges.capture("ch_1", { idempotencyKey: "k" });
  // @ts-expect-error reads have no idempotency key
  await oriel.charges.retrieve("ch_1", { idempotencyKey: "k" });
  // @ts-expect-error charges are not listed by charge
  await oriel.charges.list({ charge_id: "ch_1" });
  // @ts-expect-error no such event
  await oriel.events.list({ type: "payment.failed" });
  // @ts-expect-error an id is a string
  await expect(oriel.charges.retrieve(5)).rejects.toThrow(TypeError);
  expectTypeOf(oriel.refunds.create).returns.resolves.toEqualTypeOf<Refund>();
  expectTypeOf(oriel.charges.cancel).returns.resolves.toEqualTypeOf<Charge>();
});

test("a list is walked through with its own type, and cuts its pages itself", () => {
  expect(oriel.charges.listAll()[Symbol.asyncIterator]).toBeTypeOf("function");
  expectTypeOf(oriel.charges.listAll({ session_id: "cs_1" })).toEqualTypeOf<AsyncIterable<Charge>>();
  expectTypeOf(oriel.events.listAll({ starting_after: "evt_1" })).toEqualTypeOf<AsyncIterable<Event>>();
  // @ts-expect-error pages are of 100
  oriel.charges.listAll({ limit: 5 });
  // @ts-expect-error there is no way back
  oriel.charges.listAll({ ending_before: "ch_1" });
});

test("a walk begins somewhere, hands out pages with their cursor, and is no list", () => {
  expectTypeOf(oriel.events.walkAll({ after: "start", type: "ping" })).toEqualTypeOf<AsyncIterable<EventWalk>>();
  expectTypeOf<EventWalk["cursor"]>().toEqualTypeOf<string>();
  expectTypeOf<EventWalk["data"]>().toEqualTypeOf<Event[]>();
  // @ts-expect-error where from?
  const nowhere = () => oriel.events.walkAll({});
  // @ts-expect-error pages are of 100
  oriel.events.walkAll({ after: "now", limit: 5 });
  // @ts-expect-error a list has no cursor
  const listed = () => oriel.events.list({ after: "now" });
  // @ts-expect-error a walk has no way back
  const back = () => oriel.events.walk({ after: "now", ending_before: "evt_1" });
  expect([nowhere, listed, back]).toHaveLength(3);
});

test("endpoints take what they can be, and what a secret's overlap can be", () => {
  expectTypeOf(oriel.webhookEndpoints.listAllDeliveries("we_1", { event_id: "evt_1" })).toEqualTypeOf<
    AsyncIterable<Delivery>
  >();
  expectTypeOf(oriel.webhookEndpoints.update).returns.resolves.toEqualTypeOf<WebhookEndpoint>();
  const wrong = [
    // @ts-expect-error no such state
    () => oriel.webhookEndpoints.update("we_1", { status: "paused" }),
    // @ts-expect-error no such event
    () => oriel.webhookEndpoints.update("we_1", { enabled_events: ["payment.failed"] }),
    // @ts-expect-error a ping is not asked for, it comes
    () => oriel.webhookEndpoints.create({ url: "https://shop.example/", enabled_events: ["ping"] }),
    // @ts-expect-error no such overlap
    () => oriel.webhookEndpoints.rotateSecret("we_1", { overlap: "2d" }),
    // @ts-expect-error from when?
    () => oriel.webhookEndpoints.redeliver("we_1", {}),
    // @ts-expect-error a deletion has no idempotency key
    () => oriel.webhookEndpoints.del("we_1", { idempotencyKey: "k" }),
    // @ts-expect-error pages are of 100
    () => oriel.webhookEndpoints.listAllDeliveries("we_1", { limit: 5 }),
  ];
  expect(wrong).toHaveLength(7);
});

test("an error's class tells its fields and its codes", () => {
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
    // @ts-expect-error a code that does not exist
    if (error.code === "card_decline") return "";
    // @ts-expect-error only a card error has one
    return error.declineCode ?? null;
  };
  expect(read(new OrielCardError({ ...details, declineCode: "lost_card" }))).toBe("do_not_try_again");
  expect(read(new OrielError(details))).toBeNull();
});

test("an event's type tells its object", () => {
  const amountOf = (event: Event): number | null => {
    switch (event.type) {
      case "refund.succeeded":
      case "refund.failed":
        expectTypeOf(event.data.object).toEqualTypeOf<Refund>();
        return event.data.object.amount;
      case "checkout_session.completed":
      case "checkout_session.expired":
        expectTypeOf(event.data.object).toEqualTypeOf<CheckoutSession>();
        return event.data.object.amount;
      case "payment.succeeded":
      case "payment_failed":
      case "charge.authorized":
      case "charge.canceled":
      case "charge.capture_failed":
      case "charge.cancel_failed":
        return event.data.object.amount_captured;
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
  message: "The bank declined.",
  param: null,
  status: 402,
  requestId: null,
  idempotencyKey: null,
  retries: 0,
  retryAfterSeconds: null,
} as const;
