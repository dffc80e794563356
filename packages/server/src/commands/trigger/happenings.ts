/**
 * How each type of event is made to happen in test mode: by the calls that a shop would make, with the test payment
 * methods. What needs a customer in a browser, or a bank that changes its mind, cannot be made by calls alone; it says
 * what to do instead.
 */
import type { EventType } from "@oriel/protocol/api";
import type { TestPaymentMethodId } from "@oriel/protocol/test-payment-methods";
import Type from "typebox";
import { OperatorError } from "../../platform/operator-error.ts";
import { ApiRefusal, type TestModeApi } from "../test-mode-api.ts";

/** What a happening works with. */
export interface Scene {
  api: TestModeApi;
  /** The endpoint that was asked for. */
  endpointId: string | undefined;
  /** An object was made, or was found: `made("charge", "ch_...")`. */
  made(noun: string, id: string): void;
}

/** `does` is for the list; `instead` says what to do by hand. */
export type Happening = { does: string; happen(scene: Scene): Promise<Happened> } | { instead: string };

/** The event, or the object of which there is one event of this type from now on. */
export type Happened = { eventId: string } | { objectId: string };

const order = { amount: 4900, currency: "eur" };
const manual = { capture_method: "manual" };

export const happenings: Record<EventType, Happening> = {
  "payment.succeeded": {
    does: "charges 49.00 EUR to pm_card_visa",
    happen: async (scene) => ({ objectId: await charge(scene, "pm_card_visa") }),
  },
  payment_failed: {
    does: "charges pm_card_declined_insufficient_funds, which the bank declines",
    happen: async (scene) => ({ objectId: await declinedCharge(scene, "pm_card_declined_insufficient_funds") }),
  },
  "charge.authorized": {
    does: "authorizes 49.00 EUR and does not capture it",
    happen: async (scene) => ({ objectId: await charge(scene, "pm_card_visa", manual) }),
  },
  "charge.canceled": {
    does: "authorizes 49.00 EUR and cancels it (charge.authorized comes first)",
    happen: async (scene) => {
      const objectId = await charge(scene, "pm_card_visa", manual);
      await scene.api.post(`charges/${objectId}/cancel`, {}, Made);
      return { objectId };
    },
  },
  "charge.capture_failed": {
    instead:
      "No test payment method has its captures declined, but a card of docs/testing.md does (approved; a capture is declined): pay with it in a checkout session with capture_method manual, then POST /api/v1/charges/:id/capture.",
  },
  "charge.cancel_failed": {
    instead: "The sandbox bank lets go of whatever is reserved, so no card makes this happen.",
  },
  "refund.succeeded": {
    does: "charges 49.00 EUR and refunds it (payment.succeeded comes first)",
    happen: async (scene) => {
      const charge_id = await charge(scene, "pm_card_visa");
      return { objectId: madeOf(scene, "refund", await scene.api.post("refunds", { charge_id }, Made)) };
    },
  },
  "refund.failed": {
    instead:
      "No test payment method has its refunds declined, but a card of docs/testing.md does (approved; a refund is declined): pay with it in a checkout, then POST /api/v1/refunds with the charge.",
  },
  "checkout_session.completed": {
    instead:
      'It takes a customer: POST /api/v1/checkout_sessions with {"mode":"setup"}, open the embed_url in a browser and save a test card of docs/testing.md.',
  },
  "checkout_session.expired": {
    does: "opens a checkout session and ends it",
    happen: async (scene) => {
      const { session } = await scene.api.post("checkout_sessions", order, Type.Object({ session: Made }));
      await scene.api.post(`checkout_sessions/${session.id}/expire`, {}, Made);
      return { objectId: madeOf(scene, "session", session) };
    },
  },
  "webhook_endpoint.disabled": {
    instead:
      "It takes an endpoint that the service gives up: let one of your webhook endpoints answer 410 and ping it; your other endpoints are told.",
  },
  ping: {
    does: "pings the newest webhook endpoint that is enabled, or the one of --endpoint",
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

/** A declined charge is answered with the refusal; the charge itself is found by its decision. */
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
      'A ping goes to a webhook endpoint, and none is enabled. Make one: POST /api/v1/webhook_endpoints {"url":...}.',
    );
  }
  return newest.id;
}
