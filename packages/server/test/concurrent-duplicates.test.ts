/** Sends the same request two hundred times at once. It runs once, and every caller gets the same response. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { ledgerOf, readLedger } from "./setup/bank-ledger.ts";
import { expectError, keyInUse } from "./setup/expect-error.ts";
import { newMerchant, order } from "./setup/merchant.ts";
import { rawRequest } from "./setup/raw-request.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);

const parallel = 200;

/** Retries on 503 as a client would, since it means "send this again shortly". */
async function sendUntilAvailable(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let i = 0; i < 20; i++) {
    const response = await send();
    if (response.status !== 503) return response;
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers["retry-after"]) * 100));
  }
  throw new Error("503 twenty times");
}

/** Sends the request two hundred times at once. Returns the response, which is the same for all of them. */
async function sendByAll(path: string, body: object, key: string): Promise<ApiResponse> {
  const send = () => merchant.call("POST", path, body, { "idempotency-key": key });
  const responses = await Promise.all(Array.from({ length: parallel }, () => sendUntilAvailable(send)));
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses.filter(({ headers }) => headers["idempotent-replayed"] === undefined).length).toBeLessThanOrEqual(1);
  const [response] = responses;
  if (response === undefined) throw new Error("Bug: no response");

  // A different request under the same key is refused at once, and the stored response doesn't change.
  const others = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      merchant.call("POST", path, { ...body, amount: 101 + i }, { "idempotency-key": key }),
    ),
  );
  for (const other of others) expectError(other, keyInUse);
  expect((await send()).text).toBe(response.text);
  return response;
}

async function count(table: "checkout_session" | "decision" | "refund" | "charge"): Promise<number> {
  const rows = service.context.db.selectFrom(table).select("id").where("account_no", "=", merchant.tenant.accountNo);
  return (await rows.execute()).length;
}

