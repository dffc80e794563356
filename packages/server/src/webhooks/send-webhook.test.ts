/**
 * Tests targets that respond correctly, incorrectly, slowly, endlessly or not at all. Each attempt has one result
 * within the time limit and leaves no connection open.
 */
import { connect, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drip, pour, startHostileServer, type HostileServer } from "../../test/setup/hostile-server.ts";
import { realNetwork, type Network } from "./network.ts";
import { sendWebhook } from "./send-webhook.ts";

let server: HostileServer;
beforeEach(async () => {
  server = await startHostileServer();
});
afterEach(async () => {
  await server.untilEmpty();
  await server.close();
});

describe("a webhook", () => {
  it("is a single POST with exactly the given body, on its own connection", async () => {
    const headers = { "content-type": "application/json; charset=utf-8", "webhook-id": "evt_1", Host: "other.example" };
    const body = '{"order":"ü🎈"}';
    expect(await post({ headers, body })).toMatchObject({
      status: 200,
      body: "ok",
      failure: null,
      retryAfterSeconds: null,
    });
    expect(await post({ headers, body })).toMatchObject({ failure: null });
    expect(server.connections).toBe(2);

    const [head = "", sentBody] = server.requests[0]?.split("\r\n\r\n") ?? [];
    expect(sentBody).toBe(body);
    const [requestLine, ...lines] = head.split("\r\n");
    expect(requestLine).toBe("POST /hooks?a=b HTTP/1.1");
    expect(lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).sort()).toEqual([
      "accept-encoding: identity",
      "connection: close",
      "content-length: 18",
      "content-type: application/json; charset=utf-8",
      `host: 127.0.0.1:${server.port}`,
      "webhook-id: evt_1",
    ]);
  });

  it.each([{ "x-a": "1\r\nx-b: 2" }, { "x-a": "1\n" }, { "x-a\r\nx-b": "1" }, { "": "1" }, { "x-a": "\0" }])(
    "throws for a header that would inject another one (%j)",
    async (headers) => {
      await expect(post({ headers })).rejects.toThrow(/header/i);
      expect(server.connections).toBe(0);
    },
  );

  it("measures its duration, rounded to milliseconds", async () => {
    const times = [1_000.4, 1_234.9];
    expect(await post({ monotonicMs: () => times.shift() ?? 0 })).toMatchObject({ durationMs: 235 });
  });
});

