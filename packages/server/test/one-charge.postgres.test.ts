/** Requests for one charge that reach two processes at the same moment: there is one charge, one event and one response. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { startBankProcess } from "./setup/bank-process.ts";
import { order } from "./setup/merchant.ts";
import type { Json } from "./setup/test-service.ts";
import { startTwoProcesses } from "./setup/two-processes.ts";

const card = { payment_method_id: "pm_card_visa" };

const bank = await openForTests(startBankProcess());
const two = await openForTests(startTwoProcesses({ ORIEL_RATE_LIMIT: "off", BANK_URL: bank.url }));

/** Sends a request to one of the two processes. @param n even for the first */
async function post(n: number, path: string, body: object, key: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${two.urls[n % 2 === 0 ? 0 : 1]}/api/v1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${two.key.secretKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function newOrder(key: string) {
  const { text } = await post(0, "decisions", { ...order, ...card }, `decision for ${key}`.replaceAll(" ", "-"));
  return { ...order, ...card, decision_id: String((JSON.parse(text) as Json)["id"]) };
}

async function expectOneCharge(decisionId: string): Promise<void> {
  const { db } = two;
  const charges = await db.selectFrom("charge").selectAll().where("decision_id", "=", decisionId).execute();
  expect(charges).toMatchObject([{ status: "succeeded" }]);
  const attempts = await db.selectFrom("attempt").selectAll().where("decision_id", "=", decisionId).execute();
  expect(attempts).toMatchObject([{ status: "approved" }]);
  const events = db
    .selectFrom("event")
    .select("type")
    .where("object_id", "=", charges[0]?.id ?? "");
  expect(await events.execute()).toEqual([{ type: "payment.succeeded" }]);
}

describe("fifty identical requests to two processes", () => {
  it("create one charge and one event, and get the same response", async () => {
    const body = await newOrder("same");
    const responses = await Promise.all(Array.from({ length: 50 }, (_, n) => post(n, "charges", body, "same")));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses[0]?.status).toBe(200);
    await expectOneCharge(body.decision_id);
    expect(await post(1, "charges", body, "same")).toEqual(responses[0]);
    expect(await post(1, "charges", { ...body, amount: 1 }, "same")).toMatchObject({ status: 422 });
  });
});

describe("twenty requests with different keys and the same decision to two processes", () => {
  it("create one charge and one event, and the others get the error that the decision was used", async () => {
    const body = await newOrder("many");
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => post(n, "charges", body, `many-${n}`)));
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(19);
    for (const { text } of refused) expect(text).toContain('"decision_already_consumed"');
    await expectOneCharge(body.decision_id);
    const again = await Promise.all(Array.from({ length: 20 }, (_, n) => post(n + 1, "charges", body, `many-${n}`)));
    expect(again).toEqual(responses);
  });
});
