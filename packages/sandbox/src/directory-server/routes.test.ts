import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AReq } from "@oriel/protocol/threeds";
import { areqFor, base64url, createTestBank, get, origin, post, postForm } from "../../test/bank-client.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let bank: FastifyInstance;
beforeEach(async () => {
  bank = await createTestBank();
});
afterEach(() => bank.close());

const send = async (message: string | object) => {
  const response = await post(bank, "/directory-server", message);
  expect(response.statusCode).toBe(200);
  return response.json();
};

describe("a PReq", () => {
  test("in 2.2.0 gets one entry for each range, with its first and last version and the 3DS Method's URL", async () => {
    const pres = await send({ messageType: "PReq", messageVersion: "2.2.0" });
    expect(pres).toMatchObject({ messageType: "PRes", messageVersion: "2.2.0" });
    const range = (prefix: string) =>
      pres.cardRangeData.find(({ endRange }: { endRange: string }) => endRange.startsWith(prefix));
    expect(range("4000009000")).toEqual({
      startRange: "4000008999999999",
      endRange: "4000009000999998",
      acsStartProtocolVersion: "2.2.0",
      acsEndProtocolVersion: "2.3.1",
      threeDSMethodURL: `${origin}/acs/method`,
    });
    expect(range("4000009001")).not.toHaveProperty("threeDSMethodURL");
    expect(range("4000009002")).toMatchObject({ threeDSMethodURL: `${origin}/acs/method/silent` });
    expect(range("4000009003")).toMatchObject({ threeDSMethodURL: `${origin}/acs/method/unframeable` });
    expect(range("4000009020")).toMatchObject({ acsStartProtocolVersion: "2.2.0", acsEndProtocolVersion: "2.2.0" });
    expect(range("4000009030")).toMatchObject({ acsStartProtocolVersion: "2.3.1", acsEndProtocolVersion: "2.3.1" });
    expect(range("4000009091")).toBeUndefined();
  });

  test("in 2.3.1 gets similar ranges grouped together, with the method of each version", async () => {
    const pres = await send({ messageType: "PReq", messageVersion: "2.3.1" });
    expect(pres).toMatchObject({ messageType: "PRes", messageVersion: "2.3.1" });
    expect(pres.cardRangeData).toHaveLength(6);
    expect(pres.cardRangeData[0]).toEqual({
      ranges: expect.arrayContaining([{ start: "4000008999999999", end: "4000009000999998" }]),
      acsProtocolVersions: [
        { version: "2.2.0", acsInfoInd: ["01", "02"], threeDSMethodURL: `${origin}/acs/method` },
        { version: "2.3.1", acsInfoInd: ["01", "02", "03"], threeDSMethodURL: `${origin}/acs/method` },
      ],
    });
    const versions = pres.cardRangeData.map(({ acsProtocolVersions }: { acsProtocolVersions: { version: string }[] }) =>
      acsProtocolVersions.map(({ version }) => version).join(),
    );
    expect(versions.sort()).toEqual(["2.2.0", ...Array.from({ length: 4 }, () => "2.2.0,2.3.1"), "2.3.1"]);
  });

  test.each(["2.1.0", "2.3.0", 2.2])("with version %j is refused with 102", async (messageVersion) => {
    expect(await send({ messageType: "PReq", messageVersion })).toMatchObject({
      messageType: "Erro",
      errorCode: "102",
    });
  });
});

