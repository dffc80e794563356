/**
 * How to trigger each event type in test mode: with the API calls that a shop would make, using test payment methods.
 * Some types need a customer in a browser or a bank that fails later. For those, the text says what to do instead.
 */
import Type from "typebox";
import { OperatorError } from "@oriel/commands/operator-error";
import type { EventType } from "@oriel/protocol/api";
import type { TestPaymentMethodId } from "@oriel/protocol/test-payment-methods";
import { ApiRefusal, type TestModeApi } from "../test-mode-api.ts";

/** What a trigger needs to run. */
export interface Scene {
  api: TestModeApi;
  /** The value of `--endpoint`. */
  endpointId: string | undefined;
  /** Reports an object that was created or found: `made("charge", "ch_...")`. */
  made(noun: string, id: string): void;
}

/** `does` is shown in the list of types. `instead` says what to do by hand. */
export type Trigger = { does: string; happen(scene: Scene): Promise<Happened> } | { instead: string };

/** The event, or an object that has exactly one event of this type. */
export type Happened = { eventId: string } | { objectId: string };

const order = { amount: 4900, currency: "eur" };
const manual = { capture_method: "manual" };

const noDisputes = {
  instead:
    "The sandbox bank has no disputes. Use an account with an acquirer that has them (docs/acquirers/disputes.md), or test your handler with the example of this event in /docs.",
};
const savedCard =
  'A customer must save a card first. POST /api/v1/checkout_sessions with {"mode":"setup"}, open the embed_url in a browser and save a test card from docs/testing.md. ';
const disputes = { "dispute.created": noDisputes, "dispute.updated": noDisputes, "dispute.closed": noDisputes };

export const eventTriggers: Record<EventType, Trigger> = {
  "payment.succeeded": {
    does: "Charge €49.00 to pm_card_visa",
    happen: async (scene) => ({ objectId: await charge(scene, "pm_card_visa") }),
  },
  payment_failed: {
    does: "Charge €49.00 to pm_card_declined_insufficient_funds, which the issuer declines",
    happen: async (scene) => ({ objectId: await declinedCharge(scene, "pm_card_declined_insufficient_funds") }),
  },
  "charge.authorized": {
    does: "Authorize a €49.00 charge without capturing it",
    happen: async (scene) => ({ objectId: await charge(scene, "pm_card_visa", manual) }),
  },
  "charge.canceled": {
    does: "Authorize a €49.00 charge, then cancel it (also triggers charge.authorized)",
    happen: async (scene) => {
      const objectId = await charge(scene, "pm_card_visa", manual);
      await scene.api.post(`charges/${objectId}/cancel`, {}, Made);
      return { objectId };
    },
  },
  "charge.capture_failed": {
    instead:
      "Create a checkout session with capture_method manual and pay with the card from docs/testing.md whose capture is declined. Then POST /api/v1/charges/:id/capture.",
  },
  "charge.cancel_failed": {
    instead: "The sandbox bank never declines a cancellation, so no card triggers this event.",
  },
  "refund.succeeded": {
    does: "Charge €49.00, then refund the charge (also triggers payment.succeeded)",
    happen: async (scene) => {
      const charge_id = await charge(scene, "pm_card_visa");
      return { objectId: madeOf(scene, "refund", await scene.api.post("refunds", { charge_id }, Made)) };
    },
  },
  "refund.failed": {
    instead:
      "Pay in a checkout with the card from docs/testing.md whose refund is declined. Then POST /api/v1/refunds with the charge's ID.",
  },
  ...disputes,
  "checkout_session.completed": {
    instead:
      'A customer must complete the session. POST /api/v1/checkout_sessions with {"mode":"setup"}, open the embed_url in a browser and save a test card from docs/testing.md.',
  },
  "checkout_session.expired": {
    does: "Create a checkout session and expire it",
    happen: async (scene) => {
      const { session } = await scene.api.post("checkout_sessions", order, Type.Object({ session: Made }));
      await scene.api.post(`checkout_sessions/${session.id}/expire`, {}, Made);
      return { objectId: madeOf(scene, "session", session) };
    },
  },
  "checkout_session.update_requested": {
    instead:
      'A customer must enter a code. POST /api/v1/checkout_sessions with {"amount":4900,"currency":"eur","collect":{"promotion_code":true}}, open the embed_url in a browser and enter any promotion code.',
  },
  "payment_method.attached": {
    instead: `${savedCard}Then POST /api/v1/customers, and POST /api/v1/payment_methods/:id/attach with the customer's ID as customer_id.`,
  },
  "payment_method.updated": {
    instead: `${savedCard}Then PATCH /api/v1/payment_methods/:id with {"removable_by_customer":false}.`,
  },
  "payment_method.detached": { instead: `${savedCard}Then POST /api/v1/payment_methods/:id/detach.` },
  "customer.deleted": { instead: "POST /api/v1/customers, then DELETE /api/v1/customers/:id." },
  "account.card_testing": {
    instead:
      "Set ORIEL_RISK=on, and try ten different declined test cards in new checkout sessions within an hour. The event follows within a minute.",
  },
  "account.needs_attention": {
    instead:
      "Nothing needs attention with the sandbox bank unless it fails for a day. Test your handler with the example of this event in /docs.",
  },
  "webhook_endpoint.disabled": {
    instead:
      "Ping a webhook endpoint that responds with status 410. The service disables that endpoint and notifies your other endpoints.",
  },
  ping: {
    does: "Ping your newest enabled webhook endpoint, or the one set with --endpoint",
    happen: async (scene) => {
      const id = scene.endpointId ?? (await newestEndpoint(scene));
      const event = await scene.api.post(`webhook_endpoints/${id}/ping`, {}, Made);
      scene.made("endpoint", id);
      return { eventId: event.id };
    },
  },
};

