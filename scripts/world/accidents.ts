/**
 * What happens at the acquirer without a request: captures and refunds that fail after they were done, authorizations that
 * expire, and disputes.
 */
import { createChance, type Chance } from "../chaos/chance.ts";
import type { DisputeEventCode } from "../../packages/sandbox/src/adyen/messages.ts";
import { reservedOf, type Payment } from "../../packages/sandbox/src/adyen/payment.ts";
import type { World } from "./world.ts";

const hourMs = 3_600_000;

/** Plans the accidents of a world. Each chooses what it's about when it happens. */
export function planAccidents(world: World): void {
  const { agenda, weather } = world;
  const chance = createChance(world.seed, "accidents");
  const someTime = () =>
    chance.pick([chance.between(1_000, 60_000), chance.between(0, 24) * hourMs, chance.between(24, 200) * hourMs]);
  for (let i = 0; i < 2; i++)
    if (chance.happens(weather.lateFailures))
      agenda.plan(someTime(), "something fails at the acquirer", async () => failLate(world, chance));
  if (chance.happens(weather.expiries))
    agenda.plan(someTime(), "an authorization expires", async () => expire(world, chance));
  if (chance.happens(weather.disputes))
    agenda.plan(someTime(), "a customer complains", async () => dispute(world, chance));
}

function failLate({ acquirer, journal }: World, chance: Chance): void {
  const done = paymentsOf(acquirer).flatMap(({ modifications }) =>
    modifications.filter(({ kind, state }) => state === "done" && (kind === "capture" || kind === "refund")),
  );
  if (done.length === 0) return;
  const { kind, pspReference } = chance.pick(done);
  const eventCode =
    kind === "capture" ? "CAPTURE_FAILED" : chance.pick(["REFUND_FAILED", "REFUNDED_REVERSED"] as const);
  acquirer.ledger.fail(pspReference, eventCode);
  journal.note(`acquirer: ${eventCode} of ${pspReference}`);
}

/** It may be one with a capture or cancellation on its way. */
function expire({ acquirer, journal }: World, chance: Chance): void {
  const open = paymentsOf(acquirer).filter((payment) => reservedOf(payment) > 0);
  if (open.length === 0) return;
  const { pspReference } = chance.pick(open);
  acquirer.ledger.expire(pspReference);
  journal.note(`acquirer: EXPIRE of ${pspReference}`);
}

/** Some disputes have another amount or currency than the payment. Some are opened without a request before. */
function dispute({ agenda, acquirer, journal }: World, chance: Chance): void {
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
    agenda.plan(delayMs, "a dispute goes on", async () => {
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
