/** Tests the API request log that a merchant's developers see, and what must never appear in it. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { AuditRows, LoggedRequest, LoggedRequests } from "@oriel/protocol/dashboard/log";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { createRequestRecorder } from "../src/merchants/request-log/request-recorder.ts";
import type { Row } from "../src/platform/storage/tables.ts";
import { sweep } from "../src/worker.ts";
import { newColleague, newVisitor } from "./setup/dashboard-visitor.ts";
import { startTestService, type ApiResponse, type Method } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService({ requestLogEveryMs: 10 }));
const owner = await newVisitor(service);
const key = await createApiKey(
  service.context.db,
  { accountNo: owner.accountNo, livemode: false },
  service.context.now(),
);

const order = { amount: 4900, currency: "eur" };

/** Calls the API with the key of the visitor's account. */
async function call(
  method: Method,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return await service.call(method, `/api/v1/${path}`, body, { authorization: `Bearer ${key.secretKey}`, ...headers });
}

async function list(query = "", visitor = owner): Promise<LoggedRequests> {
  const { status, text } = await visitor.inWorkspace("GET", `requests${query}`);
  if (status !== 200) throw new Error(text);
  return JSON.parse(text) as LoggedRequests; // the type that the route declares
}

/** The log entry, once it is written. */
async function logged(response: ApiResponse): Promise<LoggedRequest> {
  const id = String(response.headers["request-id"]);
  return await until(`${id} in the request log`, async () => (await list(`?request_id=${id}`)).data[0] ?? null);
}

async function storedRows(): Promise<Row<"request_log">[]> {
  return await service.context.db.selectFrom("request_log").selectAll().orderBy("id").execute();
}

describe("an API request", () => {
  it("is shown with its ID, time, key and result", async () => {
    const response = await call("POST", "checkout_sessions", order, { "idempotency-key": "order-71" });
    expect(await logged(response)).toEqual({
      id: response.headers["request-id"],
      created: expect.any(Number),
      method: "POST",
      path: "/api/v1/checkout_sessions",
      status: 200,
      error_code: null,
      duration_ms: expect.any(Number),
      api_key_id: key.id,
      idempotency_key: "order-71",
      differing_fields: null,
    });
    const { created, duration_ms } = await logged(response);
    expect(Math.abs(created - Date.now() / 1000)).toBeLessThan(30);
    expect(duration_ms).toBeGreaterThanOrEqual(0);
  });

  it("is shown with its path but without its query string", async () => {
    const response = await call("GET", "charges/ch_06f7k3m9t2xq8w5v4n1r0ybhzd?expand=unmistakable");
    expect(await logged(response)).toMatchObject({
      path: "/api/v1/charges/ch_06f7k3m9t2xq8w5v4n1r0ybhzd",
      status: 400,
      error_code: "parameter_unknown",
    });
    const missing = await call("GET", "charges/ch_06f7k3m9t2xq8w5v4n1r0ybhzd");
    expect(await logged(missing)).toMatchObject({ status: 404, error_code: "resource_missing" });
  });

  it("is shown with the acquirer's decline, even when it is replayed from the stored response", async () => {
    const decision = await call("POST", "decisions", { ...order, payment_method_id: "pm_card_declined_generic" });
    const charge = { ...order, payment_method_id: "pm_card_declined_generic", decision_id: decision.body["id"] };
    for (const _time of [1, 2]) {
      const declined = await call("POST", "charges", charge, { "idempotency-key": "order-72" });
      expect(await logged(declined)).toMatchObject({
        status: 402,
        error_code: "card_declined",
        idempotency_key: "order-72",
      });
    }
  });

  it("names the fields that differ from the key's first request, without their values", async () => {
    await call("POST", "checkout_sessions", { ...order, description: "two cups" }, { "idempotency-key": "order-73" });
    const other = { ...order, amount: 5000, metadata: { shelf: "unmistakable" } };
    const refused = await call("POST", "checkout_sessions", other, { "idempotency-key": "order-73" });
    expect(await logged(refused)).toMatchObject({
      status: 422,
      error_code: "idempotency_key_in_use",
      idempotency_key: "order-73",
      differing_fields: ["amount", "description", "metadata.shelf"],
    });
    expect(refused.text).not.toContain("differing");
  });

  it("names no field when only its path differs from the key's first request", async () => {
    const body = { ...order, payment_method_id: "pm_card_visa" };
    await call("POST", "decisions", body, { "idempotency-key": "order-74" });
    const refused = await call("POST", "charges", body, { "idempotency-key": "order-74" });
    expect(await logged(refused)).toMatchObject({ status: 422, differing_fields: [] });
  });

  it("isn't stored without a valid key, because it belongs to no account", async () => {
    const before = await call("GET", "charges");
    const ids: unknown[] = [];
    for (const authorization of ["", "Bearer oriel_sk_test_wrong", `Bearer ${key.secretKey.slice(0, -1)}x`])
      ids.push((await call("GET", "charges", undefined, { authorization })).headers["request-id"]);
    const after = await call("GET", "charges");
    await logged(before);
    await logged(after); // this entry is written last
    const remaining = (await storedRows()).map(({ id }) => id);
    expect(remaining).toEqual(expect.arrayContaining([before.headers["request-id"], after.headers["request-id"]]));
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^req_/)));
    for (const id of ids) expect(remaining).not.toContain(id);
  });
});