describe("an AReq", () => {
  test.each([
    ["4000000032200000", "05"],
    ["5200000000001005", "02"],
  ])("for %s gets Y immediately, with ECI %s and a 20-byte proof", async (number, eci) => {
    const areq = areqFor(number);
    const ares = await send(areq);
    expect(ares).toEqual({
      messageType: "ARes",
      messageVersion: "2.2.0",
      threeDSServerTransID: areq.threeDSServerTransID,
      acsTransID: expect.stringMatching(uuid),
      dsTransID: expect.stringMatching(uuid),
      transStatus: "Y",
      eci,
      authenticationValue: expect.stringMatching(/^[0-9A-Za-z+/]{27}=$/),
    });
  });

  test("gets a unique proof", async () => {
    const [one, other] = [await send(areqFor("4000000032200000")), await send(areqFor("4000000032200000"))];
    expect(one.authenticationValue).not.toBe(other.authenticationValue);
  });

  test("for the challenge card gets C with the ACS's URL and no proof", async () => {
    const ares = await send(areqFor("4000002760003184"));
    expect(ares).toMatchObject({ transStatus: "C", acsURL: `${origin}/acs/challenge`, acsChallengeMandated: "N" });
    expect(ares).not.toHaveProperty("authenticationValue");
    expect(ares).not.toHaveProperty("eci");
  });

  test("that mandates a challenge gets one even for the frictionless card", async () => {
    const ares = await send(areqFor("4000000032200000", { threeDSRequestorChallengeInd: "04" }));
    expect(ares).toMatchObject({ transStatus: "C", acsChallengeMandated: "Y" });
  });

  test("gets U for a card outside all ranges and N for an unknown card inside one", async () => {
    expect(await send(areqFor("4242424242424242"))).toMatchObject({ transStatus: "U", transStatusReason: "13" });
    const unknown = await send(areqFor("4000009000720097"));
    expect(unknown).toMatchObject({ transStatus: "N", transStatusReason: "08", cardholderInfo: expect.any(String) });
    expect(unknown.cardholderInfo.length).toBeLessThanOrEqual(128);
  });

  test("with a repeated transaction ID is refused with 305", async () => {
    const areq = areqFor("4000000032200000");
    await send(areq);
    expect(await send(areq)).toMatchObject({
      messageType: "Erro",
      errorCode: "305",
      threeDSServerTransID: areq.threeDSServerTransID,
    });
  });

  test("may contain fields that the bank ignores", async () => {
    expect(await send({ ...areqFor("4000000032200000"), mcc: "5942" })).toMatchObject({ transStatus: "Y" });
  });

  test.each(Object.keys(areqFor("")).filter((name) => name !== "messageType" && name !== "threeDSRequestorDecReqInd"))(
    "without %s is refused with 201 and an error that names it",
    async (name) => {
      const erro = await send({ ...areqFor("4000002760003184"), [name]: undefined });
      expect(erro).toMatchObject({ messageType: "Erro", errorCode: "201", errorComponent: "D", errorDetail: name });
    },
  );

  test.each<[keyof AReq, unknown]>([
    ["threeDSServerTransID", "1"],
    ["threeDSServerURL", "javascript:alert(1)"],
    ["threeDSServerURL", "http://user:secret@127.0.0.1/results"],
    ["notificationURL", "data:text/html,x"],
    ["notificationURL", `http://pay.localhost/${"x".repeat(256)}`],
    ["deviceChannel", "01"],
    ["messageCategory", "03"],
    ["threeDSCompInd", "X"],
    ["browserIP", "localhost"],
    ["browserJavaEnabled", "false"],
    ["browserLanguage", "en-GB-oxendict"],
    ["browserColorDepth", "30"],
    ["browserScreenHeight", 900],
    ["browserTZ", "Europe/Berlin"],
    ["merchantName", "x".repeat(41)],
    ["purchaseAmount", 4900],
    ["purchaseAmount", "49.00"],
    ["purchaseExponent", "0"],
    ["purchaseDate", "2026-01-15"],
    ["threeDSRequestorChallengeInd", "4"],
    ["threeDSRequestorChallengeInd", "13"],
    ["threeDSRequestorChallengeInd", ["01"]],
    ["threeDSRequestorDecReqInd", "X"],
    ["purchaseCurrency", "EUR"],
    ["acctNumber", "4000 0027 6000 3184"],
    ["cardExpiryDate", "4013"],
    ["cardholderName", "X"],
    ["cardholderName", "x".repeat(46)],
    ["cardholderName", "Zoë"],
    ["cardholderName", null],
    ["email", "ada"],
    ["email", "a b@customer.example"],
    ["billAddrPostCode", "x".repeat(17)],
    ["billAddrCountry", "DE"],
    ["billAddrCountry", 276],
  ])(
    "with a malformed %s (%j) is refused with 203 and an error that names the field without its value",
    async (name, value) => {
      const erro = await send({ ...areqFor("4000002760003184"), [name]: value });
      expect(erro).toMatchObject({
        messageType: "Erro",
        errorCode: "203",
        errorDetail: name,
        errorMessageType: "AReq",
      });
      // A transaction ID is random and may contain any four digits.
      expect(JSON.stringify({ ...erro, threeDSServerTransID: null })).not.toMatch(/4000|3184/);
    },
  );

  test("with a currency that does not exist is refused with 304", async () => {
    expect(await send(areqFor("4000002760003184", { purchaseCurrency: "963" }))).toMatchObject({ errorCode: "304" });
  });

  test.each<[keyof AReq, unknown]>([
    ["threeDSRequestorChallengeInd", "01"],
    ["threeDSRequestorChallengeInd", []],
    ["threeDSRequestorChallengeInd", ["01", "04", "13"]],
    ["threeDSRequestorChallengeInd", ["15"]],
    ["threeDSRequestorDecReqInd", "X"],
    ["threeDSRequestorDecMaxTime", "10"],
    ["threeDSRequestorDecMaxTime", "00000"],
    ["threeDSRequestorDecMaxTime", "10081"],
    ["threeDSMethodId", "1"],
    ["browserColorDepth", "0"],
    ["browserLanguage", "x".repeat(36)],
  ])("of 2.3.1 with a malformed %s (%j) is refused with 203 in 2.3.1", async (name, value) => {
    const erro = await send({ ...areqFor("4000009000720006", { messageVersion: "2.3.1" }), [name]: value });
    expect(erro).toMatchObject({ messageType: "Erro", messageVersion: "2.3.1", errorCode: "203", errorDetail: name });
  });

  test("of 2.3.1 may have a color depth of 30, a long language tag, two challenge preferences and an earlier 3DS Method's ID", async () => {
    const areq = areqFor("4000009000000003", {
      messageVersion: "2.3.1",
      browserLanguage: "en-GB-oxendict",
      threeDSRequestorChallengeInd: ["01"],
      threeDSMethodId: randomUUID(),
    });
    expect(await send({ ...areq, browserColorDepth: "30" })).toMatchObject({
      messageVersion: "2.3.1",
      transStatus: "Y",
    });
  });

  test("that requests decoupled authentication without a time limit is refused with 201", async () => {
    const areq = areqFor("4000009001800005", { messageVersion: "2.3.1", threeDSRequestorDecReqInd: "F" });
    expect(await send(areq)).toMatchObject({ errorCode: "201", errorDetail: "threeDSRequestorDecMaxTime" });
  });

  test("of 2.2.0 that requests decoupled authentication as a fallback is refused with 203", async () => {
    const decoupled = { threeDSRequestorDecReqInd: "F", threeDSRequestorDecMaxTime: "00010" } as const;
    const erro = await send(areqFor("4000009001800005", decoupled));
    expect(erro).toMatchObject({ errorCode: "203", errorDetail: "threeDSRequestorDecReqInd" });
  });

  test("in a version that the card's range doesn't list is refused with 102", async () => {
    expect(await send(areqFor("4000009030720000"))).toMatchObject({ errorCode: "102" });
    expect(await send(areqFor("4000009020720002", { messageVersion: "2.3.1" }))).toMatchObject({ errorCode: "102" });
  });

  test("in an unsupported version is refused with 102", async () => {
    expect(await send({ ...areqFor("4000002760003184"), messageVersion: "2.1.0" })).toMatchObject({ errorCode: "102" });
  });
});

