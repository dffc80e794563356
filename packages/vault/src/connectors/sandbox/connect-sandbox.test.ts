import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AReq } from "@oriel/protocol/threeds";
import { listenLocally } from "../../../../../scripts/test/listen-locally.ts";
import { openForTests } from "../../../../../scripts/test/open-for-tests.ts";
import { authorization as request } from "../../../test/authorization.ts";
import { noDetails, type OperationKind } from "../acquirer.ts";
import { InvalidReplyError, NoReplyError } from "../errors.ts";
import { connectSandbox, type SandboxConnector } from "./connect-sandbox.ts";

/** A fake acquirer. Each test sets how it responds. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let calls: {
  method: string;
  path: string;
  body: string;
  authorization: string | undefined;
  type: string | undefined;
}[];
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
    respond(request, response);
  })();
});
const { url } = await openForTests(listenLocally(server));
beforeEach(() => {
  calls = [];
});

const json = (status: number, body: unknown) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const connect = (options = {}) =>
  connectSandbox({
    mode: "test",
    url,
    apiKey: "bank-key-0123456789",
    now: () => new Date(),
    warn: () => {},
    ...options,
  });
/** The same as the acquirer receives it. */
const sentRequest = {
  reference: "att_1",
  amount: 4900,
  currency: "eur",
  capture: true,
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "9173" },
};
const approved = { reference: "att_1", status: "approved", amount: 4900 };
const approval = { status: "approved", details: noDetails };
const refusal = { error: { message: "No." } };

/** Each operation with its request and path. */
const cancel = { reference: "att_1", isRepeated: false, authorization: { reference: "att_0", acquirerId: null } };
const capture = { ...cancel, amount: 4900, currency: "eur" };
const sentCancel = { reference: "att_1", authorization: "att_0" };
const sentCapture = { ...sentCancel, amount: 4900 };
type Send = (connector: SandboxConnector) => Promise<unknown>;
const operations: [OperationKind, string, object, Send][] = [
  ["authorize", "/acquirer/authorizations", sentRequest, ({ acquirer }) => acquirer.authorize(request)],
  ["capture", "/acquirer/captures", sentCapture, ({ acquirer }) => acquirer.capture(capture)],
  ["cancel", "/acquirer/cancels", sentCancel, ({ acquirer }) => acquirer.cancel(cancel)],
  ["refund", "/acquirer/refunds", sentCapture, ({ acquirer }) => acquirer.refund(capture)],
  ["refund", "/acquirer/refunds", sentCapture, ({ acquirer }) => acquirer.cancelOrRefund(capture)],
];
const lookUp = (kind: OperationKind, reference: string) => connect().acquirer.unknownOutcome.lookup(kind, reference);