describe("the log", () => {
  it("is newest first and continues page by page", async () => {
    const responses: ApiResponse[] = [];
    for (let request = 0; request < 5; request++) {
      responses.push(await call("GET", "events"));
      await pause(2); // IDs of the same millisecond have no order
    }
    for (const response of responses) await logged(response);
    const ids = responses.map(({ headers }) => headers["request-id"]).reverse();
    const first = await list("?limit=3");
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(first.has_more).toBe(true);
    const next = await list(`?limit=2&starting_after=${String(ids[2])}`);
    expect(next.data.map(({ id }) => id)).toEqual(ids.slice(3));
  });

  it("can be filtered by status, method and ID", async () => {
    await logged(await call("POST", "refunds", {}));
    await service.context.db
      .updateTable("request_log")
      .set({ status: 503, error_code: "service_unavailable" })
      .where("id", "=", (await logged(await call("GET", "decisions/dec_x"))).id)
      .execute();
    for (const [status, lowest] of [
      ["2xx", 200],
      ["4xx", 400],
      ["5xx", 500],
    ] as const) {
      const found = (await list(`?status=${status}&limit=100`)).data;
      expect(found.length).toBeGreaterThan(0);
      expect(found.every((request) => request.status >= lowest && request.status < lowest + 100)).toBe(true);
    }
    const posts = (await list("?method=POST&status=4xx&limit=100")).data;
    expect(posts.length).toBeGreaterThan(0);
    expect(posts.every(({ method, status }) => method === "POST" && status >= 400 && status < 500)).toBe(true);
    expect((await list("?request_id=req_none")).data).toEqual([]);
  });

  it.each(["?status=3xx", "?status=200", "?method=get", "?limit=101", "?unknown=1", "?request_id="])(
    "refuses %s",
    async (query) => {
      expect((await owner.inWorkspace("GET", `requests${query}`)).status).toBe(400);
    },
  );

  it("is visible to developers and nobody else", async () => {
    const developer = await newColleague(service, owner, "developer");
    expect((await list("", developer)).data.length).toBeGreaterThan(0);
    for (const role of ["support", "read_only"] as const) {
      const colleague = await newColleague(service, owner, role);
      expect(await colleague.inWorkspace("GET", "requests")).toMatchObject({
        status: 403,
        body: { error: { code: "permission_missing" } },
      });
    }
  });

  it("shows nothing to other accounts or in the account's other mode", async () => {
    const mine = await logged(await call("GET", "charges"));
    const other = await newVisitor(service);
    expect((await list("", other)).data).toEqual([]);
    expect((await list(`?request_id=${mine.id}`, other)).data).toEqual([]);
    expect((await list(`?starting_after=${mine.id}`, other)).data).toEqual([]);
    expect(await other.call("GET", `/data/${owner.accountId}/test/requests`)).toMatchObject({ status: 404 });
    expect(await owner.call("GET", `/data/${owner.accountId}/live/requests`)).toMatchObject({
      status: 200,
      body: { data: [] },
    });
  });
});

