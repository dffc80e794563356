/** Tests that a process behind a load balancer can be restarted without a failed request. */
import { Agent, request, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { startServiceProcess, type OrielProcess } from "./setup/oriel-process.ts";
import { bankKeys, freshDatabase } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const closers = closersFor(afterEach);
let service: OrielProcess;
let port: number;
beforeEach(async () => {
  const dataDir = temporaryDirectory(onTestFinished);
  const database = await freshDatabase(closers);
  if (database.kind !== "postgres") throw new Error("Bug: this file runs on PostgreSQL");
  port = await freePort();
  const env = {
    DATABASE_URL: database.url,
    ORIEL_PORT: String(port),
    ORIEL_DATA_DIR: dataDir,
    ORIEL_DRAIN_SECONDS: "3",
    BANK_API_KEY: bankKeys.apiKey,
    BANK_RESULTS_KEY: bankKeys.resultsKey,
    BANK_URL: "http://127.0.0.1:9", // nothing is sent to it
  };
  service = startServiceProcess("api", env, closers);
  const isReady = async () => (await send("GET", "/readyz").catch(() => null))?.statusCode === 200 || null;
  await until("the service to be ready", isReady);
});

describe("a process that gets SIGTERM", () => {
  it("isn't ready anymore, but serves new and idle connections until the load balancer has noticed", async () => {
    const idle = new Agent({ keepAlive: true });
    closers.push(async () => idle.destroy());
    expect((await send("GET", "/healthz", idle)).headers.connection).toBe("keep-alive");
    const stopped = service.stop("SIGTERM");
    await until("/readyz to fail", async () => (await send("GET", "/readyz")).statusCode === 503 || null);
    for (const agent of [idle, undefined]) {
      const response = await send("POST", "/api/v1/charges", agent);
      expect([response.statusCode, response.headers.connection]).toEqual([401, "close"]);
    }
    expect((await send("GET", "/healthz")).statusCode).toBe(200);
    expect(await stopped).toBe(0);
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
