/** Tests secret keys: their scopes, their expiry and their audit entries. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Overlap } from "@oriel/protocol/api";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createAccount, setAccountStatus, type Account } from "../src/merchants/accounts/accounts.ts";
import {
  createApiKey,
  findApiKey,
  listApiKeys,
  findApiKeyBySecret,
  ownerOfApiKey,
  revokeApiKey,
  rollApiKey,
  stateOf,
} from "../src/merchants/accounts/api-keys.ts";
import { newSecretKey } from "../src/merchants/accounts/key-format.ts";
import type { Scope } from "../src/merchants/accounts/scopes.ts";
import type { Db } from "../src/platform/storage/database.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid, type Refusal } from "./setup/expect-error.ts";
import { startTestService, type ApiResponse, type Method, type TestService } from "./setup/test-service.ts";
import { startTwoProcesses, type TwoProcesses } from "./setup/two-processes.ts";
import { until } from "./setup/until.ts";

const hourMs = 3_600_000;
const order = { amount: 4900, currency: "eur" };
const badKey: Refusal = { status: 401, type: "authentication_error", code: "api_key_invalid" };
const wrongScope: Refusal = { status: 401, type: "authentication_error", code: "insufficient_scope" };
const suspended: Refusal = { status: 401, type: "authentication_error", code: "account_suspended" };
const actor = "cli test";

const service = await openForTests(startTestService());

const call = (
  key: string,
  method: Method,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> => service.call(method, path, body, { ...headers, authorization: `Bearer ${key}` });
const read = (key: string) => call(key, "GET", "/api/v1/charges");
const newAccount = () => createAccount(service.context.db, "Test Shop", service.context.now());
const newKey = ({ accountNo }: Account, more: { scope?: Scope; name?: string } = {}) =>
  createApiKey(service.context.db, { accountNo, livemode: false }, service.context.now(), { ...more, actor });
/** Rolls a key by its ID, as an operator does. */
const roll = async (db: Db, id: string, overlap: Overlap, now: Date, by: string) =>
  await rollApiKey(db, ownerOfApiKey(id), id, overlap, now, by);
const revoke = async (db: Db, id: string, now: Date, by: string) =>
  await revokeApiKey(db, ownerOfApiKey(id), id, now, by);

