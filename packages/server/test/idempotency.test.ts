/**
 * Tests that the same key with the same request gets the same response and runs once, and that every other use of a key
 * is refused.
 */
import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { sweep } from "../src/worker.ts";
import { expectError, invalid, keyInUse, type Refusal } from "./setup/expect-error.ts";
import { rawRequest } from "./setup/raw-request.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

const order = { amount: 4900, currency: "eur" };
const sessions = "/api/v1/checkout_sessions";

let keys = 0;
const newKey = () => `key-${++keys}`;

function post(path: string, body: unknown, key: string, secretKey = service.secretKey): Promise<ApiResponse> {
  return service.call("POST", path, body, { "idempotency-key": key, authorization: `Bearer ${secretKey}` });
}

async function chargeFor(payment_method_id: string): Promise<object> {
  const decision = await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id });
  return { ...order, payment_method_id, decision_id: decision.body["id"] };
}

async function countSessions(): Promise<number> {
  return (await service.context.db.selectFrom("checkout_session").select("id").execute()).length;
}

function expectReplay(response: ApiResponse, of: ApiResponse): void {
  expect(response.status).toBe(of.status);
  expect(response.text).toBe(of.text);
  expect(of.headers["idempotent-replayed"]).toBeUndefined();
  expect(response.headers["idempotent-replayed"]).toBe("true");
  expect(response.headers["content-type"]).toBe(of.headers["content-type"]);
  expect(response.headers["request-id"]).not.toBe(of.headers["request-id"]);
}

describe("a repeated request", () => {
  it("gets the stored response byte for byte, including the secret", async () => {
    const key = newKey();
    const first = await post(sessions, { ...order, metadata: { order: "ü 🎈" } }, key);
    const count = await countSessions();
    expect(first.body["embed_url"]).toMatch(/#[\w-]{43}$/);
    expectReplay(await post(sessions, { ...order, metadata: { order: "ü 🎈" } }, key), first);
    expect(await countSessions()).toBe(count);

    const endpoint = await post("/api/v1/webhook_endpoints", { url: "https://shop.example/hooks" }, newKey());
    expectReplay(
      await post("/api/v1/webhook_endpoints", { url: "https://shop.example/hooks" }, `key-${keys}`),
      endpoint,
    );
  });

  it("matches regardless of the order and spacing of its fields", async () => {
    const key = newKey();
    const first = await post(
      sessions,
      { ...order, metadata: { a: "1", b: "2" }, customer: { name: "Ann", email: "a@b.example" } },
      key,
    );
    const again = `{ "customer":{"email":"a@b.example","name":"\\u0041nn"},\n "metadata":{"b":"2","a":"1"}, "currency":"eur",  "amount":4900 }`;
    expectReplay(await post(sessions, again, key), first);
  });

  it("doesn't move money twice", async () => {
    const [key, body] = [newKey(), await chargeFor("pm_card_visa")];
    const first = await post("/api/v1/charges", body, key);
    expect(first.body).toMatchObject({ status: "succeeded" });
    const ledger = await service.bankAuthorizations();
    expectReplay(await post("/api/v1/charges", body, key), first);
    expect(await service.bankAuthorizations()).toEqual(ledger);
  });

  it("gets the same decline", async () => {
    const [key, body] = [newKey(), await chargeFor("pm_card_declined_insufficient_funds")];
    const first = await post("/api/v1/charges", body, key);
    expect(first.status).toBe(402);
    const ledger = await service.bankAuthorizations();
    expectReplay(await post("/api/v1/charges", body, key), first);
    expect(await service.bankAuthorizations()).toEqual(ledger);
  });

  it("gets the stored error if the first request failed midway, even if it would succeed now", async () => {
    const decision = await service.call("POST", "/api/v1/decisions", {
      ...order,
      payment_method_id: "pm_card_three_d_secure_required",
    });
    const body = { ...order, payment_method_id: "pm_card_three_d_secure_required", decision_id: decision.body["id"] };
    const key = newKey();
    const first = await post("/api/v1/charges", body, key);
    expectError(first, invalid("decision_not_approved", "decision_id"));
    await service.context.db
      .updateTable("decision")
      .set({ status: "approved" })
      .where("id", "=", String(decision.body["id"]))
      .execute();
    expectReplay(await post("/api/v1/charges", body, key), first);
  });

  it("runs once when thirty copies arrive at the same moment, and all get the same response", async () => {
    const [key, body] = [newKey(), await chargeFor("pm_card_visa")];
    const before = (await service.bankAuthorizations()).length;
    const responses = await Promise.all(Array.from({ length: 30 }, () => post("/api/v1/charges", body, key)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers["idempotent-replayed"] === undefined)).toHaveLength(1);
    expect((await service.bankAuthorizations()).length - before).toBe(1);
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ requests: 1 });
  });

  it("creates one session when thirty copies arrive at the same moment", async () => {
    const [key, before] = [newKey(), await countSessions()];
    const responses = await Promise.all(Array.from({ length: 30 }, () => post(sessions, order, key)));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await countSessions()).toBe(before + 1);
  });
});

