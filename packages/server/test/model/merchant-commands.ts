/**
 * Commands for a merchant's server: it creates decisions, charges, captures, cancellations and refunds, and repeats
 * them under the same key.
 */
import { expect } from "vitest";
import { command, pick, pickFitting, type Command } from "./command.ts";
import { expectResponse } from "./compare.ts";
import type { Expected, ModelAttempt, ModelCard, ModelCharge, ModelDecision, ModelPaymentMethod } from "./objects.ts";
import { decisionMs, showCharge, type Reference } from "./reference.ts";
import type { World } from "./world.ts";

export const testMethods: readonly ModelPaymentMethod[] = (
  [
    { name: "pm_card_visa", says: "approved" },
    { name: "pm_card_mastercard", says: "approved" },
    { name: "pm_card_declined_insufficient_funds", says: "insufficient_funds" },
    { name: "pm_card_three_d_secure_required", says: "approved", threeDS: "challenge" },
  ] satisfies ModelCard[]
).map((card) => ({ id: card.name, card, reusable: true, detached: false }));

/** How much of the available amount to request. */
export type Share = "none named" | "one" | "part" | "all" | "one too much";

const currency = "eur";

export function decide(index: number, amount: number): Command {
  return command(
    `decide(${index}, ${amount})`,
    () => true,
    async (model, world) => void (await makeDecision(model, world, method(model, index), amount)),
  );
}

/** Creates a decision and charges it right away. */
export function buy(index: number, amount: number, capture: ModelCharge["captureMethod"], isKeyed: boolean): Command {
  return command(
    `buy(${index}, ${amount}, ${capture}${isKeyed ? ", keyed" : ""})`,
    () => true,
    async (model, world) => {
      const decision = await makeDecision(model, world, method(model, index), amount);
      if (decision !== null) await makeCharge(model, world, decision, { amount, capture, isKeyed });
    },
  );
}

export function charge(
  index: number,
  share: Share,
  capture: ModelCharge["captureMethod"] | null,
  isKeyed: boolean,
): Command {
  return command(
    `charge(${index}, ${share}, ${capture ?? "as it is"}${isKeyed ? ", keyed" : ""})`,
    ({ decisions }) => decisions.some(({ amount }) => amount > 0),
    async (model, world) => {
      const money = model.decisions.filter(({ amount }) => amount > 0);
      const decision = pickFitting(money, index, ({ status }) => status === "approved");
      const amount = shareOf(share, decision.amount) ?? decision.amount;
      await makeCharge(model, world, decision, { amount, capture, isKeyed });
    },
  );
}

export function capture(index: number, share: Share, isKeyed: boolean): Command {
  return command(`capture(${index}, ${share}${isKeyed ? ", keyed" : ""})`, hasCharges, async (model, world) => {
    const charge = pickFitting(model.charges, index, ({ status }) => status === "authorized");
    const amount = shareOf(share, charge.amount);
    const predict = () => {
      if (charge.busy !== null) return refused("charge_operation_in_progress");
      if (charge.status !== "authorized") return refused("charge_not_capturable");
      if ((amount ?? 0) > charge.amount) return refused("amount_too_large", "amount");
      charge.busy = model.begin({
        kind: "capture",
        decision: charge.decision,
        charge,
        refund: null,
        amount: amount ?? charge.amount,
      });
      return charge.busy;
    };
    await send(model, world, `/charges/${charge.id}/capture`, amount === undefined ? {} : { amount }, isKeyed, predict);
  });
}

export function cancel(index: number, isKeyed: boolean): Command {
  return command(`cancel(${index}${isKeyed ? ", keyed" : ""})`, hasCharges, async (model, world) => {
    const charge = pickFitting(model.charges, index, ({ status }) => status === "authorized");
    const { decision, amount } = charge;
    const predict = () => {
      if (charge.busy !== null) return refused("charge_operation_in_progress");
      const open = model.attempts.find(
        (one) => one.charge === charge && one.kind === "authorize" && one.outcome === null,
      );
      if (open !== undefined) {
        open.withdrawnAt ??= model.now;
        open.nextCallAt = model.now;
        return { status: 200, body: showCharge(charge) };
      }
      if (charge.status !== "authorized") return refused("charge_not_cancelable");
      charge.busy = model.begin({ kind: "cancel", decision, charge, refund: null, amount });
      return charge.busy;
    };
    await send(model, world, `/charges/${charge.id}/cancel`, {}, isKeyed, predict);
  });
}

export function refund(index: number, share: Share, isKeyed: boolean): Command {
  return command(`refund(${index}, ${share}${isKeyed ? ", keyed" : ""})`, hasCharges, async (model, world) => {
    const charge = pickFitting(model.charges, index, ({ status }) => status === "succeeded");
    const left = charge.captured - charge.refunded - charge.refunding;
    const requested = shareOf(share, left);
    const predict = () => {
      if (charge.status !== "succeeded" || left === 0) return refused("charge_not_refundable", "charge_id");
      const amount = requested ?? left;
      if (amount > left) return refused("amount_too_large", "amount");
      if (charge.refunding > 0 && !isKeyed) return refused("charge_operation_in_progress");
      const refund = { id: null, events: [], charge, amount, status: "processing", declineCode: null } as const;
      const made = { ...refund, events: [] };
      model.refunds.push(made);
      charge.refunding += amount;
      return model.begin({ kind: "refund", decision: charge.decision, charge, refund: made, amount });
    };
    const body = { charge_id: charge.id, ...(requested === undefined ? {} : { amount: requested }) };
    await send(model, world, "/refunds", body, isKeyed, predict);
  });
}