describe("a response", () => {
  it.each([200, 201, 202, 204, 206, 299])("with status %i is a success", async (status) => {
    respond(`HTTP/1.1 ${status} Fine\r\nContent-Length: 0\r\n\r\n`);
    expect(await post()).toMatchObject({ status, body: "", failure: null });
  });

  it.each([400, 401, 404, 410, 429, 500, 503, 599, 600, 999])("with status %i is a failure", async (status) => {
    respond(`HTTP/1.1 ${status} No\r\nContent-Length: 4\r\n\r\nsad\n`);
    expect(await post()).toMatchObject({ status, body: "sad\n", failure: "response_status" });
  });

  it("may follow informational responses, which are ignored", async () => {
    respond(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
    );
    expect(await post()).toMatchObject({ status: 500, failure: "response_status" });
  });

  it.each(["HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])(
    "counts as a connection error after endless informational responses (%j)",
    async (announcement) => {
      server.react = (socket) => pour(socket, announcement.repeat(100));
      expect(await post()).toMatchObject({ status: null, failure: "connection" });
    },
  );

  it("is a failure if it switches protocols, with or without the name of the new protocol", async () => {
    server.react = (socket) => pour(socket, "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
    expect(await post()).toMatchObject({ status: null, failure: "connection" });
    server.react = (socket) => pour(socket, "HTTP/1.1 101 Switching\r\n\r\n");
    expect(await post()).toMatchObject({ status: 101, failure: "response_status" });
  });

  it("may end with the connection, be chunked, or be followed by more bytes", async () => {
    server.react = (socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nall of it");
    expect(await post()).toMatchObject({ status: 200, body: "all of it", failure: null });
    respond("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nall\r\n6\r\n of it\r\n0\r\nTrailer: x\r\n\r\n");
    expect(await post()).toMatchObject({ status: 200, body: "all of it", failure: null });
    respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".padEnd(500, "!"));
    expect(await post()).toMatchObject({ status: 200, failure: null });
    respond("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n");
    expect(await post()).toMatchObject({ status: 200, failure: null });
  });

  it.each(["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n"])(
    "isn't awaited if it never ends, because only the status matters (%j)",
    async (head) => {
      server.react = (socket) => (socket.write(head), pour(socket, "x".repeat(16_384)));
      expect(await post()).toMatchObject({ status: 200, body: "x".repeat(1024), failure: null });
      server.react = (socket) => (socket.write(head.replace("200", "500")), pour(socket, "x".repeat(16_384)));
      expect(await post()).toMatchObject({ status: 500, body: "x".repeat(1024), failure: "response_status" });
    },
  );

  it("is a failure if it is cut off, and the received part is stored", async () => {
    server.react = (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe beginn");
    expect(await post()).toMatchObject({ status: 200, body: "the beginn", failure: "connection" });
    server.react = (socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nthe beginn");
    expect(await post()).toMatchObject({ status: 200, body: "the beginn", failure: "connection" });
  });

  it.each([
    ["nothing", ""],
    ["half a status line", "HTTP/1.1 20"],
    ["unfinished headers", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2p1 Debian\r\n"],
    ["HTTP/2", "\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80\0\x04\0\x01\0\0\0\x05\0\xff\xff\xff"],
    ["an unknown HTTP version", "HTTP/9.9 200 OK\r\n\r\n"],
    ["a status with letters", "HTTP/1.1 two OK\r\n\r\n"],
    ["a status with four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"],
    ["a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a NUL in a header", "HTTP/1.1 200 OK\r\nX: \0\r\nContent-Length: 0\r\n\r\n"],
    ["a header of 20 kB", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`],
    ["80 kB of headers", `HTTP/1.1 200 OK\r\n${"X-Y: z\r\n".repeat(10_000)}Content-Length: 0\r\n\r\n`],
    [
      "a switch to another protocol",
      "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ],
    ["a request", "POST /hooks HTTP/1.1\r\nContent-Length: 0\r\n\r\n"],
  ])("is a failure if it is invalid: %s", async (_what, text) => {
    server.react = (socket) => socket.end(text, "latin1");
    const nothing = { status: null, body: null, failure: "connection", retryAfterSeconds: null };
    expect(await post()).toMatchObject(nothing);
    server.react = (socket) => (socket.write(text, "latin1"), setImmediate(() => socket.resetAndDestroy()));
    expect(await post()).toMatchObject(nothing);
  });

  it("is a failure if it has invalid chunks", async () => {
    respond("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n");
    expect(await post()).toMatchObject({ failure: "connection" });
    respond(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(100_000)}\r\na\r\n0\r\n\r\n`);
    expect(await post()).toMatchObject({ failure: "connection" });
  });

  it("counts even if it arrives before the request was read", async () => {
    server.onConnect = (socket) => socket.end("HTTP/1.1 413 Too much\r\nContent-Length: 0\r\n\r\n");
    expect(await post({ body: "x".repeat(20_000) })).toMatchObject({ status: 413, failure: "response_status" });
  });
});

describe("the first kilobyte of a response", () => {
  it.each<[string, string | Buffer, string]>([
    ["contains text", "Grüße 🎈", "Grüße 🎈"],
    ["is cut before a character that doesn't fit", `${"x".repeat(1022)}🎈y`, "x".repeat(1022)],
    ["is cut after a character that fits", `${"x".repeat(1020)}🎈y`, `${"x".repeat(1020)}🎈`],
    ["replaces invalid UTF-8", Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82]), "a\ufffd\ufffd(\ufffd"],
    ["keeps tabs and normalizes line breaks", "a\tb\nc\r\nd\re", "a\tb\nc\nd\ne"],
    ["replaces control characters", "a\0b\u001b[31mc\u007fd\u009be\bf", "a\ufffdb\ufffd[31mc\ufffdd\ufffde\ufffdf"],
    ["doesn't decompress", Buffer.from([0x1f, 0x8b, 0x08, 0x00]), "\ufffd\ufffd\ufffd\ufffd"],
  ])("%s", async (_what, body, shown) => {
    const bytes = Buffer.from(body);
    server.react = (socket) =>
      socket.write(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`),
          bytes,
        ]),
      );
    expect(await post()).toMatchObject({ body: shown, failure: null });
  });
});

describe("Retry-After", () => {
  it.each([
    ["0", 0],
    ["120", 120],
    ["999999999", 999_999_999],
    ["Fri, 20 Nov 2026 12:00:30 GMT", 30],
    ["Fri, 20 Nov 2026 11:00:00 GMT", 0],
    ["9999999999", null],
    ["-1", null],
    ["+1", null],
    ["1.5", null],
    ["1e3", null],
    ["0x10", null],
    ["1 2", null],
    ["soon", null],
    ["", null],
    ["2026-11-20T12:00:30Z", null],
    ["Thu, 20 Nov 2026 12:00:30 GMT", null],
    ["Fri, 20 Nov 2026 12:00:30 CET", null],
    ["Fri, 31 Nov 2026 12:00:30 GMT", null],
    ["Friday, 20-Nov-26 12:00:30 GMT", null],
    ["1, 2", null],
  ])("reads %j as %j seconds", async (value, seconds) => {
    respond(`HTTP/1.1 503 Later\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`);
    const now = () => new Date("2026-11-20T12:00:00Z");
    expect(await post({ now })).toMatchObject({ status: 503, retryAfterSeconds: seconds });
  });
});

describe("a slow target", () => {
  const timeLimitMs = 1_000;
  const timedOut = { status: null, body: null, failure: "timeout" };

  it("times out if it never responds, even for fifty webhooks at once", async () => {
    server.react = () => {};
    const sent = await Promise.all(Array.from({ length: 50 }, () => post({ timeLimitMs })));
    expect(sent.map(({ failure }) => failure)).toEqual(Array.from({ length: 50 }, () => "timeout"));
    await server.untilEmpty();
  });

  it.each<[string, (socket: Socket) => void, object]>([
    ["one byte of its headers", (socket) => (socket.write("HTTP/1.1 200 OK\r\nX: "), drip(socket, "x")), timedOut],
    ["one informational response", (socket) => drip(socket, "HTTP/1.1 102 Processing\r\n\r\n"), timedOut],
    [
      "one byte of its body",
      (socket) => (socket.write("HTTP/1.1 200 OK\r\n\r\n"), drip(socket, "x")),
      { status: 200, body: expect.stringMatching(/^x+$/), failure: "timeout" },
    ],
    [
      "one byte of a chunk extension",
      (socket) => (socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;"), drip(socket, "x")),
      { status: 200, body: "", failure: "timeout" },
    ],
  ])("times out if it sends %s at a time", async (_what, react, result) => {
    server.react = react;
    expect(await post({ timeLimitMs })).toMatchObject(result);
  });

  it("times out if it never responds, even if its connection ignores the abort signal", async () => {
    server.react = () => {};
    const endless = ({ host, port }: { host: string; port: number }) => connect({ host, port });
    expect(await post({ timeLimitMs: 300, connect: endless })).toMatchObject(timedOut);
  });

  it("times out if it doesn't read the request", async () => {
    const paused = Promise.withResolvers<Socket>();
    server.onConnect = (socket) => paused.resolve(socket.pause());
    expect(await post({ timeLimitMs, body: "x".repeat(20_000_000) })).toMatchObject(timedOut);
    (await paused.promise).resume(); // otherwise it doesn't notice that the connection was closed
  });

  it("times out if its name never resolves or its connection is never accepted", async () => {
    const url = `http://shop.example:${server.port}/`;
    expect(await post({ timeLimitMs: 50, url, resolve: () => new Promise(() => {}) })).toMatchObject(timedOut);
    const silent = ({ signal }: { signal: AbortSignal }) => new Socket({ signal });
    expect(await post({ timeLimitMs: 50, connect: silent })).toMatchObject(timedOut);
  });
});

describe("an unreachable target", () => {
  it("fails if its name doesn't resolve", async () => {
    const nothing = { status: null, body: null, failure: "name_not_resolved" };
    const url = "http://shop.example/";
    expect(await post({ url, resolve: async () => [] })).toMatchObject(nothing);
    expect(await post({ url, resolve: () => Promise.reject(new Error("ESERVFAIL")) })).toMatchObject(nothing);
  });

  it("fails if nothing listens on its port or it closes the connection at once", async () => {
    const port = server.port;
    server.onConnect = (socket) => socket.end();
    expect(await post()).toMatchObject({ status: null, failure: "connection" });
    server.onConnect = (socket) => socket.resetAndDestroy();
    expect(await post()).toMatchObject({ status: null, failure: "connection" });
    await server.close();
    expect(await post({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ status: null, failure: "connection" });
    server = await startHostileServer();
  });
});

function respond(text: string): void {
  server.react = (socket) => void socket.write(text);
}

interface Request {
  url: string;
  headers: Record<string, string>;
  body: string;
}

function post({
  url = `http://127.0.0.1:${server.port}/hooks?a=b`,
  headers = {},
  body = "{}",
  ...network
}: Partial<Request & Network> = {}) {
  const rules = { loopback: true, http: true, ownAddresses: [] };
  return sendWebhook({ ...realNetwork, now: () => new Date(), ...network }, { url, rules, headers, body });
}
