import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";
import type { AReq } from "@oriel/protocol/threeds";
import { BankUnreachableError, BankUnreadableError, type Bank, type BankOperation } from "./bank.ts";
import { createHttpBank } from "./http-bank.ts";

/** Another company's server: answers as each test tells it to. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let calls: {
  method: string;
  path: string;
  body: string;
  authorization: string | undefined;
  type: string | undefined;
}[];
let url: string;
const server = createServer((request, response) => {
  void (async () => {
    const { method = "", url: path = "", headers } = request;
    calls.push({
      method,
      path,
      body: await text(request),
      authorization: headers.authorization,
      type: headers["content-type"],
    });
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
const bank = (timeouts = {}) => createHttpBank({ mode: "test", url, apiKey: "bank-key-0123456789", ...timeouts });
const request: AuthorizationRequest = {
  reference: "att_1",
  amount: 4900,
  currency: "eur",
  capture: true,
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "9173" },
};
const approved = { reference: "att_1", status: "approved", amount: 4900 };
const refusal = { error: { message: "No." } };

/** Each way to move money: what is asked, of which books. */
const capture = { reference: "att_1", authorization: "att_0", amount: 4900 };
const cancel = { reference: "att_1", authorization: "att_0" };
const operations: [BankOperation, string, object, (bank: Bank) => Promise<unknown>][] = [
  ["authorize", "/acquirer/authorizations", request, (bank) => bank.authorize(request)],
  ["capture", "/acquirer/captures", capture, (bank) => bank.capture(capture)],
  ["cancel", "/acquirer/cancels", cancel, (bank) => bank.cancel(cancel)],
  ["refund", "/acquirer/refunds", capture, (bank) => bank.refund(capture)],
];

