/** What keeps an attempt from being ended twice, and from being handed out while somebody has it: each condition by itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimQuestion, finish, takeOverdueAttempts } from "../src/attempts/attempt-state.ts";
import type { Row } from "../src/storage/tables.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { prepare } from "./setup/bank-work.ts";
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
async function overdueAttempt(changes: Partial<Pick<Row<"attempt">, "next_ask_at" | "asking_until">> = {}): Promise<string> {
  const work = await prepare(service, merchant, "authorize");
  await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
  await work.send();
  await clearFaults(service);
  const id = await work.attemptId();
  const overdue = { next_ask_at: inMinutes(-10), asking_until: null, ...changes };
  await service.context.db.updateTable("attempt").set(overdue).where("id", "=", id).execute();
  return id;
}

const rowOf = (id: string) => service.context.db.selectFrom("attempt").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

describe("an attempt", () => {
  it("is ended by the first answer: nobody asks after that, and another answer changes nothing", async () => {
    const { db, now } = service.context;
    const id = await overdueAttempt();
    const end = (declineCode: "generic_decline" | null) => db.transaction().execute((tx) => finish(tx, id, declineCode, now()));
    expect(await end(null)).toMatchObject({ id, status: "approved", decline_code: null });
    const ended = await rowOf(id);
    expect(await end("generic_decline")).toBeUndefined();
    expect(await end(null)).toBeUndefined();
    for (const wanted of [true, false])
      expect(await claimQuestion(service.context, id, wanted)).toEqual({ claimed: false, because: "final" });
    expect(await rowOf(id)).toEqual(ended);
  });

  it("is handed out once, to one process, when it is overdue and nobody has it", async () => {
    const ids = [await overdueAttempt(), await overdueAttempt({ asking_until: inMinutes(-1) })].sort();
    const handedOut = await Promise.all([takeOverdueAttempts(service.context, 100), takeOverdueAttempts(service.context, 100)]);
    expect(
      handedOut
        .flat()
        .filter((id) => ids.includes(id))
        .sort(),
    ).toEqual(ids);
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