/** Responses that can't be read as a result. */
const unreadable: [string, (request: IncomingMessage, response: ServerResponse) => void][] = [
  ["returns 500", json(500, { error: { message: "4242424242424242" } })],
  ["returns 501", json(501, {})],
  ["returns 505", json(505, {})],
  ["returns 401", json(401, {})],
  ["redirects", (_, response) => void response.writeHead(307, { location: `${url}/elsewhere` }).end()],
  ["doesn't speak HTTP", (_, response) => void response.socket?.end("HTTP/1.1 two hundred\r\n\r\n")],
  ["sends endless headers", (_, response) => void response.writeHead(200, { "x-long": "4".repeat(100_000) }).end("{}")],
  [
    "falsely claims to be compressed",
    (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("{}"),
  ],
];

/** Expects an error that contains nothing that was sent. */
async function expectUnknown(
  sent: Promise<unknown>,
  kind: typeof NoReplyError | typeof InvalidReplyError = NoReplyError,
): Promise<void> {
  const error = await sent.then(
    () => new Error("Expected an error"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(kind);
  const shown = `${(error as Error).stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
  for (const secret of ["4242", "9173", "bank-key"]) expect(shown).not.toContain(secret);
  expect((error as Error).cause).toBeUndefined();
}

describe("an operation at the acquirer", () => {
  it.each(operations)(
    "%s sends the request to %s with the API key and returns the result",
    async (_kind, path, body, send) => {
      respond = json(200, approved);
      expect(await send(connect())).toEqual(approval);
      const authorization = "Bearer bank-key-0123456789";
      expect(calls).toEqual([
        { method: "POST", path, body: JSON.stringify(body), authorization, type: "application/json" },
      ]);
    },
  );

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["returns 502", json(502, { error: { message: "4242424242424242" } })],
    ["returns 503", json(503, {})],
    ["returns 504", json(504, {})],
    ["closes the connection", (_, response) => void response.destroy()],
    [
      "sends half a response",
      (_, response) => void response.writeHead(200, { "content-length": "500" }).write('{"reference"'),
    ],
    ["never responds", () => {}],
  ])("has an unknown outcome if the acquirer %s", async (_name, reaction) => {
    respond = reaction;
    await expectUnknown(connect({ moneyTimeoutMs: 2_000 }).acquirer.authorize(request));
    expect(calls.map(({ path }) => path)).toEqual(["/acquirer/authorizations"]);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["responds about another reference", json(200, { ...approved, reference: "att_2" })],
    ["returns an unknown status", json(200, { ...approved, status: "pending" })],
    ["returns null", json(200, null)],
    ["returns an array", json(200, [approved])],
    ["returns an HTML page", (_, response) => void response.end("<html>4242424242424242</html>")],
    ...unreadable,
  ])("has an unknown outcome if the acquirer %s", async (_name, reaction) => {
    respond = reaction;
    await expectUnknown(connect().acquirer.authorize(request), InvalidReplyError);
    expect(calls.map(({ path }) => path)).toEqual(["/acquirer/authorizations"]);
  });

  const refusals = [400, 404, 409, 422];

  it.each(operations)(
    "%s is declined if the request is rejected and there's no record at %s",
    async (_kind, path, _body, send) => {
      for (const status of refusals.filter((status) => status !== 409)) {
        respond = (incoming, response) => json(incoming.method === "POST" ? status : 404, refusal)(incoming, response);
        expect(await send(connect())).toEqual({
          status: "declined",
          declineCode: "processing_error",
          details: noDetails,
        });
        expect(calls.at(-1)).toMatchObject({ method: "GET", path: `${path}/att_1`, body: "" });
      }
    },
  );

  it.each(operations)(
    "%s has an unknown outcome if the reference is used but there's no record at %s",
    async (_kind, path, _body, send) => {
      respond = (incoming, response) => json(incoming.method === "POST" ? 409 : 404, refusal)(incoming, response);
      await expectUnknown(send(connect()), InvalidReplyError);
      expect(calls.at(-1)).toMatchObject({ method: "GET", path: `${path}/att_1`, body: "" });
    },
  );

  it.each(operations)("%s with a used reference returns the record from %s", async (_kind, _path, _body, send) => {
    for (const status of refusals) {
      respond = (incoming, response) => json(incoming.method === "POST" ? status : 200, approved)(incoming, response);
      expect(await send(connect())).toEqual(approval);
    }
  });

  it.each(operations)(
    "%s has an unknown outcome if the request is rejected and the lookup fails",
    async (_kind, _path, _body, send) => {
      for (const status of refusals) {
        respond = (incoming, response) => json(incoming.method === "POST" ? status : 503, refusal)(incoming, response);
        await expectUnknown(send(connect()));
      }
    },
  );

  it("has an unknown outcome if a proxy returns 404 for everything", async () => {
    respond = (_, response) => void response.writeHead(404).end("<html>404</html>");
    await expectUnknown(connect().acquirer.authorize(request), InvalidReplyError);
    respond = json(404, null);
    await expectUnknown(connect().acquirer.authorize(request), InvalidReplyError);
  });

  it.each<[unknown, string]>([
    ["stolen_card", "stolen_card"],
    [undefined, "generic_decline"],
    ["because", "generic_decline"],
    ["toString", "generic_decline"],
    [51, "generic_decline"],
  ])("maps the decline code %j to %s", async (reason, declineCode) => {
    respond = json(200, { ...approved, status: "declined", decline_code: reason });
    expect(await connect().acquirer.authorize(request)).toMatchObject({ status: "declined", declineCode });
  });

  it("keeps what the acquirer says, and drops invalid fields and reasons that could contain card data", async () => {
    const details = {
      authorization_id: "bank_1",
      authorization_code: "ABCDEF",
      avs_result: "Y",
      cvc_result: "M",
      network_transaction_id: "net_1",
      refusal_code: "05",
      refusal_reason: "Do not honor",
    };
    respond = json(200, { ...approved, ...details });
    expect((await connect().acquirer.authorize(request)).details).toEqual({
      acquirerId: "bank_1",
      authorizationCode: "ABCDEF",
      avsResult: "Y",
      cvcResult: "M",
      networkTransactionId: "net_1",
      refusal: { code: "05", reason: "Do not honor" },
    });
    const invalid = Object.fromEntries(Object.keys(details).map((name) => [name, "x".repeat(257)]));
    respond = json(200, { ...approved, ...invalid });
    expect((await connect().acquirer.authorize(request)).details).toEqual(noDetails);
    respond = json(200, { ...approved, refusal_reason: "4242 4242 4242 4242 refused" });
    expect((await connect().acquirer.authorize(request)).details).toEqual(noDetails);
  });

  it.each(operations.slice(1))(
    "to %s has no ID of its own if the reply names its authorization",
    async (kind, _path, _body, send) => {
      respond = json(200, { ...approved, authorization_id: "bank_1" });
      expect(await send(connect())).toEqual(approval);
      expect(await lookUp(kind, "att_1")).toEqual(approval);
    },
  );

  it("has an unknown outcome if the acquirer is unreachable", async () => {
    await expectUnknown(connect({ url: "http://127.0.0.1:1" }).acquirer.authorize(request));
  });
});

describe("a lookup", () => {
  it("returns the record, or null only if the acquirer never received the reference", async () => {
    respond = json(200, { ...approved, reference: "att_/?#1" });
    for (const [kind, path] of operations) {
      respond = json(200, { ...approved, reference: "att_/?#1" });
      expect(await lookUp(kind, "att_/?#1")).toEqual(approval);
      expect(calls.at(-1)?.path).toBe(`${path}/att_%2F%3F%231`);
      respond = json(404, refusal);
      expect(await lookUp(kind, "att_1")).toBeNull();
    }
  });

  it.each([500, 503, 401, 204])("doesn't accept HTTP %i as a result", async (status) => {
    respond = (_, response) => void response.writeHead(status).end();
    await expectUnknown(lookUp("authorize", "att_1"), status === 503 ? NoReplyError : InvalidReplyError);
  });
});

const areq = { threeDSServerTransID: "trans_1", messageVersion: "2.2.0" } as AReq; // only these fields are used

describe("the directory server", () => {
  /** Expects a warning, because a failed request for card ranges isn't an error: the payment continues without. */
  async function expectNoRanges(reason: string): Promise<void> {
    const warnings: string[] = [];
    const { threeDSServer } = connect({ warn: (message: string) => void warnings.push(message) });
    expect(await threeDSServer.enrollment("4242424242424242")).toBe("unknown");
    expect(warnings).toEqual([`The acquirer's response to a request for card ranges is ${reason}`]);
  }

  it("returns an ARes or an Erro", async () => {
    const ares = { threeDSServerTransID: "trans_1", acsTransID: "acs_1", dsTransID: "ds_1", transStatus: "N" };
    respond = json(200, { messageType: "ARes", messageVersion: "2.2.0", ...ares });
    expect(await connect().threeDSServer.authenticate(areq)).toMatchObject(ares);
    expect(calls).toMatchObject([{ method: "POST", path: "/directory-server", body: JSON.stringify(areq) }]);
    respond = json(200, { messageType: "Erro", errorCode: "203" });
    expect(await connect().threeDSServer.authenticate(areq)).toMatchObject({ errorCode: "203" });
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["an array", []],
    ["an empty object", {}],
    ["another message", { messageType: "RReq" }],
    ["a string", "ARes"],
    ["an Erro without a code", { messageType: "Erro" }],
  ])("causes an error if it returns %s", async (_name, body) => {
    respond = json(200, body);
    await expectUnknown(connect().threeDSServer.authenticate(areq), InvalidReplyError);
    await expectNoRanges("invalid: it isn't a PRes");
  });

  it.each([300, 307, 399, 500, 501, 599])(
    "causes an error if it returns a valid message with HTTP %i",
    async (status) => {
      respond = json(status, { messageType: "Erro", errorCode: "203" });
      await expectUnknown(connect().threeDSServer.authenticate(areq), InvalidReplyError);
    },
  );

  it.each([200, 400, 401, 499])("may return an Erro with HTTP %i", async (status) => {
    respond = json(status, { messageType: "Erro", errorCode: "203" });
    expect(await connect().threeDSServer.authenticate(areq)).toMatchObject({ errorCode: "203" });
  });

  it.each([502, 503, 504])("counts as silent if it returns HTTP %i", async (status) => {
    respond = json(status, {});
    await expectUnknown(connect().threeDSServer.authenticate(areq));
  });

  it("counts as silent if it's unreachable", async () => {
    const { threeDSServer } = connect({ url: "http://127.0.0.1:1" });
    await expectUnknown(threeDSServer.authenticate(areq));
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["returns 400 with an HTML page", (_, response) => void response.writeHead(400).end("<html>")],
    ...unreadable,
  ])("doesn't count as silent if it %s, because the browser's data may be the cause", async (_name, reaction) => {
    respond = reaction;
    await expectUnknown(connect().threeDSServer.authenticate(areq), InvalidReplyError);
  });

  it("gets a request for card ranges in the newest version, then in the previous one if that isn't supported", async () => {
    respond = (_, response) => {
      const { messageVersion } = JSON.parse(calls.at(-1)?.body ?? "") as { messageVersion: string };
      const pres = { messageType: "PRes", messageVersion, cardRangeData: [] };
      json(200, messageVersion === "2.2.0" ? pres : { messageType: "Erro", errorCode: "102" })(_, response);
    };
    expect(await connect().threeDSServer.enrollment("4242424242424242")).toBeNull();
    expect(new Set(calls.map(({ path }) => path))).toEqual(new Set(["/directory-server"]));
    expect(calls.map(({ body }) => body)).toEqual([
      '{"messageType":"PReq","messageVersion":"2.3.1"}',
      '{"messageType":"PReq","messageVersion":"2.2.0"}',
    ]);
  });

  it("gets no second request for card ranges after another error", async () => {
    respond = json(200, { messageType: "Erro", errorCode: "103" });
    await expectNoRanges("invalid: it isn't a PRes");
    expect(calls).toHaveLength(1);
  });
});

describe("a request for a result that didn't arrive", () => {
  const path = "/directory-server/results/0a1b2c3d-0000-4000-8000-000000000000";
  const send = () => connect().threeDSServer.result("0a1b2c3d-0000-4000-8000-000000000000");

  it("returns the response without validation", async () => {
    const rreq = { messageType: "RReq", transStatus: "Y" };
    respond = json(200, rreq);
    expect(await send()).toEqual(rreq);
    expect(calls).toEqual([
      { method: "GET", path, body: "", authorization: "Bearer bank-key-0123456789", type: undefined },
    ]);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["has no result", json(404, { error: { message: "The bank has no result of this transaction." } })],
    ["doesn't support the request", (_, response) => void response.writeHead(404).end("<html>Not found</html>")],
  ])("returns null if the acquirer %s", async (_name, reaction) => {
    respond = reaction;
    expect(await send()).toBeNull();
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["returns 500", json(500, {})],
    ["returns 401", json(401, {})],
  ])("reports an invalid response if the acquirer %s", async (_name, reaction) => {
    respond = reaction;
    await expectUnknown(send(), InvalidReplyError);
  });

  it("has an unknown outcome if the acquirer closes the connection", async () => {
    respond = (_, response) => void response.destroy();
    await expectUnknown(send());
  });
});

describe("any request to the acquirer", () => {
  const results: [string, Send][] = [
    ["an authorization request", ({ acquirer }) => acquirer.authorize(request)],
    ["a capture request", ({ acquirer }) => acquirer.capture(capture)],
    ["a cancellation request", ({ acquirer }) => acquirer.cancel(cancel)],
    ["a refund request", ({ acquirer }) => acquirer.refund(capture)],
    ["a lookup of an authorization", ({ acquirer }) => acquirer.unknownOutcome.lookup("authorize", "att_1")],
    ["a lookup of a refund", ({ acquirer }) => acquirer.unknownOutcome.lookup("refund", "att_1")],
    ["an authentication request", ({ threeDSServer }) => threeDSServer.authenticate(areq)],
    ["a request for a 3-D Secure result", ({ threeDSServer }) => threeDSServer.result("trans_1")],
  ];
  it.each(results)("fails with an error that names %s and the cause", async (what, send) => {
    respond = json(503, {});
    await expect(send(connect())).rejects.toThrow(`The acquirer didn't respond to ${what}: HTTP 503`);
    respond = json(500, {});
    await expect(send(connect())).rejects.toThrow(`The acquirer's response to ${what} is invalid: HTTP 500`);
    respond = (_, response) => void response.destroy();
    await expect(send(connect())).rejects.toThrow(`The acquirer didn't respond to ${what}: ECONNRESET`);
  });

  it("is passed to the observer by its kind, which sees the result and the error but nothing that is sent", async () => {
    const seen: [string, string][] = [];
    const observed = connect({
      async observe<T>(kind: string, run: () => Promise<T>): Promise<T> {
        return await run().then(
          (result) => {
            seen.push([kind, "response"]);
            return result;
          },
          (error: Error) => {
            seen.push([kind, error.name]);
            throw error;
          },
        );
      },
    });
    respond = json(503, {});
    for (const [, send] of results) await send(observed).catch(() => {});
    await observed.threeDSServer.enrollment("4242424242424242");
    const kinds = [
      "authorize",
      "capture",
      "cancel",
      "refund",
      "lookup",
      "lookup",
      "authenticate",
      "result",
      "card_ranges",
    ];
    expect(seen).toEqual(kinds.map((kind) => [kind, "NoReplyError"]));
    seen.length = 0;
    respond = json(200, approved);
    expect(await observed.acquirer.authorize(request)).toEqual(approval);
    expect(seen).toEqual([["authorize", "response"]]);
  });

  it("times out after 20 s for operations, 10 s for lookups and 3-D Secure, and 3 s for results", async () => {
    respond = json(503, {});
    const timeout = vi.spyOn(AbortSignal, "timeout");
    try {
      const connector = connect();
      for (const [, send] of results) await send(connector).catch(() => {});
      await connector.threeDSServer.enrollment("4242424242424242");
      const [operation, lookup] = [20_000, 10_000];
      expect(timeout.mock.calls.flat()).toEqual([
        operation,
        operation,
        operation,
        operation,
        lookup,
        lookup,
        lookup,
        3_000,
        lookup,
      ]);
    } finally {
      timeout.mockRestore();
    }
  });
});
