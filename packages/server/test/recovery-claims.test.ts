/**
 * Tests which process checks an attempt with the acquirer, and when: one at a time, another when that one died, and for
 * as long as it takes.
 */
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { claimAttempt, scheduleNextCall } from "../src/payments/attempts/attempt-state.ts";
import { createClaims } from "../src/payments/attempts/claims.ts";
import { claimSeconds, renewClaimEverySeconds } from "../src/payments/attempts/deadlines.ts";
import { resumeAttempts } from "../src/payments/flow/recovery.ts";
import { runAttempt } from "../src/payments/flow/run-attempt.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { attemptKinds, prepare, type BankWork } from "./setup/bank-work.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService({ role: "api" }));
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const secondMs = 1_000;
const byReference = { by: "reference" } as const;

/** An attempt whose process died while calling the acquirer. */
async function orphan(kind: BankWork["kind"], { claimedForMs }: { claimedForMs: number }) {
  const work = await prepare(service, merchant, kind);
  await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
  await work.send();
  await clearFaults(service);
  const id = await work.attemptId();
  const { db, now } = service.context;
  const claim = { calls: 1, next_call_at: now(), claimed_until: new Date(now().getTime() + claimedForMs) };
  await db.updateTable("attempt").set(claim).where("id", "=", id).execute();
  const status = async () =>
    (await db.selectFrom("attempt").select("status").where("id", "=", id).executeTakeFirstOrThrow()).status;
  const settled = () =>
    until(`${kind} to be settled`, async () => ((await status()) === "processing" ? null : status()));
  return { work, id, status, settled };
}

describe.each(attemptKinds)("an attempt to %s that a process is working on", (kind) => {
  it("is left alone by other processes until the claim expires, and then any of them may take it", async () => {
    const { work, id, status } = await orphan(kind, { claimedForMs: 20 * secondMs });
    for (const wanted of [true, false]) {
      expect(await runAttempt(service.context, id, { wanted })).toEqual({
        state: "skipped",
        claim: { claimed: false, because: "in_progress" },
      });
    }
    await work.send();
    expect(await status()).toBe("processing");
    expect(await work.booked()).toEqual([]);

    service.moveClock(20 * secondMs);
    expect(await runAttempt(service.context, id)).toMatchObject({
      state: "settled",
      response: kind === "verify" ? null : { status: 200 },
    });
    expect(await status()).toBe("approved");
    expect(await work.booked()).toEqual(["approved 1"]);
    expect(await work.events()).toEqual(work.expected.events);
    expect(await runAttempt(service.context, id, { wanted: true })).toEqual({
      state: "skipped",
      claim: { claimed: false, because: "final" },
    });
  });

  it("is taken over by the same request, sent again, when its process died", async () => {
    const { work } = await orphan(kind, { claimedForMs: -1 });
    const response = await until("the response", async () => {
      const sent = await work.send();
      if (kind === "verify") await sweepAfter(20 * secondMs);
      const isKnown =
        kind === "verify" ? String(sent.body["payment"]?.["status"]) !== "processing" : sent.status !== 503;
      return isKnown ? sent : null;
    });
    expect(response.status).toBe(work.expected.status);
    expect(await work.state()).toBe(work.expected.state);
    expect(await work.booked()).toEqual(["approved 1"]);
  });

  it("is taken over by a worker that sweeps when no client sends the request again", async () => {
    const { work, status, settled } = await orphan(kind, { claimedForMs: 10 * secondMs });
    await resumeAttempts(service.context);
    expect(await status()).toBe("processing");
    await sweepAfter(20 * secondMs);
    expect(await settled()).toBe("approved");
    expect(await work.booked()).toEqual(["approved 1"]);
    expect(await work.events()).toEqual(work.expected.events);
  });

  async function sweepAfter(ms: number): Promise<void> {
    service.moveClock(ms);
    await resumeAttempts(service.context);
  }
});

describe("a run in the background", () => {
  it("leaves an attempt that is being worked on to that process until its claim expires", async () => {
    const { work, id, settled } = await orphan("refund", { claimedForMs: 2 * secondMs });
    expect(await runAttempt(service.context, id)).toMatchObject({
      state: "skipped",
      claim: { because: "in_progress" },
    });
    await resumeAttempts(service.context);
    expect(await work.booked()).toEqual([]);
    service.moveClock(2 * secondMs);
    await resumeAttempts(service.context);
    expect(await settled()).toBe("approved");
    expect(await work.booked()).toEqual(["approved 1"]);
  });

  it("does nothing for an attempt that is final or not due", async () => {
    const { work, id } = await orphan("capture", { claimedForMs: -1 });
    const due = new Date(service.context.now().getTime() + 60 * secondMs);
    await service.context.db.updateTable("attempt").set({ next_call_at: due }).where("id", "=", id).execute();
    await resumeAttempts(service.context);
    await runAttempt(service.context, id);
    expect(await work.booked()).toEqual([]);
    await runAttempt(service.context, id, { wanted: true });
    await resumeAttempts(service.context);
    await runAttempt(service.context, id);
    expect(await work.booked()).toEqual(["approved 1"]);
  });

  it("continues with the other attempts when one of them fails, and repeats that one", async () => {
    const [one, other] = [await orphan("refund", { claimedForMs: -1 }), await orphan("refund", { claimedForMs: -1 })];
    const lookup = vi.spyOn(service.context.vault.test, "lookup").mockRejectedValueOnce(new Error("A bug"));
    try {
      await resumeAttempts(service.context);
      expect([await one.status(), await other.status()].sort()).toEqual(["approved", "processing"]);
      service.moveClock(claimSeconds * secondMs);
      await resumeAttempts(service.context);
      expect([await one.status(), await other.status()]).toEqual(["approved", "approved"]);
    } finally {
      lookup.mockRestore();
    }
  });
});

