/**
 * Tests manual capture: a reserved amount is captured once, fully or in part, or canceled. Concurrent calls have one
 * winner, and the acquirer's records agree.
 */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { beginCancellation } from "../src/payments/flow/begin-cancellation.ts";
import { beginCapture } from "../src/payments/flow/begin-capture.ts";
import { responseOfAttempt } from "../src/payments/flow/wait-for-attempt.ts";
import { noCause } from "../src/platform/cause.ts";
import { addFaults, clearFaults, ledgerOf, type Ledger } from "./setup/bank-ledger.ts";
import { cardNumbers, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, missing, type Refusal, keyInUse } from "./setup/expect-error.ts";
import { newMerchant, order, summarize } from "./setup/merchant.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const declined: Refusal = { status: 402, type: "card_error", code: "card_declined", decline_code: "generic_decline" };
const manual = { capture_method: "manual" };

/** Creates a charge that is authorized but not captured. */
async function reserve(): Promise<Json> {
  const { body } = await merchant.charge("pm_card_visa", manual);
  expect(body).toMatchObject({ ...manual, status: "authorized", amount: 4900, amount_captured: 0, failure: null });
  return body;
}

const idOf = ({ id }: Json) => String(id);
const ledger = ({ decision_id }: Json): Promise<Ledger> => ledgerOf(service, String(decision_id));

describe("a charge with manual capture", () => {
  it("reserves the money and sends an event", async () => {
    const charge = await reserve();
    expect(await merchant.read(`charges/${charge["id"]}`)).toEqual(charge);
    expect(await ledger(charge)).toMatchObject({
      authorizations: [
        { status: "approved", amount: 4900, captured: false, amount_captured: 0, canceled: false, requests: 1 },
      ],
      captures: [],
    });
    const events = await merchant.events(idOf(charge));
    expect(summarize(events)).toEqual(["charge.authorized 1 authorized"]);
    expect(events[0]?.["data"]?.["object"]).toEqual({ ...charge, session: null });
  });

  it("fails like any other charge when the acquirer declines it", async () => {
    const response = await merchant.charge("pm_card_declined_generic", manual);
    expectError(response, declined);
    const [charge] = await merchant.list("charges?limit=1");
    expect(charge).toMatchObject({ ...manual, status: "failed", amount_captured: 0 });
    expect(summarize(await merchant.events(String(charge?.["id"])))).toEqual(["payment_failed 1 failed"]);
  });
});