const Made = Type.Object({ id: Type.String({ pattern: "^[a-z]+_[0-9a-z]+$" }) });

function madeOf(scene: Scene, noun: string, { id }: { id: string }): string {
  scene.made(noun, id);
  return id;
}

async function charge(scene: Scene, payment_method_id: TestPaymentMethodId, more: object = {}): Promise<string> {
  const decision_id = await decide(scene, payment_method_id);
  const request = { ...order, payment_method_id, decision_id, ...more };
  return madeOf(scene, "charge", await scene.api.post("charges", request, Made));
}

/** The response to a declined charge is an error, so the charge is looked up by its decision. */
async function declinedCharge(scene: Scene, payment_method_id: TestPaymentMethodId): Promise<string> {
  const decision_id = await decide(scene, payment_method_id);
  try {
    await scene.api.post("charges", { ...order, payment_method_id, decision_id }, Made);
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.code !== "card_declined") throw error;
  }
  const { data } = await scene.api.get(`charges?decision_id=${decision_id}`, Type.Object({ data: Type.Array(Made) }));
  const [found] = data;
  if (found === undefined) throw new OperatorError(`The decision ${decision_id} has no charge. Try again.`);
  return madeOf(scene, "charge", found);
}

async function decide(scene: Scene, payment_method_id: TestPaymentMethodId): Promise<string> {
  return madeOf(scene, "decision", await scene.api.post("decisions", { ...order, payment_method_id }, Made));
}

async function newestEndpoint({ api }: Scene): Promise<string> {
  const Endpoints = Type.Object({ data: Type.Array(Type.Object({ ...Made.properties, status: Type.String() })) });
  const { data } = await api.get("webhook_endpoints?limit=100", Endpoints);
  const newest = data.find(({ status }) => status === "enabled");
  if (newest === undefined) {
    throw new OperatorError(
      'There is no enabled webhook endpoint to ping. Create one with POST /api/v1/webhook_endpoints {"url":...}.',
    );
  }
  return newest.id;
}
