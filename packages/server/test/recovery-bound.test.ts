/**
 * Tests how long an outcome can stay unknown, as `payments/attempts/deadlines.ts` promises, second by second on the
 * test's clock. No worker runs here.
 */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { claimAttempt, takeDueAttempts } from "../src/payments/attempts/attempt-state.ts";
import {
  claimSeconds,
  longestPauseSeconds,
  recoverEverySeconds,
  pausesSeconds,
  promisedSeconds,
  callSeconds,
  renewClaimEverySeconds,
} from "../src/payments/attempts/deadlines.ts";
import { resumeAttempts } from "../src/payments/flow/recovery.ts";
import { runAttempt } from "../src/payments/flow/run-attempt.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { prepare } from "./setup/bank-work.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ role: "api" }));
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const secondMs = 1_000;
const downFor = (kind?: "lookup") => ({ ...(kind && { match: { kind } }), fault: "down" as const });

/** An attempt of unknown outcome that has no response from the acquirer. */
async function openAttempt(): Promise<{ id: string; status: () => Promise<string> }> {
  const work = await prepare(service, merchant, "authorize");
  await addFaults(service, downFor(), downFor("lookup"));
  await work.send();
  const id = await work.attemptId();
  const { db } = service.context;
  const status = async () =>
    (await db.selectFrom("attempt").select("status").where("id", "=", id).executeTakeFirstOrThrow()).status;
  return { id, status };
}

/** Moves the clock in steps until something is true. @returns the seconds it took */
async function secondsUntil(condition: () => Promise<boolean>, maxSeconds: number): Promise<number> {
  let seconds = 0;
  while (!(await condition())) {
    if (seconds > maxSeconds) throw new Error(`Not within ${maxSeconds} s`);
    service.moveClock(recoverEverySeconds * secondMs);
    seconds += recoverEverySeconds;
  }
  return seconds;
}

describe("the promised time", () => {
  it("is a minute, and no shorter than the delays that the constants add up to", () => {
    expect(promisedSeconds).toBe(60);
    const afterDeath = claimSeconds + recoverEverySeconds;
    const afterSilence = callSeconds + longestPauseSeconds + recoverEverySeconds;
    expect(afterSilence).toBeLessThanOrEqual(promisedSeconds);
    expect(afterDeath * 9).toBeLessThanOrEqual(promisedSeconds);
    expect(renewClaimEverySeconds * 3).toBeLessThan(claimSeconds);
    expect(Math.max(...pausesSeconds.filter((seconds) => seconds < 5 * 60))).toBe(longestPauseSeconds);
  });
});

describe("an attempt whose processes die one after another", () => {
  it("is taken over within a claim and a sweep after each death, and is resolved within the promised time after nine deaths", async () => {
    const { id, status } = await openAttempt();
    await clearFaults(service);
    service.moveClock(promisedSeconds * secondMs);
    const took: number[] = [];
    expect(await claimAttempt(service.context, id, false)).toMatchObject({ claimed: true }); // and isn't renewed
    for (let deaths = 0; deaths < 9; deaths++) {
      took.push(
        await secondsUntil(
          async () => (await takeDueAttempts(service.context, 100)).some((taken) => taken.id === id),
          promisedSeconds,
        ),
      );
    }
    expect(took).toHaveLength(9);
    expect(Math.max(...took)).toBeLessThanOrEqual(claimSeconds + recoverEverySeconds);
    expect(took.reduce((sum, seconds) => sum + seconds)).toBeLessThanOrEqual(promisedSeconds);
    service.moveClock(claimSeconds * secondMs);
    expect(await runAttempt(service.context, id)).toMatchObject({ state: "settled" });
    expect(await status()).toBe("approved");
  });
});

describe("an attempt whose acquirer was silent", () => {
  it.each([1, 10, 45, 100, 299])(
    "is resolved within the promised time after %i seconds of silence",
    async (silence) => {
      const { status } = await openAttempt();
      const check = async () => {
        await resumeAttempts(service.context);
        return (await status()) !== "processing";
      };
      // On a slow database, the checks take seconds themselves.
      const end = service.context.now().getTime() + silence * secondMs;
      for (let left = silence * secondMs; left > 0; left = end - service.context.now().getTime()) {
        service.moveClock(Math.min(secondMs, left));
        await check();
      }
      expect(await status()).toBe("processing");
      await clearFaults(service);
      // The acquirer refuses connections at once here, so no check waits for its 30-second timeout.
      expect(await secondsUntil(check, promisedSeconds)).toBeLessThanOrEqual(promisedSeconds - callSeconds);
      expect(await status()).toBe("approved");
    },
  );
});

describe("a claim", () => {
  it("is renewed for as long as the acquirer takes, so no other process checks, and expires when its process stops renewing it", async () => {
    const { id } = await openAttempt();
    await clearFaults(service);
    const { db, now } = service.context;
    // The acquirer has no record of it, so it is sent again, and that takes longer than a claim.
    await addFaults(service, { match: { kind: "authorization" }, fault: "late", ms: (claimSeconds + 2) * secondMs });
    service.moveClock(promisedSeconds * secondMs);
    const running = runAttempt(service.context, id);
    const claims: (Date | null)[] = [];
    for (let seconds = 0; seconds <= claimSeconds; seconds++) {
      await new Promise((resolve) => setTimeout(resolve, secondMs));
      expect(await claimAttempt(service.context, id, true)).toEqual({ claimed: false, because: "in_progress" });
      expect((await takeDueAttempts(service.context, 100)).map((taken) => taken.id)).not.toContain(id);
      const row = db.selectFrom("attempt").select("claimed_until").where("id", "=", id);
      claims.push((await row.executeTakeFirstOrThrow()).claimed_until);
    }
    expect(new Set(claims.map(String)).size).toBeGreaterThan(2);
    for (const until of claims) expect(until?.getTime()).toBeLessThanOrEqual(now().getTime() + claimSeconds * secondMs);
    expect(await running).toMatchObject({ state: "settled" });
  });

  it("isn't renewed for a check to which the acquirer responds at once", async () => {
    const work = await prepare(service, merchant, "authorize");
    const { claims } = service.context;
    const held: string[] = [];
    service.context.claims = {
      hold(attempt) {
        held.push(attempt.id);
        return claims.hold(attempt);
      },
    };
    try {
      await work.send();
    } finally {
      service.context.claims = claims;
    }
    expect(held).toEqual([await work.attemptId()]);
    const attempt = service.context.db
      .selectFrom("attempt")
      .selectAll()
      .where("id", "=", await work.attemptId());
    expect(await attempt.executeTakeFirstOrThrow()).toMatchObject({
      status: "approved",
      claimed_until: null,
      calls: 1,
    });
  });
});
