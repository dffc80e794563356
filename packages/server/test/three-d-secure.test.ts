/**
 * 3-D Secure against the sandbox's directory server and ACS. The outcome is the bank's word, told from server to server under its key; what a
 * browser says, and what anybody says without that key, changes nothing.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RReq } from "@oriel/protocol/threeds";
import { sweep } from "../src/jobs/sweeper.ts";
import { writeBuiltPages } from "./setup/built-pages.ts";
import { answerChallenge, browser, cardNumbers, openCheckout, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectRefusal, invalid, noRoute, type Refusal } from "./setup/expect-refusal.ts";
import { rawRequest } from "./setup/raw-request.ts";
import { bankKeys, startTestService, type Answer, type Json, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

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

/** The payment once it is over, or waits for the merchant. */
function settled(checkout: Checkout, id: string): Promise<Json> {
  return until("the payment's end", async () => {
    const payment = (await checkout.payment(id)).body["payment"];
    const isOver = ["succeeded", "declined", "requires_confirmation"].includes(String(payment?.["status"]));
    return isOver && payment !== undefined ? payment : null;
  });
}

async function decisionOf(id: string): Promise<Json> {
  return (await service.call("GET", `/api/v1/decisions/${id}`)).body;
}

async function chargesOf(checkout: Checkout): Promise<Json[]> {
  const listed = await service.call("GET", `/api/v1/charges?session_id=${checkout.sessionId}`);
  return listed.body["data"] as unknown as Json[]; // a list's data is an array
}

function decode(field: unknown): Json {
  const text = String(field);
  expect(text).toMatch(/^[\w-]+$/); // base64url without padding, as the ACS wants it
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Json;
}

/** What nobody but the bank may change: everything that this payment has made so far. */
async function everything(checkout: Checkout, id: string): Promise<object> {
  const payment = (await checkout.payment(id)).body["payment"];
  return {
    payment,
    decision: await decisionOf(id),
    session: await checkout.session(),
    charges: await chargesOf(checkout),
    authentication: await service.context.db.selectFrom("authentication").selectAll().where("decision_id", "=", id).execute(),
    books: await service.bankBooks(),
  };
}

describe("a card that its bank knows without asking", () => {
  it("is authenticated after the 3DS Method, and the charge carries the proof", async () => {
    const checkout = await openCheckout(service);
    const { body } = await checkout.pay(cardNumbers.frictionless);
    const id = String(body["payment"]?.["id"]);
    expect(body["payment"]).toEqual({
      id,
      status: "three_ds",
      runner: `/3ds/run/${id}`,
      method: { url: "http://bank.localhost:4100/acs/method", data: expect.any(String), timeout_ms: 10_000 },
    });
    expect(decode(body["payment"]?.["method"]?.["data"])).toEqual({
      threeDSServerTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      threeDSMethodNotificationURL: `${service.config.checkoutOrigin}/3ds/method`,
    });
    expect(await decisionOf(id)).toMatchObject({ status: "requires_action", three_d_secure: null });

    expect((await checkout.authenticate(id)).body).toMatchObject({
      payment: { status: "succeeded" },
      session: { status: "complete" },
    });
    expect(await decisionOf(id)).toMatchObject({
      status: "consumed",
      three_d_secure: { result: "authenticated", version: "2.2.0", eci: "05", liability_shift: true },
    });
    expect((await service.bankBooks()).at(-1)).toMatchObject({ status: "approved", authenticated: true });
  });

  it("needs no method where the bank has none", async () => {
    const checkout = await openCheckout(service);
    const payment = (await checkout.pay(cardNumbers.frictionlessWithoutMethod)).body["payment"];
    expect(payment).toMatchObject({ status: "three_ds", method: null });
    expect((await checkout.authenticate(String(payment?.["id"]))).body["payment"]).toMatchObject({ status: "succeeded" });
    expect(await decisionOf(String(payment?.["id"]))).toMatchObject({ three_d_secure: { eci: "02", liability_shift: true } });
  });

  it("is asked about once when ten ask at the same moment", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.frictionless)).body["payment"]?.["id"]);
    const before = { books: (await service.bankBooks()).length, authentications: await bankAuthentications() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => checkout.authenticate(id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect((await bankAuthentications()) - before.authentications).toBe(1);
    expect((await service.bankBooks()).length - before.books).toBe(1);
  });

  async function bankAuthentications(): Promise<number> {
    const headers = { authorization: `Bearer ${bankKeys.apiKey}` };
    const response = await fetch(`${service.bankUrl}/directory-server/authentications`, { headers });
    return ((await response.json()) as { authentications: unknown[] }).authentications.length;
  }
});