describe("an account's keys", () => {
  it("are independent and named, and revoking one leaves the others working", async () => {
    const account = await newAccount();
    const [first, second] = [
      await newKey(account, { name: "Web shop" }),
      await newKey(account, { name: "Back office" }),
    ];
    for (const { secretKey } of [first, second]) expect((await read(secretKey)).status).toBe(200);

    await revoke(service.context.db, first.id, service.context.now(), actor);
    expectError(await read(first.secretKey), badKey);
    expect((await read(second.secretKey)).status).toBe(200);
    expect(await listApiKeys(service.context.db, account.accountNo)).toMatchObject([
      { id: first.id, name: "Web shop", scope: "full", revoked_at: expect.any(Date), last_used_at: expect.any(Date) },
      { id: second.id, name: "Back office", scope: "full", revoked_at: null, last4: second.secretKey.slice(-4) },
    ]);
  });

  it.each<[Overlap, number]>([
    ["1h", hourMs],
    ["24h", 24 * hourMs],
    ["7d", 7 * 24 * hourMs],
  ])("both work for %s after a roll, and then only the new one does", async (overlap, lengthMs) => {
    const account = await newAccount();
    const old = await newKey(account, { name: "Web shop", scope: "read" });
    const rolledAt = service.context.now();
    const rolled = await roll(service.context.db, old.id, overlap, rolledAt, actor);
    const tenant = { accountNo: account.accountNo, livemode: false };
    const stored = await findApiKey(service.context.db, tenant, old.id);
    const stateAfter = (ms: number) => stateOf(stored, new Date(rolledAt.getTime() + ms));
    expect([stateAfter(lengthMs - 1), stateAfter(lengthMs)]).toEqual(["valid", "expired"]);
    service.moveClock(lengthMs - 60_000);
    for (const { secretKey } of [old, rolled]) expect((await read(secretKey)).status).toBe(200);
    service.moveClock(60_000);
    expectError(await read(old.secretKey), badKey);
    expect((await read(rolled.secretKey)).status).toBe(200);
    // The new key has the old key's name and scope.
    expectError(await call(rolled.secretKey, "POST", "/api/v1/checkout_sessions", order), wrongScope);
  });

  it("are replaced at once without an overlap", async () => {
    const old = await newKey(await newAccount());
    const rolled = await roll(service.context.db, old.id, "now", service.context.now(), actor);
    expectError(await read(old.secretKey), badKey);
    expect((await read(rolled.secretKey)).status).toBe(200);
  });

  it("keep their expiry when they are rolled again, and an expired one can't be rolled", async () => {
    const { db, now } = service.context;
    const old = await newKey(await newAccount());
    await roll(db, old.id, "1h", now(), actor);
    await roll(db, old.id, "7d", now(), actor);
    service.moveClock(hourMs);
    expectError(await read(old.secretKey), badKey);
    await expect(roll(db, old.id, "1h", now(), actor)).rejects.toThrow(/is expired.*oriel-server key create/);
    await revoke(db, old.id, now(), actor);
    await expect(roll(db, old.id, "1h", now(), actor)).rejects.toThrow(/is revoked/);
    await expect(roll(db, "key_none", "1h", now(), actor)).rejects.toThrow(/There is no key/);
  });

  it("are rolled only once, even by concurrent requests", async () => {
    const { db, now } = service.context;
    const account = await newAccount();
    const { id } = await newKey(account);
    const rolls = await Promise.allSettled(Array.from({ length: 5 }, () => roll(db, id, "now", now(), actor)));
    expect(rolls.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await listApiKeys(db, account.accountNo)).toHaveLength(2);
  });

  it("aren't affected when another key is rolled or revoked", async () => {
    const { db, now } = service.context;
    const account = await newAccount();
    const [unchanged, rolled, revoked] = [await newKey(account), await newKey(account), await newKey(account)];
    // Keys of the same millisecond have no order.
    const byId = async () => new Map((await listApiKeys(db, account.accountNo)).map((key) => [key.id, key]));
    const before = await byId();
    await roll(db, rolled.id, "1h", now(), actor);
    await revoke(db, revoked.id, now(), actor);
    const after = await byId();
    expect(after.size).toBe(4);
    expect(after.get(unchanged.id)).toEqual(before.get(unchanged.id));
    expect(after.get(rolled.id)).toMatchObject({ expires_at: expect.any(Date), revoked_at: null });
    expect(after.get(revoked.id)).toMatchObject({ expires_at: null, revoked_at: expect.any(Date) });
    expect((await read(unchanged.secretKey)).status).toBe(200);
  });

  it("are named `Secret key` and have full scope by default, and the audit log says that the service created them", async () => {
    const { db, now } = service.context;
    const { accountNo, id: accountId } = await newAccount();
    const { id } = await createApiKey(db, { accountNo, livemode: false }, now());
    expect(await listApiKeys(db, accountNo)).toMatchObject([{ id, name: "Secret key", scope: "full" }]);
    const audited = db.selectFrom("audit_log").select(["actor", "action"]).where("account_id", "=", accountId);
    expect(await audited.where("object_id", "=", id).execute()).toEqual([
      { actor: "service", action: "api_key.created" },
    ]);
  });

  it("can't be read, rolled or revoked in the other mode or for another account", async () => {
    const { db, now } = service.context;
    const account = await newAccount();
    const { accountNo } = account;
    const { id } = await newKey(account);
    for (const tenant of [{ accountNo, livemode: true }, service.tenant]) {
      await expect(findApiKey(db, tenant, id)).rejects.toThrow(/There is no key/);
      await expect(rollApiKey(db, tenant, id, "now", now(), actor)).rejects.toThrow(/There is no key/);
      await expect(revokeApiKey(db, tenant, id, now(), actor)).rejects.toThrow(/There is no key/);
    }
    expect(await findApiKey(db, { accountNo, livemode: false }, id)).toMatchObject({ id, revoked_at: null });
  });

  it("are listed for both modes, oldest first, up to a thousand", async () => {
    const { db, now } = service.context;
    const { accountNo, id: accountId } = await newAccount();
    const ids: string[] = [];
    await db.updateTable("account").set({ live_approved_at: now() }).where("id", "=", accountId).execute();
    // Created newest first and read without an index, the rows are in order only if the query sorts them.
    for (const [n, livemode] of [false, true, false].entries()) {
      const createdAt = new Date(now().getTime() - 1000 * n);
      ids.unshift((await createApiKey(db, { accountNo, livemode }, createdAt)).id);
    }
    await revoke(db, ids[0] ?? "", now(), actor);
    const listed = await db.transaction().execute(async (tx) => {
      await sql`set local enable_indexscan = off`.execute(tx);
      return await listApiKeys(tx, accountNo);
    });
    expect(listed.map(({ id }) => id)).toEqual(ids);
    await sql`insert into api_key (account_no, livemode, id, name, scope, hash, last4, created_at)
      select ${accountNo}, false, 'key_' || n, 'Secret key', 'full', sha256(n::text::bytea), '0000', now()
      from generate_series(1, 998) n`.execute(db);
    expect(await listApiKeys(db, accountNo)).toHaveLength(1000);
  });
});

