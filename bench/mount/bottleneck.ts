/**
 * A slow network that all of the browser's connections share: a SOCKS proxy that delays and slows what passes through
 * it. The browser's own throttling gives each process a connection of its own, so whatever one page loads costs the
 * others nothing.
 *
 * Each direction is a queue of packets, in turn from each connection that has some. Opening a connection takes no time,
 * because in production one HTTP/2 connection carries all requests of a page.
 *
 * Source: RFC 1928 (SOCKS 5)
 */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface Network {
  roundTripMs: number;
  downBytesPerSecond: number;
  upBytesPerSecond: number;
}

export interface Bottleneck {
  /** For the browser's `--proxy-server`. */
  proxy: string;
  close(): void;
}

/** About what fits into an Ethernet frame. */
const packetBytes = 1_400;

export async function openBottleneck({ roundTripMs, ...speeds }: Network): Promise<Bottleneck> {
  const down = openDirection(speeds.downBytesPerSecond, roundTripMs / 2);
  const up = openDirection(speeds.upBytesPerSecond, roundTripMs / 2);
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket.setNoDelay());
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    return socket;
  };
  const join = async (browser: Socket) => {
    const service = track(connect(await takeRequest(browser), "127.0.0.1"));
    up(browser, service);
    down(service, browser);
  };
  const server = createServer((browser) => {
    join(track(browser)).catch(() => browser.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Bug: no port");
  return {
    proxy: `socks5://127.0.0.1:${address.port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Accepts the browser's request for a connection. @returns the port; the host is always this machine */
async function takeRequest(browser: Socket): Promise<number> {
  const take = async () => (await once(browser, "data")) as [Buffer];
  await take(); // which ways to sign in it supports
  browser.write(Buffer.from([5, 0])); // none
  const [request] = await take(); // ends with the port
  browser.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
  return request.readUInt16BE(request.length - 2);
}

type Pipe = (from: Socket, to: Socket) => void;

/** One direction of the shared network. */
function openDirection(bytesPerSecond: number, delayMs: number): Pipe {
  /** Packets that wait, by connection. Null ends it. The first connection is the next one that sends. */
  const waiting = new Map<Socket, (Buffer | null)[]>();
  let isSending = false;
  /** When the network will have sent everything so far, in milliseconds. */
  let freeAt = 0;

  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    freeAt = Math.max(freeAt, performance.now());
    for (let next = waiting.entries().next().value; next !== undefined; next = waiting.entries().next().value) {
      const [to, [packet = null, ...rest]] = next;
      waiting.delete(to);
      if (rest.length > 0) waiting.set(to, rest);
      freeAt += ((packet?.length ?? 0) / bytesPerSecond) * 1000;
      const busyMs = freeAt - performance.now();
      if (busyMs > 1) await pause(busyMs);
      setTimeout(() => void (packet === null ? to.end() : to.write(packet)), delayMs);
    }
    isSending = false;
  }

  return (from, to) => {
    const add = (...packets: (Buffer | null)[]) => {
      waiting.set(to, [...(waiting.get(to) ?? []), ...packets]);
      void send();
    };
    from.on("data", (chunk: Buffer) => {
      const packets = Math.ceil(chunk.length / packetBytes);
      add(...Array.from({ length: packets }, (_, n) => chunk.subarray(n * packetBytes, (n + 1) * packetBytes)));
    });
    from.once("end", () => add(null));
  };
}