describe("a request that the directory server refuses", () => {
  it("for what the browser said of itself does not switch 3-D Secure off: the payment fails, and nothing is charged", async () => {
    const checkout = await openCheckout(service);
    const before = (await service.bankBooks()).length;
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    // As from a browser whose requests say nothing of what it accepts.
    await service.context.db.updateTable("authentication").set({ browser_accept: "" }).where("decision_id", "=", id).execute();
    expect((await checkout.authenticate(id)).body).toMatchObject({
      payment: { status: "declined", reason: "try_again", challenge_outcome: null, retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    expect(await decisionOf(id)).toMatchObject({
      decline_code: "authentication_unavailable",
      three_d_secure: { result: "protocol_error", liability_shift: false },
    });
    expect((await service.bankBooks()).length).toBe(before);
  });

  it("for want of a User-Agent is not made: such a browser is refused before its card is taken", async () => {
    const checkout = await openCheckout(service);
    const body = JSON.stringify({ card: await checkout.encrypt(cardNumbers.challenge), browser, challenge_window_size: "05" });
    const [path, headers] = ["/frame/payments", ["Content-Type", "application/json"]];
    const { checkoutOrigin: origin } = service.config;
    const answer = await rawRequest(service, { path, origin, token: checkout.token, headers, body });
    expectRefusal(answer, invalid("parameter_missing", "User-Agent"));
  });
});

describe("a challenge", () => {
  it("that the customer passes pays the session", async () => {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout);
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
      threeDSServerTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      acsTransID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      challengeWindowSize: "03",
    });
    // A reload shows the challenge again, and a second tab cannot pay meanwhile.
    const reload = await service.frame("POST", `/frame/sessions/${checkout.sessionId}/open`, {
      client_secret: checkout.clientSecret,
    });
    expect(reload.body["payment"]).toEqual(payment);
    expectRefusal(await checkout.pay(cardNumbers.approved), invalid("session_payment_in_progress"));

    const page = await answerChallenge(service, payment, { code: "111111" });
    expect(page).toContain(`action="${service.config.checkoutOrigin}/3ds/challenge"`);
    expect(await settled(checkout, id)).toEqual({ id, status: "succeeded" });
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(await decisionOf(id)).toMatchObject({ three_d_secure: { result: "authenticated", eci: "05", liability_shift: true } });
    expect((await service.bankBooks()).at(-1)).toMatchObject({ authenticated: true, requests: 1 });
  });

  it.each([
    ["fails", { code: "222222" }, "authentication_failed", "failed"],
    ["gives up on the bank's page", "cancel", "authentication_canceled", "canceled"],
  ] as const)(
    "that the customer %s is a failed try without the bank being asked for money; another card may follow",
    async (_name, answer, code, challenge_outcome) => {
      const checkout = await openCheckout(service);
      const before = (await service.bankBooks()).length;
      const { id, payment } = await payUpToChallenge(checkout);
      await answerChallenge(service, payment, answer);
      expect(await settled(checkout, id)).toEqual({
        id,
        status: "declined",
        reason: code,
        cardholder_info: null,
        challenge_outcome,
        retryable: true,
      });
      expect(await checkout.session()).toMatchObject({ status: "open", payment_status: "unpaid", attempts_left: 4 });
      expect(await chargesOf(checkout)).toMatchObject([
        { status: "failed", failure: { code: "card_declined", decline_code: code } },
      ]);
      expect(await decisionOf(id)).toMatchObject({
        status: "declined",
        decline_code: code,
        three_d_secure: { liability_shift: false },
      });
      expect((await service.bankBooks()).length).toBe(before);

      expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
      expect((await service.bankBooks()).length).toBe(before + 1);
    },
  );

  it("that the customer gives up in the frame is over, and the bank's later word changes nothing", async () => {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout);
    expect((await checkout.cancel(id)).body).toMatchObject({
      payment: { status: "declined", reason: "authentication_canceled", retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    const after = await everything(checkout, id);
    await answerChallenge(service, payment, { code: "111111" });
    await checkout.cancel(id);
    await checkout.authenticate(id);
    expect(await everything(checkout, id)).toEqual(after);
  });

  it("leaves an approved decision where the merchant's server confirms", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const { id, payment } = await payUpToChallenge(checkout);
    const before = (await service.bankBooks()).length;
    await answerChallenge(service, payment, { code: "111111" });
    const waiting = await settled(checkout, id);
    expect(waiting).toMatchObject({ status: "requires_confirmation", decision_id: id });
    expect((await service.bankBooks()).length).toBe(before);
    const { payment_method_id } = waiting;
    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4000,
      currency: "eur",
      payment_method_id,
      decision_id: id,
    });
    expect(charge.body).toMatchObject({ status: "succeeded", amount: 4000 });
    expect((await service.bankBooks()).at(-1)).toMatchObject({ amount: 4000, authenticated: true });
  });

  it("cannot be charged before it is passed", async () => {
    const checkout = await openCheckout(service, { confirmation: "server" });
    const { id } = await payUpToChallenge(checkout);
    const { payment_method_id } = await decisionOf(id);
    const charge = await service.call("POST", "/api/v1/charges", {
      amount: 4900,
      currency: "eur",
      payment_method_id,
      decision_id: id,
    });
    expectRefusal(charge, invalid("decision_not_approved", "decision_id"));
  });
});

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
    const before = await everything(checkout, id);
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
    expect(await everything(checkout, id)).toEqual(before);
  });

  it("under the bank's key that fits no challenge changes nothing", async () => {
    const { checkout, id, rreq } = await challenged();
    const other = await challenged();
    const before = await everything(checkout, id);
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
    expect(await everything(checkout, id)).toEqual(before);
  });

  it("for a payment whose bank has not been asked yet changes nothing", async () => {
    const checkout = await openCheckout(service);
    const started = (await checkout.pay(cardNumbers.challenge)).body["payment"];
    const id = String(started?.["id"]);
    const { threeDSServerTransID } = decode(started?.["method"]?.["data"]);
    const before = await everything(checkout, id);
    const { rreq } = await challenged();
    expect((await tell({ ...rreq, threeDSServerTransID })).body).toMatchObject({ messageType: "Erro", errorCode: "301" });
    expect(await everything(checkout, id)).toEqual(before);
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
    const after = await everything(checkout, id);
    for (const transStatus of ["Y", "N", "A", "R"]) expect((await tell({ ...rreq, transStatus })).body).toEqual(received);
    expect(await everything(checkout, id)).toEqual(after);
  });

  it("that comes ten times at once makes one charge", async () => {
    const { checkout, id, rreq } = await challenged();
    const before = (await service.bankBooks()).length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(rreq)));
    expect(new Set(answers.map(({ body }) => body["messageType"]))).toEqual(new Set(["RRes"]));
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect((await service.bankBooks()).length - before).toBe(1);
    expect(await chargesOf(checkout)).toHaveLength(1);
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
    expect(await decisionOf(id)).toMatchObject({ decline_code: code });
  });

  it("that says Y without a proof shifts no liability", async () => {
    const { checkout, id, rreq } = await challenged();
    const { authenticationValue: _, ...withoutProof } = rreq;
    await tell(withoutProof);
    expect(await settled(checkout, id)).toMatchObject({ status: "succeeded" });
    expect(await decisionOf(id)).toMatchObject({ three_d_secure: { result: "unavailable", liability_shift: false } });
  });

  it("keeps its proof between the banks: it is in no answer and no event", async () => {
    const rows = await service.context.db.selectFrom("authentication").select("authentication_value").execute();
    const proofs = rows.flatMap(({ authentication_value }) => authentication_value ?? []);
    expect(proofs.length).toBeGreaterThan(3);
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
    const before = await everything(checkout, id);
    const { threeDSServerTransID, acsTransID } = decode(payment["creq"]);
    const forged = { messageType: "CRes", messageVersion: "2.2.0", threeDSServerTransID, acsTransID, transStatus: "Y" };
    const page = await post("/3ds/challenge", { cres: encode(forged), transStatus: "Y" });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<title>landing</title>");
    expect(page.headers.get("content-security-policy")).toContain(`frame-ancestors 'self' ${shop};`);
    await post("/3ds/challenge", { cres: encode({ ...forged, transStatus: "N" }) });
    expect(await everything(checkout, id)).toEqual(before);

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
    const { sessionId } = await openCheckout(service);
    for (const query of ["return_url=https://evil.example", "coep=2", "x=1"]) {
      expect((await service.frame("GET", `/c/${sessionId}?${query}`)).status).toBe(400);
    }
    const asked = await fetch(`${service.config.checkoutOrigin}/c/${sessionId}?coep=1`);
    expect(asked.headers.get("cross-origin-embedder-policy")).toBe("require-corp");
  });
});

