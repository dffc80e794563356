/**
 * `npm run chaos -- --webhooks`: shows that every event arrives, even if the process that sends it dies.
 *
 * The parts are real: PostgreSQL writing to disk, two API processes that stay up, and a worker that is repeatedly
 * killed with SIGKILL while it sends and restarted at once. Clients charge, capture, cancel and refund, so events are
 * about objects that others are changing at the same time. A fixed number of events is created between two kills.
 * Meanwhile other clients read the event feed (`GET /events?after=`). After the last kill the endpoints become
 * reliable, and within a minute everything must have arrived (`check-deliveries.ts`).
 */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { createChance, type Chance } from "../chance.ts";
import { checkDeliveries } from "./check-deliveries.ts";
import { createClientRecords, type ClientRecords } from "./client-records.ts";
import { sellOverApi, Unexpected, type Client } from "./flows.ts";
import { openListeners, type Listener } from "./listeners.ts";
import type { WebhookOptions } from "./options.ts";
import { printWrong } from "./print-wrong.ts";
import type { ServiceProcess } from "./processes.ts";
import { startReader, type FeedReader, type ReaderPlan } from "./read-feed.ts";
import { createSender, GivenUp, type Sender } from "./send.ts";
import { openService, type Service } from "./service.ts";

/** How long after the last kill an event may take to arrive. */
const arrivedWithinMs = 60_000;
/** How long creating the events between two kills may take. If it takes longer, something else is broken. */
const burstWithinMs = 60_000;

/** Startup time of a worker. */
const longestLifeMs = 2_000;

const readerPlans: readonly ReaderPlan[] = [
  { name: "by cursor", limit: 100, resumesFrom: "cursor" },
  { name: "by cursor, in small steps", limit: 3, resumesFrom: "cursor" },
  { name: "by the last event's id", limit: 20, resumesFrom: "event id" },
];

interface Run {
  service: Service;
  sender: Sender;
  listeners: readonly Listener[];
  clientRecords: ClientRecords;
  /** How many events clients may have created so far, and how many exist. */
  quota: { allowed: number; made: number };
  hits: Hits;
}

interface Hits {
  kills: number;
  /** Kills while the worker was starting. */
  starting: number;
  /** Requests of killed workers to which endpoints hadn't responded. Tar pits aren't counted. */
  inHand: number;
  /** Deliveries that an endpoint had acknowledged and a killed worker hadn't recorded. */
  unrecorded: Set<string>;
  lastKillAt: number;
}

export async function runWebhooks(options: WebhookOptions): Promise<boolean> {
  console.log(`seed ${options.seed}: ${options.kills} kills of the worker during ${options.events} events`);
  const chance = createChance(options.seed);
  const service = await openService({ roles: ["api", "api", "worker"] });
  const { db, processes } = service;
  await Promise.all(processes.all.map((one) => one.start()));
  const sender = createSender({ processes, secretKey: service.secretKey, impatience: 0 });
  const run: Run = {
    service,
    sender,
    listeners: await openListeners(sender, chance),
    clientRecords: createClientRecords(),
    quota: { allowed: 0, made: 0 },
    hits: { kills: 0, starting: 0, inHand: 0, unrecorded: new Set(), lastKillAt: 0 },
  };

  for (const { receiver } of run.listeners) receiver.setFaultsEnabled(true);
  let hasEnded = false;
  const counting = countEvents(run, () => hasEnded);
  const clients = Array.from({ length: options.clients }, (_, n) =>
    makeEvents(run, chance.stream(`client ${n}`), () => hasEnded),
  );
  const readers = readerPlans.map((plan) => startReader(plan, sender, chance.stream(plan.name)));
  await killTheWorker(run, options, chance.stream("kills"));
  for (const { receiver } of run.listeners) receiver.setFaultsEnabled(false);

  const unsettled = await settle(run, options.events, run.hits.lastKillAt + arrivedWithinMs);
  hasEnded = true;
  sender.giveUp();
  await Promise.all([counting, ...clients]);
  const afterwards = startReader({ name: "afterwards", limit: 100, resumesFrom: "cursor" }, sender, chance);
  await Promise.all([...readers, afterwards].map((reader) => reader.finish()));

  const verdict = await checkDeliveries(db, run.listeners, [...readers, afterwards]);
  const processFailures = processes.failures.map((what) => `process: ${what}`);
  const wrong = [...processFailures, ...run.clientRecords.unexpected, ...unsettled, ...verdict.wrong];
  printHits(run, readers);
  printWrong(wrong);
  const { events, delivered, duplicates, gaps, skipped } = verdict;
  const tookMs = Math.max(0, ...run.listeners.map(({ receiver }) => receiver.lastTakenAt)) - run.hits.lastKillAt;
  console.log("");
  console.log(
    `events ${events}, delivered ${delivered}, lost ${events - delivered}, duplicates ${duplicates}, sequence gaps ${gaps}, ` +
      `feed skipped ${skipped}, last delivery ${(tookMs / 1000).toFixed(1)} s after the last of ${run.hits.kills} kills`,
  );
  const isGood = wrong.length === 0 && events >= options.events && delivered === events;
  await service.close(!isGood);
  await Promise.all(run.listeners.map(({ receiver }) => receiver.close()));
  return isGood;
}

