/**
 * Tests who may run a request under an idempotency key and whose response is stored. Each condition is tested alone, on
 * a row where every other condition is met.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import {
  abandonKey,
  claimKey,
  keyToClaim,
  finishKey,
  deleteOldKeys,
  findKey,
  recordAttempt,
  storeResponse,
  storeOutcome,
  type KeyClaim,
} from "../src/platform/idempotency/idempotency.ts";
import { fingerprintOf } from "../src/platform/idempotency/request-fingerprint.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import type { Row } from "../src/platform/storage/tables.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { startTestService } from "./setup/test-service.ts";

const now = new Date("2026-01-01T12:00:00Z");
const service = await openForTests(startTestService({ role: "api" }));
service.context.now = () => now;

const request = fingerprintOf("POST", "/api/v1/charges", { amount: 4900 });
const otherRequest = fingerprintOf("POST", "/api/v1/charges", { amount: 4901 });
const overdue = new Date(now.getTime() - 1);
const finished = { response_status: 200, sealed_response: Buffer.from("sealed"), answered_at: now };

type Changes = Partial<Pick<Row<"idempotency_key">, "lease_until" | "attempt_id" | keyof typeof finished>>;

let keys = 0;

/** A key with a running request. */
async function runningKey(): Promise<{ key: string; claimed: KeyClaim }> {
  const key = `key-${++keys}`;
  const claimed = await claimKey(service.context, service.tenant, keyToClaim(key, request));
  if (claimed === null) throw new Error("Bug: the key was taken");
  return { key, claimed };
}

/** A key whose request was abandoned: its lease expired and nothing was written under it. */
async function abandonedKey(changes: Changes = {}): Promise<string> {
  const { key } = await runningKey();
  const row = { lease_until: overdue, ...changes };
  await service.context.db.updateTable("idempotency_key").set(row).where("key", "=", key).execute();
  return key;
}

const claim = (key: string, by = request, tenant: Tenant = service.tenant): Promise<KeyClaim | null> =>
  claimKey(service.context, tenant, keyToClaim(key, by));

describe("an abandoned key", () => {
  it.each([
    ["when its lease expired a moment ago", overdue],
    ["when its lease expires now", now],
    ["when it was released", null],
  ])(
    "is claimed %s by the first client that sends the same request, and by nobody else",
    async (_which, lease_until) => {
      const key = await abandonedKey({ lease_until });
      const claims = await Promise.all(Array.from({ length: 5 }, () => claim(key)));
      expect(claims.filter((claimed) => claimed !== null)).toHaveLength(1);
      expect(await claim(key)).toBeNull();
    },
  );

  it.each<[string, Changes]>([
    ["while its lease is valid", { lease_until: new Date(now.getTime() + 1) }],
    ["once it has a response", { ...finished, lease_until: null }],
    ["once it has a response and its lease has expired", finished],
    ["once its attempt has the response and its lease has expired", { attempt_id: "att_1" }],
    ["once its attempt has the response and it has no lease", { attempt_id: "att_1", lease_until: null }],
  ])("can't be claimed %s", async (_when, changes) => {
    const key = await abandonedKey(changes);
    const before = await rowOf(key);
    expect(await claim(key)).toBeNull();
    expect(await rowOf(key)).toEqual(before);
  });

  it("isn't claimed by a different request", async () => {
    const key = await abandonedKey();
    const before = await rowOf(key);
    expect(await claim(key, otherRequest)).toBeNull();
    expect(await rowOf(key)).toEqual(before);
    expect(await claim(key)).not.toBeNull();
  });

  it("isn't shared with another account or the other mode", async () => {
    const key = await abandonedKey();
    const before = await rowOf(key);
    const other = (await service.addTenant(false)).tenant;
    const live = { ...service.tenant, livemode: true };
    for (const tenant of [other, live]) expect(await claim(key, otherRequest, tenant)).toMatchObject({ tenant, key });
    expect(await rowOf(key)).toEqual(before);
  });
});