/** The same request under the same key. */
export function repeat(index: number): Command {
  return command(
    `repeat(${index})`,
    ({ requests }) => requests.length > 0,
    async (model, { service }) => {
      const request = pick(model.requests, index);
      const { key, path, body, stored, attempt } = request;
      const predicted = stored === null && attempt !== null ? model.responseTo(attempt) : stored;
      if (predicted === null) throw new Error("Bug: a request without attempt or response");
      const response = await service.call("POST", path, body, { "idempotency-key": key });
      if (stored === null) expectResponse(response, predicted);
      else expect([response.status, response.headers["idempotent-replayed"]]).toEqual([stored.status, "true"]);
      if (stored !== null && stored.text !== null) expect(response.text).toBe(stored.text);
      if (request.stored !== null) request.stored.text ??= response.text;
    },
  );
}

/** A different request under the same key. */
export function repeatChanged(index: number): Command {
  return command(
    `repeatChanged(${index})`,
    ({ requests }) => requests.length > 0,
    async (model, { service }) => {
      const { key, path, body } = pick(model.requests, index);
      const response = await service.call(
        "POST",
        path,
        { ...body, metadata: { changed: "yes" } },
        { "idempotency-key": key },
      );
      expectResponse(response, { status: 422, code: "idempotency_key_in_use", param: "Idempotency-Key" });
    },
  );
}

async function makeDecision(
  model: Reference,
  world: World,
  { id, card, reusable }: ModelPaymentMethod,
  amount: number,
) {
  const body = { payment_method_id: id, amount, currency };
  const response = await world.service.call("POST", "/api/v1/decisions", body);
  if (!reusable) {
    expectResponse(response, refused("payment_method_not_reusable", "payment_method_id"));
    return null;
  }
  const isTest = testMethods.some((known) => known.id === id);
  const status = isTest && card.threeDS === "challenge" ? "requires_action" : "approved";
  expectResponse(response, { status: 200, body: { object: "decision", status, amount } });
  const decision: ModelDecision = {
    id: String(response.body["id"]),
    session: null,
    method: model.methods.find((known) => known.id === id) ?? { id, card, reusable, detached: false },
    amount,
    status,
    expiresAt: model.now + decisionMs,
    declineCode: null,
    authentication: null,
    attempt: null,
  };
  model.decisions.push(decision);
  return decision;
}

interface ChargeOptions {
  amount: number;
  capture: ModelCharge["captureMethod"] | null;
  isKeyed: boolean;
}

async function makeCharge(
  model: Reference,
  world: World,
  decision: ModelDecision,
  options: ChargeOptions,
): Promise<void> {
  const { amount, capture, isKeyed } = options;
  const { id: decision_id, method } = decision;
  const predict = (): Expected | ModelAttempt => {
    const param = "decision_id";
    if (decision.status === "consumed") return refused("decision_already_consumed", param);
    if (decision.status === "requires_action") return refused("decision_not_approved", param);
    if (decision.status === "declined") {
      return {
        status: 402,
        code: "card_declined",
        ...(decision.declineCode === null ? {} : { declineCode: decision.declineCode }),
      };
    }
    if (decision.status === "expired" || decision.expiresAt <= model.now) return refused("decision_expired", param);
    if (amount > decision.amount) return refused("decision_mismatch", param);
    return model.beginCharge(decision, amount, capture ?? decision.session?.captureMethod ?? "automatic");
  };
  const order = { payment_method_id: method.id, decision_id, amount, currency };
  await send(
    model,
    world,
    "/charges",
    capture === null ? order : { ...order, capture_method: capture },
    isKeyed,
    predict,
  );
}

let keys = 0;

/** @param predict returns the predicted response, or the attempt that contains it */
async function send(
  model: Reference,
  { service }: World,
  route: string,
  body: object,
  isKeyed: boolean,
  predict: () => Expected | ModelAttempt,
): Promise<void> {
  const path = `/api/v1${route}`;
  const predicted = predict();
  const request = { key: `key-${++keys}`, path, body, sentAt: model.now, attempt: null, stored: null };
  if (!isKeyed) {
    const expected = "kind" in predicted ? model.responseTo(predicted) : predicted;
    return expectResponse(await service.call("POST", path, body), expected);
  }
  const own: Reference["requests"][number] = request;
  model.requests.push(own);
  if ("kind" in predicted) {
    own.attempt = predicted;
    predicted.request = own;
  } else own.stored = { status: predicted.status, text: null };
  const expected = "kind" in predicted ? model.responseTo(predicted) : predicted;
  const response = await service.call("POST", path, body, { "idempotency-key": own.key });
  expectResponse(response, expected);
  if (own.stored !== null) own.stored.text = response.text;
}

function refused(code: NonNullable<Expected["code"]>, param?: string): Expected {
  return { status: 400, code, ...(param === undefined ? {} : { param }) };
}

/** Undefined if the request names no amount, which means all of it. Never zero, because that is a different error. */
function shareOf(share: Share, whole: number): number | undefined {
  switch (share) {
    case "none named":
      return undefined;
    case "one":
      return 1;
    case "part":
      return Math.max(1, Math.floor(whole / 3));
    case "all":
      return Math.max(1, whole);
    case "one too much":
      return whole + 1;
  }
}

function method(model: Reference, index: number): ModelPaymentMethod {
  return pick([...testMethods, ...model.methods.filter(({ id }) => id !== null)], index);
}

function hasCharges({ charges }: Readonly<Reference>): boolean {
  return charges.length > 0;
}