// The clock is moved from here on.
describe("a customer who vanished during a challenge", () => {
  it("has failed when the time is over, and the session is open again", async () => {
    const checkout = await openCheckout(service);
    const { id, payment } = await payUpToChallenge(checkout);
    service.moveClock(10 * 60_000);
    await sweep(service.context);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "challenge" });
    service.moveClock(31_000);
    await Promise.all([sweep(service.context), sweep(service.context)]);
    expect((await checkout.payment(id)).body).toMatchObject({
      payment: { status: "declined", reason: "authentication_timed_out", challenge_outcome: "timed_out", retryable: true },
      session: { status: "open", attempts_left: 4 },
    });
    expect(await chargesOf(checkout)).toMatchObject([
      { status: "failed", failure: { decline_code: "authentication_timed_out" } },
    ]);
    const after = await everything(checkout, id);
    await answerChallenge(service, payment, { code: "111111" });
    expect(await everything(checkout, id)).toEqual(after);
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "succeeded" } });
  });

  it("before the bank was even asked has failed likewise", async () => {
    const checkout = await openCheckout(service);
    const id = String((await checkout.pay(cardNumbers.challenge)).body["payment"]?.["id"]);
    service.moveClock(10 * 60_000 + 31_000);
    await sweep(service.context);
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({
      status: "declined",
      reason: "authentication_timed_out",
    });
  });

  it("keeps a session open beyond its time, until the payment is over", async () => {
    const checkout = await openCheckout(service, { expires_after_minutes: 5 });
    const { id } = await payUpToChallenge(checkout);
    service.moveClock(6 * 60_000);
    await sweep(service.context);
    expect(await checkout.session()).toMatchObject({ status: "open" });
    expect((await checkout.payment(id)).body["payment"]).toMatchObject({ status: "challenge" });
    service.moveClock(5 * 60_000);
    await sweep(service.context);
    expect(await checkout.session()).toMatchObject({ status: "expired", payment_status: "unpaid" });
    const events = await service.call("GET", "/api/v1/events?limit=100");
    const types = (events.body["data"] as unknown as Json[]) // a list's data is an array
      .filter((event) => JSON.stringify(event).includes(checkout.sessionId))
      .map(({ type }) => String(type));
    expect(types.sort()).toEqual(["checkout_session.expired", "payment_failed"]);
  });
});
