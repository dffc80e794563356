/** Tests a real server with real sockets. The clients behave like attackers and bad networks. */
import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { HttpListener, sharesBody, type ListenerOptions } from "./http-listener.ts";

const stallMs = 400;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a.example\r\n\r\n`;
const post = (length: number, body = "") =>
  `POST /upload HTTP/1.1\r\nHost: a.example\r\nContent-Length: ${length}\r\n\r\n${body}`;
/** Larger than the kernel's buffers, so that some of it stays in the process until the client reads. */
const large = Buffer.alloc(16 * 1024 * 1024, "x");

interface Started {
  listener: HttpListener;
  server: Server;
  port: number;
}

async function start(handle: RequestListener, options: ListenerOptions = {}): Promise<Started> {
  const listener = new HttpListener({ ...options, limits: { stallMs, ...options.limits } });
  const server = listener.createServer(handle);
  server.on("clientError", (error: Error, socket: Socket) => listener.hangUp(error, socket, '{"error":"unreadable"}'));
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return { listener, server, port };
}

interface Client {
  socket: Socket;
  /** The text received so far. */
  received(): string;
  /** Resolves with the milliseconds until the server closed the connection. */
  closed: Promise<number>;
}

async function open(port: number, { from = "127.0.0.1", reads = true } = {}): Promise<Client> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.on("error", () => {}); // the server may reset the connection
  if (reads) socket.on("data", (chunk: Buffer) => (received += chunk.length > 100_000 ? "" : chunk.toString("latin1")));
  const began = performance.now();
  const closed = new Promise<number>((resolve) => socket.once("close", () => resolve(performance.now() - began)));
  await once(socket, "connect");
  return { socket, received: () => received, closed };
}

const isOpen = async ({ closed }: Client, forMs: number) =>
  (await Promise.race([closed.then(() => "closed"), sleep(forMs, "open")])) === "open";

async function expectSoon(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 10) {
    if (waited > 10_000) throw new Error(`Expected ${what}`);
    await sleep(10);
  }
}

describe("pipelined requests", () => {
  it("are handled one at a time, with responses in order", async () => {
    let running = 0;
    let most = 0;
    const { port } = await start(async (request, response) => {
      most = Math.max(most, ++running);
      await sleep(10);
      running--;
      response.end(`<${request.url}>`);
    });
    const client = await open(port);
    client.socket.write(get("/1") + get("/2") + get("/3") + get("/4"));
    await expectSoon("four responses", () => client.received().includes("</4>"));
    expect(client.received().match(/<\/\d>/g)).toEqual(["</1>", "</2>", "</3>", "</4>"]);
    expect(most).toBe(1);
  });

  it("beyond the limit disconnect the client and don't reach the handler", async () => {
    const handled: string[] = [];
    const { port } = await start(
      async (request, response) => {
        handled.push(request.url ?? "");
        await sleep(50);
        response.end();
      },
      {
        limits: { waitingRequests: 3 },
      },
    );
    const [few, many] = [await open(port), await open(port)];
    few.socket.write(get("/few").repeat(4));
    many.socket.write(get("/many").repeat(500));
    await many.closed;
    await expectSoon(
      "the responses to the client with few requests",
      () => few.received().split("200 OK").length === 5,
    );
    expect(handled.filter((url) => url === "/few")).toHaveLength(4);
    expect(handled.filter((url) => url === "/many")).toHaveLength(1);
  });

  it("wait for the end of the previous request's body, even if the handler doesn't read it", async () => {
    const { port } = await start((request, response) => void response.end(`<${request.url}>`));
    const client = await open(port);
    client.socket.write(post(10, "12345"));
    await expectSoon("the early response", () => client.received().includes("</upload>"));
    client.socket.write(`67890${get("/next")}`);
    await expectSoon("the next response", () => client.received().includes("</next>"));
    expect(client.received().match(/<\/\w+>/g)).toEqual(["</upload>", "</next>"]);
  });
});

describe("a client that makes no progress", () => {
  it("is disconnected if it stops reading its response, but not if it reads slowly", async () => {
    const { port } = await start((_request, response) => void response.end(large));
    const [stalled, slow] = [await open(port, { reads: false }), await open(port, { reads: false })];
    slow.socket.pause();
    const reading = setInterval(() => slow.socket.read(512 * 1024), stallMs / 8);
    onTestFinished(() => clearInterval(reading));
    for (const { socket } of [stalled, slow]) socket.write(get("/"));
    // A paused Node socket notices the reset only when it reads.
    await sleep(stallMs * 2.5);
    stalled.socket.resume();
    expect(await stalled.closed).toBeLessThan(stallMs * 10);
    expect(stalled.socket.bytesRead).toBeLessThan(large.length);
    clearInterval(reading);
    slow.socket.resume();
    await expectSoon("all of the response", () => slow.socket.bytesRead > large.length);
  });

  it("is disconnected in the middle of a body, whether or not the response has been sent", async () => {
    const early: RequestListener = (_request, response) => void response.end();
    const late: RequestListener = (request, response) => request.resume().on("end", () => response.end());
    const { port } = await start((request, response) => (request.method === "PUT" ? early : late)(request, response));
    const [first, second, control] = [await open(port), await open(port), await open(port)];
    first.socket.write(post(100, "half"));
    second.socket.write(post(100, "half").replace("POST", "PUT"));
    control.socket.write(post(10, "0123456789"));
    const [closedFirst, closedSecond] = await Promise.all([first.closed, second.closed]);
    expect(Math.min(closedFirst, closedSecond)).toBeGreaterThanOrEqual(stallMs * 0.9);
    expect(await isOpen(control, 10)).toBe(true);
  });

  it("is disconnected if it takes too long to send its body, byte by byte", async () => {
    const { port } = await start((request, response) => request.resume().on("end", () => response.end()), {
      limits: { headersMs: 300, requestMs: 600 },
    });
    const client = await open(port);
    client.socket.write(post(1_000));
    const drip = setInterval(() => client.socket.writable && client.socket.write("."), 50);
    onTestFinished(() => clearInterval(drip));
    await client.closed;
    expect(client.received()).toBe("");
  });

  it("is disconnected if it connects and sends nothing", async () => {
    const { port } = await start((_request, response) => void response.end(), { limits: { headersMs: 300 } });
    const [silent, begun] = [await open(port), await open(port)];
    begun.socket.write("GET / HTTP/1.1\r\nHost:");
    await Promise.all([silent.closed, begun.closed]);
    expect(silent.received() + begun.received()).toBe("");
  });

  it.each([
    ["its headers", "GET / HTTP/1.1\r\nHost:"],
    ["its body", post(100, "half")],
  ])("is disconnected without a response if it ends the connection within %s", async (_part, bytes) => {
    const { port } = await start((request, response) => void request.resume().on("end", () => response.end()));
    const client = await open(port);
    client.socket.end(bytes);
    await client.closed;
    expect(client.received()).toBe("");
  });

  it("is disconnected if a response takes too long, even if it keeps reading", async () => {
    const { port } = await start((_request, response) => void response.end(large), { limits: { exchangeMs: 1_000 } });
    const client = await open(port, { reads: false });
    client.socket.pause();
    client.socket.write(get("/"));
    const reading = setInterval(() => client.socket.read(64 * 1024), 50);
    onTestFinished(() => clearInterval(reading));
    await client.closed;
    expect(client.socket.bytesRead).toBeLessThan(large.length);
  });

  it("isn't disconnected while the handler is working or between two requests", async () => {
    const { port } = await start(async (_request, response) => {
      await sleep(stallMs * 2);
      response.end("done");
    });
    const client = await open(port);
    client.socket.write(get("/"));
    await expectSoon("the response", () => client.received().includes("done"));
    expect(await isOpen(client, stallMs * 2)).toBe(true);
  });
});

describe("connections", () => {
  const respond: RequestListener = (_request, response) => void response.end("ok");
  const isServed = async (client: Client) => {
    if (client.socket.writable) client.socket.write(get("/"));
    await expectSoon("a response, or none", () => client.received().includes("ok") || client.socket.closed);
    return client.received().includes("ok");
  };

  it("are limited per client, and closing one makes room for another", async () => {
    const refused: string[] = [];
    const { port } = await start(respond, {
      limits: { connectionsPerClient: 2 },
      onRefused: (client, limit) => void refused.push(`${client} ${limit}`),
    });
    const first = await open(port, { from: "127.0.0.2" });
    const others = [
      await open(port, { from: "127.0.0.2" }),
      await open(port, { from: "127.0.0.2" }),
      await open(port, { from: "127.0.0.3" }),
    ];
    expect(await Promise.all(others.map(isServed))).toEqual([true, false, true]);
    expect(refused).toEqual(["127.0.0.2 connectionsPerClient"]);
    first.socket.destroy();
    await sleep(50);
    expect(await isServed(await open(port, { from: "127.0.0.2" }))).toBe(true);
  });

  it("aren't limited per client if many clients share an address", async () => {
    const { port } = await start(respond, { limits: { connectionsPerClient: 1 }, clientOf: () => null });
    const clients = [await open(port), await open(port), await open(port)];
    expect(await Promise.all(clients.map(isServed))).toEqual([true, true, true]);
  });

  it("are limited in total", async () => {
    const { port } = await start(respond, { limits: { connections: 2 }, clientOf: () => null });
    const clients = [await open(port), await open(port), await open(port)];
    expect(await Promise.all(clients.map(isServed))).toEqual([true, true, false]);
  });
});

describe("bytes in flight", () => {
  const limits = { bytesInFlight: 1024 * 1024, stallMs: 60_000 };

  it("include unread responses until the client reads them", async () => {
    const { listener, port } = await start((_request, response) => void response.end(large), { limits });
    const client = await open(port, { reads: false });
    expect(listener.isFull()).toBe(false);
    client.socket.write(get("/"));
    await expectSoon("the listener to be full", () => listener.isFull());
    client.socket.resume();
    await expectSoon("the listener to have room", () => !listener.isFull());
  });

  it("don't include a body that several responses share", async () => {
    let responses = 0;
    const { listener, port } = await start(
      (_request, response) => {
        sharesBody(response);
        response.end(large, () => {});
        responses++;
      },
      { limits },
    );
    const client = await open(port, { reads: false });
    client.socket.write(get("/"));
    await expectSoon("the response to begin", () => responses === 1);
    await sleep(200);
    expect(listener.isFull()).toBe(false);
  });

  it("include unfinished requests until they are finished", async () => {
    const bodies: Buffer[] = [];
    const { listener, port } = await start(
      (request, response) =>
        request.on("data", (chunk: Buffer) => bodies.push(chunk)).on("end", () => response.end("read")),
      { limits },
    );
    const client = await open(port);
    const body = "x".repeat(1_200_000);
    client.socket.write(post(body.length + 1, body));
    await expectSoon("the listener to be full", () => listener.isFull());
    client.socket.write("!");
    await expectSoon("the response", () => client.received().includes("read"));
    await expectSoon("the listener to have room", () => !listener.isFull());
    expect(Buffer.concat(bodies)).toHaveLength(body.length + 1);
  });
});

describe("draining", () => {
  /** Returns a handler that collects requests, so that the test decides when to respond. */
  function held(): { handle: RequestListener; held: (readonly [IncomingMessage, ServerResponse])[] } {
    const held: (readonly [IncomingMessage, ServerResponse])[] = [];
    return { handle: (request, response) => void held.push([request, response]), held };
  }
  const drain = ({ listener, server }: Started): Promise<number> => {
    const began = performance.now();
    listener.drain();
    return new Promise((resolve) => server.close(() => resolve(performance.now() - began)));
  };

  it("closes idle connections at once, and the others after a response with `Connection: close` or if they stall", async () => {
    const { handle, held: requests } = held();
    const started = await start(handle);
    const [idle, begun, working] = [await open(started.port), await open(started.port), await open(started.port)];
    idle.socket.write(get("/"));
    await expectSoon("a request", () => requests.length === 1);
    requests[0]?.[1].end("idle from here on");
    await expectSoon("its response", () => idle.received().includes("idle"));
    begun.socket.write("GET / HTTP/1.1\r\nHost:");
    working.socket.write(get("/"));
    await expectSoon("another request", () => requests.length === 2);
    await sleep(20);
    const stopped = drain(started);
    await Promise.all([idle.closed, begun.closed]);
    expect(await isOpen(working, 100)).toBe(true);
    requests[1]?.[1].end("last words");
    await Promise.all([working.closed, stopped]);
    expect(working.received()).toMatch(/\r\nconnection: close\r\n[^]*last words/i);
  });

  it("serves the first request of a connection that was opened just before", async () => {
    const started = await start((_request, response) => void response.end("served"));
    const client = await open(started.port);
    await sleep(50);
    const stopped = drain(started);
    client.socket.write(post(3, "pay"));
    await Promise.all([client.closed, stopped]);
    expect(client.received()).toMatch(/\r\nconnection: close\r\n[^]*served$/i);
  });

  it("serves a connection that arrives before the server stops listening", async () => {
    const started = await start((_request, response) => void response.end("served"));
    started.listener.drain();
    const client = await open(started.port);
    client.socket.write(post(3, "pay"));
    await client.closed;
    expect(client.received()).toMatch(/\r\nconnection: close\r\n[^]*served$/i);
  });

  it("serves a connection that the kernel has accepted, but the process hasn't", async () => {
    const started = await start((_request, response) => void response.end("served"));
    const socket = connect(started.port, "127.0.0.1");
    socket.write(post(3, "pay"));
    await new Promise((resolve) => process.nextTick(resolve)); // Node connects in the next tick
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
    await Promise.all([drain(started), once(socket, "close")]);
    expect(received).toMatch(/\r\nconnection: close\r\n[^]*served$/i);
  });

  it("disconnects a new connection that sends nothing", async () => {
    const started = await start(() => {}, { limits: { drainingStallMs: 100 } });
    const client = await open(started.port);
    await sleep(50);
    await Promise.all([drain(started), client.closed]);
    expect(client.received()).toBe("");
  });

  it("closes a connection after a response whose headers were already sent", async () => {
    const { handle, held: requests } = held();
    const started = await start(handle);
    const client = await open(started.port);
    client.socket.write(get("/") + get("/dropped"));
    await expectSoon("a request", () => requests.length === 1);
    const response = requests[0]?.[1];
    response?.writeHead(200, { "content-length": 4 });
    response?.write("la");
    const stopped = drain(started);
    response?.end("st");
    await stopped;
    await client.closed;
    expect(client.received()).toMatch(/last$/);
    expect(requests).toHaveLength(1);
  });

  it("lets a client read all of a response that is larger than the kernel's buffers", async () => {
    const started = await start((_request, response) => void response.end(large));
    const client = await open(started.port, { reads: false });
    client.socket.write(get("/"));
    await sleep(100);
    const stopped = drain(started);
    client.socket.resume();
    await Promise.all([client.closed, stopped]);
    expect(client.socket.bytesRead).toBeGreaterThan(large.length);
  });

  it("doesn't wait long for a client that makes no progress", async () => {
    const { handle, held: requests } = held();
    const started = await start(handle, { limits: { stallMs: 60_000, drainingStallMs: 300 } });
    const client = await open(started.port);
    client.socket.write(post(100, "half"));
    await expectSoon("a request", () => requests.length === 1);
    expect(await drain(started)).toBeLessThan(10_000);
    await client.closed;
  });
});

describe("retiring", () => {
  it("keeps idle connections and accepts new ones, and closes each after its next response", async () => {
    const started = await start((_request, response) => void response.end("served"));
    const idle = await open(started.port);
    idle.socket.write(get("/"));
    await expectSoon("a response", () => idle.received().endsWith("served"));
    expect(idle.received()).toMatch(/\r\nconnection: keep-alive\r\n/i);
    started.listener.retire();
    expect(started.listener.isRetiring).toBe(true);
    const newcomer = await open(started.port);
    expect(await isOpen(idle, 100)).toBe(true);
    for (const client of [idle, newcomer]) {
      client.socket.write(post(3, "pay"));
      await client.closed;
      expect(client.received()).toMatch(/\r\nconnection: close\r\n[^]*served$/i);
    }
  });

  it("also closes a connection whose request is in progress", async () => {
    let respond = () => {};
    const started = await start((_request, response) => void (respond = () => response.end("served")));
    const client = await open(started.port);
    client.socket.write(get("/"));
    await sleep(50);
    started.listener.retire();
    respond();
    await client.closed;
    expect(client.received()).toMatch(/\r\nconnection: close\r\n[^]*served$/i);
  });
});

describe("bytes that aren't HTTP", () => {
  it("get an error response that gives the reason", async () => {
    const { port } = await start((_request, response) => void response.end("ok"));
    const client = await open(port);
    client.socket.write("Bro ken\r\n\r\n");
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 400 [^]*unreadable/);
  });

  it("get no response while an earlier request is still waiting for one", async () => {
    const { port } = await start((_request, response) => void sleep(300).then(() => response.end("ok")));
    const client = await open(port);
    client.socket.write(`${get("/")}Bro ken\r\n\r\n`);
    await client.closed;
    expect(client.received()).toBe("");
  });
});
