import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listenLocally } from "../../../../scripts/test/listen-locally.ts";
import { openForTests } from "../../../../scripts/test/open-for-tests.ts";
import { InvalidReplyError, NoReplyError } from "./errors.ts";
import { createCall } from "./http.ts";

/** A fake vendor. Each test sets how it responds. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let requests = 0;
let sockets: Set<unknown>;
const server = createServer((request, response) => {
  requests += 1;
  sockets.add(request.socket);
  respond(request, response);
});
const { url } = await openForTests(listenLocally(server));
beforeEach(() => {
  requests = 0;
  sockets = new Set();
  respond = (_, response) => void response.end("{}");
});

const open = () => {
  const send = createCall({ url, headers: {} });
  return () => send({ what: "a request", path: "/", timeoutMs: 10_000, body: {} });
};
const reply = { status: 200, body: {} };

describe("a connection", () => {
  it("stays open and is used again", async () => {
    const send = open();
    for (let i = 0; i < 5; i++) expect(await send()).toEqual(reply);
    expect(sockets.size).toBe(1);
    expect(requests).toBe(5);
  });

  it("isn't used again after a second", async () => {
    const send = open();
    await send();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await send();
    expect(sockets.size).toBe(2);
  });

  it.each(["new", "reused"])("that the vendor closes means no reply, and nothing is sent twice: %s", async (which) => {
    const send = open();
    if (which === "reused") await send();
    requests = 0;
    respond = (incoming) => void incoming.socket.destroy();
    await expect(send()).rejects.toThrow(NoReplyError);
    expect(requests).toBe(1);
  });
});

describe("a request's body", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(["complete", "broken"])("is overwritten in memory once the request is %s", async (end) => {
    const converted = vi.spyOn(Buffer, "from");
    const send = createCall({ url, headers: {} });
    if (end === "broken") respond = (incoming) => void incoming.socket.destroy();
    const sent = send({ what: "a request", path: "/", timeoutMs: 10_000, body: { number: "4242424242424242" } });
    const content = converted.mock.results.at(-1)?.value as Buffer;
    expect(content.toString()).toBe('{"number":"4242424242424242"}');
    await Promise.allSettled([sent]);
    await vi.waitFor(() => expect(content.every((byte) => byte === 0)).toBe(true));
  });
});

describe("a response", () => {
  it("is read up to 64 MB", async () => {
    const megabyte = 1024 * 1024;
    const start = "{}".padEnd(megabyte);
    const rest = Buffer.alloc(megabyte, " ");
    let sent = 0;
    const pour = async (bytes: number, response: ServerResponse) => {
      const whole = function* () {
        for (sent = 0; sent < bytes; sent += megabyte) yield sent === 0 ? start : rest;
      };
      await pipeline(Readable.from(whole()), response.writeHead(200)).catch(() => {}); // the reader stopped
    };
    const maxBytes = 64 * megabyte;
    respond = (_, response) => void pour(maxBytes, response);
    expect(await open()()).toEqual(reply);
    respond = (_, response) => void pour(1024 * megabyte, response);
    await expect(open()()).rejects.toThrow(InvalidReplyError);
    expect(sent).toBeLessThan(maxBytes + 8 * megabyte); // what the connection buffers
  });
});