describe("a used key", () => {
  let key: string;
  let first: ApiResponse;
  beforeAll(async () => {
    key = newKey();
    first = await post(sessions, order, key);
  });

  it.each<[string, string, unknown]>([
    ["another amount", sessions, { ...order, amount: 4901 }],
    ["an extra field", sessions, { ...order, description: "" }],
    ["an invalid amount", sessions, { ...order, amount: "4900" }],
    ["an unknown field", sessions, { ...order, x: 1 }],
    ["an invalid currency", sessions, { ...order, currency: "zzz" }],
    ["nothing", sessions, {}],
    ["a list", sessions, [order]],
    ["another address", "/api/v1/decisions", order],
  ])("refuses a request with %s", async (_name, path, body) => {
    const count = await countSessions();
    expectError(await post(path, body, key), keyInUse);
    expect(await countSessions()).toBe(count);
  });

  it("still returns its first response after all those refusals", async () => {
    expectReplay(await post(sessions, order, key), first);
  });

  it("can be used independently by another account", async () => {
    const { secretKey } = await service.addTenant(false);
    const other = await post(sessions, order, key, secretKey);
    expect(other.status).toBe(200);
    expect(other.headers["idempotent-replayed"]).toBeUndefined();
    expect(other.body["session"]?.["id"]).not.toBe(first.body["session"]?.["id"]);
    const changed = await post(sessions, { ...order, amount: 1 }, key, (await service.addTenant(false)).secretKey);
    expect(changed.body["session"]).toMatchObject({ amount: 1 });
  });

  it("returns nothing to a revoked secret key", async () => {
    const { tenant, secretKey } = await service.addTenant(false);
    const body = { ...order, amount: 77 };
    expect((await post(sessions, body, key, secretKey)).status).toBe(200);
    await service.context.db
      .updateTable("api_key")
      .set({ revoked_at: new Date() })
      .where("account_no", "=", tenant.accountNo)
      .execute();
    expect((await post(sessions, body, key, secretKey)).status).toBe(401);
  });
});

describe("a key from an invalid request", () => {
  it.each<[string, unknown]>([
    ["an invalid field", { ...order, amount: -1 }],
    ["an invalid currency", { ...order, currency: "zzz" }],
    ["an invalid origin", { ...order, allowed_origins: ["https://*.example"] }],
    ["an invalid URL", { ...order, return_url: "javascript:alert(1)" }],
    ["invalid JSON", "{"],
  ])("can be used for the corrected request: %s", async (_name, body) => {
    const key = newKey();
    expect((await post(sessions, body, key)).status).toBe(400);
    const right = await post(sessions, order, key);
    expect(right.status).toBe(200);
    expect(right.headers["idempotent-replayed"]).toBeUndefined();
  });

  it("can be used for a request to the correct path", async () => {
    const key = newKey();
    expect((await post("/api/v1/webhook_endpoints", { url: "https://10.0.0.1/" }, key)).status).toBe(400);
    expect((await post("/api/v1/webhook_endpoints", { url: "https://shop.example/" }, key)).status).toBe(200);
  });
});