describe("the same request, sent two hundred times under one key", () => {
  it.each([
    ["pm_card_visa", 200, "approved"],
    ["pm_card_declined_insufficient_funds", 402, "declined"],
  ] as const)(
    "creates one authorization at the acquirer for a charge of %s",
    async (payment_method_id, status, said) => {
      const { id: decision_id } = await merchant.decide(payment_method_id);
      const before = await count("charge");
      const response = await sendByAll(
        "/api/v1/charges",
        { ...order, payment_method_id, decision_id },
        `charge-${said}`,
      );
      expect(response.status).toBe(status);
      expect((await count("charge")) - before).toBe(1);
      expect((await ledgerOf(service, String(decision_id))).authorizations).toMatchObject([
        { status: said, requests: 1 },
      ]);
    },
  );

  it("creates one capture at the acquirer", async () => {
    const { body: charge } = await merchant.charge("pm_card_visa", { capture_method: "manual" });
    const response = await sendByAll(`/api/v1/charges/${charge["id"]}/capture`, { amount: 4000 }, "capture");
    expect(response.body).toMatchObject({ status: "succeeded", amount_captured: 4000 });
    const { authorizations, captures } = await ledgerOf(service, String(charge["decision_id"]));
    expect(captures).toMatchObject([{ status: "approved", amount: 4000, requests: 1 }]);
    expect(authorizations).toMatchObject([{ amount_captured: 4000 }]);
  });

  it("creates one partial refund, although the remaining amount would allow many", async () => {
    const { body: charge } = await merchant.charge("pm_card_visa");
    const before = await count("refund");
    const response = await sendByAll("/api/v1/refunds", { charge_id: charge["id"], amount: 1 }, "refund");
    expect(response.body).toMatchObject({ object: "refund", status: "succeeded", amount: 1 });
    expect((await count("refund")) - before).toBe(1);
    const { authorizations, refunds } = await ledgerOf(service, String(charge["decision_id"]));
    expect(refunds).toMatchObject([{ status: "approved", amount: 1, requests: 1 }]);
    expect(authorizations).toMatchObject([{ amount_refunded: 1 }]);
  });

  it("creates one checkout session with one secret", async () => {
    const before = await count("checkout_session");
    const response = await sendByAll("/api/v1/checkout_sessions", { ...order, metadata: { order: "7" } }, "session");
    expect(response.body["embed_url"]).toMatch(/#[\w-]{43}$/);
    expect((await count("checkout_session")) - before).toBe(1);
  });

  it("creates one decision", async () => {
    const before = await count("decision");
    await sendByAll("/api/v1/decisions", { ...order, payment_method_id: "pm_card_visa" }, "decision");
    expect((await count("decision")) - before).toBe(1);
  });

  it("moves no money when it requests something impossible", async () => {
    const { id: decision_id } = await merchant.decide("pm_card_three_d_secure_required");
    const before = await readLedger(service);
    const body = { ...order, payment_method_id: "pm_card_three_d_secure_required", decision_id };
    expect((await sendByAll("/api/v1/charges", body, "refused")).body).toMatchObject({
      error: { code: "decision_not_approved" },
    });
    expect(await readLedger(service)).toEqual(before);
  });
});

describe("two hundred requests under one key, half of them for another amount", () => {
  it("create one charge, and each returns that charge or an error that the key is in use", async () => {
    const { id: decision_id } = await merchant.decide("pm_card_visa");
    const body = { ...order, payment_method_id: "pm_card_visa", decision_id };
    const amounts = Array.from({ length: parallel }, (_, i) => (i % 2 === 0 ? 4900 : 4800));
    const responses = await Promise.all(
      amounts.map((amount) =>
        sendUntilAvailable(() =>
          merchant.call("POST", "/api/v1/charges", { ...body, amount }, { "idempotency-key": "either" }),
        ),
      ),
    );
    const [charged] = responses.filter(({ status }) => status === 200);
    const won = Number(charged?.body["amount"]);
    const ofAmount = (isWon: boolean) => responses.filter((_, i) => (amounts[i] === won) === isWon);
    expect(new Set(ofAmount(true).map(({ text }) => text))).toEqual(new Set([charged?.text]));
    for (const response of ofAmount(false)) expectError(response, keyInUse);
    expect((await ledgerOf(service, String(decision_id))).authorizations).toMatchObject([{ amount: won, requests: 1 }]);
  });
});

describe("the same request", () => {
  it("is defined by its content, not by the order of its headers and fields", async () => {
    const { id: decision_id } = await merchant.decide("pm_card_visa");
    const fields: [string, unknown][] = [
      ["amount", 4900],
      ["currency", "eur"],
      ["payment_method_id", "pm_card_visa"],
      ["decision_id", decision_id],
      ["metadata", { b: "2", a: "1" }],
    ];
    const headers: [string, string][] = [
      ["Content-Type", "application/json"],
      ["Idempotency-Key", "orders"],
      ["X-Request-Source", "shop"],
      ["Accept", "*/*"],
    ];
    const texts = new Set<string>();
    for (let i = 0; i < 5; i++) {
      fields.push(...fields.splice(0, 1));
      headers.push(...headers.splice(0, 1));
      const body = JSON.stringify(Object.fromEntries(fields), null, i);
      const response = await rawRequest(service, {
        path: "/api/v1/charges",
        headers: headers.flat(),
        body,
        token: merchant.secretKey,
      });
      expect(response.status).toBe(200);
      texts.add(response.text);
    }
    expect(texts.size).toBe(1);
    expect((await ledgerOf(service, String(decision_id))).authorizations).toHaveLength(1);
  });
});

describe("a request that differs from the first under its key", () => {
  const first = {
    ...order,
    description: "Two cups",
    metadata: { order: "secret-7" },
    line_items: [{ name: "Cup", amount: 2450, quantity: 2 }],
  };

  it.each<[string, object, string[]]>([
    ["a value", { ...first, amount: 4901 }, ["amount"]],
    [
      "a value in a list",
      { ...first, line_items: [{ name: "Cup", amount: 2450, quantity: 3 }] },
      ["line_items[0].quantity"],
    ],
    ["an extra field", { ...first, locale: "secret-de" }, ["locale"]],
    ["a missing field", { ...first, description: undefined }, ["description"]],
    ["several", { ...first, metadata: { order: "secret-8" }, description: "" }, ["description", "metadata.order"]],
    ["a value's type", { ...first, amount: "4900" }, ["amount"]],
    [
      "its empty body",
      {},
      [
        "amount",
        "currency",
        "description",
        "line_items[0].amount",
        "line_items[0].name",
        "line_items[0].quantity",
        "metadata.order",
      ],
    ],
  ])("is refused for %s, and the key's row names the fields without their values", async (name, body, differed) => {
    const headers = { "idempotency-key": `differs-${name.replaceAll(" ", "-")}` };
    expect((await merchant.call("POST", "/api/v1/checkout_sessions", first, headers)).status).toBe(200);
    const refused = await merchant.call("POST", "/api/v1/checkout_sessions", body, headers);
    expectError(refused, keyInUse);
    for (const field of differed) expect(refused.text).not.toContain(field);
    const row = await service.context.db
      .selectFrom("idempotency_key")
      .select(["differed", "field_digests"])
      .where("key", "=", headers["idempotency-key"])
      .executeTakeFirstOrThrow();
    expect(row.differed).toEqual(differed);
    expect(Object.keys(row.field_digests ?? {})).toContain("metadata.order");
    expect(JSON.stringify(row)).not.toMatch(/secret-|Two cups|eur"|4900|2450/);
  });

  it("is refused if only its path differs, and the key's row names no field", async () => {
    const { body: charge } = await merchant.charge("pm_card_visa", { capture_method: "manual" });
    await merchant.cancel(String(charge["id"]), "by-address");
    expectError(await merchant.capture(String(charge["id"]), undefined, "by-address"), keyInUse);
    const row = service.context.db.selectFrom("idempotency_key").select("differed").where("key", "=", "by-address");
    expect(await row.executeTakeFirstOrThrow()).toEqual({ differed: [] });
  });
});