describe("secret data", () => {
  const number = "4242424242424242";

  it("isn't stored from a body, a query, a header or a misplaced field", async () => {
    const typed = `${number.slice(0, 4)} ${number.slice(4)}`;
    const headers = {
      "user-agent": "unmistakable-agent",
      "x-forwarded-for": "203.0.113.77",
      cookie: "unmistakable=cookie",
    };
    const responses = [
      await call("POST", "checkout_sessions", { ...order, description: "unmistakable-body" }, headers),
      await call("GET", "charges?session_id=unmistakable-query"),
      await call("GET", `charges?api_key=${key.secretKey}`),
      await call("GET", `charges/${key.secretKey}`),
      await call("GET", "webhook_endpoints/whsec_unmistakableunmistakableunmistakable"),
      await call("GET", `payment_methods/${number}`),
      await call("GET", `payment_methods/pm_${number}`),
      await call("GET", "charges/unmistakable.path@shop.example"),
      await call("GET", "charges/%2Funmistakable"),
      await call("POST", "checkout_sessions", order, { "idempotency-key": key.secretKey }),
    ];
    await call("POST", "checkout_sessions", order, { "idempotency-key": "order-75" });
    const names = { ...order, [typed]: 1, [key.secretKey]: 1, "unmistakable\u007f": 1, Ünmistakable: 1 };
    responses.push(
      await call("POST", "checkout_sessions", { ...names, description: "x" }, { "idempotency-key": "order-75" }),
    );
    const [, , inQuery, ...others] = responses;
    for (const response of [responses[0], responses[1], ...others]) if (response !== undefined) await logged(response);

    // Refused before the caller is known.
    expect(inQuery?.status).toBe(400);
    expect(await list(`?request_id=${String(inQuery?.headers["request-id"])}`)).toMatchObject({ data: [] });
    const [differing] = responses.slice(-1);
    if (differing === undefined) throw new Error("There is no last response");
    expect(await logged(differing)).toMatchObject({ status: 422, differing_fields: ["description"] });

    const { rows } = await sql<{ row: string }>`select row_to_json(l)::text as row from request_log l`.execute(
      service.context.db,
    );
    const dump = rows.map(({ row }) => row).join("\n");
    expect(dump).toContain(key.id); // a control
    expect(dump).toContain('"/api/v1/payment_methods/:id"');
    expect(dump).not.toMatch(/.nmistakable|4242|203\.0\.113|oriel_sk_|whsec_|\?|cookie|Bearer/);
    expect(service.log.join("")).not.toMatch(/Failed to write/);
  });
});