describe("an Idempotency-Key", () => {
  const json = ["Content-Type", "application/json"];
  const body = JSON.stringify(order);
  it.each<[string, string[]]>([
    ["empty", ["Idempotency-Key", ""]],
    ["a space", ["Idempotency-Key", " "]],
    ["with a space in it", ["Idempotency-Key", "a b"]],
    ["longer than 255 characters", ["Idempotency-Key", "k".repeat(256)]],
    ["with a letter beyond ASCII", ["Idempotency-Key", "clé"]],
    ["with a tab in it", ["Idempotency-Key", "a\tb"]],
    ["sent twice", ["Idempotency-Key", "one", "Idempotency-Key", "two"]],
    ["sent twice with the same value", ["Idempotency-Key", "same", "idempotency-key", "same"]],
  ])("is refused when it is %s", async (_name, headers) => {
    const count = await countSessions();
    const response = await rawRequest(service, { path: sessions, headers: [...json, ...headers], body });
    expectError(response, invalid("idempotency_key_invalid", "Idempotency-Key"));
    expect(await countSessions()).toBe(count);
  });

  it.each(["k", "k".repeat(255), "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"])("is accepted when it is %j", async (key) => {
    const first = await rawRequest(service, { path: sessions, headers: [...json, "Idempotency-Key", key], body });
    expect(first.status).toBe(200);
    expectReplay(await post(sessions, order, key), first);
  });

  it("is stored with its response so that a copy of the database reveals neither", async () => {
    const key = newKey();
    const response = await post(sessions, order, key);
    const secret = String(response.body["embed_url"]).split("#")[1] ?? "";
    const row = await service.context.db
      .selectFrom("idempotency_key")
      .selectAll()
      .where("key", "=", key)
      .executeTakeFirstOrThrow();
    expect(row.sealed_response?.includes(secret)).toBe(false);
    expect(row.sealed_response?.includes("embed_url")).toBe(false);
  });

  it("is deleted a day after its response", async () => {
    const key = newKey();
    const first = await post(sessions, order, key);
    service.moveClock(24 * 60 * 60_000 - 5_000);
    expectReplay(await post(sessions, order, key), first);
    service.moveClock(10_000);
    await sweep(service.context);
    const second = await post(sessions, { ...order, amount: 1 }, key);
    expect(second.status).toBe(200);
    expect(second.headers["idempotent-replayed"]).toBeUndefined();
  });
});

describe("a response that can't be stored because the database fails", () => {
  const unavailable: Refusal = { status: 503, type: "api_error", code: "service_unavailable" };
  const headers = { "retry-after": "1", link: '</docs/errors#service_unavailable>; rel="help"' };

  /** @returns a function that repairs the table */
  async function fail(action: "update on idempotency_key" | "insert on webhook_endpoint") {
    const { db } = service.context;
    const name = sql.raw(action.replaceAll(" ", "_"));
    await sql`create function ${name}() returns trigger language plpgsql as
      'begin raise exception ''db-1 is down'' using errcode = ''57P01''; end'`.execute(db);
    await sql`create trigger fail before ${sql.raw(action)} for each row execute function ${name}()`.execute(db);
    return async () => void (await sql`drop function ${name} cascade`.execute(db));
  }

  it("is replaced by 503, and repeating the request gets it", async () => {
    const payment_method_id = "pm_card_three_d_secure_required";
    const decision = await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id });
    const [key, body] = [newKey(), { ...order, payment_method_id, decision_id: decision.body["id"] }];
    const repair = await fail("update on idempotency_key");
    const lost = await post("/api/v1/charges", body, key);
    await repair();
    expectError(lost, unavailable);
    expect(lost.headers).toMatchObject(headers);
    service.moveClock(31_000); // the first request's lease is over
    expectError(await post("/api/v1/charges", body, key), invalid("decision_not_approved", "decision_id"));
  });

  it("doesn't reveal the database's message if it's a 503 itself", async () => {
    const [key, body] = [newKey(), { url: "https://shop.example/hooks" }];
    const repairs = [await fail("update on idempotency_key"), await fail("insert on webhook_endpoint")];
    const lost = await post("/api/v1/webhook_endpoints", body, key);
    for (const repair of repairs) await repair();
    expectError(lost, unavailable);
    expect(lost.headers).toMatchObject(headers);
    service.moveClock(31_000);
    expect((await post("/api/v1/webhook_endpoints", body, key)).status).toBe(200);
  });
});
