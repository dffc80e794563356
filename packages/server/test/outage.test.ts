/**
 * Tests an acquirer that fails midway: it is killed, or its response is lost on the line. The money moves at most once,
 * no response claims an outcome that is unknown, and the same key gets the outcome in the end.
 */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { readerPauseSeconds } from "../src/payments/attempts/deadlines.ts";
import { beginCharge } from "../src/payments/flow/begin-charge.ts";
import { resumeAttempts } from "../src/payments/flow/recovery.ts";
import { runAttempt } from "../src/payments/flow/run-attempt.ts";
import { noCause } from "../src/platform/cause.ts";
import { sweep } from "../src/worker.ts";
import { cardNumbers, openCheckout } from "./setup/customer.ts";
import { expectError, invalid, type Refusal } from "./setup/expect-error.ts";
import { startWithKillableBank } from "./setup/killable-bank.ts";
import type { ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startWithKillableBank());
afterEach(() => {
  service.line.watch = () => "pass";
});

const order = { amount: 4900, currency: "eur" };
const unknown: Refusal = { status: 503, type: "api_error", code: "payment_outcome_unknown" };
const authorization = "POST /acquirer/authorizations";
/** Routes that only the tests call. */
const allAuthorizations = "GET /acquirer/authorizations";

/** The acquirer isn't called again for this long after it didn't respond. */
const pauseMs = readerPauseSeconds * 1000;

let keys = 0;
async function chargeUnderNewKey(
  payment_method_id: string,
): Promise<{ send: () => Promise<ApiResponse>; decisionId: string }> {
  const decision = await service.call("POST", "/api/v1/decisions", { ...order, payment_method_id });
  const decisionId = String(decision.body["id"]);
  const headers = { "idempotency-key": `outage-${++keys}` };
  return {
    decisionId,
    send: () =>
      service.call("POST", "/api/v1/charges", { ...order, payment_method_id, decision_id: decisionId }, headers),
  };
}

async function finalResponse(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  service.moveClock(pauseMs);
  return await until("the acquirer's response", async () => {
    const response = await send();
    if (response.status !== 503) return response;
    expectError(response, unknown);
    return null;
  });
}

async function chargeOf(decisionId: string) {
  const listed = await service.call("GET", `/api/v1/charges?decision_id=${decisionId}`);
  expect(listed.body["data"]).toHaveLength(1);
  return listed.body["data"]?.["0"];
}