/** Polls the number of events. */
async function countEvents({ service: { db }, quota, hits, listeners }: Run, hasEnded: () => boolean): Promise<void> {
  const startedAt = Date.now();
  let saidAt = startedAt;
  while (!hasEnded()) {
    const { made } = await db
      .selectFrom("event")
      .select(({ fn }) => fn.countAll<number>().as("made"))
      .executeTakeFirstOrThrow();
    quota.made = made;
    if (Date.now() - saidAt > 10_000) {
      saidAt = Date.now();
      const taken = listeners.reduce((sum, { receiver }) => sum + receiver.events.length, 0);
      const seconds = Math.round((saidAt - startedAt) / 1000);
      console.log(`${seconds} s: ${hits.kills} kills, ${quota.made} events, ${taken} taken`);
    }
    await pause(50);
  }
}

/** One client, which runs flow after flow while more events may be created. */
async function makeEvents(
  { sender, clientRecords, quota, listeners }: Run,
  chance: Chance,
  hasEnded: () => boolean,
): Promise<void> {
  const client: Client = { clientRecords, sender, chance };
  while (!hasEnded()) {
    if (quota.made >= quota.allowed) {
      await pause(20);
      continue;
    }
    clientRecords.begun += 1;
    try {
      await (chance.happens(0.15) ? ping(client, chance.pick(listeners)) : sellOverApi(client));
    } catch (error) {
      if (!(error instanceof GivenUp))
        clientRecords.unexpected.push(String(error instanceof Error ? error.stack : error));
    }
    clientRecords.ended += 1;
  }
}

/** Each ping creates an event about its endpoint, so the endpoint has many events. */
async function ping({ sender, chance }: Client, { endpointId }: Listener): Promise<void> {
  const { status, text } = await sender.send(`/api/v1/webhook_endpoints/${endpointId}/ping`, {}, chance);
  if (status !== 200) throw new Unexpected(`A ping got ${status} ${text}`);
}

/**
 * Usually kills the worker while it sends, and sometimes while it starts. Resolves once the worker has started after
 * the last kill.
 */
async function killTheWorker(run: Run, { kills, events }: WebhookOptions, chance: Chance): Promise<void> {
  const { processes } = run.service;
  const worker = processes.all.find(({ role }) => role === "worker");
  if (worker === undefined) throw new Error("Bug: no worker");
  let starting: Promise<void> = Promise.resolve();
  for (let n = 1; n <= kills; n++) {
    const before = run.quota.allowed;
    run.quota.allowed = Math.ceil((events * n) / kills);
    await waitFor(() => run.quota.made >= before, burstWithinMs, `${run.quota.made} of ${before} events were made`);
    if (chance.happens(0.9)) await starting;
    await pause(chance.between(0, longestLifeMs));
    await kill(worker, run);
    starting = worker.start();
  }
  await starting;
}

async function kill(worker: ServiceProcess, { service: { db }, listeners, hits }: Run): Promise<void> {
  const up = listeners.filter(({ isDown }) => !isDown);
  hits.kills += 1;
  if (worker.state === "starting") hits.starting += 1;
  hits.inHand += up.reduce((sum, { receiver }) => sum + receiver.inHand, 0);
  hits.lastKillAt = Date.now();
  await worker.end("SIGKILL");
  // Only this worker sends, so this stays true until it's back.
  const pending = await db
    .selectFrom("delivery")
    .select(["id", "event_id", "endpoint_id"])
    .where("status", "=", "pending")
    .execute();
  const acknowledged = new Map(up.map(({ endpointId, receiver }) => [endpointId, receiver.acknowledged]));
  for (const { id, event_id, endpoint_id } of pending)
    if (acknowledged.get(endpoint_id)?.has(event_id)) hits.unrecorded.add(id);
}

/** Waits until all events are created and have arrived. @returns what hasn't arrived */
async function settle(
  { service: { db }, clientRecords, quota, listeners }: Run,
  events: number,
  deadline: number,
): Promise<string[]> {
  const up = listeners.filter(({ isDown }) => !isDown).map(({ endpointId }) => endpointId);
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from delivery where status != 'succeeded' and endpoint_id = any(${up})`.execute(
      db,
    );
    const open = rows[0]?.count ?? 0;
    const busy = clientRecords.begun - clientRecords.ended;
    const isMade = quota.made >= events && busy === 0;
    if (isMade && open === 0) return [];
    if (Date.now() >= deadline) {
      return [
        `after ${arrivedWithinMs / 1000} s there are ${quota.made} events, ${busy} busy clients, ${open} deliveries open`,
      ];
    }
    await pause(100);
  }
}

function printHits({ listeners, hits, service, clientRecords }: Run, readers: readonly FeedReader[]): void {
  console.log("");
  console.log(`made        by ${clientRecords.sales.length} charges with their later operations, and pings`);
  for (const { name, receiver, isDown } of listeners) {
    const { requests, refused, hung } = receiver.tally;
    const faults = refused + hung === 0 ? "" : `; refused ${refused} and left ${hung} without a response`;
    console.log(
      `${name.padEnd(11)} ${requests} requests, ${receiver.events.length} accepted${faults}${isDown ? " (down)" : ""}`,
    );
  }
  console.log(`kills       ${hits.kills}, ${hits.starting} of them while the worker was starting`);
  console.log(
    `hit         ${hits.inHand} requests in flight, ${hits.unrecorded.size} deliveries acknowledged but not recorded`,
  );
  for (const { name, events, pages } of readers)
    console.log(`event feed  ${events.length} events in ${pages} pages ${name}`);
  console.log(`processes   ${service.processes.failures.length} exited unexpectedly`);
}

async function waitFor(condition: () => boolean, withinMs: number, what: string): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`After ${withinMs / 1000} s, only ${what}.`);
    await pause(20);
  }
}