describe("the last use of a key", () => {
  const minute = Date.UTC(2050, 0, 1, 12);

  it("is recorded once a minute, even if several requests come at the same time", async () => {
    const { db, nodes } = service.context;
    const account = await newAccount();
    const [used, unused] = [await newKey(account), await newKey(account)];
    let writes: Promise<unknown>[] = [];
    const inBackground = (_what: string, work: Promise<unknown>) => void writes.push(work);
    /** Uses the key once for each number of seconds, all at the same time. */
    const useAt = async (...seconds: number[]) => {
      writes = [];
      await Promise.all(
        seconds.map((second) =>
          findApiKeyBySecret({ db, nodes, now: () => new Date(minute + second * 1000), inBackground }, used.secretKey),
        ),
      );
      await Promise.all(writes);
      const times = db.selectFrom("api_key").select(["first_used_at", "last_used_at"]).where("id", "=", used.id);
      return { attempts: writes.length, ...(await times.executeTakeFirstOrThrow()) };
    };

    const { first_used_at, last_used_at } = await useAt(0, 0.001, 0.002);
    expect(last_used_at).toEqual(first_used_at); // whichever came first
    const next = { first_used_at, last_used_at: new Date(minute + 60_000) };
    expect(await useAt(60)).toEqual({ attempts: 1, ...next });
    expect(await useAt(119.999)).toEqual({ attempts: 0, ...next });
    expect(await findApiKey(db, { accountNo: account.accountNo, livemode: false }, unused.id)).toMatchObject({
      last_used_at: null,
    });
  });

  it("doesn't fail the request if it can't be stored, and the error is logged", async () => {
    const { db } = service.context;
    const { id, secretKey } = await newKey(await newAccount());
    await sql
      .raw(`alter table api_key add constraint unused check (id <> '${id}' or last_used_at is null)`)
      .execute(db);
    try {
      expect((await read(secretKey)).status).toBe(200);
      await until("the error to be logged", () =>
        service.log.some((line) => line.includes("record a key's use")) ? true : null,
      );
    } finally {
      await sql`alter table api_key drop constraint unused`.execute(db);
    }
  });
});

