import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import type { AReq } from "@oriel/protocol/threeds";
import { BankUnreachableError, createHttpBank } from "./bank.ts";

/** Another company's server: answers as each test tells it to. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let calls: { method: string; path: string; body: string; authorization: string | undefined }[];
let url: string;
const server = createServer((request, response) => {
  void (async () => {
    const { method = "", url: path = "", headers } = request;
    calls.push({ method, path, body: await text(request), authorization: headers.authorization });
    answer(request, response);
  })();
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Bug: no port");
  url = `http://127.0.0.1:${address.port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  calls = [];
});

const json = (status: number, body: unknown) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const bank = () => createHttpBank({ url, apiKey: "bank-key-0123456789", authorizeTimeoutMs: 300, authenticateTimeoutMs: 300 });
const request: AuthorizationRequest = {
  reference: "att_1",
  amount: 4900,
  currency: "eur",
  capture: true,
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "9173" },
};
const approved = { reference: "att_1", status: "approved", amount: 4900 };

/** The outcome is not known, and the error repeats nothing that was sent. */
async function expectUnknown(asked: Promise<unknown>): Promise<void> {
  const error = await asked.then(
    () => new Error("It was answered"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BankUnreachableError);
  const told = `${(error as Error).stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
  for (const secret of ["4242", "9173", "bank-key"]) expect(told).not.toContain(secret);
  expect((error as Error).cause).toBeUndefined();
}

describe("asking a bank for money", () => {
  it("sends the request under the bank's key and gives its answer", async () => {
    answer = json(200, approved);
    expect(await bank().authorize(request)).toEqual({ status: "approved" });
    expect(calls).toEqual([
      {
        method: "POST",
        path: "/acquirer/authorizations",
        body: JSON.stringify(request),
        authorization: "Bearer bank-key-0123456789",
      },
    ]);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["says 500", json(500, { error: { message: "4242424242424242" } })],
    ["says 401", json(401, {})],
    ["says 400", json(400, { error: { message: "body/card is wrong" } })],
    ["answers about another reference", json(200, { ...approved, reference: "att_2" })],
    ["answers with a word that is none", json(200, { ...approved, status: "pending" })],
    ["answers nothing that is anything", json(200, null)],
    ["answers a list", json(200, [approved])],
    ["answers a page", (_, response) => void response.end("<html>4242424242424242</html>")],
    ["answers half", (_, response) => void response.writeHead(200, { "content-length": "500" }).write('{"reference"')],
    ["hangs up", (_, response) => void response.destroy()],
    ["never answers", () => {}],
    ["sends us elsewhere", (_, response) => void response.writeHead(307, { location: `${url}/elsewhere` }).end()],
  ])("is of unknown outcome when it %s", async (_name, reaction) => {
    answer = reaction;
    await expectUnknown(bank().authorize(request));
    expect(calls.map(({ path }) => path)).toEqual(["/acquirer/authorizations"]);
  });

  it.each<[unknown, string]>([
    ["stolen_card", "stolen_card"],
    [undefined, "generic_decline"],
    ["because", "generic_decline"],
    ["toString", "generic_decline"],
    [51, "generic_decline"],
  ])("that is declined for the reason %j is told as %s", async (reason, declineCode) => {
    answer = json(200, { ...approved, status: "declined", decline_code: reason });
    expect(await bank().authorize(request)).toEqual({ status: "declined", declineCode });
  });

  it("is of unknown outcome when nobody is there", async () => {
    await expectUnknown(createHttpBank({ url: "http://127.0.0.1:1", apiKey: "bank-key-0123456789" }).authorize(request));
  });

  it("takes what stands in the books when the reference is known there with other particulars", async () => {
    answer = (incoming, response) => json(incoming.method === "POST" ? 409 : 200, approved)(incoming, response);
    expect(await bank().authorize(request)).toEqual({ status: "approved" });
    expect(calls.at(-1)).toMatchObject({ method: "GET", path: "/acquirer/authorizations/att_1", body: "" });
  });

  it("is of unknown outcome when the bank knows the reference and then does not", async () => {
    answer = (incoming, response) => json(incoming.method === "POST" ? 409 : 404, {})(incoming, response);
    await expectUnknown(bank().authorize(request));
  });
});

describe("asking what became of a reference", () => {
  it("gives what stands in the books, or null only when the bank has never heard of it", async () => {
    answer = json(200, { ...approved, reference: "att_/?#1" });
    expect(await bank().lookup("att_/?#1")).toMatchObject({ status: "approved" });
    expect(calls.at(-1)?.path).toBe("/acquirer/authorizations/att_%2F%3F%231");
    answer = json(404, {});
    expect(await bank().lookup("att_1")).toBeNull();
  });

  it.each([500, 503, 401, 204])("does not take HTTP %i for an answer", async (status) => {
    answer = (_, response) => void response.writeHead(status).end();
    await expectUnknown(bank().lookup("att_1"));
  });
});

describe("asking the directory server", () => {
  const areq = { messageType: "AReq", acctNumber: "4242424242424242" } as AReq; // what it holds is the directory server's business

  it.each([null, [], {}, { messageType: "RReq" }, "ARes"])("does not take %j for an answer", async (body) => {
    answer = json(200, body);
    await expectUnknown(bank().authenticate(areq));
    await expectUnknown(bank().cardRanges());
  });

  it("gives an Erro as it is, since it is the directory server's word", async () => {
    answer = json(200, { messageType: "Erro", errorCode: "203" });
    expect(await bank().authenticate(areq)).toEqual({ messageType: "Erro", errorCode: "203" });
    await expectUnknown(bank().cardRanges());
  });
});

const areq = { threeDSServerTransID: "trans_1" } as AReq; // all that the reading of an answer looks at
const ares = { messageType: "ARes", threeDSServerTransID: "trans_1", acsTransID: "acs_1", dsTransID: "ds_1", transStatus: "Y" };

describe("asking a directory server", () => {
  it("gives its ARes, or its Erro", async () => {
    answer = json(200, ares);
    expect(await bank().authenticate(areq)).toEqual(ares);
    answer = json(200, { messageType: "Erro", errorCode: "203" });
    expect(await bank().authenticate(areq)).toMatchObject({ errorCode: "203" });
  });

  it.each<[string, object]>([
    ["is another transaction's", { threeDSServerTransID: "trans_2" }],
    ["has a status that is none", { transStatus: "X" }],
    ["has no status", { transStatus: undefined }],
    ["has no transaction of the ACS's", { acsTransID: undefined }],
    ["has a number for a sentence", { cardholderInfo: 7 }],
    ["has too long a sentence", { cardholderInfo: "x".repeat(129) }],
    ["has an address that is none", { acsURL: ["https://bank.example"] }],
    ["is an Erro without a code", { messageType: "Erro" }],
  ])("is not answered by a message that %s", async (_name, change) => {
    answer = json(200, { ...ares, ...change });
    await expectUnknown(bank().authenticate(areq));
  });

  it("gives the card ranges, or none when one of them cannot be read", async () => {
    const range = {
      startRange: "4000000000000000",
      endRange: "4000000000000009",
      acsStartProtocolVersion: "2.2.0",
      acsEndProtocolVersion: "2.2.0",
    };
    answer = json(200, { messageType: "PRes", cardRangeData: [range] });
    expect(await bank().cardRanges()).toEqual([range]);
    answer = json(200, { messageType: "PRes", cardRangeData: [range, { ...range, endRange: 4 }] });
    await expectUnknown(bank().cardRanges());
  });
});
