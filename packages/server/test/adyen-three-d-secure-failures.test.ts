/**
 * Tests 3-D Secure through Adyen's 3DS Server when something goes wrong: lost and unreadable replies, customers who
 * disappear, processes that die, and messages that others forge. A payment is never charged without the result that
 * Adyen has from the directory server, unless the operator's policy allows it.
 */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { requestResults } from "../src/payments/flow/recovery.ts";
import { recordBrowserReturn, readBrowserReturn } from "../src/payments/flow/threeds/browser-return.ts";
import { sweep } from "../src/worker.ts";
import { startAdyenCustomer, type AuthenticationStep } from "./setup/adyen-customer.ts";
import { goBack, threeDSPath } from "./setup/at-the-bank.ts";
import { directoryServerOf } from "./setup/directory-server-of.ts";
import { newMerchant } from "./setup/merchant.ts";
import { authenticationsOf, decisionOf, decode, settled } from "./setup/payment-state.ts";
import { bankKeys } from "./setup/test-service.ts";

const customer = await openForTests(startAdyenCustomer());
const service = customer.service;
beforeEach(() => {
  customer.steps = [];
});
afterEach(() => customer.restore());

const right = { code: "111111" };
const shop = "https://shop.example";
const decided = (id: string) => decisionOf(service, id, customer.merchant);
const chargesOf = async (sessionId: string) => await customer.merchant.list(`charges?session_id=${sessionId}`);
const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString("base64url");

async function post(path: string, fields: Record<string, string>): Promise<Response> {
  const response = await fetch(service.config.checkoutOrigin + path, {
    method: "POST",
    body: new URLSearchParams(fields),
  });
  expect(response.status).toBe(200);
  return response;
}

const steps: AuthenticationStep[] = ["begin", "after the method", "result"];

describe("a lost reply", () => {
  it.each(steps)("(%s) is made up for by sending the request once more", async (step) => {
    customer.fail(step, (count) => (count === 1 ? "lose" : "pass"));
    expect(await customer.finish(await customer.challenged(), right)).toMatchObject({ status: "succeeded" });
    expect(customer.steps).toEqual(steps);
  });

  it("to the authorization after a step-up is made up for in the same way", async () => {
    const { adyen } = customer;
    const first = await customer.continue(await customer.pay("soft_decline"));
    const challenged = await customer.continue(await customer.continue(first, { withMethod: false }));
    adyen.holdsNotifications = true;
    await adyen.addFaults({ match: { kind: "authorization" }, fault: "error_after", times: 1 });
    expect(await customer.finish(challenged, right)).toMatchObject({ status: "succeeded" });
    adyen.holdsNotifications = false;
    const attempts = service.context.db.selectFrom("attempt").select("calls").where("decision_id", "=", first.id);
    expect(await attempts.orderBy("id").execute()).toEqual([{ calls: 1 }, { calls: 2 }]);
  });

  it("counts as unavailable if the first request gets none, and the payment continues without 3-D Secure", async () => {
    customer.fail("begin", () => "lose");
    const { id, payment } = await customer.pay("challenge");
    expect(payment).toMatchObject({ status: "succeeded" });
    expect(await decided(id)).toMatchObject({ three_d_secure: { result: "unavailable", liability_shift: false } });
  });

  it("counts as unavailable after the 3DS Method, too", async () => {
    customer.fail("after the method", () => "lose");
    const { id, payment } = await customer.continue(await customer.pay("challenge"));
    expect(payment).toMatchObject({ status: "succeeded" });
    expect(await decided(id)).toMatchObject({ three_d_secure: { result: "unavailable" } });
    expect(await customer.authentication(id)).toMatchObject({ status: "complete", vendor_state: null });
  });

  it("fails the payment under the strict policy", async () => {
    const strict = await startAdyenCustomer({ threeDSecure: "strict" });
    strict.fail("begin", () => "lose");
    const { id, payment } = await strict.pay("challenge");
    expect(payment).toMatchObject({ status: "declined", reason: "try_again" });
    expect(await decisionOf(strict.service, id, strict.merchant)).toMatchObject({
      decline_code: "authentication_unavailable",
      three_d_secure: { result: "unavailable" },
    });
    await strict.close();
  });

  it("with the result is requested again by the worker, and the payment succeeds", async () => {
    const startedAt = service.context.now();
    const challenged = await customer.challenged();
    const { checkout, id } = challenged;
    let lost = 0;
    customer.fail("result", () => {
      lost++;
      return "lose";
    });
    await goBack(await customer.complete(challenged, right));
    await vi.waitFor(() => expect(lost).toBe(2));
    expect((await checkout.payment(id)).body["payment"]).toEqual({ id, status: "authenticating" });
    customer.restore();
    service.moveClock(2_001);
    await requestResults(service.context, startedAt);
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(customer.steps).toEqual(steps);
  });
});