describe("a key's scope", () => {
  const webhookChanges = [
    ["PATCH", "/api/v1/webhook_endpoints/we_none"],
    ["DELETE", "/api/v1/webhook_endpoints/we_none"],
    ["POST", "/api/v1/webhook_endpoints/we_none/rotate_secret"],
    ["POST", "/api/v1/webhook_endpoints/we_none/ping"],
    ["POST", "/api/v1/webhook_endpoints/we_none/redeliver"],
    ["POST", "/api/v1/events/evt_none/redeliver"],
  ] as const;

  it("`read` allows only reading", async () => {
    const { secretKey } = await newKey(await newAccount(), { scope: "read" });
    for (const path of ["charges", "checkout_sessions", "events", "webhook_endpoints"])
      expect((await call(secretKey, "GET", `/api/v1/${path}`)).status).toBe(200);
    for (const path of ["charges", "checkout_sessions", "decisions", "webhook_endpoints"])
      expectError(await call(secretKey, "POST", `/api/v1/${path}`, order), wrongScope);
    for (const [method, path] of webhookChanges) expectError(await call(secretKey, method, path, {}), wrongScope);
  });

  it("`checkout` allows only creating and reading checkout sessions", async () => {
    const { secretKey } = await newKey(await newAccount(), { scope: "checkout" });
    const created = await call(secretKey, "POST", "/api/v1/checkout_sessions", order);
    expect(created.status).toBe(200);
    const id = String(created.body["session"]?.["id"]);
    expect((await call(secretKey, "GET", `/api/v1/checkout_sessions/${id}`)).status).toBe(200);
    expect((await call(secretKey, "GET", "/api/v1/checkout_sessions")).status).toBe(200);
    for (const path of [
      "charges",
      "events",
      "webhook_endpoints",
      "webhook_endpoints/we_none/deliveries",
      "charges/ch_none",
    ])
      expectError(await call(secretKey, "GET", `/api/v1/${path}`), wrongScope);
    for (const path of ["charges", "decisions", "webhook_endpoints"])
      expectError(await call(secretKey, "POST", `/api/v1/${path}`, order), wrongScope);
    for (const [method, path] of webhookChanges) expectError(await call(secretKey, method, path, {}), wrongScope);
  });

  it("is checked before a stored idempotent response is returned", async () => {
    const account = await newAccount();
    const [full, reader] = [await newKey(account), await newKey(account, { scope: "read" })];
    const headers = { "idempotency-key": "order-4711" };
    const first = await call(full.secretKey, "POST", "/api/v1/checkout_sessions", order, headers);
    expectError(await call(reader.secretKey, "POST", "/api/v1/checkout_sessions", order, headers), wrongScope);
    const again = await call(full.secretKey, "POST", "/api/v1/checkout_sessions", order, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers["idempotent-replayed"]).toBe("true");
  });
});

describe("a suspended account", () => {
  it("is refused for every key, even for stored responses, and works again once it is resumed", async () => {
    const { db, now } = service.context;
    const account = await newAccount();
    const keys = [await newKey(account), await newKey(account, { scope: "read" })];
    const headers = { "idempotency-key": "before" };
    const pay = () => call(keys[0]?.secretKey ?? "", "POST", "/api/v1/checkout_sessions", order, headers);
    const first = await pay();

    await setAccountStatus(db, account.id, "suspended", now(), actor);
    for (const { secretKey } of keys) expectError(await read(secretKey), suspended);
    expectError(await pay(), suspended);
    expect((await service.call("GET", "/api/v1/charges")).status).toBe(200); // another account's key still works

    await setAccountStatus(db, account.id, "active", now(), actor);
    expect((await pay()).text).toBe(first.text);
  });
});

describe("a key in the URL", () => {
  it("is refused because of its parameter name or its format, even if it is invalid, and isn't logged", async () => {
    const { secretKey } = service;
    const bare = secretKey.slice(15);
    for (const [query, param] of [
      [`api_key=${secretKey}`, "api_key"],
      ["api_key=x", "api_key"],
      ["key=x", "key"],
      ["API-KEY=x", "API-KEY"],
      [`limit=1&anything=${secretKey}`, "anything"],
      [`anything=oriel%5Fsk%5Ftest_${bare}`, "anything"],
      [`limit=${secretKey}&limit=2`, "limit"],
      [secretKey, undefined],
    ] as const) {
      for (const method of ["GET", "POST"] as const) {
        const response = await service.call(
          method,
          `/api/v1/checkout_sessions?${query}`,
          method === "POST" ? order : undefined,
        );
        expectError(response, invalid("parameter_unknown", param));
        const alone = await fetch(`${service.config.apiUrl}/api/v1/checkout_sessions?${query}`, { method });
        expect(alone.status).toBe(400);
      }
    }
    expect((await service.call("GET", `/api/v1/charges/${secretKey}`)).status).toBe(404);
    expect((await fetch(`${service.config.apiUrl}/nothing/${secretKey}?key=${secretKey}`)).status).toBe(404);
    expect(service.log.join("")).not.toContain(bare);
  });
});

