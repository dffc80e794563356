/**
 * Concurrent requests about the same few objects: one reserved charge, one captured charge, one approved decision and
 * one open session. All are sent over HTTP at once. The scheduler picks the order in which the acquirer receives them
 * and the order in which its responses arrive.
 */
import fc from "fast-check";
import { expect } from "vitest";
import { cardNumbers, openCheckout, type Checkout } from "../setup/customer.ts";
import type { ApiResponse } from "../setup/test-service.ts";
import { expectRecordsAgree } from "./bank-audit.ts";
import { expectInvariants, readRows } from "./invariants.ts";
import type { When, World } from "./world.ts";

type Racer =
  | { does: "capture" | "refund" | "charge"; amount: number; key: string | null }
  | { does: "cancel"; key: string | null }
  | { does: "pay"; card: string }
  | { does: "end"; how: "expire" | "cancel" }
  /** Half a minute passes, and another process takes over whatever has no response from the acquirer. */
  | { does: "take over" };

export interface Race {
  racers: Racer[];
  fault: { when: When; always: boolean } | null;
  death: When | null;
}

const whole = 4900;
const order = { amount: whole, currency: "eur" };
/** Amounts that together exceed the total in most combinations. */
const amount = fc.constantFrom(1, 1600, 2450, 4899, whole);
/** Few keys, so that some requests repeat and some don't. */
const key = fc.constantFrom(null, null, null, "one", "two");
const when = fc.constantFrom("before", "after");

const racer: fc.Arbitrary<Racer> = fc.oneof(
  fc.record({ does: fc.constant("capture"), amount, key }),
  fc.record({ does: fc.constant("refund"), amount, key }),
  fc.record({ does: fc.constant("refund"), amount, key }),
  fc.record({ does: fc.constant("charge"), amount, key }),
  fc.record({ does: fc.constant("cancel"), key }),
  fc.record({ does: fc.constant("pay"), card: fc.constantFrom(cardNumbers.approved, cardNumbers.declined) }),
  fc.record({ does: fc.constant("end"), how: fc.constantFrom("expire", "cancel") }),
  fc.record({ does: fc.constant("take over") }),
);

export const races: fc.Arbitrary<Race> = fc.record({
  racers: fc.array(racer, { minLength: 2, maxLength: 10, size: "max" }),
  fault: fc.option(fc.record({ when, always: fc.boolean() }), { freq: 2 }),
  death: fc.option(when, { freq: 2 }),
});

interface Field {
  reserved: string;
  taken: string;
  decision: string;
  checkout: Checkout;
}

/** Runs the requests, lets the acquirer recover, and checks the result. */
export async function expectFairRace(
  world: World,
  { racers, fault, death }: Race,
  scheduler: fc.Scheduler,
): Promise<void> {
  const field = await prepare(world);
  await world.setFault(fault);
  world.dieAt(death);
  const firstWord = Promise.withResolvers<void>();
  world.around = async (label, send) => {
    await scheduler.schedule(Promise.resolve(), `the acquirer receives ${label}`);
    const response = await send().finally(firstWord.resolve);
    await scheduler.schedule(Promise.resolve(), `the acquirer responds to ${label}`);
    return response;
  };
  const takeOver = async () => {
    await firstWord.promise;
    await scheduler.schedule(Promise.resolve(), "half a minute passes");
    world.later(31_000);
    await world.resume();
    return null;
  };
  const running = racers.map((one) => (one.does === "take over" ? takeOver() : run(world, field, one)));
  // If no request reaches the acquirer, there is nothing to wait for.
  const others = running.filter((_, index) => racers[index]?.does !== "take over");
  void Promise.allSettled(others).then(() => firstWord.resolve());
  const responses = await scheduler.waitFor(Promise.all(running));
  world.around = null;
  await world.settled();
  expectInvariants(await readRows(world), world.final);
  const isUndisturbed = fault === null && death === null && !racers.some(({ does }) => does === "take over");
  const allowed = [200, 400, 402, 422, ...(isUndisturbed ? [] : [503]), ...(death === null ? [] : [500])];
  const unexpected = responses.filter((response) => response !== null && !allowed.includes(response.status));
  expect(unexpected.map((response) => response?.text)).toEqual([]);

  world.dieAt(null);
  await world.setFault(null);
  world.later(31_000);
  await world.resume();
  await world.settled();
  const rows = await readRows(world);
  expectInvariants(rows, world.final);
  await expectRecordsAgree(world, !isUndisturbed);
  expect(rows.attempts.filter(({ status }) => status === "processing")).toEqual([]);
  expectWinners(rows, field, racers, responses);
}

