/**
 * Kills or stops processes while they work, and records what was hit.
 *
 * A kill is useful if it hits work in progress: requests in flight, and ideally an attempt that the bank has decided
 * but we haven't recorded. Nothing else touches such an attempt for a few seconds, so there's time to query both sides
 * after the kill.
 */
import { setTimeout as pause } from "node:timers/promises";
import { claimSeconds } from "../../packages/server/src/payments/attempts/deadlines.ts";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Chance } from "../chance.ts";
import type { Acquirer } from "./check-acquirer.ts";
import { waitForEnded, type ClientRecords } from "./client-records.ts";
import type { Pair } from "./pair.ts";
import type { Processes, ServiceProcess } from "./processes.ts";
import type { Sender } from "./send.ts";

/** What was hit. Restarts count only the first two, and failovers only their times and the requests in flight. */
export interface Hits {
  api: number;
  worker: number;
  /** When the primary was killed. */
  failovers: number[];
  /** Kills while the process was starting. */
  starting: number;
  /** Requests in flight at killed API processes, or at all of them when the primary was killed. */
  requests: number;
  /** Attempts for which killed processes were waiting for the bank. */
  attempts: number;
  /** Those of them that the bank had decided and we hadn't committed. */
  decided: number;
}

export interface Killing extends Pick<Acquirer, "countDecided"> {
  processes: Processes;
  sender: Sender;
  db: Db;
  clientRecords: ClientRecords;
  chance: Chance;
  count: number;
  payments: number;
  clients: number;
}

/** Resolves after the last kill, once everything is running again. */
export async function killAtRandom(killing: Killing, hits: Hits): Promise<void> {
  const afterwards: Promise<void>[] = [];
  await pace(killing, async () => void afterwards.push(kill(await chooseProcess(killing), killing, hits)));
  await Promise.all(afterwards);
}

/** Restarts one process after the other. */
export async function restartInTurn(killing: Killing, hits: Hits): Promise<void> {
  const { processes } = killing;
  await pace(killing, async (n) => {
    const next = processes.all[n % processes.all.length];
    if (next === undefined) throw new Error("Bug: nothing to restart");
    countEnd(next, hits);
    const code = await next.end("SIGTERM");
    if (code !== 0) processes.failures.push(`${next.name} exited with ${code} after SIGTERM`);
    await next.start();
  });
}

/** Kills the primary, and waits until the new one has a standby. */
export async function failOver({ pair, ...killing }: Killing & { pair: Pair }, hits: Hits): Promise<void> {
  const { processes, sender } = killing;
  await pace(killing, async () => {
    hits.failovers.push(Date.now());
    hits.requests += processes.apis.reduce((sum, one) => sum + sender.underWayAt(one).size, 0);
    await pair.failOver();
  });
}

/**
 * Strikes after random numbers of payments, and not after random times, so that the same happens on a slow machine.
 * Payments go on while it strikes, but don't run ahead of the next strike.
 */
async function pace(
  { clientRecords, chance, count, payments, clients }: Killing,
  strike: (n: number) => Promise<void>,
): Promise<void> {
  const last = payments - clients; // so that all clients are busy
  const points = Array.from({ length: count }, () => chance.between(0, last)).toSorted((a, b) => a - b);
  const allowUntil = (n: number) => (clientRecords.allowed = (points[n] ?? last) + clients);
  allowUntil(0);
  for (const [n, point] of points.entries()) {
    await waitForEnded(clientRecords, point);
    allowUntil(n + 1);
    await strike(n);
  }
}

/** Usually kills a ready process, and sometimes one that's starting. Now and then all of them are down for a moment. */
async function chooseProcess({ processes: { all }, chance }: Killing): Promise<ServiceProcess> {
  for (;;) {
    const ready = all.filter(({ state }) => state === "ready");
    const running = all.filter(({ state }) => state !== "down");
    if (running.length > 0) return chance.pick(ready.length > 0 && chance.happens(0.9) ? ready : running);
    await pause(50);
  }
}

async function kill(
  target: ServiceProcess,
  { processes, sender, countDecided, db }: Killing,
  hits: Hits,
): Promise<void> {
  if (target.state === "starting") hits.starting += 1;
  countEnd(target, hits);
  const { startedAt } = target;
  const elsewhere = new Set(
    processes.apis.filter((one) => one !== target).flatMap((one) => [...sender.underWayAt(one).keys()]),
  );
  const underWay = new Map([...sender.underWayAt(target)].filter(([about]) => !elsewhere.has(about)));
  hits.requests += underWay.size;
  await target.end("SIGKILL");
  const restarted = target.start();
  const attempts = target.role === "worker" ? await attemptsInHand(db, startedAt) : await attemptsOf(db, underWay);
  hits.attempts += attempts.length;
  hits.decided += await countDecided(attempts);
  await restarted;
}

function countEnd({ role }: ServiceProcess, hits: Hits): void {
  if (role === "worker") hits.worker += 1;
  else hits.api += 1;
}

/**
 * Returns the attempts that were waiting for the bank on behalf of one of these requests. Attempts from before the
 * request arrived belong to another process.
 */
async function attemptsOf(db: Db, requests: Map<string, Date>) {
  if (requests.size === 0) return [];
  const about = [...requests.keys()];
  const attempts = await db
    .selectFrom("attempt")
    .innerJoin("decision", "decision.id", "attempt.decision_id")
    .select(["attempt.id", "attempt.kind", "claimed_until", "idempotency_key", "session_id"])
    .where("attempt.status", "=", "processing")
    .where(({ eb, or }) => or([eb("idempotency_key", "in", about), eb("session_id", "in", about)]))
    .execute();
  return attempts.filter(({ claimed_until, idempotency_key, session_id }) => {
    const since = requests.get(idempotency_key ?? "") ?? requests.get(session_id ?? "");
    return since !== undefined && isClaimedSince(claimed_until, since);
  });
}

/**
 * Attempts for which the killed worker, the only one, was calling the bank again. API processes make the first call.
 */
async function attemptsInHand(db: Db, startedAt: Date) {
  const attempts = await db
    .selectFrom("attempt")
    .select(["id", "kind", "claimed_until"])
    .where("status", "=", "processing")
    .where("calls", ">", 1)
    .where("claimed_until", ">", new Date())
    .execute();
  return attempts.filter(({ claimed_until }) => isClaimedSince(claimed_until, startedAt));
}

function isClaimedSince(claimedUntil: Date | null, since: Date): boolean {
  return claimedUntil !== null && claimedUntil.getTime() - claimSeconds * 1000 >= since.getTime();
}