/** Answers that nothing can be read from, although somebody was there. */
const unreadable: [string, (request: IncomingMessage, response: ServerResponse) => void][] = [
  ["says 500", json(500, { error: { message: "4242424242424242" } })],
  ["says 501", json(501, {})],
  ["says 505", json(505, {})],
  ["says 401", json(401, {})],
  ["sends us elsewhere", (_, response) => void response.writeHead(307, { location: `${url}/elsewhere` }).end()],
  ["doesn't speak HTTP", (_, response) => void response.socket?.end("HTTP/1.1 two hundred\r\n\r\n")],
  [
    "sends headers without end",
    (_, response) => void response.writeHead(200, { "x-long": "4".repeat(100_000) }).end("{}"),
  ],
  [
    "says it is compressed and lies",
    (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("{}"),
  ],
];

/** No answer came that can be used, and the error repeats nothing that was sent. */
async function expectUnknown(
  asked: Promise<unknown>,
  kind: typeof BankUnreachableError | typeof BankUnreadableError = BankUnreachableError,
): Promise<void> {
  const error = await asked.then(
    () => new Error("It was answered"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(kind);
  const told = `${(error as Error).stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
  for (const secret of ["4242", "9173", "bank-key"]) expect(told).not.toContain(secret);
  expect((error as Error).cause).toBeUndefined();
}

describe("asking a bank for money", () => {
  it.each(operations)(
    "to %s sends the request to %s under the bank's key and gives its answer",
    async (_kind, path, body, ask) => {
      answer = json(200, approved);
      expect(await ask(bank())).toEqual({ status: "approved" });
      const authorization = "Bearer bank-key-0123456789";
      expect(calls).toEqual([
        { method: "POST", path, body: JSON.stringify(body), authorization, type: "application/json" },
      ]);
    },
  );

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["says 502", json(502, { error: { message: "4242424242424242" } })],
    ["says 503", json(503, {})],
    ["says 504", json(504, {})],
    ["hangs up", (_, response) => void response.destroy()],
    ["answers half", (_, response) => void response.writeHead(200, { "content-length": "500" }).write('{"reference"')],
    ["never answers", () => {}],
  ])("is of unknown outcome when it %s", async (_name, reaction) => {
    answer = reaction;
    await expectUnknown(bank({ moneyTimeoutMs: 2_000 }).authorize(request));
    expect(calls.map(({ path }) => path)).toEqual(["/acquirer/authorizations"]);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["answers about another reference", json(200, { ...approved, reference: "att_2" })],
    ["answers with a word that is none", json(200, { ...approved, status: "pending" })],
    ["answers nothing that is anything", json(200, null)],
    ["answers a list", json(200, [approved])],
    ["answers a page", (_, response) => void response.end("<html>4242424242424242</html>")],
    ...unreadable,
  ])("is of unknown outcome when it %s", async (_name, reaction) => {
    answer = reaction;
    await expectUnknown(bank().authorize(request), BankUnreadableError);
    expect(calls.map(({ path }) => path)).toEqual(["/acquirer/authorizations"]);
  });

  const refusals = [400, 404, 409, 422];

  it.each(operations)(
    "to %s, refused and unheard of in %s, is declined: no money can move",
    async (_kind, path, _body, ask) => {
      for (const status of refusals.filter((status) => status !== 409)) {
        answer = (incoming, response) => json(incoming.method === "POST" ? status : 404, refusal)(incoming, response);
        expect(await ask(bank())).toEqual({ status: "declined", declineCode: "processing_error" });
        expect(calls.at(-1)).toMatchObject({ method: "GET", path: `${path}/att_1`, body: "" });
      }
    },
  );

  it.each(operations)(
    "to %s, refused as a used reference that is not in %s, is of unknown outcome",
    async (_kind, path, _body, ask) => {
      answer = (incoming, response) => json(incoming.method === "POST" ? 409 : 404, refusal)(incoming, response);
      await expectUnknown(ask(bank()), BankUnreadableError);
      expect(calls.at(-1)).toMatchObject({ method: "GET", path: `${path}/att_1`, body: "" });
    },
  );

  it.each(operations)(
    "to %s, refused because the reference is used, takes what stands in %s",
    async (_kind, _path, _body, ask) => {
      for (const status of refusals) {
        answer = (incoming, response) => json(incoming.method === "POST" ? status : 200, approved)(incoming, response);
        expect(await ask(bank())).toEqual({ status: "approved" });
      }
    },
  );

  it.each(operations)(
    "to %s, refused by a bank that then does not say what it knows, is unknown",
    async (_kind, _path, _body, ask) => {
      for (const status of refusals) {
        answer = (incoming, response) => json(incoming.method === "POST" ? status : 503, refusal)(incoming, response);
        await expectUnknown(ask(bank()));
      }
    },
  );

  it("is of unknown outcome when a machine on the way says 404 to everything", async () => {
    answer = (_, response) => void response.writeHead(404).end("<html>404</html>");
    await expectUnknown(bank().authorize(request), BankUnreadableError);
    answer = json(404, null);
    await expectUnknown(bank().authorize(request), BankUnreadableError);
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
    await expectUnknown(
      createHttpBank({ mode: "test", url: "http://127.0.0.1:1", apiKey: "bank-key-0123456789" }).authorize(request),
    );
  });
});

describe("asking what became of a reference", () => {
  it("gives what stands in the books, or null only when the bank has never heard of it", async () => {
    answer = json(200, { ...approved, reference: "att_/?#1" });
    for (const [kind, path] of operations) {
      answer = json(200, { ...approved, reference: "att_/?#1" });
      expect(await bank().lookup(kind, "att_/?#1")).toEqual({ status: "approved" });
      expect(calls.at(-1)?.path).toBe(`${path}/att_%2F%3F%231`);
      answer = json(404, refusal);
      expect(await bank().lookup(kind, "att_1")).toBeNull();
    }
  });

  it.each([500, 503, 401, 204])("does not take HTTP %i for an answer", async (status) => {
    answer = (_, response) => void response.writeHead(status).end();
    await expectUnknown(
      bank().lookup("authorize", "att_1"),
      status === 503 ? BankUnreachableError : BankUnreadableError,
    );
  });
});

const areq = { threeDSServerTransID: "trans_1", messageVersion: "2.2.0" } as AReq; // all that the reading of an answer looks at

describe("asking the directory server", () => {
  it("gives its ARes, or its Erro", async () => {
    const ares = { threeDSServerTransID: "trans_1", acsTransID: "acs_1", dsTransID: "ds_1", transStatus: "N" };
    answer = json(200, { messageType: "ARes", messageVersion: "2.2.0", ...ares });
    expect(await bank().authenticate(areq)).toMatchObject(ares);
    expect(calls).toMatchObject([{ method: "POST", path: "/directory-server", body: JSON.stringify(areq) }]);
    answer = json(200, { messageType: "Erro", errorCode: "203" });
    expect(await bank().authenticate(areq)).toMatchObject({ errorCode: "203" });
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a list", []],
    ["nothing", {}],
    ["another message", { messageType: "RReq" }],
    ["a word", "ARes"],
    ["an Erro without a code", { messageType: "Erro" }],
  ])("does not take %s for an answer", async (_name, body) => {
    answer = json(200, body);
    await expectUnknown(bank().authenticate(areq), BankUnreadableError);
    await expectUnknown(bank().cardRanges(), BankUnreadableError);
  });

  it.each([300, 307, 399, 500, 501, 599])(
    "doesn't take what comes with HTTP %i for an answer, however good it looks",
    async (status) => {
      answer = json(status, { messageType: "Erro", errorCode: "203" });
      await expectUnknown(bank().authenticate(areq), BankUnreadableError);
    },
  );

  it.each([200, 400, 401, 499])("takes the Erro that comes with HTTP %i", async (status) => {
    answer = json(status, { messageType: "Erro", errorCode: "203" });
    expect(await bank().authenticate(areq)).toMatchObject({ errorCode: "203" });
  });

  it.each([502, 503, 504])("is silent when it says %i", async (status) => {
    answer = json(status, {});
    await expectUnknown(bank().authenticate(areq));
  });

  it("is silent when nobody is there", async () => {
    const nobody = createHttpBank({ mode: "test", url: "http://127.0.0.1:1", apiKey: "bank-key-0123456789" });
    await expectUnknown(nobody.authenticate(areq));
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["says 400 with a page", (_, response) => void response.writeHead(400).end("<html>")],
    ...unreadable,
  ])("isn't silent when it %s: that may be for what the customer's browser told", async (_name, reaction) => {
    answer = reaction;
    await expectUnknown(bank().authenticate(areq), BankUnreadableError);
  });

  it("asks for the card ranges in the newest version, and in the one before where it is not known", async () => {
    answer = (_, response) => {
      const { messageVersion } = JSON.parse(calls.at(-1)?.body ?? "") as { messageVersion: string };
      const pres = { messageType: "PRes", messageVersion, cardRangeData: [] };
      json(200, messageVersion === "2.2.0" ? pres : { messageType: "Erro", errorCode: "102" })(_, response);
    };
    expect(await bank().cardRanges()).toEqual([]);
    expect(new Set(calls.map(({ path }) => path))).toEqual(new Set(["/directory-server"]));
    expect(calls.map(({ body }) => body)).toEqual([
      '{"messageType":"PReq","messageVersion":"2.3.1"}',
      '{"messageType":"PReq","messageVersion":"2.2.0"}',
    ]);
  });

  it("is not asked for the card ranges again when it refuses for another reason", async () => {
    answer = json(200, { messageType: "Erro", errorCode: "103" });
    await expectUnknown(bank().cardRanges(), BankUnreadableError);
    expect(calls).toHaveLength(1);
  });
});

describe("asking a bank for a result that did not arrive", () => {
  const path = "/directory-server/results/0a1b2c3d-0000-4000-8000-000000000000";
  const ask = () => bank().result("0a1b2c3d-0000-4000-8000-000000000000");

  it("gives what the bank answers, unread", async () => {
    const rreq = { messageType: "RReq", transStatus: "Y" };
    answer = json(200, rreq);
    expect(await ask()).toEqual(rreq);
    expect(calls).toEqual([
      { method: "GET", path, body: "", authorization: "Bearer bank-key-0123456789", type: undefined },
    ]);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["has none", json(404, { error: { message: "The bank has no result of this transaction." } })],
    ["doesn't know the question", (_, response) => void response.writeHead(404).end("<html>Not found</html>")],
  ])("gives null when the bank %s", async (_name, reaction) => {
    answer = reaction;
    expect(await ask()).toBeNull();
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["says 500", json(500, {})],
    ["says 401", json(401, {})],
  ])("cannot read it when the bank %s", async (_name, reaction) => {
    answer = reaction;
    await expectUnknown(ask(), BankUnreadableError);
  });

  it("is of unknown outcome when the bank hangs up", async () => {
    answer = (_, response) => void response.destroy();
    await expectUnknown(ask());
  });
});

describe("asking a bank for anything", () => {
  const results: [string, (bank: Bank) => Promise<unknown>][] = [
    ["an authorisation", (bank) => bank.authorize(request)],
    ["a capture", (bank) => bank.capture(capture)],
    ["a cancellation", (bank) => bank.cancel(cancel)],
    ["a refund", (bank) => bank.refund(capture)],
    ["a lookup of an authorisation", (bank) => bank.lookup("authorize", "att_1")],
    ["a lookup of a refund", (bank) => bank.lookup("refund", "att_1")],
    ["a request for card ranges", (bank) => bank.cardRanges()],
    ["an authentication request", (bank) => bank.authenticate(areq)],
    ["a request for a result", (bank) => bank.result("trans_1")],
  ];
  it.each(results)("tells the operator in its errors that it was %s, and how it failed", async (what, ask) => {
    answer = json(503, {});
    await expect(ask(bank())).rejects.toThrow(`The bank did not answer ${what}: HTTP 503`);
    answer = json(500, {});
    await expect(ask(bank())).rejects.toThrow(`The bank's answer to ${what} cannot be read: HTTP 500`);
    answer = (_, response) => void response.destroy();
    await expect(ask(bank())).rejects.toThrow(`The bank did not answer ${what}: TypeError`);
  });

  it("waits 20 s where money moves, 10 s for what can be asked again, and 3 s for a result, while a customer waits", async () => {
    answer = json(503, {});
    const timeout = vi.spyOn(AbortSignal, "timeout");
    try {
      const patient = createHttpBank({ mode: "test", url, apiKey: "bank-key-0123456789" });
      for (const [, ask] of results) await ask(patient).catch(() => {});
      const [money, question] = [20_000, 10_000];
      expect(timeout.mock.calls.flat()).toEqual([
        money,
        money,
        money,
        money,
        question,
        question,
        question,
        question,
        3_000,
      ]);
    } finally {
      timeout.mockRestore();
    }
  });

  it("reads 64 MB and no more: a bank that sends without end is not waited for", async () => {
    const megabyte = 1024 * 1024;
    const start = JSON.stringify(approved).padEnd(megabyte);
    let sent = 0;
    const pour = (bytes: number) => {
      sent = 0;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent >= bytes) return controller.close();
          controller.enqueue(Buffer.from(sent === 0 ? start : " ".repeat(Math.min(megabyte, bytes - sent))));
          sent += megabyte;
        },
      });
    };
    const mostBytes = 64 * megabyte;
    const fetched = vi.spyOn(globalThis, "fetch");
    try {
      fetched.mockResolvedValueOnce(new Response(pour(mostBytes)));
      expect(await bank().authorize(request)).toEqual({ status: "approved" });
      fetched.mockResolvedValueOnce(new Response(pour(mostBytes + 1)));
      await expectUnknown(bank().authorize(request), BankUnreadableError);
      fetched.mockResolvedValueOnce(new Response(pour(2 * mostBytes)));
      await expectUnknown(bank().authorize(request), BankUnreadableError);
      expect(sent).toBeLessThan(mostBytes + 3 * megabyte); // a stream reads ahead a little
    } finally {
      fetched.mockRestore();
    }
  }, 30_000);
});
