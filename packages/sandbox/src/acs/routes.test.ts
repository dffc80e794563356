import { randomUUID } from "node:crypto";
import type { AReq, ARes } from "@oriel/protocol/threeds";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  areqFor,
  base64url,
  cardRequest,
  createTestBank,
  creqFor,
  decode,
  get,
  notificationURL,
  post,
  postForm,
  readForm,
  resultsKey,
} from "../../test/bank-client.ts";
import { createManualClock, type ManualClock } from "../../test/manual-clock.ts";
import { listenForResults, rresFor, type ResultsListener } from "../../test/results-listener.ts";

const minuteMs = 60_000;

let results: ResultsListener;
let clock: ManualClock;
let bank: FastifyInstance;
beforeEach(async () => {
  results = await listenForResults();
  clock = createManualClock();
  bank = await createTestBank({ clock });
});
afterEach(async () => {
  await bank.close();
  await results.close();
});

async function startChallenge(changes: Partial<AReq> = {}): Promise<ARes> {
  const areq = areqFor("4000002760003184", { threeDSServerURL: results.url, ...changes });
  return (await post(bank, "/directory-server", areq)).json();
}

const sendCReq = (ares: ARes, changes = {}, fields = {}) =>
  postForm(bank, "/acs/challenge", { creq: base64url(creqFor(ares, changes)), ...fields });

/** Presses a button on a challenge page that was sent. */
function press(page: { body: string }, button: { action: "submit"; code: string } | { action: "cancel"; code?: string }) {
  const form = readForm(page.body);
  return postForm(bank, form.action, { ...form.fields, code: "", ...button });
}

describe("the 3DS Method", () => {
  const threeDSServerTransID = randomUUID();
  const methodAddress = "http://pay.localhost:5998/3ds/method?payment=1&x=2";

  test("answers with a form that posts itself back and holds the transaction id alone", async () => {
    const data = { threeDSServerTransID, threeDSMethodNotificationURL: methodAddress };
    const response = await postForm(bank, "/acs/method", { threeDSMethodData: base64url(data) });
    expect(response.statusCode).toBe(200);
    const form = readForm(response.body);
    expect(form.action).toBe(methodAddress);
    expect(Object.keys(form.fields)).toEqual(["threeDSMethodData"]);
    expect(decode(form.fields["threeDSMethodData"])).toEqual({ threeDSServerTransID });
    expect(response.body).toContain("document.forms[0].submit()");
    expect(response.body).toContain("<noscript><button>");
  });

  test("reads base64 with padding as well", async () => {
    const data = { threeDSServerTransID, threeDSMethodNotificationURL: `${methodAddress}&pad=` };
    const padded = Buffer.from(JSON.stringify(data)).toString("base64");
    expect((await postForm(bank, "/acs/method", { threeDSMethodData: padded })).statusCode).toBe(200);
  });

  test.each([
    ["nothing", ""],
    ["no base64", "<script>alert(1)</script>"],
    ["no JSON", Buffer.from("{ broken").toString("base64url")],
    ["no UTF-8", Buffer.from([0xff, 0xfe, 0x7b]).toString("base64url")],
    ["a list", base64url([1, 2])],
    ["no transaction id", base64url({ threeDSMethodNotificationURL: methodAddress })],
    ["a script for an address", base64url({ threeDSServerTransID, threeDSMethodNotificationURL: "javascript:alert(1)" })],
    ["no address", base64url({ threeDSServerTransID })],
    ["too much", "A".repeat(9_000)],
  ])("answers %s with a page that says so and repeats nothing", async (_what, threeDSMethodData) => {
    const response = await postForm(bank, "/acs/method", { threeDSMethodData });
    expect(response.statusCode).toBe(400);
    expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(response.body).toContain("This page cannot be shown");
    expect(response.body).not.toMatch(/<script|javascript:|<form/);
  });
});

