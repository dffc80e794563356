/** Tests that a process behind a load balancer can be restarted without a failed request. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processEnv } from "./setup/oriel-process.ts";
import { bankKeys, freePort, freshDatabase } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

let closers: (() => Promise<unknown>)[];
let service: ChildProcess;
let port: number;
beforeEach(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "oriel-restart-"));
  closers = [async () => rmSync(dataDir, { recursive: true, force: true })];
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
      ORIEL_DRAIN_SECONDS: "3",
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
  const isReady = async () => (await send("GET", "/readyz").catch(() => null))?.statusCode === 200 || null;
  await until("the service to be ready", isReady, 60_000);
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

describe("a process that gets SIGTERM", () => {
  it("isn't ready anymore, but serves new and idle connections until the load balancer has noticed", async () => {
    const idle = new Agent({ keepAlive: true });
    closers.push(async () => idle.destroy());
    expect((await send("GET", "/healthz", idle)).headers.connection).toBe("keep-alive");
    service.kill("SIGTERM");
    await until("/readyz to fail", async () => (await send("GET", "/readyz")).statusCode === 503 || null);
    for (const agent of [idle, undefined]) {
      const response = await send("POST", "/api/v1/charges", agent);
      expect([response.statusCode, response.headers.connection]).toEqual([401, "close"]);
    }
    expect((await send("GET", "/healthz")).statusCode).toBe(200);
    if (service.exitCode === null) await once(service, "exit");
    expect(service.exitCode).toBe(0);
    await expect(send("GET", "/healthz")).rejects.toThrow("ECONNREFUSED");
  });
});

/** Uses a new connection unless there's an agent that has one. */
function send(method: string, path: string, agent?: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", method, path, agent: agent ?? false }, (response) => {
      response.resume();
      response.once("end", () => resolve(response));
    })
      .on("error", reject)
      .end();
  });
}