describe("a capture", () => {
  it.each([
    ["the full amount by default", undefined, 4900],
    ["the full amount", 4900, 4900],
    ["a part", 1000, 1000],
    ["the smallest unit", 1, 1],
  ])("captures %s, once", async (_name, amount, taken) => {
    const charge = await reserve();
    const captured = await merchant.capture(idOf(charge), amount);
    expect(captured.body).toEqual({ ...charge, status: "succeeded", amount_captured: taken });
    expect(await merchant.read(`charges/${charge["id"]}`)).toEqual(captured.body);
    expectError(await merchant.capture(idOf(charge), 1), invalid("charge_not_capturable"));
    expectError(await merchant.cancel(idOf(charge)), invalid("charge_not_cancelable"));
    expect(await ledger(charge)).toMatchObject({
      authorizations: [{ amount: 4900, amount_captured: taken, amount_refunded: 0, canceled: false }],
      captures: [{ status: "approved", amount: taken, requests: 1 }],
      cancels: [],
    });
    const events = await merchant.events(idOf(charge));
    expect(summarize(events)).toEqual(["charge.authorized 1 authorized", "payment.succeeded 2 succeeded"]);
    expect(events[1]?.["data"]?.["object"]).toEqual({ ...captured.body, session: null });
  });

  it("is refused for more than was reserved and changes nothing", async () => {
    const charge = await reserve();
    for (const amount of [4901, 999_999_999_999]) {
      expectError(await merchant.capture(idOf(charge), amount), invalid("amount_too_large", "amount"));
    }
    expect(await merchant.read(`charges/${charge["id"]}`)).toEqual(charge);
    expect(await ledger(charge)).toMatchObject({ captures: [] });
    expect((await merchant.capture(idOf(charge))).status).toBe(200);
  });

  it("is refused for a charge that was captured at once, failed or doesn't exist", async () => {
    const taken = await merchant.charge("pm_card_visa");
    expectError(await merchant.capture(idOf(taken.body)), invalid("charge_not_capturable"));
    await merchant.charge("pm_card_declined_generic", manual);
    const [failed] = await merchant.list("charges?limit=1");
    expectError(await merchant.capture(String(failed?.["id"])), invalid("charge_not_capturable"));
    expectError(await merchant.capture("ch_none"), missing);
  });

  it("is refused while the authorization's outcome is unknown", async () => {
    await addFaults(
      service,
      { match: { kind: "authorization" }, fault: "down" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    expect((await merchant.charge("pm_card_mastercard", manual)).status).toBe(503);
    const [charge] = await merchant.list("charges?limit=1");
    expect(charge).toMatchObject({ status: "processing" });
    expectError(await merchant.capture(String(charge?.["id"])), invalid("charge_not_capturable"));
  });

  it("leaves the money reserved when it is declined, so it can be retried or canceled", async () => {
    const checkout = await merchant.checkout(manual);
    await checkout.pay(cardNumbers.captureDeclined);
    const charge = await merchant.chargeOf(checkout);
    expect(charge).toMatchObject({ status: "authorized" });
    for (const amount of [4900, 100]) expectError(await merchant.capture(idOf(charge), amount), declined);
    expect(await merchant.read(`charges/${charge["id"]}`)).toEqual(charge);
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "authorized" });
    expect(summarize(await merchant.events(idOf(charge)))).toEqual([
      "charge.authorized 1 authorized",
      "charge.capture_failed 2 authorized",
      "charge.capture_failed 3 authorized",
    ]);

    expect((await merchant.cancel(idOf(charge))).body).toMatchObject({ status: "canceled", failure: null });
    expect(await ledger(charge)).toMatchObject({
      authorizations: [{ amount_captured: 0, canceled: true }],
      captures: [{ status: "declined" }, { status: "declined" }],
      cancels: [{ status: "approved" }],
    });
  });

  it("runs once per idempotency key, even when the charge can no longer be captured", async () => {
    const charge = await reserve();
    const first = await merchant.capture(idOf(charge), 1000, "capture-1");
    const again = await merchant.capture(idOf(charge), 1000, "capture-1");
    expect(again.text).toBe(first.text);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expectError(await merchant.capture(idOf(charge), 1001, "capture-1"), keyInUse);
    expectError(await merchant.cancel(idOf(charge), "capture-1"), keyInUse);
    expect((await ledger(charge)).captures).toHaveLength(1);
    const [, taken] = await merchant.events(idOf(charge));
    expect(taken?.["request"]).toEqual({ id: first.headers["request-id"], idempotency_key: "capture-1" });
  });
});

describe("a cancellation", () => {
  it("releases the money once", async () => {
    const charge = await reserve();
    const canceled = await merchant.cancel(idOf(charge));
    expect(canceled.body).toEqual({ ...charge, status: "canceled" });
    expectError(await merchant.cancel(idOf(charge)), invalid("charge_not_cancelable"));
    expectError(await merchant.capture(idOf(charge)), invalid("charge_not_capturable"));
    expect(await merchant.read(`charges/${charge["id"]}`)).toEqual(canceled.body);
    expect(await ledger(charge)).toMatchObject({
      authorizations: [{ amount_captured: 0, canceled: true }],
      captures: [],
      cancels: [{ status: "approved", requests: 1 }],
    });
    const events = await merchant.events(idOf(charge));
    expect(summarize(events)).toEqual(["charge.authorized 1 authorized", "charge.canceled 2 canceled"]);
    expect(events[1]?.["data"]?.["object"]).toEqual({ ...canceled.body, session: null });
  });

  it("is refused for a charge that was captured at once, which needs a refund instead", async () => {
    const { body } = await merchant.charge("pm_card_visa");
    const response = await merchant.cancel(idOf(body));
    expectError(response, invalid("charge_not_cancelable"));
    expect(response.text).toContain("/api/v1/refunds");
  });
});

describe("a capture or cancellation that was just written", () => {
  it.each(["captures", "cancels"] as const)("is left to its own request by reads (%s)", async (kind) => {
    const charge = await reserve();
    const id = idOf(charge);
    const { context } = service;
    const { tenant } = merchant;
    const attempt = await context.db
      .transaction()
      .execute(async (tx) =>
        kind === "captures"
          ? await beginCapture(context, tx, tenant, id, {}, noCause)
          : await beginCancellation(context, tx, tenant, id, noCause),
      );
    expect(await merchant.read(`charges/${id}`)).toEqual(charge);
    expect((await ledger(charge))[kind]).toEqual([]);
    expect(await responseOfAttempt(context, attempt as string)).toMatchObject({ status: 200 }); // as its request does
    expect((await ledger(charge))[kind]).toHaveLength(1);
  });
});

