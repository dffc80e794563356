/**
 * Tests two modes with two acquirers: a live account's money moves at the live acquirer under the merchant ID that an
 * operator set, and nothing in test mode reaches it. The vault's `storing-cards.postgres.test.ts` checks that live
 * mode's types refuse a test acquirer.
 */
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { RReq } from "@oriel/protocol/threeds";
import { createBank } from "@oriel/sandbox";
import type { Mode } from "@oriel/vault";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAcquirer } from "../src/merchants/accounts/accounts.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { tenantOf } from "../src/platform/tenant.ts";
import { threeDSPath } from "./setup/at-the-bank.ts";
import { openBankProxy } from "./setup/bank-proxy.ts";
import { cardNumbers, openCheckout, payAndAuthenticate, payUpToChallenge } from "./setup/customer.ts";
import { auditOf, expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { signInToWorkspace } from "./setup/dashboard-member.ts";
import { emailsTo, newOperator } from "./setup/dashboard-visitor.ts";
import { expectError, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { decode, settled } from "./setup/payment-state.ts";
import {
  bankKeys,
  liveBankKeys,
  startTestService,
  type ApiResponse,
  type Authorization,
  type Json,
} from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const noAcquirer: Refusal = { status: 503, type: "api_error", code: "acquirer_not_configured" };
const closers = closersFor(afterAll);
/** The requests each acquirer received since the test started, such as `POST /acquirer/authorizations`. */
const requests: Record<Mode, string[]> = { test: [], live: [] };

const test = await startBank("test", "http://bank.localhost:4100", bankKeys);
// Live mode redirects only to https pages.
const live = await startBank("live", "https://live-bank.example", liveBankKeys);
const liveBankUrl = live.bankUrl;
const service = await openForTests(startTestService({ live: true, bankUrl: test.lineUrl, liveBankUrl: live.lineUrl }));
const operator = await newOperator(service);
beforeEach(() => {
  requests.test = [];
  requests.live = [];
});

async function startBank(
  mode: Mode,
  origin: string,
  keys: typeof bankKeys,
): Promise<{ bankUrl: string; lineUrl: string }> {
  const bank = await createBank({ origin, ...keys });
  closers.push(() => bank.close());
  const bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
  const line = await openBankProxy(bankUrl);
  closers.push(() => line.close());
  line.watch = (request) => {
    requests[mode].push(request);
    return "pass";
  };
  return { bankUrl, lineUrl: line.url };
}

async function liveAuthorizations(): Promise<(Authorization & { merchant_id?: string })[]> {
  const headers = { authorization: `Bearer ${liveBankKeys.apiKey}` };
  const response = await fetch(`${liveBankUrl}/acquirer/authorizations`, { headers });
  return ((await response.json()) as { authorizations: Authorization[] }).authorizations; // documented shape
}

const setMerchantId = (accountId: string, merchant_id: string | null, visitor = operator) =>
  visitor.call("POST", `/operator/accounts/${accountId}/acquirer`, { merchant_id });

/** Creates a merchant that is approved for live mode and has a merchant ID. */
async function newLiveMerchant(merchantId = "kiln-1"): Promise<Merchant> {
  const merchant = await newMerchant(service, { livemode: true });
  expect((await setMerchantId(merchant.accountId, merchantId)).status).toBe(200);
  return merchant;
}

/** Reports a successful authentication, signed with this acquirer's key. */
async function sendResult(payment: Json, { resultsKey }: typeof bankKeys): Promise<ApiResponse> {
  // The CReq has these fields too.
  const { threeDSServerTransID, acsTransID, messageVersion } = decode(payment["creq"]) as unknown as RReq;
  const authentications = service.context.db.selectFrom("authentication").selectAll();
  const row = await authentications.where("id", "=", threeDSServerTransID).executeTakeFirstOrThrow();
  const ids = { messageVersion, threeDSServerTransID, acsTransID, dsTransID: row.ds_trans_id ?? "" };
  const proof = { authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", eci: "05", authenticationType: "02" };
  const rreq = {
    messageType: "RReq",
    ...ids,
    messageCategory: "01",
    transStatus: "Y",
    ...proof,
    interactionCounter: "01",
  };
  return await service.call("POST", threeDSPath({ tenant: tenantOf(row) }, "results"), rreq, {
    authorization: `Bearer ${resultsKey}`,
  });
}

describe("a live account with an acquirer", () => {
  it("is paid at the live acquirer under its merchant ID, and refunds there", async () => {
    const merchant = await newLiveMerchant("kiln-77");
    const checkout = await merchant.checkout();
    expect((await checkout.pay(cardNumbers.approved)).body["payment"]?.["status"]).toBe("succeeded");
    const charge = await merchant.chargeOf(checkout);
    expect(charge).toMatchObject({ livemode: true, status: "succeeded", amount: 4900 });
    expect((await merchant.refund(String(charge["id"]), 900)).body).toMatchObject({ status: "succeeded", amount: 900 });

    const sold = (await liveAuthorizations()).filter(({ merchant_id }) => merchant_id === "kiln-77");
    expect(sold).toMatchObject([{ status: "approved", amount: 4900, amount_refunded: 900 }]);
    expect(requests.test).toEqual([]);
    expect(requests.live).toEqual(expect.arrayContaining(["POST /acquirer/authorizations", "POST /acquirer/refunds"]));
  });

  it("authenticates its customers through the live acquirer", async () => {
    const checkout = await (await newLiveMerchant()).checkout();
    const { id } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    expect((await settled(checkout, id))["status"]).toBe("succeeded");
    expect((await liveAuthorizations()).at(-1)).toMatchObject({ authenticated: true });
    expect(requests.live).toContain("POST /directory-server");
    expect(requests.test).toEqual([]);
  });

  it("can't use test mode's payment methods", async () => {
    const merchant = await newLiveMerchant();
    const decision = await merchant.call("POST", "/api/v1/decisions", { ...order, payment_method_id: "pm_card_visa" });
    expect([decision.status, decision.body["error"]?.["code"]]).toEqual([400, "resource_missing"]);
    expect(requests).toEqual({ test: [], live: [] });
  });

  it("takes no new payments once its merchant ID is removed, and earlier payments can still be refunded", async () => {
    const merchant = await newLiveMerchant();
    const { accountId } = merchant;
    const workspace = await signInToWorkspace(service, merchant, "owner");
    const [paid, open] = [await merchant.checkout(), await merchant.checkout()];
    await paid.pay(cardNumbers.approved);
    const id = String((await merchant.chargeOf(paid))["id"]);
    expect((await setMerchantId(accountId, null)).body["acquirer"]).toEqual({ has_bank: true, merchant_id: null });
    requests.live = [];

    expectError(await merchant.call("POST", "/api/v1/checkout_sessions", order), noAcquirer);
    const decision = { ...order, payment_method_id: (await merchant.chargeOf(paid))["payment_method_id"] };
    expectError(await merchant.call("POST", "/api/v1/decisions", decision), noAcquirer);
    expect((await open.pay(cardNumbers.approved)).body["error"]?.["code"]).toBe("session_closed");
    expect(requests).toEqual({ test: [], live: [] });

    expect((await merchant.refund(id, 900)).body).toMatchObject({ status: "succeeded", amount: 900 });
    const path = `/data/${accountId}/live/payments/${id}/refund`;
    const rest = await workspace.visitor.call("POST", path, {}, { "idempotency-key": "the-rest" });
    expect(rest.body).toMatchObject({ status: "succeeded", amount: 4000 });
    expect(requests).toEqual({ test: [], live: ["POST /acquirer/refunds", "POST /acquirer/refunds"] });
    expect((await merchant.call("POST", `/api/v1/checkout_sessions/${open.sessionId}/cancel`, {})).status).toBe(200);
  });

  it("keeps the merchant ID that a payment started with, even if it changes meanwhile", async () => {
    for (const becomes of [null, "kiln-9"]) {
      const merchant = await newLiveMerchant("kiln-8");
      const checkout = await merchant.checkout();
      const { id, payment } = await payUpToChallenge(checkout);
      await setMerchantId(merchant.accountId, becomes);
      expect((await sendResult(payment, liveBankKeys)).body).toMatchObject({
        messageType: "RRes",
        resultsStatus: "01",
      });
      await settled(checkout, id);
      expect((await liveAuthorizations()).at(-1)).toMatchObject({ merchant_id: "kiln-8", amount: 4900 });
    }
  });
});

describe("a suspended live account", () => {
  it("is refused from the next request on, even from open pages, and the acquirer receives nothing", async () => {
    const merchant = await newLiveMerchant();
    const { accountId } = merchant;
    const open = await merchant.checkout();
    requests.live = [];
    const turn = (verb: string) =>
      operator.call("POST", `/operator/accounts/${accountId}/${verb}`, { reason: "Looked into." });
    expect((await turn("suspend")).status).toBe(200);
    const suspended: Refusal = { status: 401, type: "authentication_error", code: "account_suspended" };
    expectError(await merchant.call("GET", "/api/v1/charges"), suspended);
    expectError(await merchant.call("POST", "/api/v1/checkout_sessions", order), suspended);
    expect((await open.pay(cardNumbers.approved)).body["error"]?.["code"]).toBe("session_closed");
    expect(requests).toEqual({ test: [], live: [] });
    expect((await turn("resume")).status).toBe(200);
    expect((await open.pay(cardNumbers.approved)).body["payment"]?.["status"]).toBe("succeeded");
  });
});

describe("a test key", () => {
  it("never reaches the live acquirer, even if the account has one", async () => {
    const live = await newLiveMerchant();
    const testKey = await createApiKey(service.context.db, { ...live.tenant, livemode: false }, service.context.now());
    const call: Merchant["call"] = (method, path, body, headers) =>
      service.call(method, path, body, { authorization: `Bearer ${testKey.secretKey}`, ...headers });
    const paidLive = await live.checkout();
    await paidLive.pay(cardNumbers.approved);
    const liveCharge = await live.chargeOf(paidLive);
    requests.live = [];

    for (const card of [cardNumbers.approved, cardNumbers.declined, cardNumbers.frictionless, cardNumbers.challenge]) {
      const checkout = await openCheckout({ call, frame: service.frame }, { capture_method: "manual" });
      const paid = await checkout.pay(card);
      const id = String(paid.body["payment"]?.["id"]);
      await checkout.authenticate(id);
      await checkout.cancel(id);
    }
    const charges = (await call("GET", "/api/v1/charges")).body["data"] as unknown as { id: string; status: string }[];
    const [first, second] = charges.filter(({ status }) => status === "authorized");
    expect((await call("POST", `/api/v1/charges/${first?.id}/capture`, {})).body["status"]).toBe("succeeded");
    expect((await call("POST", "/api/v1/refunds", { charge_id: first?.id })).body["status"]).toBe("succeeded");
    expect((await call("POST", `/api/v1/charges/${second?.id}/cancel`, {})).body["status"]).toBe("canceled");
    const method = { ...order, payment_method_id: "pm_card_visa" };
    const { id: decision_id } = (await call("POST", "/api/v1/decisions", method)).body;
    expect((await call("POST", "/api/v1/charges", { ...method, decision_id })).body["status"]).toBe("succeeded");

    // The test key can't find the same account's live objects.
    const { id, payment_method_id } = liveCharge;
    for (const [path, body] of [
      [`charges/${String(id)}/capture`, {}],
      [`charges/${String(id)}/cancel`, {}],
      ["refunds", { charge_id: id }],
      ["decisions", { ...order, payment_method_id }],
    ] as const)
      expect((await call("POST", `/api/v1/${path}`, body)).body["error"]?.["code"]).toBe("resource_missing");

    expect(requests.live).toEqual([]);
    expect(requests.test).toEqual(
      expect.arrayContaining(
        ["authorizations", "captures", "cancels", "refunds"].map((path) => `POST /acquirer/${path}`),
      ),
    );
  });
});

describe("a 3-D Secure result", () => {
  it("is accepted only from the acquirer of its own mode", async () => {
    const live = await newLiveMerchant();
    const test = await newMerchant(service);
    for (const [merchant, own, other] of [
      [live, liveBankKeys, bankKeys],
      [test, bankKeys, liveBankKeys],
    ] as const) {
      const checkout = await merchant.checkout();
      const { id, payment } = await payUpToChallenge(checkout);
      expect((await sendResult(payment, other)).body).toMatchObject({ messageType: "Erro", errorCode: "301" });
      expect((await checkout.payment(id)).body["payment"]?.["status"]).toBe("challenge");
      expect((await sendResult(payment, own)).body).toMatchObject({ messageType: "RRes", resultsStatus: "01" });
      expect((await settled(checkout, id))["status"]).toBe("succeeded");
    }
  });
});

describe("the merchant ID", () => {
  it("is set by an operator after step-up, is audited, and allows only characters that acquirers accept", async () => {
    const { accountId } = await newMerchant(service, { livemode: true });
    for (const wrong of ["", " ", "a b", "x".repeat(36), "<b>", 7, undefined])
      expect(
        refusalOf(await operator.call("POST", `/operator/accounts/${accountId}/acquirer`, { merchant_id: wrong })),
      ).toMatch(/^400 /);
    expect(refusalOf(await setMerchantId("acct_none", "kiln-1"))).toBe("404 resource_missing");
    for (const id of ["kiln-1", "kiln-1", "kiln-2", null]) {
      const { body } = await setMerchantId(accountId, id);
      expect(body["acquirer"]).toEqual({ has_bank: true, merchant_id: id });
    }
    expect((await auditOf(service, accountId)).filter((row) => row.includes("acquirer"))).toEqual([
      expect.stringContaining("account.acquirer_set"),
      expect.stringContaining("account.acquirer_set"),
      expect.stringContaining("account.acquirer_removed"),
    ]);
    const stale = await newOperator(service);
    await expireStepUp(service, stale);
    expect(refusalOf(await setMerchantId(accountId, "kiln-3", stale))).toBe("403 step_up_required");
  });

  it("is emailed to the owners without naming the operator", async () => {
    const merchant = await newLiveMerchant("kiln-5");
    const { visitor } = await signInToWorkspace(service, merchant, "owner");
    await setMerchantId(merchant.accountId, "kiln-6");
    const email = await until(
      "the email",
      async () => emailsTo(service, visitor.email).find((text) => text.includes("kiln-6")) ?? null,
    );
    expect(email).not.toContain(operator.email);
    const audit = await visitor.inWorkspace("GET", "audit");
    expect(audit.text).toContain("account.acquirer_set");
    expect(audit.text).not.toContain(operator.email);
  });

  it("has no effect without a live acquirer", async () => {
    const without = await startTestService({ live: true });
    const { accountId, secretKey } = await without.addTenant(true);
    await setAcquirer(without.context.db, accountId, "kiln-1", without.context.now(), "cli test");
    const headers = { authorization: `Bearer ${secretKey}` };
    expectError(await without.call("POST", "/api/v1/checkout_sessions", order, headers), noAcquirer);
    const refused = await without.call(
      "POST",
      threeDSPath(service, "results"),
      {},
      { authorization: `Bearer ${liveBankKeys.resultsKey}` },
    );
    expectError(refused, { status: 401, type: "authentication_error", code: "api_key_invalid" });
    await without.close();
  });
});
