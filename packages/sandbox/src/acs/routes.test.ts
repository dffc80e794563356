import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AReq, ARes } from "@oriel/protocol/threeds";
import {
  base64url,
  cardRequest,
  creqFor,
  decode,
  notificationURL,
  post,
  postForm,
  readForm,
  resultsKey,
} from "../../test/bank-client.ts";
import { cardOf, openShop, type Shop } from "../../test/shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const startChallenge = (changes: Partial<AReq> = {}) =>
  shop.authenticate("challenge", { messageVersion: "2.2.0", ...changes });

const sendCReq = (ares: ARes, changes = {}, fields = {}) =>
  postForm(shop.bank, "/acs/challenge", { creq: base64url(creqFor(ares, changes)), ...fields });

describe("the 3DS Method", () => {
  const threeDSServerTransID = randomUUID();
  const methodAddress = "http://pay.localhost:5998/3ds/method?payment=1&x=2";

  test("responds with a form that posts back only the transaction ID", async () => {
    const data = { threeDSServerTransID, threeDSMethodNotificationURL: methodAddress };
    const response = await postForm(shop.bank, "/acs/method", { threeDSMethodData: base64url(data) });
    expect(response.statusCode).toBe(200);
    const form = readForm(response.body);
    expect(form.action).toBe(methodAddress);
    expect(Object.keys(form.fields)).toEqual(["threeDSMethodData"]);
    expect(decode(form.fields["threeDSMethodData"])).toEqual({ threeDSServerTransID });
    expect(response.body).toContain("document.forms[0].submit()");
    expect(response.body).toContain("<noscript><button>");
  });

  test("accepts base64 with padding", async () => {
    const data = { threeDSServerTransID, threeDSMethodNotificationURL: `${methodAddress}&pad=` };
    const padded = Buffer.from(JSON.stringify(data)).toString("base64");
    expect((await postForm(shop.bank, "/acs/method", { threeDSMethodData: padded })).statusCode).toBe(200);
  });

  test.each([
    ["nothing", ""],
    ["invalid base64", "<script>alert(1)</script>"],
    ["invalid JSON", Buffer.from("{ broken").toString("base64url")],
    ["invalid UTF-8", Buffer.from([0xff, 0xfe, 0x7b]).toString("base64url")],
    ["a list", base64url([1, 2])],
    ["no transaction ID", base64url({ threeDSMethodNotificationURL: methodAddress })],
    ["a script as its URL", base64url({ threeDSServerTransID, threeDSMethodNotificationURL: "javascript:alert(1)" })],
    ["no URL", base64url({ threeDSServerTransID })],
    ["a value that is too long", "A".repeat(9_000)],
  ])("responds to %s with an error page that doesn't repeat any of it", async (_what, threeDSMethodData) => {
    const response = await postForm(shop.bank, "/acs/method", { threeDSMethodData });
    expect(response.statusCode).toBe(400);
    expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(response.body).toContain("This page cannot be shown");
    expect(response.body).not.toMatch(/<script|javascript:|<form/);
  });
});

