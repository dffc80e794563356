/**
 * What the outcome of 3-D Secure is taken from: the bank's word, told from server to server under its key. What a browser says, and what anybody
 * says without that key, changes nothing; and the pages that the browser comes back to let nobody in.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RReq } from "@oriel/protocol/threeds";
import { writeBuiltPages } from "./setup/built-pages.ts";
import { answerChallenge, cardNumbers, openCheckout, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectRefusal, invalid, noRoute, type Refusal } from "./setup/expect-refusal.ts";
import { chargesOf, decisionOf, decode, everything, settled } from "./setup/payment-state.ts";
import { bankKeys, startTestService, type Answer, type TestService } from "./setup/test-service.ts";

let service: TestService;
const pages = writeBuiltPages();
beforeAll(async () => {
  service = await startTestService({ dist: pages.dist });
});
afterAll(async () => {
  await service.close();
  pages.remove();
});

const shop = "https://shop.example";

describe("a result", () => {
  function tell(message: unknown, authorization: string | null = `Bearer ${bankKeys.resultsKey}`): Promise<Answer> {
    return service.call("POST", "/3ds/results", message, { authorization: authorization ?? "" });
  }

  async function challenged(): Promise<{ checkout: Checkout; id: string; rreq: RReq }> {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout);
    const { threeDSServerTransID, acsTransID } = decode(payment["creq"]) as unknown as RReq; // of the CReq, whose ids are the same
    const { ds_trans_id } = await service.context.db
      .selectFrom("authentication")
      .select("ds_trans_id")
      .where("decision_id", "=", id)
      .executeTakeFirstOrThrow();
    const ids = { threeDSServerTransID, acsTransID, dsTransID: ds_trans_id ?? "" };
    const proof = { authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", eci: "05", interactionCounter: "01" };
    const rreq: RReq = {
      messageType: "RReq",
      messageVersion: "2.2.0",
      ...ids,
      messageCategory: "01",
      transStatus: "Y",
      ...proof,
    };
    return { checkout, id, rreq };
  }

  it("without the bank's key is not even read", async () => {
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
    for (const key of keys) expectRefusal(await tell(rreq, key), refusal);
    expectRefusal(await service.frame("POST", "/3ds/results", rreq, bankKeys.resultsKey), noRoute);
    expect(await everything(service, checkout, id)).toEqual(before);
  });

  it("under the bank's key that fits no challenge changes nothing", async () => {
    const { checkout, id, rreq } = await challenged();
    const other = await challenged();
    const before = await everything(service, checkout, id);
    const misfits: [unknown, string][] = [
      [{ ...rreq, acsTransID: other.rreq.acsTransID }, "301"],
      [{ ...rreq, acsTransID: randomUUID() }, "301"],
      [{ ...rreq, dsTransID: other.rreq.dsTransID }, "301"],
      [{ ...rreq, threeDSServerTransID: other.rreq.threeDSServerTransID }, "301"],
      [{ ...rreq, threeDSServerTransID: randomUUID() }, "301"],
      [{ ...rreq, threeDSServerTransID: `${rreq.threeDSServerTransID}'--` }, "203"],
      [{ ...rreq, acsTransID: null }, "203"],
      [{ ...rreq, messageType: "CRes" }, "203"],
      [{ ...rreq, transStatus: "C" }, "203"],
      [{ ...rreq, transStatus: "y" }, "203"],
      [{ ...rreq, transStatus: ["Y"] }, "203"],
      [{ ...rreq, transStatus: undefined }, "203"],
      [{ ...rreq, authenticationValue: { toString: 1 } }, "203"],
      [{ ...rreq, eci: "x".repeat(4001) }, "203"],
      [[rreq], "203"],
      [{}, "203"],
    ];
    for (const [message, errorCode] of misfits) {
      expect((await tell(message)).body).toMatchObject({
        messageType: "Erro",
        errorCode,
        errorComponent: "S",
        errorMessageType: "RReq",
      });
    }
    expectRefusal(await tell("{"), invalid("body_malformed"));
    expect(await everything(service, checkout, id)).toEqual(before);
  });

  it("for a payment whose bank has not been asked yet changes nothing", async () => {
    const checkout = await openCheckout(service);
    const started = (await checkout.pay(cardNumbers.challenge)).body["payment"];
    const id = String(started?.["id"]);
    const { threeDSServerTransID } = decode(started?.["method"]?.["data"]);
    const before = await everything(service, checkout, id);
    const { rreq } = await challenged();
    expect((await tell({ ...rreq, threeDSServerTransID })).body).toMatchObject({ messageType: "Erro", errorCode: "301" });
    expect(await everything(service, checkout, id)).toEqual(before);
  });

  it("counts once: what comes after it is received and changes nothing", async () => {
    const { checkout, id, rreq } = await challenged();
    const { threeDSServerTransID, acsTransID, dsTransID } = rreq;
    const received = {
      messageType: "RRes",
      messageVersion: "2.2.0",
      threeDSServerTransID,
      acsTransID,
      dsTransID,
      resultsStatus: "01",
    };
    expect((await tell({ ...rreq, transStatus: "N" })).body).toEqual(received);
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason: "authentication_failed" });
    const after = await everything(service, checkout, id);
    for (const transStatus of ["Y", "N", "A", "R"]) expect((await tell({ ...rreq, transStatus })).body).toEqual(received);
    expect(await everything(service, checkout, id)).toEqual(after);
  });

  it("that comes ten times at once makes one charge", async () => {
    const { checkout, id, rreq } = await challenged();
    const before = (await service.bankBooks()).length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(rreq)));
    expect(new Set(answers.map(({ body }) => body["messageType"]))).toEqual(new Set(["RRes"]));
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect((await service.bankBooks()).length - before).toBe(1);
    expect(await chargesOf(service, checkout)).toHaveLength(1);
  });

  it.each([
    ["R", {}, "authentication_rejected", "declined"],
    ["U", { challengeCancel: "04" }, "authentication_timed_out", "authentication_timed_out"],
    ["N", { challengeCancel: "01" }, "authentication_canceled", "authentication_canceled"],
  ])("%s %o is a decline with %s, of which the customer hears %s", async (transStatus, more, code, reason) => {
    const { checkout, id, rreq } = await challenged();
    const { authenticationValue: _, ...withoutProof } = rreq;
    await tell({ ...withoutProof, transStatus, ...more });
    expect(await settled(checkout, id)).toMatchObject({ status: "declined", reason });
    expect(await decisionOf(service, id)).toMatchObject({ decline_code: code });
  });

  it("that says Y without a proof shifts no liability", async () => {
    const { checkout, id, rreq } = await challenged();
    const { authenticationValue: _, ...withoutProof } = rreq;
    await tell(withoutProof);
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await decisionOf(service, id)).toMatchObject({ three_d_secure: { result: "unavailable", liability_shift: false } });
  });

  it("keeps its proof between the banks: it is in no answer and no event", async () => {
    const rows = await service.context.db.selectFrom("authentication").select("authentication_value").execute();
    const proofs = rows.flatMap(({ authentication_value }) => authentication_value ?? []);
    expect(proofs.length).toBeGreaterThan(1);
    await service.call("GET", "/api/v1/events?limit=100");
    for (const proof of proofs) expect(service.answers.some((answer) => answer.includes(proof))).toBe(false);
  });
});

describe("what the browser brings back from the bank", () => {
  function post(path: string, fields: Record<string, string>): Promise<Response> {
    return fetch(`${service.config.checkoutOrigin}${path}`, { method: "POST", body: new URLSearchParams(fields) });
  }
  const encode = (message: object) => Buffer.from(JSON.stringify(message)).toString("base64url");

  it("at the challenge's end is only a knock on the door, whatever it says", async () => {
    const checkout = await openCheckout(service, { allowed_origins: [shop] });
    const { id, payment } = await payUpToChallenge(checkout);
    const before = await everything(service, checkout, id);
    const { threeDSServerTransID, acsTransID } = decode(payment["creq"]);
    const forged = { messageType: "CRes", messageVersion: "2.2.0", threeDSServerTransID, acsTransID, transStatus: "Y" };
    const page = await post("/3ds/challenge", { cres: encode(forged), transStatus: "Y" });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<title>landing</title>");
    expect(page.headers.get("content-security-policy")).toContain(`frame-ancestors 'self' ${shop};`);
    await post("/3ds/challenge", { cres: encode({ ...forged, transStatus: "N" }) });
    expect(await everything(service, checkout, id)).toEqual(before);

    await answerChallenge(service, payment, { code: "111111" });
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
  });

  it.each([
    "",
    "x",
    "e30",
    "bnVsbA",
    encode([]),
    encode({ threeDSServerTransID: 7 }),
    encode({ threeDSServerTransID: "\0" }),
    encode({ threeDSServerTransID: randomUUID() }),
  ])("may be anything: %j gets the page, and says nothing", async (text) => {
    for (const [path, field] of [
      ["/3ds/method", "threeDSMethodData"],
      ["/3ds/challenge", "cres"],
    ] as const) {
      const page = await post(path, { [field]: text });
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'self';");
    }
    expect((await post("/3ds/challenge", {})).status).toBe(200);
  });

  it("after the 3DS Method is told to the bank, and says nothing more", async () => {
    const checkout = await openCheckout(service);
    const started = (await checkout.pay(cardNumbers.challenge)).body["payment"];
    const { threeDSServerTransID } = decode(started?.["method"]?.["data"]);
    await post("/3ds/method", { threeDSMethodData: encode({ threeDSServerTransID, transStatus: "Y" }) });
    expect((await checkout.payment(String(started?.["id"]))).body["payment"]).toEqual(started);
    await checkout.authenticate(String(started?.["id"]));
    const headers = { authorization: `Bearer ${bankKeys.apiKey}` };
    const response = await fetch(`${service.bankUrl}/directory-server/authentications`, { headers });
    const { authentications } = (await response.json()) as { authentications: object[] };
    expect(authentications.at(-1)).toMatchObject({ threeDSServerTransID, threeDSCompInd: "Y" });
  });
});

describe("the pages", () => {
  const csp = async (path: string) => {
    const response = await fetch(`${service.config.checkoutOrigin}${path}`);
    return response.headers.get("content-security-policy") ?? "";
  };

  it("let themselves be framed by the session's origins and nobody else", async () => {
    const { sessionId } = await openCheckout(service, { allowed_origins: [shop, "http://shop.localhost:4242"] });
    expect(await csp(`/c/${sessionId}`)).toContain(`frame-ancestors ${shop} http://shop.localhost:4242;`);
    expect(await csp(`/c/${(await openCheckout(service)).sessionId}`)).toContain("frame-ancestors 'none';");
    for (const id of ["cs_none", "x", "%27%3B%20script-src%20*"])
      expect(await csp(`/c/${id}`)).toContain("frame-ancestors 'none';");
  });

  it("of the runner are framed by ours, whatever the payment", async () => {
    const checkout = await openCheckout(service, { allowed_origins: [shop] });
    const { id } = await payUpToChallenge(checkout);
    expect(await csp(`/3ds/run/${id}`)).toContain(`frame-ancestors 'self' ${shop};`);
    expect(await csp("/3ds/run/dec_none")).toContain("frame-ancestors 'self';");
  });

  it("take nothing from their address: no return_url, no other parameter", async () => {
    const { sessionId } = await openCheckout(service, { allowed_origins: [shop] });
    const page = async (query: string) => {
      const response = await fetch(`${service.config.checkoutOrigin}/c/${sessionId}${query}`);
      const { date: _date, "request-id": _id, ...headers } = Object.fromEntries(response.headers);
      return { status: response.status, text: await response.text(), headers };
    };
    const plain = await page("");
    expect(plain).toMatchObject({ status: 200, text: expect.stringContaining("<title>") });
    for (const query of ["?return_url=https://evil.example", "?coep=2", "?x=1", "?allowed_origins=https://evil.example"]) {
      expect(await page(query)).toEqual(plain);
    }
  });
});