describe("the challenge page", () => {
  test("asks for a code and names shop, amount and last four digits, as text", async () => {
    const page = await sendCReq(await startChallenge());
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.body).toContain("TEST BANK");
    expect(page.body).toContain("Northwind &#60;Books&#62; &#38; Co");
    expect(page.body).not.toContain("<Books>");
    expect(page.body).toContain("€49.00");
    expect(page.body).toContain("ending in 3184");
    expect(page.body).toContain('<label for="code">Code</label>');
    expect(page.body).toMatch(/<button[^>]*value="submit">Submit<\/button>/);
    expect(page.body).toMatch(/<button[^>]*value="cancel"[^>]*>Cancel<\/button>/);
    expect(page.body).not.toContain("40000027");
  });

  test.each([
    ["JPY", "0", "¥4,900"],
    ["KWD", "3", "KWD\u00a04.900"],
    ["978", "2", "49.00 (currency 978)"],
  ])("writes 4900 of %s as it should be", async (purchaseCurrency, purchaseExponent, written) => {
    const page = await sendCReq(await startChallenge({ purchaseCurrency, purchaseExponent }));
    expect(page.body).toContain(written);
  });

  test("lets itself be framed by anyone and sets no cookie", async () => {
    const { headers } = await sendCReq(await startChallenge());
    for (const name of [
      "x-frame-options",
      "cross-origin-embedder-policy",
      "cross-origin-resource-policy",
      "cross-origin-opener-policy",
      "set-cookie",
    ]) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(headers["content-security-policy"]).not.toContain("frame-ancestors");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
  });

  test("is shown again when the browser reloads", async () => {
    const ares = await startChallenge();
    const first = await sendCReq(ares);
    expect((await sendCReq(ares)).body).toBe(first.body);
  });

  test("is refused to a second, different CReq (314), and the first goes on", async () => {
    const ares = await startChallenge();
    const page = await sendCReq(ares);
    for (const second of [
      await sendCReq(ares, { challengeWindowSize: "05" }),
      await sendCReq(ares, {}, { threeDSSessionData: "eA" }),
    ]) {
      expect(second.statusCode).toBe(400);
      expect(second.body).toContain("Error 314");
    }
    await press(page, { action: "submit", code: "111111" });
    expect(results.received).toMatchObject([{ rreq: { transStatus: "Y" } }]);
  });

  test("is refused to a CReq of an unknown or mismatched transaction (301)", async () => {
    const ares = await startChallenge();
    for (const change of [{ acsTransID: randomUUID() }, { threeDSServerTransID: randomUUID() }]) {
      const response = await sendCReq(ares, change);
      expect(response.statusCode).toBe(400);
      expect(response.body).toContain("Error 301");
    }
  });

  test.each<[string, string, unknown]>([
    ["101", "another message type", { messageType: "AReq" }],
    ["102", "another version", { messageVersion: "2.1.0" }],
    ["201", "no window size", { challengeWindowSize: undefined }],
    ["203", "an unknown window size", { challengeWindowSize: "06" }],
    ["203", "an id that is none", { acsTransID: "<b>1</b>" }],
  ])("is refused with %s to a CReq with %s", async (code, _what, change) => {
    const response = await sendCReq(await startChallenge(), change as object);
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain(`Error ${code}`);
    expect(response.body).not.toContain("<b>");
  });

  test.each(["", "%%%", Buffer.from("{").toString("base64url"), "A".repeat(9_000)])(
    "is refused to a creq that is none",
    async (creq) => {
      const response = await postForm(bank, "/acs/challenge", { creq });
      expect(response.statusCode).toBe(400);
      expect(response.body).toContain("Error 101");
    },
  );

  test("is refused as a page when there is no creq, two of them, or no form at all", async () => {
    const none = await postForm(bank, "/acs/challenge", {});
    const json = await post(bank, "/acs/challenge", { creq: ["a"] });
    const plain = await bank.inject({
      method: "POST",
      url: "/acs/challenge",
      payload: "x",
      headers: { "content-type": "text/plain" },
    });
    const two = await bank.inject({
      method: "POST",
      url: "/acs/challenge",
      payload: "creq=a&creq=b",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([none, json, plain, two].map((response) => response.statusCode)).toEqual([400, 400, 415, 400]);
    for (const response of [none, json, plain, two]) expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
  });
});

describe("an answer", () => {
  test("of 111111 is reported as Y with proof that the acquirer recognises, and sends the browser back with Y", async () => {
    const ares = await startChallenge();
    const page = await press(await sendCReq(ares), { action: "submit", code: "111111" });
    const { threeDSServerTransID, acsTransID, dsTransID } = ares;
    expect(results.received).toHaveLength(1);
    const rreq = results.received[0]?.rreq;
    expect(results.received[0]?.headers.authorization).toBe(`Bearer ${resultsKey}`);
    expect(rreq).toEqual({
      messageType: "RReq",
      messageVersion: "2.2.0",
      threeDSServerTransID,
      acsTransID,
      dsTransID,
      messageCategory: "01",
      transStatus: "Y",
      eci: "05",
      authenticationValue: expect.stringMatching(/^[0-9A-Za-z+/]{27}=$/),
      interactionCounter: "01",
    });

    const form = readForm(page.body);
    expect(form.action).toBe(notificationURL);
    expect(Object.keys(form.fields)).toEqual(["cres"]);
    expect(decode(form.fields["cres"])).toEqual({
      messageType: "CRes",
      messageVersion: "2.2.0",
      threeDSServerTransID,
      acsTransID,
      transStatus: "Y",
    });
    expect(page.body).not.toContain(rreq?.authenticationValue);
    expect(page.body).toContain("<noscript><button>");

    const proof = { eci: "05", authentication_value: rreq?.authenticationValue ?? "", ds_trans_id: dsTransID };
    const charged = await post(bank, "/acquirer/authorizations", cardRequest("4000002760003184", { three_d_secure: proof }));
    expect(charged.json()).toMatchObject({ status: "approved", authenticated: true });
  });

  test("of 222222 is reported as N for failed authentication, without a proof", async () => {
    const page = await press(await sendCReq(await startChallenge()), { action: "submit", code: "222222" });
    expect(results.received).toMatchObject([{ rreq: { transStatus: "N", transStatusReason: "01", interactionCounter: "01" } }]);
    expect(results.received[0]?.rreq).not.toHaveProperty("authenticationValue");
    expect(results.received[0]?.rreq).not.toHaveProperty("eci");
    expect(decode(readForm(page.body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test("of Cancel is reported as U, canceled by the cardholder", async () => {
    const page = await press(await sendCReq(await startChallenge()), { action: "cancel" });
    expect(results.received).toMatchObject([
      { rreq: { transStatus: "U", transStatusReason: "01", challengeCancel: "01", interactionCounter: "00" } },
    ]);
    expect(decode(readForm(page.body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test("may be wrong twice; the third wrong one is reported as N for too many tries", async () => {
    const first = await press(await sendCReq(await startChallenge()), { action: "submit", code: "123456" });
    expect(first.body).toContain("Wrong code: 2 tries left.");
    const second = await press(first, { action: "submit", code: "000000" });
    expect(second.body).toContain("Wrong code: one try left.");
    expect(results.received).toHaveLength(0);
    const third = await press(second, { action: "submit", code: "<i>" });
    expect(results.received).toMatchObject([{ rreq: { transStatus: "N", transStatusReason: "19", interactionCounter: "03" } }]);
    expect(decode(readForm(third.body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test("may be right after a wrong one", async () => {
    const first = await press(await sendCReq(await startChallenge()), { action: "submit", code: "123456" });
    await press(first, { action: "submit", code: " 111111 " });
    expect(results.received).toMatchObject([{ rreq: { transStatus: "Y", interactionCounter: "02" } }]);
  });

  test("that a double click sends twice counts as one try, and makes one report", async () => {
    const page = await sendCReq(await startChallenge());
    const [, twice] = [await press(page, { action: "submit", code: "9" }), await press(page, { action: "submit", code: "9" })];
    expect(twice.body).toContain("2 tries left");
    const pages = await Promise.all([1, 2, 3].map(() => press(twice, { action: "submit", code: "111111" })));
    expect(results.received).toHaveLength(1);
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
  });

  test("after the end changes nothing: the browser is sent back with the result as it was", async () => {
    const ares = await startChallenge();
    const page = await sendCReq(ares);
    const end = await press(page, { action: "submit", code: "222222" });
    expect((await press(page, { action: "submit", code: "111111" })).body).toBe(end.body);
    expect((await press(page, { action: "cancel" })).body).toBe(end.body);
    expect((await sendCReq(ares)).body).toBe(end.body);
    expect(results.received).toHaveLength(1);
  });

  test("to a challenge that is unknown or was never opened is refused (301)", async () => {
    const { acsTransID } = await startChallenge();
    for (const id of [acsTransID, randomUUID()]) {
      const fields = { acsTransID: id, tries: "0", action: "submit", code: "111111" };
      expect((await postForm(bank, "/acs/challenge/answer", fields)).body).toContain("Error 301");
    }
    expect(results.received).toHaveLength(0);
  });

  test.each([{}, { action: "pay" }, { action: "submit" }, { action: "submit", code: "1", tries: "-1" }])(
    "that is none (%j) is refused",
    async (fields) => {
      const { acsTransID } = await startChallenge();
      const response = await postForm(bank, "/acs/challenge/answer", { acsTransID, ...fields });
      expect(response.statusCode).toBe(400);
      expect(response.body).toContain("This page cannot be shown");
    },
  );

  test("brings back the session data that came with the CReq, unchanged", async () => {
    const page = await sendCReq(await startChallenge(), {}, { threeDSSessionData: "c2Vzc2lvbg" });
    const form = readForm((await press(page, { action: "submit", code: "111111" })).body);
    expect(form.fields["threeDSSessionData"]).toBe("c2Vzc2lvbg");
  });
});

describe("the report", () => {
  test("is acknowledged before the browser is sent back", async () => {
    const order: string[] = [];
    let acknowledge = () => {};
    const acknowledged = new Promise<void>((resolve) => (acknowledge = resolve));
    results.answer = async (rreq) => {
      order.push("RReq");
      await acknowledged;
      order.push("RRes");
      return { status: 200, body: JSON.stringify(rresFor(rreq)) };
    };
    const page = await sendCReq(await startChallenge());
    const end = press(page, { action: "submit", code: "111111" }).then(() => order.push("CRes"));
    await vi.waitFor(() => expect(order).toEqual(["RReq"]));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(order).toEqual(["RReq"]);
    acknowledge();
    await end;
    expect(order).toEqual(["RReq", "RRes", "CRes"]);
  });

  test.each([
    ["a 500", { status: 500, body: "{}" }],
    ["no JSON", { status: 200, body: "<html>" }],
    ["an empty object", { status: 200, body: "{}" }],
    [
      "the RRes of another challenge",
      { status: 200, body: JSON.stringify({ messageType: "RRes", acsTransID: "x", resultsStatus: "01" }) },
    ],
    ["a redirect", { status: 307, body: "", headers: { location: "/elsewhere" } }],
    ["far too much", { status: 200, body: " ".repeat(100_000) }],
  ])("is sent again after %s, and one good answer is enough", async (_what, bad) => {
    const good = results.answer;
    results.answer = async (rreq) => (results.received.length < 3 ? bad : good(rreq));
    const page = await sendCReq(await startChallenge());
    const end = press(page, { action: "submit", code: "111111" });
    await vi.waitFor(() => {
      clock.advance(2_000);
      expect(results.received).toHaveLength(3);
    });
    expect(decode(readForm((await end).body).fields["cres"])).toMatchObject({ transStatus: "Y" });
    expect(results.received[0]?.rreq).toEqual(results.received[2]?.rreq);
  });

  test("that nobody acknowledges is given up after three tries, and then the CRes does not say Y", async () => {
    results.answer = async () => ({ status: 503, body: "{}" });
    const page = await sendCReq(await startChallenge());
    let isDone = false;
    const end = press(page, { action: "submit", code: "111111" }).finally(() => (isDone = true));
    await vi.waitFor(() => {
      clock.advance(2_000);
      expect(isDone).toBe(true);
    });
    expect(results.received).toHaveLength(3);
    expect(decode(readForm((await end).body).fields["cres"])).toMatchObject({ transStatus: "N" });
    const { authentications } = (await get(bank, "/directory-server/authentications")).json();
    expect(authentications).toMatchObject([{ result: { transStatus: "Y", delivered: false } }]);
  });

  test("that the other side refuses with an Erro is not sent again", async () => {
    results.answer = async () => ({ status: 200, body: JSON.stringify({ messageType: "Erro", errorCode: "301" }) });
    const page = await press(await sendCReq(await startChallenge()), { action: "submit", code: "111111" });
    expect(results.received).toHaveLength(1);
    expect(decode(readForm(page.body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test("to an address that does not answer times out", async () => {
    const impatient = await createTestBank({ resultTimeoutMs: 30, resultRetryDelaysMs: [1] });
    results.answer = () => new Promise(() => {});
    const areq = areqFor("4000002760003184", { threeDSServerURL: results.url });
    const ares = (await post(impatient, "/directory-server", areq)).json();
    const page = await postForm(impatient, "/acs/challenge", { creq: base64url(creqFor(ares)) });
    const form = readForm(page.body);
    const end = await postForm(impatient, form.action, { ...form.fields, action: "submit", code: "111111" });
    expect(results.received).toHaveLength(2);
    expect(decode(readForm(end.body).fields["cres"])).toMatchObject({ transStatus: "N" });
    await impatient.close();
  });

  test("is given up when the bank closes, so that closing does not hang", async () => {
    const closing = await createTestBank();
    results.answer = () => new Promise(() => {});
    const areq = areqFor("4000002760003184", { threeDSServerURL: results.url });
    const ares = (await post(closing, "/directory-server", areq)).json();
    const form = readForm((await postForm(closing, "/acs/challenge", { creq: base64url(creqFor(ares)) })).body);
    const end = postForm(closing, form.action, { ...form.fields, action: "submit", code: "111111" });
    await vi.waitFor(() => expect(results.received).toHaveLength(1));
    await closing.close();
    expect(decode(readForm((await end).body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test("shows in the bank's list", async () => {
    await press(await sendCReq(await startChallenge()), { action: "cancel" });
    const { authentications } = (await get(bank, "/directory-server/authentications")).json();
    expect(authentications).toMatchObject([
      { transStatus: "C", result: { transStatus: "U", challengeCancel: "01", interactionCounter: "00", delivered: true } },
    ]);
  });
});

describe("a challenge that nobody ends", () => {
  test("is reported as timed out (05) when its CReq has not come after 30 seconds", async () => {
    const ares = await startChallenge();
    clock.advance(29_999);
    expect(results.received).toHaveLength(0);
    clock.advance(1);
    await vi.waitFor(() => expect(results.received).toHaveLength(1));
    expect(results.received).toMatchObject([{ rreq: { transStatus: "U", transStatusReason: "14", challengeCancel: "05" } }]);

    const late = readForm((await sendCReq(ares, {}, { threeDSSessionData: "c2Vzc2lvbg" })).body);
    expect(decode(late.fields["cres"])).toMatchObject({ transStatus: "N" });
    expect(late.fields["threeDSSessionData"]).toBe("c2Vzc2lvbg");
  });

  test("is reported as timed out (04) ten minutes after its CReq, and a late code changes nothing", async () => {
    const ares = await startChallenge();
    clock.advance(20_000);
    const page = await sendCReq(ares);
    clock.advance(10 * minuteMs - 1);
    expect(results.received).toHaveLength(0);
    clock.advance(1);
    await vi.waitFor(() => expect(results.received).toHaveLength(1));
    expect(results.received).toMatchObject([{ rreq: { transStatus: "U", transStatusReason: "14", challengeCancel: "04" } }]);
    const late = await press(page, { action: "submit", code: "111111" });
    expect(decode(readForm(late.body).fields["cres"])).toMatchObject({ transStatus: "N" });
    expect(results.received).toHaveLength(1);
  });

  test("leaves no timer behind once it has ended or the bank has closed", async () => {
    await press(await sendCReq(await startChallenge()), { action: "submit", code: "111111" });
    expect(clock.pending()).toBe(0);
    await startChallenge();
    expect(clock.pending()).toBe(1);
    await bank.close();
    expect(clock.pending()).toBe(0);
  });
});
