/**
 * The real service on an embedded database in memory, for many worlds one after the other. It runs no timers: the world
 * calls the worker's steps, moves the clock and sends the requests. What the service sends to an acquirer goes to the
 * current world.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InjectOptions } from "fastify";
import { createApp } from "../../packages/server/src/app.ts";
import type { Context } from "../../packages/server/src/http/context.ts";
import { cacheAcquirerAccounts } from "../../packages/server/src/platform/acquirer-account-cache.ts";
import { PglitePool } from "../../packages/server/src/platform/storage/pglite-pool.ts";
import { readServiceConfig } from "../../packages/server/src/service-config.ts";
import { openService } from "../../packages/server/src/service.ts";
import type { Method } from "../../packages/server/test/setup/test-service.ts";
import type { SendCall } from "../../packages/vault/src/connectors/http.ts";
import { isObject, type ApiResponse } from "./api-response.ts";
import { makeKillable } from "./killable-pool.ts";
import { plantBug, type PlantName } from "./plants.ts";
import { Processes } from "./processes.ts";
import { createEmptyShop, openShop, type Shop } from "./shop.ts";

/** What the service uses of the world whose turn it is. */
export interface CurrentWorld {
  now(): Date;
  /** Its acquirer. */
  send: SendCall;
  /** Receives what the service logs as an error. */
  onError(message: string): void;
}

export interface SimulatedService {
  context: Context;
  pool: PglitePool;
  /** Each world uses one of them. */
  shops: readonly Shop[];
  processes: Processes;
  /** The planted bug. */
  plant: PlantName | null;
  /** Sends a request to the API, or to the checkout page's host with `frame`. */
  request(
    host: "api" | "frame",
    method: Method,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<ApiResponse>;
  enter(world: CurrentWorld): void;
  close(): Promise<void>;
}

/** @param plant a bug to plant */
export async function startService(plant: PlantName | null = null): Promise<SimulatedService> {
  const directory = mkdtempSync(join(tmpdir(), "oriel-simulate-"));
  const processes = new Processes(() => (cache = cacheAcquirerAccounts(context)));
  let current: CurrentWorld | null = null;
  const world = () => {
    if (current === null) throw new Error("Bug: there's no world");
    return current;
  };
  let pool: PglitePool | undefined;
  const config = {
    ...readServiceConfig({
      ORIEL_DATA_DIR: directory,
      BANK_API_KEY: "not used by the simulation",
      BANK_RESULTS_KEY: "not used by the simulation either",
      ORIEL_RISK: "off",
    }),
    database: { kind: "pglite" } as const,
    role: "api" as const,
    rateLimits: { api: null, frame: null, signIn: null, dashboard: null },
  };
  const log = {
    info() {},
    warn() {},
    error: (details: object, message: string) => current?.onError(`${message} ${JSON.stringify(details)}`),
  };
  const service = await openService(config, log, {
    async openClock(database) {
      if (!(database.pool instanceof PglitePool)) throw new Error("Bug: the database isn't embedded");
      pool = database.pool;
      return { now: () => current?.now() ?? new Date("2026-06-01T00:00:00Z"), stop() {} };
    },
    openCall: () => (call) => world().send(call),
    declineStepMs: 0,
  });
  if (pool === undefined) throw new Error("Bug: the service has no database");
  const { context } = service;
  const whenStarted = context.inBackground;
  context.inBackground = (what, work) => {
    const guarded = work.catch((error: unknown) => current?.onError(`${what}: ${String(error)}`));
    if (processes.current() === null) whenStarted(what, guarded);
    else processes.inBackground(guarded);
  };
  // The claims of a dead process aren't renewed, and those of others don't last long enough.
  context.claims = { hold: () => () => {} };
  // A dead process takes its cache with it, so that nobody waits for what it was reading.
  let cache = cacheAcquirerAccounts(context);
  context.acquirerAccounts = {
    async find(owner, id) {
      await processes.requireLife();
      return await cache.find(owner, id);
    },
    forget: (id) => cache.forget(id),
  };
  // Nobody listens.
  Object.assign(context.db, { notify: () => {} });
  await createEmptyShop(pool);
  makeKillable(pool, processes);
  const shops = [await openShop(context, false), await openShop(context, true)];
  const app = await createApp(context, { resultsKeys: { test: "unused", live: null }, files: null });
  const hosts = { api: new URL(config.apiUrl).host, frame: new URL(config.checkoutOrigin).host };

  const simulated: SimulatedService = {
    context,
    pool,
    shops,
    processes,
    plant: null,
    async request(host, method, path, body, headers = {}) {
      const options: InjectOptions = {
        method,
        url: path,
        headers: { host: hosts[host], "user-agent": "Simulation/1.0", ...headers },
        ...(body === undefined ? {} : { payload: body }),
      };
      const { statusCode, body: text, headers: sent } = await app.inject(options);
      const json: unknown = String(sent["content-type"]).startsWith("application/json") ? JSON.parse(text) : {};
      return { status: statusCode, body: isObject(json) ? json : {} };
    },
    enter(next) {
      current = next;
      cache = cacheAcquirerAccounts(context);
    },
    async close() {
      // A request's log entry is written later. If its process has died, that never ends.
      void app.close();
      await service.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  if (plant !== null) await plantBug(simulated, plant);
  return simulated;
}