describe("the challenge page", () => {
  test("asks for a code and shows the shop, amount and last four digits as text", async () => {
    const page = await sendCReq(await startChallenge());
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.body).toContain("TEST BANK");
    expect(page.body).toContain("Northwind &#60;Books&#62; &#38; Co");
    expect(page.body).not.toContain("<Books>");
    expect(page.body).toContain("€49.00");
    expect(page.body).toContain("ending in 0006");
    expect(page.body).toContain('<label for="code">Code</label>');
    expect(page.body).toMatch(/<button[^>]*value="submit">Submit<\/button>/);
    expect(page.body).not.toContain("Cancel"); // the iframe around it has that button
    expect(page.body).not.toContain("40000090");
  });

  test.each([
    ["392", "0", "¥4,900"],
    ["414", "3", "KWD\u00a04.900"],
    ["978", "2", "€49.00"],
  ])("formats 4900 of %s with its decimals", async (purchaseCurrency, purchaseExponent, written) => {
    const page = await sendCReq(await startChallenge({ purchaseCurrency, purchaseExponent }));
    expect(page.body).toContain(written);
  });

  test("can be framed by anyone and sets no cookie", async () => {
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

  test.each([
    ["2.2.0", "305"],
    ["2.3.1", "314"],
  ])("in %s refuses a second, different CReq with %s and continues the first", async (messageVersion, code) => {
    const ares = await startChallenge({ messageVersion });
    const page = await sendCReq(ares);
    for (const second of [
      await sendCReq(ares, { challengeWindowSize: "05" }),
      await sendCReq(ares, {}, { threeDSSessionData: "eA" }),
    ]) {
      expect(second.statusCode).toBe(400);
      expect(second.body).toContain(`Error ${code}`);
    }
    await shop.submit(page, { code: "111111" });
    expect(shop.results.received).toMatchObject([{ rreq: { transStatus: "Y" } }]);
  });

  test("refuses a CReq for an unknown or mismatched transaction with 301", async () => {
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
    ["203", "a malformed ID", { acsTransID: "<b>1</b>" }],
  ])("refuses, with error %s, a CReq with %s", async (code, _what, change) => {
    const response = await sendCReq(await startChallenge(), change as object);
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain(`Error ${code}`);
    expect(response.body).not.toContain("<b>");
  });

  test.each(["", "%%%", Buffer.from("{").toString("base64url"), "A".repeat(9_000)])(
    "refuses a malformed creq",
    async (creq) => {
      const response = await postForm(shop.bank, "/acs/challenge", { creq });
      expect(response.statusCode).toBe(400);
      expect(response.body).toContain("Error 101");
    },
  );

  test("responds with an error page to a form without a creq, a form with two, or no form at all", async () => {
    const none = await postForm(shop.bank, "/acs/challenge", {});
    const json = await post(shop.bank, "/acs/challenge", { creq: ["a"] });
    const plain = await shop.bank.inject({
      method: "POST",
      url: "/acs/challenge",
      payload: "x",
      headers: { "content-type": "text/plain" },
    });
    const two = await shop.bank.inject({
      method: "POST",
      url: "/acs/challenge",
      payload: "creq=a&creq=b",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([none, json, plain, two].map((response) => response.statusCode)).toEqual([400, 400, 415, 400]);
    for (const response of [none, json, plain, two])
      expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
  });
});

describe("a submitted challenge page", () => {
  test("of 111111 is reported as Y with a proof that the acquirer accepts, and the browser returns with Y", async () => {
    const ares = await startChallenge();
    const page = await shop.submit(await sendCReq(ares), { code: "111111" });
    const { threeDSServerTransID, acsTransID, dsTransID } = ares;
    expect(shop.results.received).toHaveLength(1);
    const rreq = shop.results.received[0]?.rreq;
    expect(shop.results.received[0]?.headers.authorization).toBe(`Bearer ${resultsKey}`);
    expect(rreq).toEqual({
      messageType: "RReq",
      messageVersion: "2.2.0",
      threeDSServerTransID,
      acsTransID,
      dsTransID,
      messageCategory: "01",
      transStatus: "Y",
      authenticationType: "02",
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
    const charged = await post(
      shop.bank,
      "/acquirer/authorizations",
      cardRequest(cardOf("challenge"), { three_d_secure: proof }),
    );
    expect(charged.json()).toMatchObject({ status: "approved", authenticated: true });
  });

  test("of 222222 is reported as N (failed authentication) without a proof", async () => {
    const page = await shop.submit(await sendCReq(await startChallenge()), { code: "222222" });
    expect(shop.results.received).toMatchObject([
      { rreq: { transStatus: "N", transStatusReason: "01", interactionCounter: "01" } },
    ]);
    expect(shop.results.received[0]?.rreq).not.toHaveProperty("authenticationValue");
    expect(shop.results.received[0]?.rreq).not.toHaveProperty("eci");
    expect(decode(readForm(page.body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test.each([
    ["with a Cancel button, as other banks' pages have it,", { action: "cancel" }, "00"],
    ["of 333333", { code: "333333" }, "01"],
  ])("%s is reported as U (canceled by the cardholder)", async (_how, input, interactionCounter) => {
    const page = await shop.submit(await sendCReq(await startChallenge()), input);
    expect(shop.results.received).toMatchObject([
      { rreq: { transStatus: "U", transStatusReason: "01", challengeCancel: "01", interactionCounter } },
    ]);
    expect(decode(readForm(page.body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test("may have a wrong code twice, but a third wrong code is reported as N (too many attempts)", async () => {
    const first = await shop.submit(await sendCReq(await startChallenge()), { code: "123456" });
    expect(first.body).toContain("Wrong code: 2 attempts left.");
    const second = await shop.submit(first, { code: "000000" });
    expect(second.body).toContain("Wrong code: one attempt left.");
    expect(shop.results.received).toHaveLength(0);
    const third = await shop.submit(second, { code: "<i>" });
    expect(shop.results.received).toMatchObject([
      { rreq: { transStatus: "N", transStatusReason: "19", interactionCounter: "03" } },
    ]);
    expect(decode(readForm(third.body).fields["cres"])).toMatchObject({ transStatus: "N" });
  });

  test("may have the right code after a wrong one", async () => {
    const first = await shop.submit(await sendCReq(await startChallenge()), { code: "123456" });
    await shop.submit(first, { code: " 111111 " });
    expect(shop.results.received).toMatchObject([{ rreq: { transStatus: "Y", interactionCounter: "02" } }]);
  });

  test("that is sent twice by a double click counts as one attempt and causes one report", async () => {
    const page = await sendCReq(await startChallenge());
    const [, twice] = [await shop.submit(page, { code: "9" }), await shop.submit(page, { code: "9" })];
    expect(twice.body).toContain("2 attempts left");
    const pages = await Promise.all([1, 2, 3].map(() => shop.submit(twice, { code: "111111" })));
    expect(shop.results.received).toHaveLength(1);
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
  });

  test("after the end changes nothing, and the browser returns with the same result", async () => {
    const ares = await startChallenge();
    const page = await sendCReq(ares);
    const end = await shop.submit(page, { code: "222222" });
    expect((await shop.submit(page, { code: "111111" })).body).toBe(end.body);
    expect((await shop.submit(page, { action: "cancel" })).body).toBe(end.body);
    expect(shop.results.received).toHaveLength(1);
  });

  test.each([
    ["2.2.0", "305"],
    ["2.3.1", "315"],
  ])("in %s ends the challenge, and a CReq after the RReq is refused with %s", async (messageVersion, code) => {
    const ares = await startChallenge({ messageVersion });
    await shop.submit(await sendCReq(ares), { code: "111111" });
    const late = await sendCReq(ares);
    expect(late.statusCode).toBe(400);
    expect(late.body).toContain(`Error ${code}`);
    expect(shop.results.received).toHaveLength(1);
  });

  test("to an unknown or unopened challenge is refused with 301", async () => {
    const { acsTransID } = await startChallenge();
    for (const id of [acsTransID, randomUUID()]) {
      const fields = { acsTransID: id, tries: "0", action: "submit", code: "111111" };
      expect((await postForm(shop.bank, "/acs/challenge/answer", fields)).body).toContain("Error 301");
    }
    expect(shop.results.received).toHaveLength(0);
  });

  test.each([
    {},
    { action: "pay" },
    { action: "submit", code: "111111" },
    { action: "submit", code: "1", tries: "-1" },
    { action: "submit", code: "1".repeat(101), tries: "0" },
  ])("that is malformed (%j) is refused", async (fields) => {
    const { acsTransID } = await startChallenge();
    const response = await postForm(shop.bank, "/acs/challenge/answer", { acsTransID, ...fields });
    expect(response.statusCode).toBe(400);
    expect(response.body).toContain("This page cannot be shown");
  });

  test("returns the session data of the CReq unchanged", async () => {
    const page = await sendCReq(await startChallenge(), {}, { threeDSSessionData: "c2Vzc2lvbg" });
    const form = readForm((await shop.submit(page, { code: "111111" })).body);
    expect(form.fields["threeDSSessionData"]).toBe("c2Vzc2lvbg");
  });
});