describe("a check", () => {
  it("belongs to one process, however many claim it at the same moment", async () => {
    const { id } = await orphan("cancel", { claimedForMs: -1 });
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) => claimAttempt(service.context, id, i % 2 === 0)),
    );
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
    for (const claim of claims.filter(({ claimed }) => !claimed))
      expect(claim).toMatchObject({ because: "in_progress" });
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [4, 2],
    [5, 5],
    [12, 10],
    [20, 20],
    [60, 20],
    [299, 20],
    [300, 300],
    [3_599, 300],
    [3_600, 3_600],
    [86_399, 3_600],
    [86_400, 86_400],
    [30 * 86_400, 86_400],
  ])(
    "without a response, %i seconds after the attempt started, is repeated %i seconds later",
    async (openSeconds, pause) => {
      const { id } = await orphan("authorize", { claimedForMs: -1 });
      const now = service.context.now();
      const created_at = new Date(now.getTime() - openSeconds * secondMs);
      const attempts = service.context.db
        .updateTable("attempt")
        .set({ created_at, next_call_at: created_at })
        .where("id", "=", id);
      const attempt = await attempts.returningAll().executeTakeFirstOrThrow();
      expect(await scheduleNextCall({ ...service.context, now: () => now }, attempt, byReference)).toBe(pause);
    },
  );

  it("leaves the schedule as it was if a reader started it early", async () => {
    const { id } = await orphan("authorize", { claimedForMs: -1 });
    const now = service.context.now();
    const next_call_at = new Date(now.getTime() + 40 * secondMs);
    const attempts = service.context.db.updateTable("attempt").set({ next_call_at, calls: 9 }).where("id", "=", id);
    const attempt = await attempts.returningAll().executeTakeFirstOrThrow();
    expect(await scheduleNextCall({ ...service.context, now: () => now }, attempt, byReference)).toBe(40);
    const after = await service.context.db
      .selectFrom("attempt")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(after.next_call_at).toEqual(next_call_at);
  });

  it("neither extends nor ends another process's claim after its own expired", async () => {
    const { id } = await orphan("refund", { claimedForMs: -1 });
    const { db, log, now } = service.context;
    const due = new Date(now().getTime() + 60 * secondMs);
    const claim = async () => {
      await db.updateTable("attempt").set({ next_call_at: due, claimed_until: null }).where("id", "=", id).execute();
      const claim = await claimAttempt(service.context, id, true);
      if (!claim.claimed) throw new Error(`Not claimed: ${claim.because}`);
      return claim.attempt;
    };
    const row = () => db.selectFrom("attempt").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const [slow, second] = [await claim(), await claim()];

    const later = { db, nodes: service.context.nodes, log, now: () => new Date(now().getTime() + 30 * secondMs) };
    const { hold } = createClaims(later);
    const releaseSlow = hold(slow);
    await setTimeout(2.5 * renewClaimEverySeconds * secondMs);
    await scheduleNextCall(service.context, slow, byReference);
    expect(await row()).toEqual(second);
    releaseSlow();

    const giveBack = hold(second);
    await until(
      "the renewal",
      async () => ((await row()).claimed_until?.getTime() ?? 0) > due.getTime() - 30 * secondMs || null,
    );
    giveBack();
    await scheduleNextCall(service.context, second, byReference);
    expect((await row()).claimed_until?.getTime()).toBeLessThan(due.getTime() - 30 * secondMs);
  });

  it("isn't scheduled for a finished attempt", async () => {
    const work = await prepare(service, merchant, "authorize");
    await work.send();
    const id = await work.attemptId();
    const before = await service.context.db
      .selectFrom("attempt")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await scheduleNextCall(service.context, before, byReference);
    const after = await service.context.db
      .selectFrom("attempt")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(after).toEqual(before);
  });
});

describe("an attempt whose card was erased before it reached the acquirer", () => {
  it("is declined, and no money can move under its ID", async () => {
    const checkout = await merchant.checkout();
    await addFaults(
      service,
      { match: { kind: "authorization" }, fault: "down" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    await checkout.pay(await checkout.encrypt("4242424242424242"));
    const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(charge).toMatchObject({ status: "processing" });
    await service.context.vault.erase([String(charge?.["payment_method_id"])]);
    await clearFaults(service);
    const failed = await until("the charge to end", async () => {
      const read = await merchant.read(`charges/${charge?.["id"]}`);
      return String(read["status"]) === "processing" ? null : read;
    });
    expect(failed).toMatchObject({ status: "failed", failure: { decline_code: "processing_error" } });
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 4 });
  });
});