describe("an unreadable reply", () => {
  it("to the first request fails the payment", async () => {
    customer.fail("begin", () => "garble");
    const { id, payment, checkout } = await customer.pay("frictionless_without_method");
    expect(payment).toMatchObject({ status: "declined", reason: "try_again", retryable: true });
    expect(await decided(id)).toMatchObject({
      decline_code: "authentication_unavailable",
      three_d_secure: { result: "protocol_error", liability_shift: false },
    });
    expect(await chargesOf(checkout.sessionId)).toMatchObject([{ status: "failed" }]);
  });

  it("after the 3DS Method fails the payment", async () => {
    customer.fail("after the method", () => "garble");
    const { id, payment } = await customer.continue(await customer.pay("frictionless"));
    expect(payment).toMatchObject({ status: "declined", reason: "try_again" });
    expect(await decided(id)).toMatchObject({ three_d_secure: { result: "protocol_error" } });
    expect(await customer.authentication(id)).toMatchObject({ status: "complete", vendor_state: null });
  });

  it("with the result fails the payment at the deadline", async () => {
    customer.fail("result", () => "garble");
    const challenged = await customer.challenged();
    const { checkout, id } = challenged;
    await goBack(await customer.complete(challenged, right));
    expect((await checkout.payment(id)).body["payment"]).toEqual({ id, status: "authenticating" });
    service.moveClock(11_000);
    expect(await settled(checkout, id)).toMatchObject({ status: "declined" });
    expect(await decided(id)).toMatchObject({ three_d_secure: { result: "protocol_error" } });
    expect(await customer.authentication(id)).toMatchObject({ vendor_state: null });
  });
});

describe("a customer who disappears", () => {
  it.each([
    ["before the 3DS Method is over", () => customer.pay("challenge")],
    ["at the challenge", () => customer.challenged()],
  ])("%s fails the payment at the deadline", async (_name, start) => {
    const { checkout, id } = await start();
    service.moveClock(11 * 60_000);
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_timed_out" });
    expect(await decided(id)).toMatchObject({ three_d_secure: { result: "timed_out" } });
    expect(await customer.authentication(id)).toMatchObject({ status: "complete", vendor_state: null });
  });

  it.each([
    ["the page polls", async () => {}],
    ["the worker runs", () => sweep(service.context)],
  ])("after passing the challenge has paid, once the deadline has passed and %s", async (_name, work) => {
    const challenged = await customer.challenged();
    await customer.complete(challenged, right);
    await requestResults(service.context, service.context.now());
    expect(customer.steps).toEqual(["begin", "after the method"]); // requesting it now could end the challenge
    service.moveClock(11 * 60_000);
    await work();
    expect(await settled(challenged.checkout, challenged.id)).toMatchObject({ status: "succeeded" });
  });

  it("has still paid if the first request after the deadline gets no reply", async () => {
    const startedAt = service.context.now();
    const challenged = await customer.challenged();
    await customer.complete(challenged, right);
    customer.fail("result", () => "lose");
    service.moveClock(11 * 60_000);
    await sweep(service.context);
    expect(await customer.authentication(challenged.id)).toMatchObject({ status: "awaiting_result" });
    customer.restore();
    service.moveClock(1_000);
    await requestResults(service.context, startedAt);
    expect(await settled(challenged.checkout, challenged.id)).toMatchObject({ status: "succeeded" });
  });
});