describe("a charge during an acquirer failure", () => {
  it("has an unknown outcome, stays processing, and is created once when the acquirer is back", async () => {
    const { send, decisionId } = await chargeUnderNewKey("pm_card_visa");
    const before = (await service.bankAuthorizations()).length;
    await service.bank.kill();
    const first = await send();
    expectError(first, unknown);
    expect(Number(first.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(await chargeOf(decisionId)).toMatchObject({ status: "processing", amount_captured: 0, failure: null });
    // Another key doesn't get around this, because the decision is used up.
    const body = { ...order, payment_method_id: "pm_card_visa", decision_id: decisionId };
    expectError(
      await service.call("POST", "/api/v1/charges", body),
      invalid("decision_already_consumed", "decision_id"),
    );
    expectError(await send(), unknown);

    await service.bank.start();
    const final = await finalResponse(send);
    expect(final.body).toMatchObject({ object: "charge", status: "succeeded", amount_captured: 4900 });
    expect(await chargeOf(decisionId)).toEqual(final.body);
    expect((await service.bankAuthorizations()).length - before).toBe(1);
    const again = await send();
    expect(again.text).toBe(final.text);
    expect(again.headers["idempotent-replayed"]).toBe("true");
  });

  it("is resolved by a status check, not by a second payment, when the response to a capture was lost", async () => {
    const { send, decisionId } = await chargeUnderNewKey("pm_card_visa");
    const before = (await service.bankAuthorizations()).length;
    const received: string[] = [];
    service.line.watch = (request) => {
      if (request !== allAuthorizations) received.push(request);
      return request === authorization ? "lose" : "pass";
    };
    expectError(await send(), unknown);
    expect((await service.bankAuthorizations()).length - before).toBe(1);
    expect(await chargeOf(decisionId)).toMatchObject({ status: "processing" });

    const final = await finalResponse(send);
    expect(final.body).toMatchObject({ status: "succeeded", amount_captured: 4900 });
    const [first, second] = received;
    expect(first).toBe(authorization);
    expect(second).toMatch(/^GET \/acquirer\/authorizations\/att_/);
    expect(received.filter((request) => request === authorization)).toHaveLength(1);
    expect((await service.bankAuthorizations()).slice(before)).toMatchObject([
      { status: "approved", amount: 4900, requests: 1 },
    ]);
  });

  it("ends as a decline when the response to a decline was lost", async () => {
    const { send, decisionId } = await chargeUnderNewKey("pm_card_declined_insufficient_funds");
    const before = (await service.bankAuthorizations()).length;
    service.line.watch = (request) => (request === authorization ? "lose" : "pass");
    expectError(await send(), unknown);
    const final = await finalResponse(send);
    expectError(final, {
      status: 402,
      type: "card_error",
      code: "card_declined",
      decline_code: "insufficient_funds",
    });
    expect((await send()).text).toBe(final.text);
    expect(await chargeOf(decisionId)).toMatchObject({
      status: "failed",
      failure: { decline_code: "insufficient_funds" },
    });
    expect((await service.bankAuthorizations()).length - before).toBe(1);
  });

  it("is still in the acquirer's records after the acquirer was killed and restarted", async () => {
    const { send } = await chargeUnderNewKey("pm_card_visa");
    const before = (await service.bankAuthorizations()).length;
    service.line.watch = (request) => (request === authorization ? "lose" : "pass");
    expectError(await send(), unknown);
    await service.bank.kill();
    expectError(await send(), unknown);
    await service.bank.start();
    expect((await finalResponse(send)).body).toMatchObject({ status: "succeeded" });
    expect((await service.bankAuthorizations()).length - before).toBe(1);
  });

  it("is checked by the next sweep when its process died", async () => {
    const { send } = await chargeUnderNewKey("pm_card_visa");
    const before = (await service.bankAuthorizations()).length;
    service.line.watch = (request) => (request === authorization ? "lose" : "pass");
    expectError(await send(), unknown);
    await resumeAttempts(service.context); // not due yet
    expectError(await send(), unknown);
    service.moveClock(2 * 60_000);
    await resumeAttempts(service.context);
    expect((await finalResponse(send)).body).toMatchObject({ status: "succeeded" });
    expect((await service.bankAuthorizations()).length - before).toBe(1);
  });

  it("is checked until a response arrives", async () => {
    const { send } = await chargeUnderNewKey("pm_card_visa");
    const before = (await service.bankAuthorizations()).length;
    let lost = 0;
    service.line.watch = (request) => (request !== allAuthorizations && ++lost <= 2 ? "lose" : "pass");
    expectError(await send(), unknown);
    expect((await finalResponse(send)).body).toMatchObject({ status: "succeeded" });
    expect(lost).toBe(3);
    expect((await service.bankAuthorizations()).length - before).toBe(1);
  });
});

describe("a customer whose payment's response is lost", () => {
  it("sees the payment processing, can't pay twice, and sees it succeed", async () => {
    const checkout = await openCheckout(service);
    const before = (await service.bankAuthorizations()).length;
    service.line.watch = (request) => (request === authorization ? "lose" : "pass");
    const message = await checkout.encrypt(cardNumbers.approved);
    const started = await checkout.pay(message);
    const id = String(started.body["payment"]?.["id"]);
    expect(started.body).toMatchObject({ payment: { status: "processing" }, session: { status: "open" } });
    expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "processing" });
    expectError(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));
    // The customer can't cancel a payment that is already at the acquirer.
    expect((await checkout.cancel(id)).body).toMatchObject({ payment: { status: "processing" } });

    service.moveClock(pauseMs);
    const seen = await until("the payment to end", async () => {
      const { body } = await checkout.payment(id);
      return String(body["payment"]?.["status"]) === "processing" ? null : body;
    });
    expect(seen).toMatchObject({ payment: { status: "succeeded" }, session: { status: "complete" } });
    expect((await service.bankAuthorizations()).length - before).toBe(1);
  });

  it("isn't charged as not enrolled in 3-D Secure just because the directory server was unavailable", async () => {
    // The card ranges have been fetched by now. After that, the directory server stops responding.
    const checkout = await openCheckout(service);
    const started = await checkout.pay(cardNumbers.challenge);
    const id = String(started.body["payment"]?.["id"]);
    expect(started.body).toMatchObject({ payment: { status: "three_ds" } });
    service.line.watch = (request) => (request === "POST /directory-server" ? "lose" : "pass");
    const response = await checkout.authenticate(id);
    expect(response.body).toMatchObject({ payment: { status: "succeeded" } });
    const decision = await service.call("GET", `/api/v1/decisions/${id}`);
    expect(decision.body["three_d_secure"]).toMatchObject({ result: "unavailable", liability_shift: false });
    expect((await service.bankAuthorizations()).at(-1)).toMatchObject({ authenticated: false });
  });
});

describe("a status check with the acquirer", () => {
  it("runs once, however many readers need it at the same moment", async () => {
    const order = { amount: 4900, currency: "eur", payment_method_id: "pm_card_visa" };
    const decision = (await service.call("POST", "/api/v1/decisions", order)).body;
    const whole = { ...order, decision_id: String(decision["id"]), capture_method: null, metadata: {} };
    const { db } = service.context;
    const begin = db.transaction().execute((tx) => beginCharge(service.context, tx, service.tenant, whole, noCause));
    const { id: attemptId } = (await begin).attempt;
    await db.updateTable("attempt").set({ claimed_until: null }).where("id", "=", attemptId).execute(); // not called yet
    await Promise.all(Array.from({ length: 10 }, () => runAttempt(service.context, attemptId)));
    const booked = (await service.bankAuthorizations()).filter(({ reference }) => reference === attemptId);
    expect(booked).toMatchObject([{ status: "approved", requests: 1 }]);
  });
});

describe("more than one batch of overdue attempts", () => {
  it("is finished in one sweep", async () => {
    const create = () =>
      service.call("POST", "/api/v1/checkout_sessions", { amount: 100, currency: "eur", expires_after_minutes: 5 });
    for (let i = 0; i < 13; i++) await Promise.all(Array.from({ length: 10 }, create));
    service.moveClock(6 * 60_000);
    await sweep(service.context);
    const due = await service.context.db
      .selectFrom("checkout_session")
      .select("status")
      .where("expires_at", "<=", service.context.now())
      .where("payment_decision_id", "is", null)
      .execute();
    expect(due.length).toBeGreaterThanOrEqual(130);
    expect(due.filter(({ status }) => status === "open")).toEqual([]);
  });
});