describe("live mode", () => {
  const noAcquirer: Refusal = { status: 503, type: "api_error", code: "acquirer_not_configured" };
  let live: TestService;
  beforeAll(async () => {
    live = await startTestService({ live: true });
  });
  afterAll(() => live.close());

  it("can read and manage webhook endpoints, but takes no payments without an acquirer", async () => {
    const { secretKey } = await live.addTenant(true);
    const headers = { authorization: `Bearer ${secretKey}` };
    for (const path of ["charges", "checkout_sessions", "events"])
      expect((await live.call("GET", `/api/v1/${path}`, undefined, headers)).status).toBe(200);
    const decision = { ...order, payment_method_id: "pm_card_visa" };
    const charge = { ...decision, decision_id: "dec_00000000000000000000000000" };
    for (const [path, body] of [
      ["checkout_sessions", order],
      ["decisions", decision],
      ["charges", charge],
    ] as const)
      expectError(await live.call("POST", `/api/v1/${path}`, body, headers), noAcquirer);
    const endpoint = await live.call(
      "POST",
      "/api/v1/webhook_endpoints",
      { url: "https://shop.example.com/hook" },
      headers,
    );
    expect(endpoint.body).toMatchObject({ livemode: true, url: "https://shop.example.com/hook" });
  });

  it("doesn't affect test mode, and neither mode sees the other's objects", async () => {
    const { tenant, secretKey } = await live.addTenant(true);
    const testKey = await createApiKey(live.context.db, { ...tenant, livemode: false }, live.context.now());
    const headers = { authorization: `Bearer ${testKey.secretKey}` };
    const created = await live.call("POST", "/api/v1/checkout_sessions", order, headers);
    expect(created.status).toBe(200);
    const path = `/api/v1/checkout_sessions/${String(created.body["session"]?.["id"])}`;
    expect((await live.call("GET", path, undefined, headers)).status).toBe(200);
    expect((await live.call("GET", path, undefined, { authorization: `Bearer ${secretKey}` })).status).toBe(404);
  });

  it("is refused from the next request on when the account is suspended, before the acquirer is checked", async () => {
    const { accountId, secretKey } = await live.addTenant(true);
    const { db, now } = live.context;
    const headers = { authorization: `Bearer ${secretKey}` };
    const read = () => live.call("GET", "/api/v1/charges", undefined, headers);
    const pay = () => live.call("POST", "/api/v1/checkout_sessions", order, headers);
    expect((await read()).status).toBe(200);
    expectError(await pay(), noAcquirer);
    await setAccountStatus(db, accountId, "suspended", now(), actor);
    for (const response of [await read(), await pay()]) expectError(response, suspended);
    await setAccountStatus(db, accountId, "active", now(), actor);
    expect((await read()).status).toBe(200);
  });

  it("refuses all live keys when it is off, and checks for suspension first", async () => {
    const { accountId, secretKey } = await service.addTenant(true);
    const { db, now } = service.context;
    const isOff: Refusal = { status: 503, type: "api_error", code: "live_mode_unavailable" };
    expectError(await read(secretKey), isOff);
    expectError(await call(secretKey, "POST", "/api/v1/checkout_sessions", order), isOff);
    await setAccountStatus(db, accountId, "suspended", now(), actor);
    expectError(await read(secretKey), suspended);
  });

  it("allows keys for approved accounts only", async () => {
    const { accountNo } = await newAccount();
    const tenant = { accountNo, livemode: true };
    await expect(createApiKey(service.context.db, tenant, service.context.now())).rejects.toThrow(
      "isn't approved for live mode",
    );
  });
});