async function prepare(world: World): Promise<Field> {
  const charge = async (capture_method: string) => {
    const { payment_method_id, id: decision_id } = await decide(world);
    const body = { ...order, payment_method_id, decision_id, capture_method };
    return String((await world.service.call("POST", "/api/v1/charges", body)).body["id"]);
  };
  return {
    reserved: await charge("manual"),
    taken: await charge("automatic"),
    decision: String((await decide(world)).id),
    checkout: await openCheckout(world.service, order),
  };
}

async function decide({ service }: World) {
  const payment_method_id = "pm_card_visa";
  const { body } = await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id });
  return { payment_method_id, id: body["id"] };
}

type Caller = Exclude<Racer, { does: "take over" }>;

function run({ service }: World, { reserved, taken, decision, checkout }: Field, racer: Caller): Promise<ApiResponse> {
  const post = (path: string, body: object, key: string | null = null) =>
    service.call("POST", `/api/v1${path}`, body, key === null ? {} : { "idempotency-key": `${racer.does}-${key}` });
  switch (racer.does) {
    case "capture":
      return post(`/charges/${reserved}/capture`, { amount: racer.amount }, racer.key);
    case "cancel":
      return post(`/charges/${reserved}/cancel`, {}, racer.key);
    case "refund":
      return post("/refunds", { charge_id: taken, amount: racer.amount }, racer.key);
    case "charge": {
      const body = { payment_method_id: "pm_card_visa", decision_id: decision, currency: "eur", amount: racer.amount };
      return post("/charges", body, racer.key);
    }
    case "pay":
      return checkout.pay(racer.card);
    case "end":
      return post(`/checkout_sessions/${checkout.sessionId}/${racer.how}`, {});
  }
}

type Rows = Awaited<ReturnType<typeof readRows>>;

/**
 * Checks that whatever can happen only once succeeded for exactly one caller, and that refusals gave the right reason.
 */
function expectWinners(
  { charges, attempts, sessions }: Rows,
  field: Field,
  racers: Racer[],
  responses: (ApiResponse | null)[],
): void {
  const wanted = (...kinds: Racer["does"][]) => racers.some(({ does }) => kinds.includes(does));
  const chargeOf = (id: string) => charges.find((charge) => charge.id === id);

  const ends = attempts.filter(
    ({ charge_id, kind }) => charge_id === field.reserved && (kind === "capture" || kind === "cancel"),
  );
  expect(ends.length, "successful captures and cancellations").toBe(wanted("capture", "cancel") ? 1 : 0);
  const asCanceled = { status: "canceled", amount_captured: 0 };
  const asCaptured = { status: "succeeded", amount_captured: ends[0]?.amount };
  const untouched = { status: "authorized", amount_captured: 0 };
  const expected = ends[0] === undefined ? untouched : ends[0].kind === "cancel" ? asCanceled : asCaptured;
  expect(chargeOf(field.reserved)).toMatchObject(expected);

  const ofDecision = charges.filter(({ decision_id }) => decision_id === field.decision);
  expect(ofDecision.map(({ status }) => status)).toEqual(wanted("charge") ? ["succeeded"] : []);

  const refunded = chargeOf(field.taken)?.amount_refunded ?? 0;
  expect(refunded > 0, `at least one refund succeeded: ${responses.map((response) => response?.text).join("\n")}`).toBe(
    wanted("refund"),
  );
  racers.forEach((racer, index) => {
    const response = responses[index];
    if (racer.does !== "refund" || response?.status !== 400) return;
    if (racer.key === null && String(response.body["error"]?.["code"]) === "charge_operation_in_progress") {
      const others = racers.filter((other) => other !== racer && other.does === "refund");
      expect(others.length, "other refunds, one of them undecided").toBeGreaterThan(0);
      return;
    }
    expect(refunded + racer.amount, `a refund of ${racer.amount} was refused`).toBeGreaterThan(whole);
  });

  const session = sessions.find(({ id }) => id === field.checkout.sessionId);
  const succeeded = charges.filter(({ session_id, status }) => session_id === session?.id && status === "succeeded");
  const wins = racers.filter(({ does }, index) => does === "end" && responses[index]?.status === 200).length;
  expect(succeeded.length + wins, "payments and cancellations of the session that succeeded").toBeLessThanOrEqual(1);
}
