/**
 * Tests outcomes that arrive later in the dashboard: pending captures and refunds, reversals, and payments that a
 * member marks as failed. The acquirer is the simulator of Adyen.
 */
import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { startAdyenWorld } from "./setup/adyen-outcomes.ts";
import { cardNumbers } from "./setup/customer.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { signInToWorkspace } from "./setup/dashboard-member.ts";
import type { Json } from "./setup/test-service.ts";

const world = await openForTests(startAdyenWorld());
const workspace = await signInToWorkspace(world.service, world.merchant, "support");
afterEach(() => world.adyen.clearFaults());

const act = async (id: string, action: "capture" | "cancel" | "refund", body = {}) =>
  await workspace.post(`payments/${id}/${action}`, body, randomUUID());
const read = (id: string) => workspace.read(`payments/${id}`);

/** The attempts in the timeline, each as `capture processing, accepted`. */
function attemptsIn(payment: Json): string[] {
  const entries = payment["timeline"] as unknown as Json[]; // an array according to the contract
  return entries.flatMap(({ type, attempt }) => {
    if (!attempt) return [];
    const { status, accepted, reversal } = attempt;
    const parts = [status, accepted === null ? null : "accepted", reversal];
    return [`${String(type)} ${parts.filter((part) => part !== null).join(", ")}`];
  });
}

async function charge(capture_method: "automatic" | "manual"): Promise<string> {
  return String((await world.merchant.charge("pm_card_visa", { capture_method })).body["id"]);
}

describe("a pending operation", () => {
  it.each([
    ["capture", "succeeded", "capture"],
    ["cancel", "canceled", "cancellation"],
  ] as const)("is shown while the acquirer hasn't confirmed the %s", async (action, status, type) => {
    const id = await charge("manual");
    expect((await act(id, action)).body).toMatchObject({ status: "authorized", pending_operation: action });
    const pending = await read(id);
    expect(pending).toMatchObject({ status: "authorized", pending_operation: action, ledger: [] });
    expect(attemptsIn(pending)).toEqual(["authorization approved", `${type} processing, accepted`]);
    await world.report(id, action);
    const done = await read(id);
    expect(done).toMatchObject({ status, pending_operation: null });
    expect(attemptsIn(done)).toEqual(["authorization approved", `${type} approved, accepted`]);
  });

  it("can be a refund, which is in the ledger once it's confirmed", async () => {
    const id = await charge("automatic");
    expect((await act(id, "refund", { amount: 1900 })).body).toMatchObject({ object: "refund", status: "pending" });
    const pending = await read(id);
    expect(attemptsIn(pending)).toEqual(["authorization approved", "refund processing, accepted"]);
    expect(pending).toMatchObject({ amount_refunded: 0, ledger: [{ kind: "capture", amount: 4900 }] });
    await world.report(id, "refund");
    expect(await read(id)).toMatchObject({
      amount_refunded: 1900,
      ledger: [
        { kind: "capture", amount: 4900 },
        { kind: "refund", amount: -1900 },
      ],
    });
  });
});

const minute = 60;
const day = 24 * 60 * minute;

describe("a capture that never arrived at the acquirer", () => {
  it("can be marked as failed by a member, but not while it's being sent", async () => {
    const id = await charge("manual");
    await world.adyen.addFaults({ match: { kind: "capture" }, fault: "down" });
    expect((await act(id, "capture")).status).toBe(503);
    world.pass(day);
    await world.work();
    world.pass(-day); // the member's session would have ended
    const [item] = (await read(id))["attention"] as unknown as Json[]; // an array according to the contract
    expect(item).toMatchObject({ kind: "outcome_unknown", details: { operation: "capture", amount: 4900 } });
    const mark = () => workspace.post(`attention/${String(item?.["id"])}/resolve`, { mark_failed: true });
    expect(refusalOf(await mark())).toBe("400 parameter_invalid mark_failed");

    const { db } = world.service.context;
    await db.updateTable("attempt").set({ claimed_until: null }).where("charge_id", "=", id).execute();
    const { status, body } = await mark();
    expect(status).toBe(200);
    expect((await mark()).body).toEqual(body); // the first response was lost
    expect(await read(id)).toMatchObject({ status: "authorized", attention: [body] });
    expect(await world.events(id)).toEqual(["charge.authorized 1 authorized", "charge.capture_failed 2 authorized"]);
    expect((await workspace.audited()).at(-1)).toMatchObject({
      action: "payment.marked_failed",
      object_id: id,
      details: { kind: "outcome_unknown", operation: "capture", livemode: false },
    });
  });
});