describe("concurrent captures and cancellations", () => {
  it.each(["one after another", "all at once, with a slow acquirer"])(
    "have one winner, and the acquirer's records agree: %s",
    async (how) => {
      const charge = await reserve();
      if (how !== "one after another") {
        const slow = { fault: "late", ms: 300 } as const;
        await addFaults(service, { match: { kind: "capture" }, ...slow }, { match: { kind: "cancel" }, ...slow });
      }
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          i % 2 === 0 ? merchant.capture(idOf(charge), 4900 - i) : merchant.cancel(idOf(charge)),
        ),
      );
      const [won, ...more] = responses.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      for (const { status, body } of responses.filter((response) => response !== won)) {
        expect(status).toBe(400);
        expect(["charge_operation_in_progress", "charge_not_capturable", "charge_not_cancelable"]).toContain(
          body["error"]?.["code"],
        );
      }
      const after = await merchant.read(`charges/${charge["id"]}`);
      expect(after).toEqual(won?.body);
      const { authorizations, captures, cancels } = await ledger(charge);
      expect(captures.length + cancels.length).toBe(1);
      expect(authorizations).toMatchObject([
        { amount_captured: after["amount_captured"], canceled: String(after["status"]) === "canceled" },
      ]);
      expect(await merchant.events(idOf(charge))).toHaveLength(2);
    },
  );

  it("are refused while another one is still running", async () => {
    const charge = await reserve();
    await addFaults(service, { match: { kind: "cancel" }, fault: "down", times: 1 });
    const lost = await merchant.cancel(idOf(charge), "cancel-unknown");
    expectError(lost, { status: 503, type: "api_error", code: "payment_outcome_unknown" });
    expectError(await merchant.capture(idOf(charge)), invalid("charge_operation_in_progress"));
    expectError(await merchant.cancel(idOf(charge)), invalid("charge_operation_in_progress"));
    const ended = await until("the cancellation to end", async () => {
      const response = await merchant.cancel(idOf(charge), "cancel-unknown");
      return response.status === 503 ? null : response;
    });
    expect(ended.body).toMatchObject({ status: "canceled" });
  });
});

describe("a session with manual capture", () => {
  const stateOf = async (checkout: Checkout) => {
    const { status, payment_status } = await checkout.session();
    return `${status} ${payment_status}`;
  };

  it.each<[string, (id: string) => Promise<ApiResponse>, string, string]>([
    ["captured", (id) => merchant.capture(id, 900), "complete paid", "payment.succeeded 2 succeeded"],
    ["canceled", (id) => merchant.cancel(id), "complete unpaid", "charge.canceled 2 canceled"],
  ])("is complete once the money is reserved and then shows that it was %s", async (_name, act, state, last) => {
    const checkout = await merchant.checkout({ ...manual, metadata: { order: "7" } });
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({
      payment: { status: "succeeded" },
      session: { status: "complete" },
    });
    expect(await stateOf(checkout)).toBe("complete authorized");
    const charge = await merchant.chargeOf(checkout);
    expect(charge).toMatchObject({ ...manual, status: "authorized" });
    expect((await act(idOf(charge))).status).toBe(200);
    expect(await stateOf(checkout)).toBe(state);
    const events = await merchant.events(idOf(charge));
    expect(summarize(events)).toEqual(["charge.authorized 1 authorized", last]);
    expect(events.map(({ data }) => data?.["object"]?.["session"])).toEqual(
      ["authorized", state.split(" ")[1]].map((payment_status) => ({
        id: checkout.sessionId,
        status: "complete",
        payment_status,
        attempts_left: 5,
        metadata: { order: "7" },
      })),
    );
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_closed"));
  });

  it.each([
    ["as the session says", {}, "authorized"],
    ["as the charge says", { capture_method: "automatic" }, "succeeded"],
  ])("is charged %s when the merchant's server confirms it", async (_name, more, status) => {
    const checkout = await merchant.checkout({ ...manual, confirmation: "server" });
    const { payment_method_id, decision_id } = (await checkout.pay(cardNumbers.approved)).body["payment"] ?? {};
    const request = { ...order, payment_method_id, decision_id, ...more };
    expect((await merchant.call("POST", "/api/v1/charges", request)).body).toMatchObject({ status });
    expect(await stateOf(checkout)).toBe(status === "authorized" ? "complete authorized" : "complete paid");
  });
});
