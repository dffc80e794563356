/** Checks each condition that keeps an attempt from being finished twice or claimed by two workers, one at a time. */
import { describe, expect, it } from "vitest";
import type { DeclineCode } from "@oriel/protocol/declines";
import { noDetails } from "@oriel/vault";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import {
  accept,
  claimAttempt,
  finish,
  scheduleNextCall,
  takeDueAttempts,
  withdrawAuthorization,
} from "../src/payments/attempts/attempt-state.ts";
import type { Row } from "../src/platform/storage/tables.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { attemptKinds, prepare } from "./setup/bank-work.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ role: "api" })); // takes no due attempts
const merchant = await newMerchant(service);

const byReference = { by: "reference" } as const;
const minuteMs = 60_000;
const inMinutes = (minutes: number) => new Date(service.context.now().getTime() + minutes * minuteMs);

const reply = (declineCode: DeclineCode | null) => ({ declineCode, details: noDetails });

/** Creates an attempt with an unknown outcome that has been due for ten minutes and isn't being checked. */
async function overdueAttempt(
  changes: Partial<Pick<Row<"attempt">, "next_call_at" | "claimed_until">> = {},
): Promise<string> {
  const work = await prepare(service, merchant, "authorize");
  await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
  await work.send();
  await clearFaults(service);
  const id = await work.attemptId();
  const overdue = { next_call_at: inMinutes(-10), claimed_until: null, ...changes };
  await service.context.db.updateTable("attempt").set(overdue).where("id", "=", id).execute();
  return id;
}

const rowOf = (id: string) =>
  service.context.db.selectFrom("attempt").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