describe("wrong keys", () => {
  const wait: Refusal = { status: 429, type: "rate_limit_error", code: "rate_limited" };
  let proxied: TestService;
  beforeAll(async () => {
    proxied = await startTestService({ trustProxy: ["127.0.0.0/8"] });
  });
  afterAll(() => proxied.close());
  const from = (address: string, key: string) =>
    proxied.call("GET", "/api/v1/charges", undefined, { authorization: `Bearer ${key}`, "x-forwarded-for": address });

  const wrongKeys = sql<boolean>`name like 'wrong keys from %'`;
  /** A bucket gets 20 tokens a second, which may be more than a busy machine takes. So it gets none for a while. */
  const emptyBuckets = () =>
    sql`update rate_bucket set tokens = 0, refilled_at = clock_timestamp() + interval '30 seconds'
      where ${wrongKeys}`.execute(proxied.context.db);

  it("are rate limited by IP address, without blocking a key that worked recently", async () => {
    const stranger = await proxied.addTenant(false);
    expect((await from("2001:db8::1", proxied.secretKey)).status).toBe(200);
    const refused = await until("the IP address to be blocked", async () => {
      // Uses a new address in the same /64 each time, behind a proxy chain that the client made up.
      const address = `203.0.113.${Math.floor(Math.random() * 250)}, 2001:db8::${Math.floor(Math.random() * 9999)}`;
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => from(address, newSecretKey(service.tenant))),
      );
      await emptyBuckets();
      return responses.find(({ status }) => status === 429) ?? null;
    });
    expectError(refused, wait);
    expect(refused.headers["retry-after"]).toBe("1");
    const known = await Promise.all(Array.from({ length: 20 }, () => from("2001:db8::1", proxied.secretKey)));
    expect(known.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await from("2001:db8:0:1::1", stranger.secretKey)).status).toBe(200); // the neighboring /64
    await sql`delete from rate_bucket where ${wrongKeys}`.execute(proxied.context.db);
    await until("the IP address to be unblocked", async () =>
      (await from("2001:db8::2", stranger.secretKey)).status === 200 ? true : null,
    );
  });

  it("are audited once a minute per IP address, with the account if the key was revoked", async () => {
    const { db, now } = proxied.context;
    const { tenant, accountId } = await proxied.addTenant(false);
    const revoked = await createApiKey(db, tenant, now());
    await revoke(db, revoked.id, now(), actor);
    for (let i = 0; i < 5; i++) {
      expectError(await from("198.51.100.1", revoked.secretKey), badKey);
      expectError(await from("198.51.100.2", newSecretKey(service.tenant)), badKey);
      expectError(await from("198.51.100.3", "oriel_sk_test_mistyped"), badKey);
    }
    const noted = async () =>
      await db
        .selectFrom("audit_log")
        .select(["actor", "account_id", "object_id", "outcome", "details"])
        .where("action", "=", "authentication.failed")
        .where("actor", "like", "address 198.51.100.%")
        .orderBy("actor")
        .execute();
    await until("three rows", async () => ((await noted()).length >= 3 ? true : null));
    const stranger = { account_id: null, object_id: null, outcome: "refused" };
    expect(await noted()).toEqual([
      {
        actor: "address 198.51.100.1",
        account_id: accountId,
        object_id: revoked.id,
        outcome: "refused",
        details: { reason: "revoked", address: "198.51.100.1" },
      },
      { actor: "address 198.51.100.2", ...stranger, details: { reason: "unknown", address: "198.51.100.2" } },
      { actor: "address 198.51.100.3", ...stranger, details: { reason: "malformed", address: "198.51.100.3" } },
    ]);
  });
});