describe("a capture that a member only resolved", () => {
  it("can't be marked as failed meanwhile, and is listed again after the next call", async () => {
    const id = await charge("manual");
    await world.adyen.addFaults({ match: { kind: "capture" }, fault: "down" });
    await act(id, "capture");
    const listed = async () => {
      world.pass(day);
      await world.work();
      world.pass(-day);
      const items = (await read(id))["attention"] as unknown as Json[]; // an array according to the contract
      return items.filter(({ resolved }) => resolved === null);
    };
    const [item] = await listed();
    const resolve = (body: object) => workspace.post(`attention/${String(item?.["id"])}/resolve`, body);
    expect((await resolve({})).status).toBe(200);
    expect(refusalOf(await resolve({ mark_failed: true }))).toBe("400 parameter_invalid mark_failed");
    const attempts = world.service.context.db.updateTable("attempt").where("charge_id", "=", id);
    await attempts.set({ next_call_at: world.service.context.now(), claimed_until: null }).execute();
    expect(await listed()).toMatchObject([{ kind: "outcome_unknown" }]);
    await world.adyen.clearFaults();
  });
});

describe("a payment that never arrived at the acquirer", () => {
  /** A day after the payment was given up. */
  async function unknownPayment(): Promise<string> {
    const checkout = await world.merchant.checkout();
    await world.adyen.addFaults({ match: { kind: "authorization" }, fault: "down" });
    await checkout.pay(cardNumbers.approved);
    await world.adyen.clearFaults();
    const id = String((await world.merchant.chargeOf(checkout))["id"]);
    world.pass(10 * minute);
    await world.work();
    await world.report(id, "reverse", "reference");
    world.pass(day);
    await world.work();
    world.pass(-day - 10 * minute); // the member's session would have ended
    return id;
  }

  it("is shown with its reversal, and a member can mark it as failed", async () => {
    const id = await unknownPayment();
    const payment = await read(id);
    expect(attemptsIn(payment)).toEqual(["authorization processing", "reversal declined, accepted, reference"]);
    const [item] = payment["attention"] as unknown as Json[]; // an array according to the contract
    expect(item).toMatchObject({ kind: "outcome_unknown", details: { operation: "authorize", amount: 4900 } });

    const { status, body } = await workspace.post(`attention/${String(item?.["id"])}/resolve`, { mark_failed: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ resolved: expect.any(Number), resolved_by: workspace.visitor.email });
    expect(await read(id)).toMatchObject({ status: "failed", attention: [body] });
    expect(await world.events(id)).toEqual(["payment_failed 1 failed"]);
    expect((await workspace.audited()).at(-1)).toMatchObject({
      action: "payment.marked_failed",
      object_id: id,
      details: { kind: "outcome_unknown", livemode: false },
    });
  });

  it("stays open if a member only resolves the item", async () => {
    const id = await unknownPayment();
    const [item] = (await read(id))["attention"] as unknown as Json[]; // an array according to the contract
    expect((await workspace.post(`attention/${String(item?.["id"])}/resolve`)).status).toBe(200);
    expect(await read(id)).toMatchObject({ status: "processing", attention: [{ resolved: expect.any(Number) }] });
    expect(await world.events(id)).toEqual([]);
  });
});