describe("attempts", () => {
  it.each(attemptKinds)("gives an attempt to %s an ID with the matching prefix", async (kind) => {
    const work = await prepare(service, merchant, kind);
    await work.send();
    expect(await work.attemptId()).toMatch(/^att_/);
  });

  it("makes a withdrawn attempt due at once, unless it is final", async () => {
    const { db, now } = service.context;
    const id = await overdueAttempt({ next_call_at: inMinutes(10) });
    const chargeId = (await rowOf(id)).charge_id ?? "";
    const withdraw = () => db.transaction().execute((tx) => withdrawAuthorization(service.context, tx, chargeId));
    expect(await withdraw()).toBe(id);
    expect(Number((await rowOf(id)).next_call_at)).toBeLessThanOrEqual(now().getTime());
    expect((await takeDueAttempts(service.context, 100)).map((taken) => taken.id)).toContain(id);
    await db.transaction().execute((tx) => finish(tx, id, reply(null), now()));
    expect(await withdraw()).toBeUndefined();
  });

  it.each<[string, (row: Row<"attempt">) => Promise<unknown>]>([
    ["doesn't respond to", (row) => scheduleNextCall(service.context, row, byReference)],
    [
      "only accepts",
      (row) =>
        service.context.db
          .transaction()
          .execute((tx) => accept(tx, row, noDetails, byReference, service.context.now())),
    ],
  ])("keeps an attempt due that was withdrawn during a call, if the acquirer %s the call", async (_what, endCall) => {
    const { db, now } = service.context;
    const row = await rowOf(await overdueAttempt());
    await db.transaction().execute((tx) => withdrawAuthorization(service.context, tx, row.charge_id ?? ""));
    await endCall(row);
    const { withdrawn_at, next_call_at } = await rowOf(row.id);
    expect(next_call_at).toEqual(withdrawn_at);
    expect(Number(next_call_at)).toBeLessThanOrEqual(now().getTime());
  });

  it("leaves a new attempt to the process that created it, unless that process doesn't call within two seconds", async () => {
    const id = await overdueAttempt();
    const at = service.context.now();
    const { db } = service.context;
    const fresh = { calls: 0, next_call_at: at, claimed_until: new Date(at.getTime() + 2_000) };
    await db.updateTable("attempt").set(fresh).where("id", "=", id).execute();
    const takenAt = async (ms: number) => {
      const context = { ...service.context, now: () => new Date(at.getTime() + ms) };
      return (await takeDueAttempts(context, 100)).some((taken) => taken.id === id);
    };
    expect(await takenAt(1_999)).toBe(false);
    expect(await takenAt(2_000)).toBe(true);
    await db.updateTable("attempt").set(fresh).where("id", "=", id).execute();
    const readAt = (ms: number) =>
      claimAttempt({ ...service.context, now: () => new Date(at.getTime() + ms) }, id, true);
    expect(await readAt(1_999)).toEqual({ claimed: false, because: "in_progress" });
    expect(await readAt(2_000)).toMatchObject({ claimed: true });
    await db.updateTable("attempt").set(fresh).where("id", "=", id).execute();
    const claims = await Promise.all([1, 2, 3].map(() => claimAttempt(service.context, id, false)));
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
  });

  it("finishes an attempt with the first response and ignores later responses", async () => {
    const { db, now } = service.context;
    const id = await overdueAttempt();
    const end = (declineCode: "generic_decline" | null) =>
      db.transaction().execute((tx) => finish(tx, id, reply(declineCode), now()));
    expect(await end(null)).toMatchObject({ id, status: "approved", decline_code: null });
    const ended = await rowOf(id);
    expect(await end("generic_decline")).toBeUndefined();
    expect(await end(null)).toBeUndefined();
    for (const wanted of [true, false])
      expect(await claimAttempt(service.context, id, wanted)).toEqual({ claimed: false, because: "final" });
    expect(await rowOf(id)).toEqual(ended);
  });

  it.each([
    ["nobody", null],
    ["a process whose claim has just expired", 0],
  ])("checks an attempt before it is due only for a reader: claimed by %s", async (_who, minutes) => {
    const claimed_until = minutes === null ? null : inMinutes(minutes);
    const id = await overdueAttempt({ next_call_at: inMinutes(10), claimed_until });
    expect(await claimAttempt(service.context, id, false)).toEqual({ claimed: false, because: "not_due" });
    expect(await claimAttempt(service.context, id, true)).toMatchObject({ claimed: true, attempt: { id } });
  });

  it.each([
    ["its claim has expired, for a reader", true, { claimed_until: 0 }, { claimed_until: 1 }, "in_progress"],
    [
      "it is due in five seconds, because clocks differ",
      false,
      { next_call_at: 5_000 },
      { next_call_at: 5_001 },
      "not_due",
    ],
  ] as const)("checks an attempt as soon as %s", async (_when, wanted, inTime, tooEarly, because) => {
    const at = service.context.now();
    const context = { ...service.context, now: () => at };
    const moved = async (by: object) => {
      const changes = Object.entries(by).map(([column, ms]) => [column, new Date(at.getTime() + Number(ms))]);
      return await overdueAttempt(Object.fromEntries(changes) as { next_call_at?: Date });
    };
    expect(await claimAttempt(context, await moved(tooEarly), wanted)).toEqual({ claimed: false, because });
    expect(await claimAttempt(context, await moved(inTime), wanted)).toMatchObject({ claimed: true });
  });

  it("lets a reader check an attempt without a response again after one second", async () => {
    const at = service.context.now();
    const id = await overdueAttempt();
    await scheduleNextCall({ ...service.context, now: () => at }, await rowOf(id), byReference);
    expect((await rowOf(id)).claimed_until).toEqual(new Date(at.getTime() + 1_000));
  });

  it.each([
    ["and reschedules it if it is due", -10, 0, true],
    ["and leaves its schedule alone if it isn't due yet", 10, 0, false],
    ["and leaves it to another process that has claimed it", -10, 1, false],
  ])("checks an attempt without a response %s", async (_what, dueInMinutes, laterCalls, isPlanned) => {
    const id = await overdueAttempt({ next_call_at: inMinutes(dueInMinutes) });
    const row = await rowOf(id);
    await scheduleNextCall(service.context, { ...row, calls: row.calls - laterCalls }, byReference);
    const { next_call_at } = await rowOf(id);
    expect(next_call_at > row.next_call_at).toBe(isPlanned);
  });

  it("lets one process claim an overdue attempt once", async () => {
    const ids = [await overdueAttempt(), await overdueAttempt({ claimed_until: inMinutes(-1) })].sort();
    const batches = await Promise.all([takeDueAttempts(service.context, 100), takeDueAttempts(service.context, 100)]);
    const taken = batches.flat().map(({ id }) => id);
    expect(taken.filter((id) => ids.includes(id)).sort()).toEqual(ids);
  });

  it("claims the longest-overdue attempt first", async () => {
    const [less, more] = [
      await overdueAttempt({ next_call_at: inMinutes(-1e6) }),
      await overdueAttempt({ next_call_at: inMinutes(-2e6) }),
    ];
    expect(await takeDueAttempts(service.context, 1)).toMatchObject([{ id: more }]);
    expect(await takeDueAttempts(service.context, 1)).toMatchObject([{ id: less }]);
  });

  it("claims no attempt that is being checked, isn't due yet or is final", async () => {
    const busy = await overdueAttempt({ claimed_until: inMinutes(1) });
    const early = await overdueAttempt({ next_call_at: inMinutes(1) });
    const final = await overdueAttempt();
    const control = await overdueAttempt();
    const { db, now } = service.context;
    await db.transaction().execute((tx) => finish(tx, final, reply(null), now()));
    const ids = [busy, early, final];
    const before = await Promise.all(ids.map(rowOf));
    expect(before.map(({ status }) => status)).toEqual(["processing", "processing", "approved"]);
    const taken = (await takeDueAttempts(service.context, 100)).map(({ id }) => id);
    expect([...ids, control].filter((id) => taken.includes(id))).toEqual([control]);
    expect(await Promise.all(ids.map(rowOf))).toEqual(before);
  });
});
