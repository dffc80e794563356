/**
 * What happens at the acquirer without a request: captures and refunds that fail after they were done, and may then
 * succeed after all, authorizations that expire, and disputes.
 */
import type { DisputeEventCode } from "../../packages/sandbox/src/adyen/messages.ts";
import { reservedOf, type Modification, type Payment } from "../../packages/sandbox/src/adyen/payment.ts";
import { createChance, type Chance } from "../chance.ts";
import type { World } from "./world.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Plans what happens at the acquirer by itself. Each event chooses its payment when it happens. */
export function planAcquirerEvents(world: World): void {
  const { schedule, conditions } = world;
  // The name is part of the seed: another one would change every world.
  const chance = createChance(world.seed, "accidents");
  const someTime = () =>
    chance.pick([chance.between(1_000, 60_000), chance.between(0, 24) * hourMs, chance.between(24, 200) * hourMs]);
  for (let i = 0; i < 2; i++)
    if (chance.happens(conditions.lateFailures))
      schedule.plan(someTime(), "something fails at the acquirer", async () => failLate(world, chance));
  if (chance.happens(conditions.expiries))
    schedule.plan(someTime(), "an authorization expires", async () => expire(world, chance, chance.pick([0, 72])));
  if (chance.happens(conditions.disputes))
    schedule.plan(someTime(), "a customer complains", async () => dispute(world, chance));
}

type Movement = Pick<Modification, "kind" | "pspReference">;

function failLate(world: World, chance: Chance): void {
  const done = paymentsOf(world.acquirer).flatMap(({ modifications, entries }) => {
    const again = new Set(entries.filter(({ type }) => type.endsWith("_again")).map((entry) => entry.pspReference));
    const movements = modifications.filter(({ kind }) => kind === "capture" || kind === "refund");
    return movements.filter(({ state, pspReference }) => state === "done" && !again.has(pspReference));
  });
  if (done.length === 0) return;
  const failed = chance.pick(done);
  fail(world, chance, failed);
  if (chance.happens(world.conditions.repetitions)) planRepetition(world, chance, failed);
}

function fail({ acquirer, journal }: World, chance: Chance, { kind, pspReference }: Movement): void {
  const eventCode =
    kind === "capture" ? "CAPTURE_FAILED" : chance.pick(["REFUND_FAILED", "REFUNDED_REVERSED"] as const);
  acquirer.ledger.fail(pspReference, eventCode);
  journal.note(`acquirer: ${eventCode} of ${pspReference}`);
}

/**
 * The acquirer does it again by itself, up to days later, and that can fail, too. The service waits for the report of a
 * failure for about an hour, so there's more time if notifications are later than that. With the same ID, a second
 * failure would look like a copy of the first.
 */
function planRepetition(world: World, chance: Chance, failed: Movement): void {
  const { schedule, acquirer, journal, conditions } = world;
  const delayMs = conditions.longestDeliveryMs > hourMs ? 120 * hourMs : chance.pick([minuteMs, 120 * hourMs]);
  const hasNewReference = chance.happens(0.5);
  schedule.plan(delayMs, "something succeeds after it failed", async () => {
    const repeated = acquirer.ledger.repeat(failed.pspReference, { hasNewReference });
    if (repeated === null) return;
    journal.note(`acquirer: repetition of ${failed.pspReference} as ${repeated.pspReference}`);
    if (hasNewReference && chance.happens(0.3))
      schedule.plan(delayMs, "a repetition fails", async () => fail(world, chance, repeated));
  });
}

/** @param waitsHours how long it waits for a capture or cancellation on its way, because that's when it matters most */
function expire(world: World, chance: Chance, waitsHours: number): void {
  const { acquirer, schedule, journal } = world;
  const open = paymentsOf(acquirer).filter((payment) => reservedOf(payment) > 0);
  const pending = open.filter(({ modifications }) => modifications.some(({ state }) => state === "received"));
  if (pending.length === 0 && waitsHours > 0)
    return schedule.plan(hourMs, "an authorization expires", async () => expire(world, chance, waitsHours - 1));
  if (open.length === 0) return;
  const { pspReference } = chance.pick(pending.length > 0 ? pending : open);
  acquirer.ledger.expire(pspReference);
  journal.note(`acquirer: EXPIRE of ${pspReference}`);
}

/** Some disputes have another amount or currency than the payment. Some are opened without a request before. */
function dispute({ schedule, acquirer, journal }: World, chance: Chance): void {
  const captured = paymentsOf(acquirer).filter(({ entries }) => entries.some(({ type }) => type === "captured"));
  if (captured.length === 0) return;
  const { pspReference: paymentPspReference, amount } = chance.pick(captured);
  const disputed = chance.pick([amount, { ...amount, value: amount.value + 100 }, { value: 5_000, currency: "USD" }]);
  const steps: DisputeEventCode[] = chance.pick([
    ["NOTIFICATION_OF_CHARGEBACK"],
    ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK"],
    ["CHARGEBACK", "CHARGEBACK_REVERSED"],
    ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"],
  ]);
  let disputePspReference: string | undefined;
  let delayMs = 0;
  for (const eventCode of steps) {
    schedule.plan(delayMs, "a dispute goes on", async () => {
      const opened = acquirer.ledger.dispute({
        paymentPspReference,
        eventCode,
        amount: disputed,
        ...(disputePspReference !== undefined && { disputePspReference }),
      });
      disputePspReference = opened?.disputePspReference;
      journal.note(`acquirer: ${eventCode} of ${paymentPspReference}, ${disputed.value} ${disputed.currency}`);
    });
    delayMs += chance.pick([0, hourMs, 48 * hourMs]);
  }
}

function paymentsOf({ references, ledger }: World["acquirer"]): Payment[] {
  return [...references].flatMap((reference) => ledger.paymentsOf(reference));
}