describe("a process that dies", () => {
  it("during the first request fails the payment at the deadline, and nothing is charged", async () => {
    const called = Promise.withResolvers<void>();
    const late = Promise.withResolvers<"pass">();
    customer.fail("begin", () => {
      called.resolve();
      return late.promise;
    });
    const checkout = await customer.merchant.checkout();
    const paying = checkout.pay(threeDSecureCards.frictionless_without_method[0]);
    await called.promise;
    const { payment } = (await checkout.reopen()).body;
    const id = String(payment?.["id"]);
    expect(payment).toEqual({ id, status: "authenticating" });
    service.moveClock(31_000);
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "try_again", retryable: true });
    expect(await decided(id)).toMatchObject({ three_d_secure: { result: "protocol_error" } });
    const ended = await customer.authentication(id);

    late.resolve("pass"); // the process wasn't dead after all
    expect((await paying).body["payment"]).toMatchObject({ status: "declined" });
    expect(await customer.authentication(id)).toEqual(ended);
    expect(await chargesOf(checkout.sessionId)).toMatchObject([{ status: "failed" }]);
  });

  it("before the first request is replaced by the one that the page asks next", async () => {
    const { id, checkout } = await customer.pay("frictionless");
    // What the dead process would have left. Adyen returns the first reply again.
    await service.context.db
      .updateTable("authentication")
      .set({ server_trans_id: null, vendor_state: null, method_url: null })
      .where("decision_id", "=", id)
      .execute();
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "three_ds", method: null });
    const { payment } = (await checkout.authenticate(id)).body;
    expect(payment).toMatchObject({ status: "three_ds", method: { timeout_ms: 10_000 } });
    expect((await checkout.authenticate(id)).body["payment"]).toMatchObject({ status: "succeeded" });
  });

  it("after the browser returned leaves the result to the worker", async () => {
    const startedAt = service.context.now();
    const challenged = await customer.challenged();
    const { checkout, id } = challenged;
    const { fields } = await customer.complete(challenged, right);
    const back = readBrowserReturn(fields["cres"]);
    if (back === null) throw new Error("The form has no CRes");
    await recordBrowserReturn(service.context, customer.merchant.tenant, back);
    await requestResults(service.context, startedAt);
    expect((await checkout.payment(id)).body["payment"]).toEqual({ id, status: "authenticating" });
    service.moveClock(2_001);
    await Promise.all(Array.from({ length: 8 }, () => requestResults(service.context, startedAt)));
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(customer.steps).toEqual(steps);
  });
});

describe("a forged message", () => {
  it("that the customer passed the challenge doesn't count against Adyen's result", async () => {
    const challenged = await customer.challenged("challenge_answer_lies");
    expect(await customer.finish(challenged, right)).toMatchObject({ status: "declined" });
    expect(await customer.authentication(challenged.id)).toMatchObject({ browser_hint: "Y", trans_status: "N" });
  });

  it("that the challenge is over ends the customer's own payment", async () => {
    const { checkout, id, payment } = await customer.challenged();
    const { threeDSServerTransID, acsTransID } = decode(payment["creq"]);
    const cres = { messageType: "CRes", messageVersion: "2.2.0", threeDSServerTransID, acsTransID, transStatus: "Y" };
    await post(threeDSPath(customer.merchant, "challenge"), { cres: encode(cres) });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_failed" });
    expect(await chargesOf(checkout.sessionId)).toMatchObject([{ status: "failed" }]);
  });

  it("with other IDs has no effect", async () => {
    const [mine, other] = [await customer.challenged(), await customer.challenged()];
    const idsOf = ({ payment }: typeof mine) => {
      const { threeDSServerTransID, acsTransID } = decode(payment["creq"]);
      return { threeDSServerTransID, acsTransID };
    };
    const { id: rowId } = await customer.authentication(mine.id);
    const before = await authenticationsOf(service, mine.id);
    for (const ids of [
      { acsTransID: idsOf(other).acsTransID },
      { acsTransID: randomUUID() },
      { threeDSServerTransID: randomUUID() },
      { threeDSServerTransID: rowId },
    ]) {
      const cres = { messageType: "CRes", transStatus: "Y", ...idsOf(mine), ...ids };
      await post(threeDSPath(customer.merchant, "challenge"), { cres: encode(cres) });
    }
    const cres = { messageType: "CRes", transStatus: "Y", ...idsOf(mine) };
    await post(threeDSPath(service, "challenge"), { cres: encode(cres) }); // another merchant's URL
    expect(await authenticationsOf(service, mine.id)).toEqual(before);
    expect(customer.steps).not.toContain("result");
  });

  it("from the bank's directory server, which isn't involved, is refused", async () => {
    const { id, payment } = await customer.challenged();
    const { threeDSServerTransID, acsTransID } = decode(payment["creq"]);
    const before = await customer.authentication(id);
    await service.context.db
      .updateTable("authentication")
      .set({ ds_trans_id: String(acsTransID) })
      .where("id", "=", before.id)
      .execute();
    for (const transId of [threeDSServerTransID, before.id]) {
      const rreq = {
        messageType: "RReq",
        messageVersion: "2.2.0",
        messageCategory: "01",
        interactionCounter: "01",
        threeDSServerTransID: transId,
        acsTransID,
        dsTransID: acsTransID,
        transStatus: "Y",
        authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        eci: "05",
      };
      const authorization = `Bearer ${bankKeys.resultsKey}`;
      const response = await service.call("POST", threeDSPath(customer.merchant, "results"), rreq, { authorization });
      expect(response.body).toMatchObject({ messageType: "Erro", errorCode: "301" });
    }
    expect(await customer.authentication(id)).toMatchObject({ status: "challenge", result: null });
  });
});

