import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections by default. A port among those can be taken by any
 * connection before the test's server listens on it, or while that server restarts. Above 10080, the last one that
 * browsers and `fetch` refuse (https://fetch.spec.whatwg.org/#port-blocking).
 */
const lowest = 10_081;
const highest = 32_767;

/** Counts on from a random port, so that processes that run at the same time try different ones. */
let next = randomInt(lowest, highest + 1);

/** Returns a port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = next;
    next = port === highest ? lowest : port + 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`Found no free port from ${lowest} to ${highest}. Stop some of the processes that listen there.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
