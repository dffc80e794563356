/** Tests the metrics of payments at an acquirer that reports outcomes later. */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { raiseAttention } from "../src/payments/attention/raise-attention.ts";
import { createDatabaseGauges } from "../src/telemetry/database-gauges.ts";
import { startAdyenWorld } from "./setup/adyen-outcomes.ts";
import { cardNumbers } from "./setup/customer.ts";

const world = await openForTests(startAdyenWorld());
afterEach(() => world.adyen.clearFaults());

/** A metric's sample in test mode, 0 if there's none. Reads the database again. */
async function sample(name: string, labels = ""): Promise<number> {
  const { telemetry } = world.service.context;
  await createDatabaseGauges(telemetry.metrics.database, world.service.context)();
  const text = await telemetry.metrics.registry.metrics();
  const line = text.split("\n").find((one) => one.startsWith(`${name}{mode="test"${labels}}`));
  return Number(line?.split(" ")[1] ?? 0);
}

describe("a capture that the acquirer has accepted", () => {
  it("is counted as such until its outcome is reported, and isn't unknown however long that takes", async () => {
    const { merchant } = world;
    const checkout = await merchant.checkout({ capture_method: "manual" });
    await checkout.pay(cardNumbers.approved);
    const id = String((await merchant.chargeOf(checkout))["id"]);
    await merchant.capture(id);
    world.pass(24 * 3600);
    expect(await sample("oriel_attempts_accepted")).toBe(1);
    expect(await sample("oriel_attempts_unknown")).toBe(0);
    expect(await sample("oriel_attempts_unknown_oldest_age_seconds")).toBe(0);
    await world.report(id, "capture");
    expect(await sample("oriel_attempts_accepted")).toBe(0);
  });
});

describe("what needs attention", () => {
  it("is counted until it's resolved", async () => {
    const { db, now } = world.service.context;
    const concern = { kind: "unexpected_notification", subject: "n-1", chargeId: null, attemptId: null } as const;
    await db
      .transaction()
      .execute((tx) => raiseAttention(world.service.context, tx, world.merchant.tenant, { ...concern, details: {} }));
    expect(await sample("oriel_attention_open")).toBe(1);
    await db.updateTable("attention").set({ resolved_at: now() }).execute();
    expect(await sample("oriel_attention_open")).toBe(0);
  });
});

describe("a charge that fails because it was reversed", () => {
  it("is counted as declined, with the time since its authorization began", async () => {
    const { merchant, adyen } = world;
    const checkout = await merchant.checkout({ capture_method: "manual" });
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after" });
    await checkout.pay(cardNumbers.approved);
    await adyen.clearFaults();
    const id = String((await merchant.chargeOf(checkout))["id"]);
    const counted = async (of: string) => await sample(`oriel_charge_duration_seconds_${of}`, ',outcome="declined"');
    const [count, seconds] = [await counted("count"), await counted("sum")];
    world.pass(600);
    await world.work(); // gives up
    await world.work(); // sends the reversal
    expect(await world.charge(id)).toMatchObject({ status: "processing" });
    await world.report(id, "reverse", "reference");
    expect(await world.charge(id)).toMatchObject({ status: "failed" });
    expect((await counted("count")) - count).toBe(1);
    expect((await counted("sum")) - seconds).toBeGreaterThanOrEqual(600);
  });
});
