/** Who may run under an idempotency key: each condition of `claimKey` by itself, on a row in which every other condition holds. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimKey, type KeyClaim } from "../src/idempotency/idempotency.ts";
import { fingerprintOf } from "../src/idempotency/request-fingerprint.ts";
import type { Row } from "../src/storage/tables.ts";
import type { Tenant } from "../src/tenant.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

let service: TestService;
const now = new Date("2026-01-01T12:00:00Z");
beforeAll(async () => {
  service = await startTestService({ role: "api" });
  service.context.now = () => now;
});
afterAll(() => service.close());

const request = fingerprintOf("POST", "/api/v1/charges", { amount: 4900 });
const otherRequest = fingerprintOf("POST", "/api/v1/charges", { amount: 4901 });
const overdue = new Date(now.getTime() - 1);
const answered = { response_status: 200, sealed_response: Buffer.from("sealed"), answered_at: now };

type Changes = Partial<Pick<Row<"idempotency_key">, "lease_until" | "attempt_id" | keyof typeof answered>>;

let keys = 0;

/** A key whose request was given up: its lease is over, and nothing was written under it. */
async function abandonedKey(changes: Changes = {}): Promise<string> {
  const { context, tenant } = service;
  const key = `key-${++keys}`;
  if ((await claimKey(context, tenant, key, request)) === null) throw new Error("Bug: the key was not free");
  const row = { lease_until: overdue, ...changes };
  await context.db.updateTable("idempotency_key").set(row).where("key", "=", key).execute();
  return key;
}

const claim = (key: string, by = request, tenant: Tenant = service.tenant): Promise<KeyClaim | null> =>
  claimKey(service.context, tenant, key, by);

describe("a key that was given up", () => {
  it.each([
    ["whose lease ended a moment ago", overdue],
    ["whose lease ends now", now],
    ["that was let go of", null],
  ])("%s goes to the first who sends the same request, and to nobody else", async (_which, lease_until) => {
    const key = await abandonedKey({ lease_until });
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim(key)));
    expect(claims.filter((claimed) => claimed !== null)).toHaveLength(1);
    expect(await claim(key)).toBeNull();
  });

  it.each<[string, Changes]>([
    ["while its lease lasts", { lease_until: new Date(now.getTime() + 1) }],
    ["once it has an answer", { ...answered, lease_until: null }],
    ["once it has an answer, after the lease", answered],
    ["once its attempt has the answer, after the lease", { attempt_id: "att_1" }],
    ["once its attempt has the answer, without a lease", { attempt_id: "att_1", lease_until: null }],
  ])("goes to nobody %s", async (_when, changes) => {
    const key = await abandonedKey(changes);
    const before = await rowOf(key);
    expect(await claim(key)).toBeNull();
    expect(await rowOf(key)).toEqual(before);
  });

  it("does not go to another request", async () => {
    const key = await abandonedKey();
    const before = await rowOf(key);
    expect(await claim(key, otherRequest)).toBeNull();
    expect(await rowOf(key)).toEqual(before);
    expect(await claim(key)).not.toBeNull();
  });

  it("is not the same key in another account, nor in the other mode", async () => {
    const key = await abandonedKey();
    const before = await rowOf(key);
    const other = (await service.addTenant(false)).tenant;
    const live = { ...service.tenant, livemode: true };
    for (const tenant of [other, live]) expect(await claim(key, otherRequest, tenant)).toMatchObject({ tenant, key });
    expect(await rowOf(key)).toEqual(before);
  });
});

async function rowOf(key: string): Promise<Row<"idempotency_key">> {
  const { accountId, livemode } = service.tenant;
  const rows = service.context.db.selectFrom("idempotency_key").selectAll().where("key", "=", key);
  return await rows.where("account_id", "=", accountId).where("livemode", "=", livemode).executeTakeFirstOrThrow();
}