describe("the audit log", () => {
  it("records who created, rolled, revoked, suspended or resumed what, and contains no keys", async () => {
    const { db, now } = service.context;
    const account = await createAccount(db, "Test Shop", now(), actor);
    const accountId = account.id;
    const first = await newKey(account, { name: "Web shop" });
    const second = await roll(db, first.id, "24h", now(), actor);
    await revoke(db, first.id, now(), actor);
    await revoke(db, first.id, now(), actor); // nothing left to do, so nothing to record
    await setAccountStatus(db, accountId, "suspended", now(), actor);
    await setAccountStatus(db, accountId, "active", now(), actor);
    await expect(setAccountStatus(db, "acct_none", "active", now(), actor)).rejects.toThrow("There is no account");

    const found = await db.selectFrom("audit_log").selectAll().where("account_id", "=", accountId).execute();
    expect(found.map(({ action, object_id, outcome }) => `${action} ${object_id} ${outcome}`).sort()).toEqual([
      `account.created ${accountId} done`,
      `account.resumed ${accountId} done`,
      `account.suspended ${accountId} done`,
      `api_key.created ${first.id} done`,
      `api_key.revoked ${first.id} done`,
      `api_key.rolled ${first.id} done`,
    ]);
    expect(found.every((entry) => entry.actor === actor)).toBe(true);
    expect(found.find(({ action }) => action === "api_key.rolled")?.details).toEqual({
      replaced_by: second.id,
      overlap: "24h",
    });
    const dump = await dumpDatabase(db);
    for (const { secretKey } of [first, second, service]) expect(dump).not.toContain(secretKey.slice(15));
  });

  it("can't be changed afterwards", async () => {
    const { db } = service.context;
    const before = await db.selectFrom("audit_log").selectAll().orderBy("id").execute();
    expect(before.length).toBeGreaterThan(0);
    await expect(db.updateTable("audit_log").set({ actor: "nobody" }).execute()).rejects.toThrow("only ever added to");
    await expect(db.deleteFrom("audit_log").execute()).rejects.toThrow("only ever added to");
    await expect(sql`truncate audit_log`.execute(db)).rejects.toThrow("only ever added to");
    expect(await db.selectFrom("audit_log").selectAll().orderBy("id").execute()).toEqual(before);
  });
});

describe("two processes", () => {
  let two: TwoProcesses;
  beforeAll(async () => {
    two = await startTwoProcesses({ ORIEL_RATE_LIMIT: "off" });
  });
  afterAll(() => two.close());

  it("stop accepting a revoked key with the next request", async () => {
    const { urls, db, tenant } = two;
    const { id, secretKey } = await createApiKey(db, tenant, new Date());
    const request = (url: string) =>
      fetch(`${url}/api/v1/charges`, { headers: { authorization: `Bearer ${secretKey}` } }).then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      });
    const both = async () =>
      (await Promise.all(Array.from({ length: 10 }, (_, i) => request(urls[i % 2] ?? "")))).join(" ");
    for (let i = 0; i < 5; i++) expect(await both()).toBe(Array(10).fill(200).join(" "));

    // Sends requests while the key is being revoked, to detect caching. Fewer than a hundred of them fail, because a
    // hundred failures is the limit per IP address.
    const meanwhile = Promise.all(Array.from({ length: 3 }, () => both()));
    await revoke(db, id, new Date(), actor);
    for (let i = 0; i < 3; i++) expect(await both()).toBe(Array(10).fill(401).join(" "));
    await meanwhile;
    expect(await both()).toBe(Array(10).fill(401).join(" "));
  });

  it("both refuse a suspended account", async () => {
    const { urls, db, accountId, key } = two;
    const statuses = async () =>
      await Promise.all(
        urls.map(
          async (url) =>
            (await fetch(`${url}/api/v1/charges`, { headers: { authorization: `Bearer ${key.secretKey}` } })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200]);
    await setAccountStatus(db, accountId, "suspended", new Date(), actor);
    expect(await statuses()).toEqual([401, 401]);
    await setAccountStatus(db, accountId, "active", new Date(), actor);
    expect(await statuses()).toEqual([200, 200]);
  });
});
