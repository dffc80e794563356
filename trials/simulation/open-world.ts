/**
 * Opens one seed's world: a shop with its own account and acquirer account, its customers, the acquirer, and the
 * service's worker, on one virtual clock. Everything that happens is decided by the seed.
 */
import { createChance } from "../chance.ts";
import { SimulatedAcquirer } from "./acquirer.ts";
import { textAt, type ApiResponse } from "./api-response.ts";
import { chooseConditions } from "./conditions.ts";
import { Journal } from "./journal.ts";
import { isStatementFailure } from "./killable-pool.ts";
import { deliverNotifications } from "./notifications.ts";
import { shortKeyLifetimeMs } from "./plants.ts";
import { Schedule } from "./schedule.ts";
import type { SimulatedService } from "./service.ts";
import type { World } from "./world.ts";

/** Every world starts at this moment, so that a seed's run doesn't depend on the seeds before it. */
export const startMs = Date.parse("2026-06-01T00:00:00Z");

/** How often a process may pass a point where it could die. Most actions have fewer points. */
const maxPoints = 14;
/** How many of an action's writes may succeed before one fails. */
const maxWrites = 10;
/** How much may happen while one request is at the acquirer. */
const maxMeanwhile = 3;
/** How far ahead something may be that happens meanwhile. */
const meanwhileMs = 30_000;

export function openWorld(service: SimulatedService, seed: number): World {
  const chance = createChance(seed, "world");
  const schedule = new Schedule(startMs);
  const journal = new Journal(() => schedule.nowMs - startMs);
  // The stream's name is part of each seed: another one would give other worlds.
  const conditions = chooseConditions(chance.stream("weather"), startMs);
  const deaths = chance.stream("deaths");
  const failures = chance.stream("failed statements");
  const meanwhile = chance.stream("meanwhile");
  const errors: string[] = [];
  const { processes } = service;
  const shop = chance.stream("shop").pick(service.shops);
  let depth = 0;
  const acquirer = new SimulatedAcquirer({
    schedule,
    journal,
    processes,
    chance: chance.stream("acquirer"),
    conditions,
    multiplePartialCaptures: shop.multiplePartialCaptures,
    keyLifetimeMs: service.plant === "replay-after-window" ? shortKeyLifetimeMs : undefined,
    async meanwhile() {
      if (depth > 0) return;
      depth++;
      for (let i = 0; i < maxMeanwhile && meanwhile.happens(conditions.meanwhile); i++) {
        deliverNotifications(world);
        const next = schedule.takeNext(schedule.nowMs + meanwhileMs);
        if (next === null) break;
        journal.note(`meanwhile: ${next.what}`);
        await next.run();
      }
      depth--;
    },
  });
  service.enter({
    now: schedule.now,
    send: acquirer.send,
    onError(message) {
      const isExpected = isStatementFailure(message);
      if (!isExpected) errors.push(message);
      journal.note(isExpected ? "a statement failed" : `error: ${message}`);
    },
  });
  const run = async <T>(action: () => Promise<T>) =>
    await processes.run(
      deaths.happens(conditions.deaths) ? deaths.between(0, maxPoints) : null,
      action,
      failures.happens(conditions.failedStatements) ? failures.between(0, maxWrites) : null,
    );
  const world: World = {
    seed,
    service,
    shop,
    schedule,
    journal,
    chance,
    conditions,
    acquirer,
    errors,
    orders: [],
    canceled: new Set(),
    accepted: new Set(),
    async request(who, host, method, path, body, headers) {
      const ended = await run(() =>
        service.request(host, method, path, body, {
          ...(host === "api" && { authorization: `Bearer ${shop.secretKey}` }),
          ...headers,
        }),
      );
      const said = ended.died ? "no response, because the process died" : summaryOf(ended.result);
      journal.note(`${who}: ${method} ${path.replace(/^\/api\/v1/, "")} -> ${said}`);
      return ended.died ? null : ended.result;
    },
    async act(what, action) {
      try {
        const ended = await run(action);
        if (ended.died) journal.note(`${what}: the process died`);
        return ended;
      } catch (error) {
        if (!isStatementFailure(error)) throw error;
        journal.note(`${what}: a statement failed`);
        return { died: true };
      }
    },
  };
  return world;
}

function summaryOf({ status, body }: ApiResponse): string {
  const [payment, pending] = [textAt(body, "payment", "status"), textAt(body, "pending_operation")];
  const code = textAt(body, "update_request", "status");
  const parts = [
    textAt(body, "error", "code"),
    textAt(body, "error", "decline_code"),
    ...["object", "id", "status"].map((name) => textAt(body, name)),
    payment && `payment ${payment}`,
    pending && `pending ${pending}`,
    code && `code ${code}`,
  ];
  return [status, ...parts].filter((part) => part !== undefined).join(" ");
}
