/**
 * One seed's world: a shop with its own account and acquirer account, its customers, the acquirer, and the service's
 * worker, on one virtual clock. Everything that happens is decided by the seed.
 */
import { createChance, type Chance } from "../chaos/chance.ts";
import type { Method } from "../../packages/server/test/setup/test-service.ts";
import { textAt, type Answer } from "./answer.ts";
import { SimulatedAcquirer } from "./acquirer.ts";
import { Agenda } from "./agenda.ts";
import { Journal } from "./journal.ts";
import { isStatementFailure } from "./mortal-pool.ts";
import { deliverNotifications } from "./notifications.ts";
import { shortKeyLifetimeMs } from "./plants.ts";
import type { Ended } from "./processes.ts";
import type { SimulatedService } from "./service.ts";
import type { Shop } from "./shop.ts";
import { chooseWeather, type Weather } from "./weather.ts";
import { nextWorkMs, work } from "./worker.ts";

/** Every world starts at this moment, so that a seed's run doesn't depend on the seeds before it. */
export const startMs = Date.parse("2026-06-01T00:00:00Z");

/** How often a process may pass a point where it could die. Most actions have fewer points. */
const mostPoints = 14;
/** How many of an action's writes may succeed before one fails. */
const mostWrites = 10;
/** How much may happen while one request is at the acquirer. */
const mostMeanwhile = 3;
/** No world has so many. */
const mostSteps = 5_000;
/** How far ahead something may be that happens meanwhile. */
const meanwhileMs = 30_000;

/** The response to a request, or `null` if the process died first. */
export type Response = Answer | null;

export interface World {
  seed: number;
  service: SimulatedService;
  shop: Shop;
  agenda: Agenda;
  journal: Journal;
  chance: Chance;
  weather: Weather;
  acquirer: SimulatedAcquirer;
  /** What the service logged as an error. */
  errors: string[];
  orders: Order[];
  /** The charges that the shop has asked to cancel. */
  canceled: Set<string>;
  /** Sends a request to the service, whose process may die. */
  request(
    who: string,
    host: "api" | "frame",
    method: Method,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Runs an action in a process that may die. A process whose statement fails counts as dead. */
  act<T>(what: string, action: () => Promise<T>): Promise<Ended<T>>;
}

/** Something that a customer wants to buy once. */
export interface Order {
  number: number;
  amount: number;
  currency: string;
  captureMethod: "automatic" | "manual";
  /** All decisions that were made for it. */
  decisions: Set<string>;
  sessions: Set<string>;
}

export function openWorld(service: SimulatedService, seed: number): World {
  const chance = createChance(seed, "world");
  const agenda = new Agenda(startMs);
  const journal = new Journal(() => agenda.nowMs - startMs);
  const weather = chooseWeather(chance.stream("weather"), startMs);
  const deaths = chance.stream("deaths");
  const failures = chance.stream("failed statements");
  const meanwhile = chance.stream("meanwhile");
  const errors: string[] = [];
  const { processes } = service;
  const shop = chance.stream("shop").pick(service.shops);
  let depth = 0;
  const acquirer = new SimulatedAcquirer({
    agenda,
    journal,
    processes,
    chance: chance.stream("acquirer"),
    weather,
    multiplePartialCaptures: shop.multiplePartialCaptures,
    keyLifetimeMs: service.plant === "replay-after-window" ? shortKeyLifetimeMs : undefined,
    async meanwhile() {
      if (depth > 0) return;
      depth++;
      for (let i = 0; i < mostMeanwhile && meanwhile.happens(weather.meanwhile); i++) {
        deliverNotifications(world);
        const next = agenda.takeNext(agenda.nowMs + meanwhileMs);
        if (next === null) break;
        journal.note(`meanwhile: ${next.what}`);
        await next.run();
      }
      depth--;
    },
  });
  service.enter({
    now: agenda.now,
    send: acquirer.send,
    onError(message) {
      const isExpected = isStatementFailure(message);
      if (!isExpected) errors.push(message);
      journal.note(isExpected ? "a statement failed" : `error: ${message}`);
    },
  });
  const run = async <T>(action: () => Promise<T>) =>
    await processes.run(
      deaths.happens(weather.deaths) ? deaths.between(0, mostPoints) : null,
      action,
      failures.happens(weather.failedStatements) ? failures.between(0, mostWrites) : null,
    );
  const world: World = {
    seed,
    service,
    shop,
    agenda,
    journal,
    chance,
    weather,
    acquirer,
    errors,
    orders: [],
    canceled: new Set(),
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

function summaryOf({ status, body }: Answer): string {
  const [payment, pending] = [textAt(body, "payment", "status"), textAt(body, "pending_operation")];
  const parts = [
    textAt(body, "error", "code"),
    textAt(body, "error", "decline_code"),
    ...["object", "id", "status"].map((name) => textAt(body, name)),
    payment && `payment ${payment}`,
    pending && `pending ${pending}`,
  ];
  return [status, ...parts].filter((part) => part !== undefined).join(" ");
}

/** Lets everything happen until nothing is left to happen before `untilMs`. */
export async function runUntil(world: World, untilMs: number): Promise<void> {
  const { agenda, acquirer, weather } = world;
  const { processes } = world.service;
  const idle = world.chance.stream("idle");
  let [workMs, knownAt] = [Infinity, -1];
  for (let steps = 0; ; steps++) {
    if (steps > mostSteps) throw new Error(`The world isn't quiet after ${mostSteps} steps`);
    // Only a process can change what there is to do.
    if (knownAt !== processes.runs) [workMs, knownAt] = [await nextWorkMs(world), processes.runs];
    const dueMs = acquirer.ledger.nextDue()?.getTime() ?? Infinity;
    const nextMs = Math.min(agenda.nextMs(), workMs, dueMs);
    if (nextMs > untilMs) break;
    if (dueMs <= nextMs) {
      agenda.advanceTo(dueMs);
      deliverNotifications(world);
    } else if (workMs <= nextMs) {
      // A worker looks once a second. It may also be busy, or restarting.
      const delayMs = idle.happens(weather.idleWorkers) ? idle.between(1_000, 10 * 60_000) : idle.between(0, 1_000);
      const atMs = Math.max(agenda.nowMs, workMs) + delayMs;
      if (agenda.nextMs() < atMs) {
        const next = agenda.takeNext(atMs);
        await next?.run();
        continue;
      }
      agenda.advanceTo(atMs);
      await work(world);
    } else {
      const next = agenda.takeNext(nextMs);
      await next?.run();
    }
  }
  agenda.advanceTo(untilMs);
}