describe("the pages to which the bank returns", () => {
  it("may be embedded by the session's origins only, for the transaction ID that Adyen chose", async () => {
    const { id, payment } = await customer.challenged("challenge", { allowed_origins: [shop] });
    const { threeDSServerTransID } = decode(payment["creq"]);
    const { id: rowId } = await customer.authentication(id);
    const ancestors = async (what: "method" | "challenge", field: string, transId: unknown) => {
      const form = { [field]: encode({ threeDSServerTransID: transId }) };
      const { headers } = await post(threeDSPath(customer.merchant, what), form);
      return /frame-ancestors ([^;]*)/.exec(headers.get("content-security-policy") ?? "")?.[1];
    };
    for (const [what, field] of [
      ["method", "threeDSMethodData"],
      ["challenge", "cres"],
    ] as const) {
      expect(await ancestors(what, field, threeDSServerTransID)).toBe(`'self' ${shop}`);
      expect(await ancestors(what, field, rowId)).toBe("'self'");
      expect(await ancestors(what, field, randomUUID())).toBe("'self'");
    }
  });
});

describe("an account whose acquirer changes", () => {
  it("finishes 3-D Secure and the payment with the one that began it", async () => {
    const challenged = await customer.challenged();
    await service.context.db
      .updateTable("acquirer_account")
      .set({ replaced_at: service.context.now() })
      .where("account_no", "=", customer.merchant.tenant.accountNo)
      .execute();
    expect(await customer.finish(challenged, right)).toMatchObject({ status: "succeeded" });
    await service.context.db
      .updateTable("acquirer_account")
      .set({ replaced_at: null })
      .where("account_no", "=", customer.merchant.tenant.accountNo)
      .execute();
  });

  it("while a payment begins gets a new request from the page, and nothing is kept of the first", async () => {
    const moving = await newMerchant(service);
    const checkout = await moving.checkout();
    const directoryServer = directoryServerOf(service.context.vault.test);
    const original = directoryServer.enrollment.bind(directoryServer);
    const enrollment = vi.spyOn(directoryServer, "enrollment").mockImplementationOnce(async (card) => {
      const response = await original(card);
      await customer.adyen.connect(service, moving.tenant);
      return response;
    });
    const response = await checkout.pay(threeDSecureCards.not_enrolled[0]);
    enrollment.mockRestore();
    expect(response).toMatchObject({ status: 400, body: { error: { code: "card_message_stale", param: "card" } } });
    expect(await moving.list(`charges?session_id=${checkout.sessionId}`)).toEqual([]);
    expect(await checkout.session()).toMatchObject({ status: "open", attempts_left: 5 });
    const again = await checkout.pay(threeDSecureCards.not_enrolled[0]);
    expect(again.body["payment"]).toMatchObject({ status: "succeeded" });
    expect(customer.steps).toEqual(["begin"]);
  });
});