describe("log writing", () => {
  const rowOf = (id: string): Row<"request_log"> => ({
    id,
    account_no: 12_345,
    livemode: false,
    api_key_id: "key_1",
    method: "GET",
    path: "/api/v1/charges",
    status: 200,
    error_code: null,
    idempotency_key: 'quo"ted\\',
    differed: ['with "quotes"', "{braces},", "null"],
    duration_ms: 1,
    created_at: new Date(1_800_000_000_123),
  });
  const recorded = async () => (await storedRows()).filter(({ account_no }) => account_no === 12_345);
  const warnings: { details: Record<string, unknown>; message: string }[] = [];
  const log = {
    info: () => {},
    warn: (details: object, message: string) => void warnings.push({ details: { ...details }, message }),
    error: () => {},
  };

  it("keeps every row, even those from just before shutdown", async () => {
    const recorder = createRequestRecorder({ ...service.context, log });
    recorder.record(rowOf("req_recorder"));
    await recorder.close();
    expect(await recorded()).toEqual([rowOf("req_recorder")]);
    expect(warnings).toEqual([]);
  });

  it("writes rows again if a node was lost, even if they had been written the first time", async () => {
    const { nodes } = service.context;
    const twice: typeof nodes = {
      ...nodes,
      ofAllAccounts: async (query) => {
        await nodes.ofAllAccounts(query);
        return await nodes.ofAllAccounts(query);
      },
    };
    const recorder = createRequestRecorder({ ...service.context, nodes: twice, log });
    recorder.record(rowOf("req_twice"));
    await recorder.close();
    expect((await recorded()).map(({ id }) => id)).toContain("req_twice");
    expect(warnings).toEqual([]);
  });

  it("drops the oldest rows when the buffer is full and reports how many", async () => {
    const recorder = createRequestRecorder({ ...service.context, log });
    for (let n = 0; n < 10_001; n++) recorder.record(rowOf(`req_many_${String(n).padStart(5, "0")}`));
    await recorder.close();
    const ids = (await recorded()).map(({ id }) => id).filter((id) => id.startsWith("req_many"));
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([9_001, "req_many_01000", "req_many_10000"]);
    expect(warnings.splice(0)).toEqual([
      { details: { requests: 1_000 }, message: expect.stringContaining("Dropped request log entries") },
    ]);
  });

  it("skips rows that can't be written and continues with later ones", async () => {
    const recorder = createRequestRecorder({ ...service.context, log }, 10);
    recorder.record({ ...rowOf("req_refused"), status: 1e12 });
    const warning = await until("a warning", async () => warnings.splice(0)[0] ?? null);
    expect(warning).toMatchObject({ details: { requests: 1 }, message: expect.stringContaining("Failed to write") });
    recorder.record(rowOf("req_after"));
    await recorder.close();
    const ids = (await recorded()).map(({ id }) => id);
    expect(ids).toContain("req_after");
    expect(ids).not.toContain("req_refused");
  });
});

describe("the account's part of the audit log", () => {
  it("is visible to its owners, newest first, page by page, and to nobody else", async () => {
    const { text } = await owner.inWorkspace("GET", "audit?limit=2");
    const page = JSON.parse(text) as AuditRows; // the type that the route declares
    expect(page.data[0]).toEqual({
      id: expect.stringMatching(/^aud_/),
      created: expect.any(Number),
      actor: "service",
      address: null,
      action: "api_key.created",
      object_id: key.id,
      outcome: "done",
      details: { name: "Secret key", scope: "full", livemode: false },
    });
    expect(page.has_more).toBe(true);
    // The type that the route declares.
    const rest = JSON.parse(
      (await owner.inWorkspace("GET", `audit?starting_after=${page.data[1]?.id}`)).text,
    ) as AuditRows;
    expect(rest).toMatchObject({ data: [expect.anything()], has_more: false });
    // These have the same time, so their order isn't defined.
    const before = [...page.data.slice(1), ...rest.data].map(({ action }) => action);
    expect(before.sort()).toEqual(["account.created", "member.added"]);

    const developer = await newColleague(service, owner, "developer");
    expect(await developer.inWorkspace("GET", "audit")).toMatchObject({
      status: 403,
      body: { error: { code: "permission_missing" } },
    });
    const other = await newVisitor(service);
    expect((await other.inWorkspace("GET", "audit")).text).not.toContain(owner.accountId);
    expect((await other.call("GET", `/data/${owner.accountId}/test/audit`)).status).toBe(404);
  });
});

// The tests below move the clock.
it("deletes everything older than thirty days, however much there is", async () => {
  const { db } = service.context;
  const days = 24 * 3_600_000;
  const fresh = await logged(await call("GET", "charges"));
  const rows = (await storedRows()).length;
  expect(rows).toBeGreaterThan(5_000);
  await sweep(service.context);
  expect(await db.selectFrom("request_log").select("id").where("id", "=", fresh.id).execute()).toHaveLength(1);
  service.moveClock(31 * days);
  await sweep(service.context);
  expect(
    (await storedRows()).filter(({ created_at }) => created_at.getTime() < service.context.now().getTime() - 30 * days),
  ).toEqual([]);
});
