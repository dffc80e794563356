/**
 * Tests where the outcome of 3-D Secure comes from: the bank's result, sent once from server to server with its key.
 * Nothing sent without that key changes anything, and the bank-facing pages can't be misused.
 * `three-d-secure-browser.test.ts` covers what the browser sends.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import type { RReq } from "@oriel/protocol/threeds";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { conclude } from "../src/payments/flow/threeds/conclude.ts";
import { receiveResult } from "../src/payments/flow/threeds/receive-result.ts";
import { ownerColumns } from "../src/platform/tenant.ts";
import { threeDSPath } from "./setup/at-the-bank.ts";
import { cardNumbers, openCheckout, payAndAuthenticate, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, noRoute, type Refusal } from "./setup/expect-error.ts";
import { authenticationsOf, chargesOf, decisionOf, decode, everything, settled } from "./setup/payment-state.ts";
import { bankKeys, startTestService, type ApiResponse } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ pages: true }));

const shop = "https://shop.example";

/** EMV 3DS, Table A.4. */
const descriptions: Record<string, string> = {
  "101": "Message Received Invalid",
  "102": "Message Version Number Not Supported",
  "201": "Required Data Element Missing",
  "203": "Format of one or more Data Elements is Invalid",
  "301": "Transaction ID Not Recognised",
  "305": "Transaction Data Not Valid",
};