test.each([
  "{ broken",
  "[]",
  "null",
  '"AReq"',
  "{}",
  '{"messageType":"RReq","messageVersion":"2.2.0"}',
  '{"messageType":"CReq"}',
  "",
])("the directory server refuses %s with 101", async (body) => {
  expect(await send(body)).toMatchObject({ messageType: "Erro", errorCode: "101" });
});

test("a body that is too large gets an HTTP error", async () => {
  const response = await post(bank, "/directory-server", JSON.stringify({ messageType: "x".repeat(70_000) }));
  expect(response.statusCode).toBe(413);
});

test("the list shows what happened and the 3DS Method's browser, without a card number or proof", async () => {
  const threeDSServerTransID = randomUUID();
  const method = { threeDSServerTransID, threeDSMethodNotificationURL: "http://pay.localhost:5998/3ds/method" };
  await postForm(bank, "/acs/method", { threeDSMethodData: base64url(method) });
  const ares = await send(areqFor("4000000032200000", { threeDSServerTransID }));
  const cardholder = {
    cardholderName: "Ada Vance",
    email: "a@b.example",
    billAddrPostCode: "04109",
    billAddrCountry: "276",
  };
  await send(areqFor("4000002760003184", { threeDSCompInd: "N", ...cardholder }));
  const response = await get(bank, "/directory-server/authentications");
  expect(response.json().authentications).toMatchObject([
    {
      threeDSServerTransID,
      threeDSCompInd: "Y",
      methodUserAgent: "Test browser",
      transStatus: "Y",
      result: null,
      cardholder: {},
    },
    {
      cardholder,
      messageVersion: "2.2.0",
      threeDSCompInd: "N",
      requested: { threeDSRequestorChallengeInd: "01", threeDSRequestorDecReqInd: "N" },
      methodUserAgent: null,
      transStatus: "C",
      card: { last4: "3184" },
      messages: { AReq: 1, CReq: 0, CRes: 0, Erro: 0, RReq: 0, RRes: 0 },
    },
  ]);
  expect(response.body).not.toMatch(/40000000|40000027/);
  expect(response.body).not.toContain(ares.authenticationValue);
});

test("the list shows the browser of an earlier 3DS Method that the AReq names", async () => {
  const threeDSMethodId = randomUUID();
  const method = {
    threeDSServerTransID: threeDSMethodId,
    threeDSMethodNotificationURL: "http://pay.localhost:5998/3ds/method",
  };
  await postForm(bank, "/acs/method", { threeDSMethodData: base64url(method) });
  for (const id of [threeDSMethodId, randomUUID()]) {
    await send(areqFor("4000009000000003", { messageVersion: "2.3.1", threeDSMethodId: id }));
  }
  const { authentications } = (await get(bank, "/directory-server/authentications")).json();
  expect(authentications).toMatchObject([{ methodUserAgent: "Test browser" }, { methodUserAgent: null }]);
});

test("the list counts repeated AReqs and shows one that got an error", async () => {
  const areq = areqFor("4000009001900003");
  await send(areq);
  await send(areq);
  const { authentications } = (await get(bank, "/directory-server/authentications")).json();
  expect(authentications).toMatchObject([{ transStatus: null, errorCode: "404", messages: { AReq: 2 } }]);
});
