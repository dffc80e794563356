/**
 * Tests a real process with clients that send requests without reading the responses, or start requests without
 * finishing them. It keeps its memory small, keeps serving others, and closes those clients. Also tests shutdown while
 * such clients are connected.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { processEnv } from "./setup/oriel-process.ts";
import { bankKeys, freshDatabase } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

vi.setConfig({ testTimeout: 120_000 }); // the time limits under test are 15 seconds

const closers = closersFor(afterEach);
let service: ChildProcess;
let port: number;
beforeEach(async () => {
  const dataDir = temporaryDirectory(onTestFinished);
  sent = new Map();
  const database = await freshDatabase(closers);
  if (database.kind !== "postgres") throw new Error("Bug: this file runs on PostgreSQL");
  port = await freePort();
  service = spawn(process.execPath, [new URL("./setup/api-process.ts", import.meta.url).pathname], {
    env: {
      ...processEnv,
      DATABASE_URL: database.url,
      ORIEL_PORT: String(port),
      ORIEL_DATA_DIR: dataDir,
      ORIEL_LOG_LEVEL: "warn",
      BANK_API_KEY: bankKeys.apiKey,
      BANK_RESULTS_KEY: bankKeys.resultsKey,
      BANK_URL: "http://127.0.0.1:9", // nothing is sent to it
    },
    stdio: ["ignore", "inherit", "inherit"],
  });
  closers.push(async () => {
    service.kill("SIGKILL");
    if (service.exitCode === null && service.signalCode === null) await once(service, "exit");
  });
  await until("the service to be ready", async () => (await isHealthy()) || null);
});

async function isHealthy(): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(20_000) }).catch(
    () => null,
  );
  await response?.arrayBuffer();
  return response?.ok === true;
}

const residentMegabytes = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]) / 1024;

/** What each client sent, by its address and port in the kernel's notation. */
let sent: Map<string, string>;

/** Sends the bytes and reads nothing. */
async function sendBroken(bytes: string, from: string): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  socket.on("error", () => {}); // the service may reset what it closes
  closers.push(async () => socket.destroy());
  await once(socket, "connect");
  sent.set(
    `${Buffer.from(from.split(".").map(Number)).readUInt32LE().toString(16)}:${socket.localPort?.toString(16)}`,
    bytes.slice(0, 60),
  );
  socket.write(bytes);
}

/** What the clients sent whose connections to the service are still open, according to the kernel. */
function stillOpen(): string[] {
  const ofService = new RegExp(`:${port.toString(16).padStart(4, "0")} ([0-9a-f]{8}):([0-9a-f]{4}) 01 `, "i");
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, address = "", from = ""] = ofService.exec(line) ?? [];
      return sent.get(`${Number.parseInt(address, 16).toString(16)}:${Number.parseInt(from, 16).toString(16)}`) ?? [];
    });
}

const host = "Host: api.example\r\n";
const openapi = `GET /api/v1/openapi.json HTTP/1.1\r\n${host}\r\n`;
const script = `GET /docs/js/scalar.js HTTP/1.1\r\n${host}\r\n`;
const body = (length: number) =>
  `POST /api/v1/checkout_sessions HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 65000\r\n\r\n${"x".repeat(length)}`;

describe("clients that make no progress", () => {
  it.each([
    ["that pipeline hundreds of requests for a large document", openapi.repeat(300)],
    ["that request the largest file three times", script.repeat(3)],
  ])("%s can't fill the memory", async (_name, bytes) => {
    const before = residentMegabytes();
    for (let i = 0; i < 60; i++) await sendBroken(bytes, "127.0.0.1");
    let most = 0;
    for (let i = 0; i < 30; i++) {
      most = Math.max(most, residentMegabytes());
      expect(await isHealthy()).toBe(true);
      await sleep(100);
    }
    expect(most - before).toBeLessThan(150);
    await until("the service to close them", () => stillOpen().length === 0 || null);
  });

  it("don't keep others out: with 2,000 connected, health checks succeed, memory use stays low, and they are disconnected", async () => {
    // Each client stops in the middle of a request or a response. A response that fits in the kernel's buffers wouldn't
    // stop there: one small document, or sometimes one script of 4.4 MB.
    const kinds = [
      script.repeat(3),
      script.repeat(3) + openapi.repeat(6),
      body(0),
      body(60_000),
      "GET /healthz HTTP/1.1\r\nHost:",
    ];
    await isHealthy();
    const before = residentMegabytes();
    for (let i = 0; i < 2_000; i++) await sendBroken(kinds[i % kinds.length] ?? "", `127.0.1.${1 + (i % 20)}`);
    expect(stillOpen().length).toBeGreaterThan(1_000);
    let most = 0;
    await until("the service to close them", async () => {
      most = Math.max(most, residentMegabytes());
      expect(await isHealthy()).toBe(true);
      return stillOpen().length === 0 || null;
    });
    expect(most - before).toBeLessThan(150);
  });
});

describe("SIGTERM", () => {
  /**
   * How long the service waits for a client that makes no progress when it isn't stopping. An idle client may stay much
   * longer.
   */
  const stallMs = 15_000;
  const exit = async (): Promise<number> => {
    if (service.exitCode === null) await once(service, "exit");
    return performance.now();
  };

  it("finishes the response in progress, and exits without waiting for the client to disconnect", async () => {
    const agent = new Agent({ keepAlive: true });
    closers.push(async () => agent.destroy());
    const [response] = await once(get({ port, host: "127.0.0.1", path: "/docs/js/scalar.js", agent }), "response");
    await sleep(200); // the response doesn't fit in the kernel's buffers
    service.kill("SIGTERM");
    await sleep(200);
    let length = 0;
    response.on("data", (chunk: Buffer) => (length += chunk.length));
    await once(response, "end");
    const respondedAt = performance.now();
    expect((await exit()) - respondedAt).toBeLessThan(stallMs);
    expect(service.exitCode).toBe(0);
    expect(length).toBe(Number(response.headers["content-length"]));
  });

  it("closes idle connections at once and waits less than usual for a client that makes no progress", async () => {
    const agent = new Agent({ keepAlive: true });
    closers.push(async () => agent.destroy());
    const [response] = await once(get({ port, host: "127.0.0.1", path: "/healthz", agent }), "response");
    response.resume();
    await sendBroken(body(10), "127.0.0.1");
    await sleep(200);
    const startedAt = performance.now();
    service.kill("SIGTERM");
    expect((await exit()) - startedAt).toBeLessThan(stallMs - 2_000); // the client has used up some of that time
    expect(service.exitCode).toBe(0);
  });
});