describe("a key with a running request", () => {
  it("makes the same request wait for ten seconds and then tells the client to retry in a second", async () => {
    const { key } = await runningKey();
    let elapsedMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => elapsedMs);
    try {
      const ended = vi.fn<() => void>();
      const waiting = findKey(service.context, service.tenant, key, request).finally(ended);
      const refusal = waiting.catch((error: unknown) => error);
      await sleep(50); // long enough for one check
      elapsedMs = 9_999;
      await sleep(250); // long enough for two more checks
      expect(ended).not.toHaveBeenCalled();
      elapsedMs = 10_000;
      expect(await refusal).toMatchObject({
        code: "idempotent_request_in_progress",
        details: { retryAfterSeconds: 1 },
      });
    } finally {
      clock.mockRestore();
    }
  });

  it("is refused for a different request, and the conflict is recorded on this account's key only", async () => {
    const { context, tenant } = service;
    const { key } = await runningKey();
    const other = (await service.addTenant(false)).tenant;
    await claim(key, request, other);
    expect(await findKey(context, tenant, key, otherRequest)).toMatchObject({ state: "taken" });
    const noted = await context.db
      .selectFrom("idempotency_key")
      .select("account_no")
      .where("key", "=", key)
      .where("differed", "is not", null)
      .execute();
    expect(noted).toEqual([{ account_no: tenant.accountNo }]);
  });
});

describe("a key with a stored response", () => {
  it("keeps that response, even if its request responds again or abandons the key", async () => {
    const { context } = service;
    const { key, claimed } = await runningKey();
    await storeResponse(context, claimed, { status: 200, body: "first" });
    const before = await rowOf(key);
    await storeResponse(context, claimed, { status: 402, body: "second" });
    await abandonKey(context, claimed);
    const late = { code: "idempotent_request_in_progress", details: { retryAfterSeconds: 1 } };
    await expect(inTransaction((tx) => recordAttempt(tx, claimed, "att_2"))).rejects.toMatchObject(late);
    const second = { status: 402, body: "second" };
    await expect(inTransaction((tx) => finishKey(context, tx, claimed, second))).rejects.toMatchObject(late);
    expect(await rowOf(key)).toEqual(before);
    expect(await findKey(context, service.tenant, key, request)).toMatchObject({
      response: { status: 200, body: "first" },
    });
  });

  it("stores a response only once and only from the attempt linked to the key", async () => {
    const { context, tenant } = service;
    const { key, claimed } = await runningKey();
    await inTransaction((tx) => recordAttempt(tx, claimed, "att_1"));
    const { accountNo: account_no, livemode } = tenant;
    const settle = (id: string, body: string) =>
      inTransaction((tx) => {
        // Includes only the columns that `storeOutcome` compares.
        const attempt = { id, account_no, livemode, idempotency_key: key } as Row<"attempt">;
        return storeOutcome(context, tx, attempt, { status: 200, body });
      });
    await settle("att_other", "another's");
    expect(await rowOf(key)).toMatchObject({ response_status: null, sealed_response: null });
    await settle("att_1", "its own");
    await settle("att_1", "its own, changed");
    expect(await findKey(context, tenant, key, request)).toMatchObject({ response: { body: "its own" } });
  });

  it("is deleted after a day, up to the limit per run", async () => {
    const { context } = service;
    const afterADay = { ...context, now: () => new Date(now.getTime() + 24 * 60 * 60_000) };
    for (let i = 0; i < 3; i++)
      await storeResponse(context, (await runningKey()).claimed, { status: 200, body: "old" });
    expect(await deleteOldKeys(afterADay, 2)).toBe(2);
    expect(await deleteOldKeys(afterADay, 100)).toBeGreaterThan(0);
    expect(await deleteOldKeys(afterADay, 100)).toBe(0);
  });

  it("isn't deleted by a process whose clock is ahead", async () => {
    const { context, tenant } = service;
    const { key, claimed } = await runningKey();
    await storeResponse(context, claimed, { status: 200, body: "kept" });
    const before = await rowOf(key);
    const clocks = [new Date(now.getTime() + 25 * 60 * 60_000), now];
    const read = await findKey({ ...context, now: () => clocks.shift() ?? now }, tenant, key, request);
    expect(read).toEqual({ state: "free" });
    expect(clocks).toEqual([]);
    expect(await rowOf(key)).toEqual(before);
    expect(await claim(key)).toBeNull();
  });
});

function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return service.context.db.transaction().execute(work);
}

async function rowOf(key: string): Promise<Row<"idempotency_key">> {
  const { accountNo, livemode } = service.tenant;
  const rows = service.context.db.selectFrom("idempotency_key").selectAll().where("key", "=", key);
  return await rows.where("account_no", "=", accountNo).where("livemode", "=", livemode).executeTakeFirstOrThrow();
}
