/**
 * Tests 3-D Secure through Adyen's 3DS Server: its outcomes, from the first request to the charge. The simulator uses
 * the sandbox's directory server and ACS. `adyen-three-d-secure-failures.test.ts` covers what can go wrong.
 */
import { beforeEach, describe, expect, it } from "vitest";
import type { ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { startAdyenCustomer } from "./setup/adyen-customer.ts";
import { atTheBank, goBack, threeDSPath } from "./setup/at-the-bank.ts";
import { securityCode } from "./setup/customer.ts";
import { findCardData } from "./setup/find-card-data.ts";
import { authenticationsOf, decisionOf, decode, settled } from "./setup/payment-state.ts";

const customer = await openForTests(startAdyenCustomer());
beforeEach(() => {
  customer.steps = [];
});

const right = { code: "111111" };
const wrong = { code: "222222" };

/** The decision as the merchant sees it. */
const decided = (id: string) => decisionOf(customer.service, id, customer.merchant);

async function amountsOf(sessionId: string): Promise<string[]> {
  const charges = await customer.merchant.list(`charges?session_id=${sessionId}`);
  return charges.map(({ status, failure }) => `${status}${failure ? ` ${failure["decline_code"]}` : ""}`);
}

describe("a card that needs no challenge", () => {
  it("is charged in one request if it isn't enrolled", async () => {
    const { id, payment, checkout } = await customer.pay("not_enrolled");
    expect(payment).toEqual({ id, status: "succeeded" });
    expect(await decided(id)).toMatchObject({
      three_d_secure: { result: "not_supported", version: null, eci: null, liability_shift: false },
    });
    expect(await amountsOf(checkout.sessionId)).toEqual(["succeeded"]);
    expect(customer.steps).toEqual(["begin"]);
  });

  it("is charged with the proof in one request if the issuer has no 3DS Method", async () => {
    const { id, payment } = await customer.pay("frictionless_without_method");
    expect(payment).toEqual({ id, status: "succeeded" });
    expect(await decided(id)).toMatchObject({
      three_d_secure: { result: "authenticated", version: "2.2.0", eci: "05", liability_shift: true },
    });
    expect(await customer.authentication(id)).toMatchObject({
      status: "complete",
      flow: null,
      trans_status: "Y",
      authentication_value: expect.any(String),
      ds_trans_id: expect.any(String),
      vendor_state: null,
    });
    expect(customer.steps).toEqual(["begin"]);
  });

  it.each([
    ["completed", true, "Y"],
    ["not completed", false, "N"],
  ])("is authenticated after the 3DS Method, %s", async (_name, withMethod, threeDSCompInd) => {
    const started = await customer.pay("frictionless");
    expect(started.payment).toEqual({
      id: started.id,
      status: "three_ds",
      runner: `/3ds/run/${started.id}`,
      method: { url: "http://bank.localhost:4100/acs/method", data: expect.any(String), timeout_ms: 10_000 },
    });
    const { server_trans_id } = await customer.authentication(started.id);
    expect(decode(started.payment["method"]?.["data"])).toEqual({
      threeDSServerTransID: server_trans_id,
      threeDSMethodNotificationURL: customer.service.config.checkoutOrigin + threeDSPath(customer.merchant, "method"),
    });
    const { payment } = await customer.continue(started, { withMethod });
    expect(payment).toEqual({ id: started.id, status: "succeeded" });
    expect(await atTheBank(customer.service, String(server_trans_id))).toMatchObject({ threeDSCompInd });
    expect(customer.steps).toEqual(["begin", "after the method"]);
  });

  it.each<[ThreeDSecureScenario, object, string | null]>([
    ["attempted", { result: "attempted", liability_shift: true }, null],
    ["unavailable", { result: "unavailable", liability_shift: false }, null],
    ["not_authenticated", { result: "failed", liability_shift: false }, "authentication_failed"],
    ["rejected", { result: "rejected", liability_shift: false }, "authentication_rejected"],
    ["lookup_error", { result: "protocol_error", liability_shift: false }, "authentication_failed"],
  ])("ends at once: %s", async (scenario, three_d_secure, decline_code) => {
    const { id, payment, checkout } = await customer.pay(scenario);
    expect(payment).toMatchObject({ status: decline_code === null ? "succeeded" : "declined" });
    expect(await decided(id)).toMatchObject({ three_d_secure, decline_code });
    expect(await amountsOf(checkout.sessionId)).toEqual([
      decline_code === null ? "succeeded" : `failed ${decline_code}`,
    ]);
    expect(await customer.authentication(id)).toMatchObject({ status: "complete", vendor_state: null });
  });

  it("shows the issuer's message to the customer", async () => {
    const { payment } = await customer.pay("not_authenticated");
    expect(payment).toMatchObject({ status: "declined", cardholder_info: expect.stringContaining("Test Bank") });
  });

  it("is authenticated once when ten requests arrive at the same moment", async () => {
    const { checkout, id } = await customer.pay("frictionless");
    const responses = await Promise.all(Array.from({ length: 10 }, () => checkout.authenticate(id)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await settled(checkout, id)).toEqual({ id, status: "succeeded" });
    expect(customer.steps).toEqual(["begin", "after the method"]);
  });
});

describe("a challenge", () => {
  it("pays the session when the customer passes it", async () => {
    const challenged = await customer.challenged();
    const { id, payment, checkout } = challenged;
    expect(payment).toEqual({
      id,
      status: "challenge",
      runner: `/3ds/run/${id}`,
      acs_url: "http://bank.localhost:4100/acs/challenge",
      creq: expect.any(String),
      window_size: "03",
      deadline: expect.any(Number),
    });
    expect(decode(payment["creq"])).toEqual({
      messageType: "CReq",
      messageVersion: "2.2.0",
      threeDSServerTransID: (await customer.authentication(id)).server_trans_id,
      acsTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      challengeWindowSize: "03",
    });
    expect((await checkout.reopen()).body["payment"]).toEqual(payment);
    const back = await customer.complete(challenged, right);
    expect(back.address).toBe(customer.service.config.checkoutOrigin + threeDSPath(customer.merchant, "challenge"));
    await goBack(back);
    expect(await settled(checkout, id)).toEqual({ id, status: "succeeded" });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(await decided(id)).toMatchObject({
      status: "consumed",
      three_d_secure: { result: "authenticated", version: "2.2.0", eci: "05", liability_shift: true },
    });
    expect(await customer.authentication(id)).toMatchObject({
      status: "complete",
      flow: "challenge",
      trans_status: "Y",
      authentication_value: expect.any(String),
      vendor_state: null,
    });
    expect(customer.steps).toEqual(["begin", "after the method", "result"]);
  });

  it.each([
    ["fails", wrong, "authentication_failed", "failed"],
    ["gives up on the bank's page", "cancel", "authentication_canceled", "canceled"],
  ] as const)(
    "fails the payment if the customer %s, and another card may follow",
    async (...[, input, code, outcome]) => {
      const challenged = await customer.challenged();
      expect(await customer.finish(challenged, input)).toEqual({
        id: challenged.id,
        status: "declined",
        reason: code,
        cardholder_info: null,
        challenge_outcome: outcome,
        retryable: true,
      });
      expect(await amountsOf(challenged.checkout.sessionId)).toEqual([`failed ${code}`]);
      expect(await customer.authentication(challenged.id)).toMatchObject({ vendor_state: null });
      const again = await challenged.checkout.pay(threeDSecureCards.not_enrolled[0]);
      expect(again.body["payment"]).toMatchObject({ status: "succeeded" });
    },
  );

  it("ends when the customer gives up on our page, and stays ended if the browser returns afterward", async () => {
    const challenged = await customer.challenged();
    const { checkout, id } = challenged;
    const back = await customer.complete(challenged, right);
    await checkout.cancel(id);
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_canceled" });
    const ended = await customer.authentication(id);
    expect(ended).toMatchObject({ status: "complete", result: "canceled", vendor_state: null });
    await goBack(back);
    expect(await customer.authentication(id)).toEqual(ended);
    expect(customer.steps).toEqual(["begin", "after the method"]);
  });

  it("verifies a card to save", async () => {
    const challenged = await customer.challenged("challenge", { mode: "setup", amount: undefined });
    expect(await customer.finish(challenged, right)).toMatchObject({ status: "succeeded" });
    expect(await decided(challenged.id)).toMatchObject({ amount: 0, three_d_secure: { result: "authenticated" } });
  });

  it("stores no card data, and nothing for the vendor after the end", async () => {
    const { id, checkout } = await customer.challenged();
    const row = await customer.authentication(id);
    expect(row.vendor_state).toMatchObject({ step: "challenge" });
    const [number] = threeDSecureCards.challenge;
    expect(findCardData(JSON.stringify(row), { number, code: securityCode })).toEqual([]);
    await checkout.cancel(id);
    const { db } = customer.service.context;
    const finished = db.selectFrom("authentication").select("id").where("status", "=", "complete");
    expect(await finished.where("vendor_state", "is not", null).execute()).toEqual([]);
  });
});

describe("an authorization that the issuer declines for lack of a challenge", () => {
  it("is repeated after a second authentication with a challenge", async () => {
    const first = await customer.continue(await customer.pay("soft_decline"));
    expect(first.payment).toMatchObject({ status: "three_ds", method: null });
    const second = await customer.continue(first, { withMethod: false });
    expect(second.payment).toMatchObject({ status: "three_ds", method: { timeout_ms: 10_000 } });
    const challenged = await customer.continue(second);
    expect(challenged.payment).toMatchObject({ status: "challenge" });
    expect(await customer.finish(challenged, right)).toEqual({ id: first.id, status: "succeeded" });
    expect(await amountsOf(first.checkout.sessionId)).toEqual(["succeeded"]);
    expect(await authenticationsOf(customer.service, first.id)).toMatchObject([
      { is_step_up: false, flow: null, result: "authenticated", vendor_state: null },
      { is_step_up: true, flow: "challenge", result: "authenticated", vendor_state: null },
    ]);
    expect(customer.steps).toEqual(["begin", "after the method", "begin", "after the method", "result"]);
  });

  it("is final if the customer fails the challenge", async () => {
    const first = await customer.continue(await customer.pay("soft_decline"));
    const challenged = await customer.continue(await customer.continue(first, { withMethod: false }));
    expect(await customer.finish(challenged, wrong)).toMatchObject({
      status: "declined",
      reason: "authentication_failed",
    });
    expect(await amountsOf(first.checkout.sessionId)).toEqual(["failed authentication_failed"]);
  });
});