describe("a result", () => {
  function send(
    message: unknown,
    authorization: string | null = `Bearer ${bankKeys.resultsKey}`,
    path = threeDSPath(service, "results"),
  ): Promise<ApiResponse> {
    return service.call("POST", path, message, { authorization: authorization ?? "" });
  }

  async function challenged(card?: string): Promise<{ checkout: Checkout; id: string; rreq: RReq }> {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout, card);
    // The CReq contains these fields of the RReq.
    const { threeDSServerTransID, acsTransID, messageVersion } = decode(payment["creq"]) as unknown as RReq;
    const { ds_trans_id } = await service.context.db
      .selectFrom("authentication")
      .select("ds_trans_id")
      .where("decision_id", "=", id)
      .executeTakeFirstOrThrow();
    const ids = { threeDSServerTransID, acsTransID, dsTransID: ds_trans_id ?? "" };
    const proof = { authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", eci: "05", interactionCounter: "01" };
    const rreq: RReq = {
      messageType: "RReq",
      messageVersion,
      ...ids,
      messageCategory: "01",
      transStatus: "Y",
      authenticationType: "02",
      ...proof,
    };
    return { checkout, id, rreq };
  }

  it("isn't read without the bank's key", async () => {
    const { checkout, id, rreq } = await challenged();
    const before = await everything(service, checkout, id);
    const refusal: Refusal = { status: 401, type: "authentication_error", code: "api_key_invalid" };
    const keys = [
      null,
      "Bearer ",
      `Bearer ${bankKeys.apiKey}`,
      `Bearer ${service.secretKey}`,
      bankKeys.resultsKey,
      `Bearer ${bankKeys.resultsKey}x`,
    ];
    for (const key of keys) expectError(await send(rreq, key), refusal);
    expectError(await service.frame("POST", threeDSPath(service, "results"), rreq, bankKeys.resultsKey), noRoute);
    expect(await everything(service, checkout, id)).toEqual(before);
  });

  it("changes nothing if it has the bank's key and matches no challenge", async () => {
    const { checkout, id, rreq } = await challenged();
    const other = await challenged();
    const before = await everything(service, checkout, id);
    const mismatches: [unknown, string][] = [
      [{ ...rreq, acsTransID: other.rreq.acsTransID }, "301"],
      [{ ...rreq, acsTransID: randomUUID() }, "301"],
      [{ ...rreq, dsTransID: other.rreq.dsTransID }, "301"],
      [{ ...rreq, threeDSServerTransID: other.rreq.threeDSServerTransID }, "301"],
      [{ ...rreq, threeDSServerTransID: randomUUID() }, "301"],
      [{ ...rreq, threeDSServerTransID: `${rreq.threeDSServerTransID}'--` }, "203"],
      [{ ...rreq, acsTransID: null }, "201"],
      [{ ...rreq, messageType: "CRes" }, "101"],
      [{ ...rreq, messageVersion: "2.1.0" }, "102"],
      [{ ...rreq, messageVersion: "2.2.0" }, "305"], // not the version of the transaction
      [{ ...rreq, transStatus: "C" }, "203"],
      [{ ...rreq, transStatus: "D" }, "203"],
      [{ ...rreq, transStatus: "I" }, "203"],
      [{ ...rreq, transStatus: "y" }, "203"],
      [{ ...rreq, transStatus: ["Y"] }, "203"],
      [{ ...rreq, transStatus: undefined }, "201"],
      [{ ...rreq, authenticationValue: undefined }, "201"],
      [{ ...rreq, transStatus: "A", authenticationValue: undefined }, "201"],
      [{ ...rreq, authenticationType: undefined }, "201"],
      [{ ...rreq, transStatus: "N" }, "201"], // the reason is missing
      [{ ...rreq, transStatus: "U" }, "201"],
      [{ ...rreq, transStatus: "R" }, "201"],
      [{ ...rreq, messageCategory: "02" }, "305"], // the transaction is a payment
      [{ ...rreq, messageCategory: "02", authenticationValue: undefined }, "305"],
      [{ ...rreq, authenticationValue: { toString: 1 } }, "203"],
      [{ ...rreq, eci: "x".repeat(4001) }, "203"],
      [[rreq], "101"],
      [{}, "101"],
    ];
    for (const [message, errorCode] of mismatches) {
      expect((await send(message)).body).toMatchObject({
        messageType: "Erro",
        errorCode,
        errorComponent: "S",
        errorMessageType: "RReq",
        errorDescription: descriptions[errorCode],
      });
    }
    const inOtherVersion = await send({ ...rreq, messageVersion: "2.2.0" });
    expect(inOtherVersion.body).toMatchObject({ errorDetail: "messageVersion" });
    expectError(await send("{"), invalid("body_malformed"));
    expect(await everything(service, checkout, id)).toEqual(before);
  });

  it("changes nothing for a payment that hasn't reached the bank yet", async () => {
    const checkout = await openCheckout(service);
    const started = (await checkout.pay(cardNumbers.challenge)).body["payment"];
    const id = String(started?.["id"]);
    const { threeDSServerTransID } = decode(started?.["method"]?.["data"]);
    const before = await everything(service, checkout, id);
    const { rreq } = await challenged();
    expect((await send({ ...rreq, threeDSServerTransID })).body).toMatchObject({
      messageType: "Erro",
      errorCode: "301",
    });
    expect(await everything(service, checkout, id)).toEqual(before);
  });

  it.each([
    ["2.3.1", cardNumbers.challenge, "312"],
    ["2.2.0", threeDSecureCards.version_2_2_0[0], "305"],
  ])(
    "counts once for %s: a repeated one is accepted again, and a different one is refused",
    async (messageVersion, card, errorCode) => {
      const { checkout, id, rreq } = await challenged(card);
      const { threeDSServerTransID, acsTransID, dsTransID } = rreq;
      const ids = { threeDSServerTransID, acsTransID, dsTransID };
      const received = { messageType: "RRes", messageVersion, ...ids, resultsStatus: "01" };
      const no: RReq = { ...rreq, transStatus: "N", transStatusReason: "01" };
      expect((await send(no)).body).toEqual(received);
      expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_failed" });
      const after = await everything(service, checkout, id);
      expect((await send({ ...no, interactionCounter: "02" })).body).toEqual(received);
      for (const other of [
        rreq,
        { ...no, transStatus: "R" },
        { ...no, transStatusReason: "11" },
        { ...no, challengeCancel: "01" },
      ]) {
        expect((await send(other)).body).toMatchObject({ messageType: "Erro", messageVersion, errorCode });
      }
      expect(await everything(service, checkout, id)).toEqual(after);
      expect(await authenticationsOf(service, id)).toMatchObject([{ late_result: null, trans_status: "N" }]);
    },
  );

  it.each<[string, Partial<RReq>]>([
    ["authenticationValue", { authenticationValue: "BBBBBBBBBBBBBBBBBBBBBBBBBBA=" }],
    ["eci", { eci: "06" }],
    ["authenticationType", { authenticationType: "01" }],
    ["transStatus", { transStatus: "A" }],
    ["transStatusReason", { transStatusReason: "17" }],
    ["challengeCancel", { challengeCancel: "01" }],
  ])(
    "is a different result if its %s differs, so it is refused and the first proof stays",
    async (_field, difference) => {
      const { checkout, id, rreq } = await challenged();
      expect((await send(rreq)).body).toMatchObject({ messageType: "RRes" });
      expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
      const after = await everything(service, checkout, id);
      expect((await send({ ...rreq, ...difference })).body).toMatchObject({ messageType: "Erro", errorCode: "312" });
      expect((await send(rreq)).body).toMatchObject({ messageType: "RRes" });
      expect(await everything(service, checkout, id)).toEqual(after);
      const { authenticationValue: authentication_value, eci } = rreq;
      expect(await authenticationsOf(service, id)).toMatchObject([{ authentication_value, eci, late_result: null }]);
    },
  );

  it("is accepted and recorded once after the customer gave up, and changes nothing", async () => {
    const { checkout, id, rreq } = await challenged();
    await checkout.cancel(id);
    const after = await everything(service, checkout, id);
    const { eci: _, ...late } = rreq;
    for (let i = 0; i < 2; i++)
      expect((await send(late)).body).toMatchObject({ messageType: "RRes", resultsStatus: "01" });
    expect((await send({ ...late, transStatus: "N", transStatusReason: "01" })).body).toMatchObject({
      errorCode: "312",
    });
    expect((await send({ ...late, authenticationValue: "BBBB" })).body).toMatchObject({ errorCode: "312" });
    expect(await everything(service, checkout, id)).toEqual(after);
    const [authentication] = await authenticationsOf(service, id);
    expect(authentication).toMatchObject({
      result: "canceled",
      authentication_value: null,
      late_result: { trans_status: "Y", trans_status_reason: null, challenge_cancel: null, eci: null },
    });
    expect(JSON.stringify(authentication)).not.toContain(rreq.authenticationValue);
  });

  it("replaces everything from the bank's first response, including its message to the customer", async () => {
    const { checkout, id, rreq } = await challenged();
    const fields = { trans_status_reason: "99", challenge_cancel: "99", eci: "99", authentication_value: "asked" };
    await service.context.db
      .updateTable("authentication")
      .set({ ...fields, cardholder_info: "Open your app." })
      .where("id", "=", rreq.threeDSServerTransID)
      .execute();
    const { authenticationValue: _, eci: __, ...no } = { ...rreq, transStatus: "N" as const, challengeCancel: "01" };
    expect((await send(no)).body).toMatchObject({ messageType: "RRes" });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", cardholder_info: null });
    const columns = { trans_status_reason: null, challenge_cancel: "01", eci: null, authentication_value: null };
    expect(await authenticationsOf(service, id)).toMatchObject([columns]);

    const frictionless = await openCheckout(service);
    const { payment } = await payAndAuthenticate(frictionless, threeDSecureCards.not_authenticated[0]);
    expect(payment).toMatchObject({
      status: "declined",
      cardholder_info: expect.stringContaining("Please call the number"),
    });
  });

  it("matches no challenge if it comes from the other mode's bank", async () => {
    const { id, rreq } = await challenged();
    const no: RReq = { ...rreq, transStatus: "N", transStatusReason: "01" };
    const { tenant } = service;
    const unknown = { messageType: "Erro", errorCode: "301" };
    expect(await receiveResult(service.context, { ...tenant, livemode: true }, no)).toMatchObject(unknown);
    expect(await receiveResult(service.context, undefined, no)).toMatchObject(unknown);
    const liveUrl = threeDSPath({ tenant: { ...tenant, livemode: true } }, "results");
    expect((await send(no, undefined, liveUrl)).body).toMatchObject(unknown);
    expect(await decisionOf(service, id)).toMatchObject({ status: "requires_action" });
    expect((await send(no)).body).toMatchObject({ messageType: "RRes" });
  });

  it.each(["another account's", "no account's"])("matches no challenge at %s URL", async (whose) => {
    const { rreq } = await challenged();
    const { tenant } = await service.addTenant(false);
    const url = whose === "no account's" ? "/3ds/results/nobody" : threeDSPath({ tenant }, "results");
    expect((await send(rreq, undefined, url)).body).toMatchObject({ messageType: "Erro", errorCode: "301" });
  });

  it("times out only after the deadline, and only in the state that was checked", async () => {
    const { rreq } = await challenged();
    const now = service.context.now();
    const context = { ...service.context, now: () => now };
    const end = (overdue: "challenge" | "awaiting_result") =>
      conclude(
        context,
        { ...ownerColumns(service.tenant), id: rreq.threeDSServerTransID },
        "timed_out",
        {},
        { overdue },
      );
    expect(await end("challenge")).toBeNull();
    await service.context.db
      .updateTable("authentication")
      .set({ deadline: now })
      .where("id", "=", rreq.threeDSServerTransID)
      .execute();
    expect(await end("awaiting_result")).toBeNull();
    expect(await end("challenge")).toEqual({ attempt: null });
    expect(await end("challenge")).toBeNull();
  });

  it("is enough for a low-risk payment if the bank could not authenticate, and not for a risky one", async () => {
    const [plain, risky] = [await challenged(), await challenged()];
    await service.context.db
      .updateTable("decision")
      .set({ risk_level: "elevated" })
      .where("id", "=", risky.id)
      .execute();
    for (const { rreq } of [plain, risky]) {
      const { authenticationValue: _, ...unproved } = rreq;
      const unavailable: RReq = { ...unproved, transStatus: "U", transStatusReason: "01" };
      expect((await send(unavailable)).body).toMatchObject({ messageType: "RRes" });
    }
    expect(await settled(plain.checkout, plain.id)).toMatchObject({ status: "succeeded" });
    expect(await settled(risky.checkout, risky.id)).toMatchObject({ status: "declined" });
    expect(await decisionOf(service, risky.id)).toMatchObject({ decline_code: "risk_rejected" });
  });

  it("is refused for an authentication that the bank completed without a challenge", async () => {
    const checkout = await openCheckout(service);
    const { id } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
    const { rreq } = await challenged();
    const after = await everything(service, checkout, id);
    const [{ id: threeDSServerTransID, acs_trans_id: acsTransID, ds_trans_id: dsTransID } = expect.fail()] =
      await authenticationsOf(service, id);
    expect((await send({ ...rreq, threeDSServerTransID, acsTransID, dsTransID })).body).toMatchObject({
      errorCode: "313",
    });
    expect(await everything(service, checkout, id)).toEqual(after);
  });

  it("starts the charge at once, without delaying the response to the directory server", async () => {
    const { checkout, rreq } = await challenged();
    const begun: { what: string; work: Promise<unknown> }[] = [];
    const context = {
      ...service.context,
      inBackground: (what: string, work: Promise<unknown>) => void begun.push({ what, work }),
    };
    expect(await receiveResult(context, service.tenant, rreq)).toMatchObject({
      messageType: "RRes",
      resultsStatus: "01",
    });
    expect(begun.map(({ what }) => what)).toEqual(["attempt"]);
    await begun[0]?.work;
    expect((await chargesOf(service, checkout)).map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("creates one charge when it arrives ten times at once", async () => {
    const { checkout, id, rreq } = await challenged();
    const before = (await service.bankAuthorizations()).length;
    const responses = await Promise.all(Array.from({ length: 10 }, () => send(rreq)));
    expect(new Set(responses.map(({ body }) => body["messageType"]))).toEqual(new Set(["RRes"]));
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect((await service.bankAuthorizations()).length - before).toBe(1);
    expect(await chargesOf(service, checkout)).toHaveLength(1);
  });

  it.each([
    ["R", { transStatusReason: "11" }, "authentication_rejected", "declined"],
    ["R", { transStatusReason: "05" }, "expired_card", "expired_card"],
    ["N", { transStatusReason: "08" }, "invalid_number", "check_card"],
    ["N", { transStatusReason: "10" }, "stolen_card", "declined"],
    ["N", { transStatusReason: "19" }, "authentication_failed", "authentication_failed"],
    ["U", { transStatusReason: "14", challengeCancel: "05" }, "authentication_timed_out", "authentication_timed_out"],
    ["U", { challengeCancel: "04" }, "authentication_timed_out", "authentication_timed_out"],
    ["N", { challengeCancel: "01" }, "authentication_canceled", "authentication_canceled"],
    // These reasons for an early end may come from the customer's browser.
    ["U", { challengeCancel: "06" }, "authentication_unavailable", "try_again"],
    ["U", { transStatusReason: "22", challengeCancel: "10" }, "authentication_unavailable", "try_again"],
  ])("with %s %o is a decline with %s, and the customer sees %s", async (transStatus, more, code, reason) => {
    const { checkout, id, rreq } = await challenged();
    const { authenticationValue: _, ...withoutProof } = rreq;
    await send({ ...withoutProof, transStatus, ...more });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason });
    expect(await decisionOf(service, id)).toMatchObject({ decline_code: code });
  });

  it("includes a proof that only the banks see: it is in no response and no event", async () => {
    const rows = await service.context.db.selectFrom("authentication").select("authentication_value").execute();
    const proofs = rows.flatMap(({ authentication_value }) => authentication_value ?? []);
    expect(proofs.length).toBeGreaterThan(1);
    await service.call("GET", "/api/v1/events?limit=100");
    for (const proof of proofs) expect(service.responses.some((response) => response.includes(proof))).toBe(false);
  });
});

describe("the pages", () => {
  const csp = async (path: string) => {
    const response = await fetch(`${service.config.checkoutOrigin}${path}`);
    return response.headers.get("content-security-policy") ?? "";
  };

  it("can be embedded only by the session's origins if they belong to the checkout", async () => {
    const { sessionId } = await openCheckout(service, { allowed_origins: [shop, "http://shop.localhost:4242"] });
    expect(await csp(`/c/${sessionId}`)).toContain(`frame-ancestors ${shop} http://shop.localhost:4242;`);
    expect(await csp(`/c/${(await openCheckout(service)).sessionId}`)).toContain("frame-ancestors 'none';");
    for (const id of ["cs_none", "x", "%27%3B%20script-src%20*"])
      expect(await csp(`/c/${id}`)).toContain("frame-ancestors 'none';");
  });

  it("can be embedded only by our own pages if they belong to the runner, whatever the payment", async () => {
    const checkout = await openCheckout(service, { allowed_origins: [shop] });
    const { id } = await payUpToChallenge(checkout);
    expect(await csp(`/3ds/run/${id}`)).toContain(`frame-ancestors 'self' ${shop};`);
    expect(await csp("/3ds/run/dec_none")).toContain("frame-ancestors 'self';");
  });

  it("ignore all URL parameters, such as return_url", async () => {
    const { sessionId } = await openCheckout(service, { allowed_origins: [shop] });
    const page = async (query: string) => {
      const response = await fetch(`${service.config.checkoutOrigin}/c/${sessionId}${query}`);
      const { date: _date, "request-id": _id, ...headers } = Object.fromEntries(response.headers);
      return { status: response.status, text: await response.text(), headers };
    };
    const plain = await page("");
    expect(plain).toMatchObject({ status: 200, text: expect.stringContaining("<title>") });
    for (const query of [
      "?return_url=https://evil.example",
      "?coep=2",
      "?x=1",
      "?allowed_origins=https://evil.example",
    ]) {
      expect(await page(query)).toEqual(plain);
    }
  });
});
