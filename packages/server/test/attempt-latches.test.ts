/**
 * What keeps an attempt from being ended twice, and from being handed out while somebody has it: each condition by
 * itself.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  claimAttempt,
  finish,
  scheduleNextCall,
  takeOverdueAttempts,
  withdrawAuthorization,
} from "../src/payments/attempts/attempt-state.ts";
import type { Row } from "../src/platform/storage/tables.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { attemptKinds, prepare } from "./setup/bank-work.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

let service: TestService;
let merchant: Merchant;
beforeAll(async () => {
  service = await startTestService({ role: "api" }); // no job runs
  merchant = await newMerchant(service);
});
afterAll(() => service.close());

const minuteMs = 60_000;
const inMinutes = (minutes: number) => new Date(service.context.now().getTime() + minutes * minuteMs);

/** An attempt whose outcome is unknown, due for ten minutes, and nobody asks about it. */
async function overdueAttempt(
  changes: Partial<Pick<Row<"attempt">, "next_ask_at" | "asking_until">> = {},
): Promise<string> {
  const work = await prepare(service, merchant, "authorize");
  await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
  await work.send();
  await clearFaults(service);
  const id = await work.attemptId();
  const overdue = { next_ask_at: inMinutes(-10), asking_until: null, ...changes };
  await service.context.db.updateTable("attempt").set(overdue).where("id", "=", id).execute();
  return id;
}

const rowOf = (id: string) =>
  service.context.db.selectFrom("attempt").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

describe("an attempt", () => {
  it.each(attemptKinds)("to %s has an ID that says what it is", async (kind) => {
    const work = await prepare(service, merchant, kind);
    await work.send();
    expect(await work.attemptId()).toMatch(/^att_/);
  });

  it("that is withdrawn is due at once and asked about by the queue; one that is final is not", async () => {
    const { db, jobs, now } = service.context;
    const id = await overdueAttempt({ next_ask_at: inMinutes(10) });
    const chargeId = (await rowOf(id)).charge_id ?? "";
    const send = vi.spyOn(jobs, "send");
    const withdraw = () => db.transaction().execute((tx) => withdrawAuthorization(service.context, tx, chargeId));
    try {
      expect(await withdraw()).toBe(id);
      expect(send.mock.calls.map(([, ...job]) => job)).toEqual([["attempt", { attemptId: id }]]);
      expect(Number((await rowOf(id)).next_ask_at)).toBeLessThanOrEqual(now().getTime());
      await db.transaction().execute((tx) => finish(tx, id, null, now()));
      expect(await withdraw()).toBeUndefined();
      expect(send).toHaveBeenCalledTimes(1);
    } finally {
      send.mockRestore();
    }
  });

  it("is ended by the first answer: nobody asks after that, and another answer changes nothing", async () => {
    const { db, now } = service.context;
    const id = await overdueAttempt();
    const end = (declineCode: "generic_decline" | null) =>
      db.transaction().execute((tx) => finish(tx, id, declineCode, now()));
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
    ["a process whose claim has just run out", 0],
  ])("that isn't due, and was last asked about by %s, is asked about for a reader only", async (_who, minutes) => {
    const asking_until = minutes === null ? null : inMinutes(minutes);
    const id = await overdueAttempt({ next_ask_at: inMinutes(10), asking_until });
    expect(await claimAttempt(service.context, id, false)).toEqual({ claimed: false, because: "not_due" });
    expect(await claimAttempt(service.context, id, true)).toMatchObject({ claimed: true, attempt: { id } });
  });

  it.each([
    ["nobody asks about it any more, by a reader", true, { asking_until: 0 }, { asking_until: 1 }, "being_asked"],
    [
      "it's due in five seconds, by a job: clocks differ",
      false,
      { next_ask_at: 5_000 },
      { next_ask_at: 5_001 },
      "not_due",
    ],
  ] as const)("is asked about from the moment when %s", async (_when, wanted, inTime, tooEarly, because) => {
    const at = service.context.now();
    const context = { ...service.context, now: () => at };
    const moved = async (by: object) => {
      const changes = Object.entries(by).map(([column, ms]) => [column, new Date(at.getTime() + Number(ms))]);
      return await overdueAttempt(Object.fromEntries(changes) as { next_ask_at?: Date });
    };
    expect(await claimAttempt(context, await moved(tooEarly), wanted)).toEqual({ claimed: false, because });
    expect(await claimAttempt(context, await moved(inTime), wanted)).toMatchObject({ claimed: true });
  });

  it("about which no answer came is asked about again a second later, if a reader wants to know", async () => {
    const at = service.context.now();
    const id = await overdueAttempt();
    await scheduleNextCall({ ...service.context, now: () => at }, await rowOf(id));
    expect((await rowOf(id)).asking_until).toEqual(new Date(at.getTime() + 1_000));
  });

  it.each([
    ["and is due, is planned again with a job for then", -10, 0, true],
    ["and isn't due yet, keeps its plan and its job", 10, 0, false],
    ["while another process has claimed it, is left to that one", -10, 1, false],
  ])("about which no answer came %s", async (_what, dueInMinutes, askedSince, isPlanned) => {
    const { jobs } = service.context;
    const id = await overdueAttempt({ next_ask_at: inMinutes(dueInMinutes) });
    const row = await rowOf(id);
    const send = vi.spyOn(jobs, "send");
    try {
      const wait = await scheduleNextCall(service.context, { ...row, times_asked: row.times_asked - askedSince });
      const sent = send.mock.calls.map(([, ...job]) => job);
      expect(sent).toEqual(isPlanned ? [["attempt", { attemptId: id }, wait]] : []);
      const { next_ask_at } = await rowOf(id);
      expect(next_ask_at > row.next_ask_at).toBe(isPlanned);
    } finally {
      send.mockRestore();
    }
  });

  it("is handed out once, to one process, when it is overdue and nobody has it", async () => {
    const ids = [await overdueAttempt(), await overdueAttempt({ asking_until: inMinutes(-1) })].sort();
    const handedOut = await Promise.all([
      takeOverdueAttempts(service.context, 100),
      takeOverdueAttempts(service.context, 100),
    ]);
    expect(
      handedOut
        .flat()
        .filter((id) => ids.includes(id))
        .sort(),
    ).toEqual(ids);
  });

  it("is handed out before another that is overdue for less long", async () => {
    const [less, more] = [
      await overdueAttempt({ next_ask_at: inMinutes(-1e6) }),
      await overdueAttempt({ next_ask_at: inMinutes(-2e6) }),
    ];
    expect(await takeOverdueAttempts(service.context, 1)).toEqual([more]);
    expect(await takeOverdueAttempts(service.context, 1)).toEqual([less]);
  });

  it("is handed out to nobody while somebody asks, before it is due, and once it is final", async () => {
    const asked = await overdueAttempt({ asking_until: inMinutes(1) });
    const early = await overdueAttempt({ next_ask_at: inMinutes(1) });
    const final = await overdueAttempt();
    const control = await overdueAttempt();
    const { db, now } = service.context;
    await db.transaction().execute((tx) => finish(tx, final, null, now()));
    const ids = [asked, early, final];
    const before = await Promise.all(ids.map(rowOf));
    expect(before.map(({ status }) => status)).toEqual(["processing", "processing", "approved"]);
    const handedOut = await takeOverdueAttempts(service.context, 100);
    expect([...ids, control].filter((id) => handedOut.includes(id))).toEqual([control]);
    expect(await Promise.all(ids.map(rowOf))).toEqual(before);
  });
});
