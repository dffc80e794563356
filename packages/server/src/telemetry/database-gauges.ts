/**
 * The gauges whose values are in the database: work that is due, attempts without an outcome, what needs a person's
 * attention, and emails that wait. They are read when Prometheus scrapes the process, with one statement each for
 * attempts, attention, deliveries and emails. The first three use a partial index of what is unfinished, and the table
 * of emails has only unfinished ones. Results are reused for five seconds, so a second scraper costs nothing.
 *
 * If the database doesn't respond in time, `oriel_database_up` is 0 and the gauges are absent rather than outdated. All
 * other metrics are still served.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../platform/context.ts";
import { messageOf } from "../platform/message-of.ts";
import type { Db } from "../platform/storage/database.ts";
import { waitingEndpoints, type IsReachable } from "../platform/storage/nodes.ts";
import { modeOf } from "../platform/tenant.ts";
import type { Metrics } from "./metrics.ts";
import { readQueuedEmails } from "./queued-emails.ts";

const validMs = 5_000;
const withinMs = 2_000;
/** An endpoint that is down can have a long backlog, which is never counted to its end. */
const countedPerEndpoint = 1_000;

type Gauges = Metrics["database"];
type Source = Pick<PlatformContext, "db" | "nodes" | "now" | "log">;

/** @returns a function that updates the gauges unless they're less than five seconds old. It never fails. */
export function createDatabaseGauges(gauges: Gauges, { db, nodes, now, log }: Source): () => Promise<void> {
  let readAt = -Infinity;
  let inProgress: Promise<void> | null = null;

  async function read(): Promise<void> {
    try {
      const time = now();
      const [attempts, attention, deliveries, emails] = await inTime(
        Promise.all([
          nodes.ofAllAccounts(async (isReachable) => await readAttempts(db, time, isReachable)),
          nodes.ofAllAccounts(async (isReachable) => await readAttention(db, isReachable)),
          nodes.ofAllAccounts(async (isReachable) => await readDeliveries(db, time, isReachable)),
          readQueuedEmails(db, time),
        ]),
      );
      clear(gauges);
      gauges.up.set(1);
      setAttempts(gauges, attempts, time);
      setAttention(gauges, attention);
      setDeliveries(gauges, deliveries, time);
      gauges.emailsWaiting.set(emails.waiting);
      gauges.emailsRefused.set(emails.refused);
      gauges.emailsAge.set(ageSeconds(emails.oldest?.dueAt, time));
    } catch (error) {
      clear(gauges);
      gauges.up.set(0);
      log.warn({ error: messageOf(error) }, "Could not read metrics from the database");
    }
    gauges.nodesMissing.set(nodes.missing.length);
    readAt = performance.now();
  }

  return async () => {
    if (performance.now() - readAt < validMs) return;
    inProgress ??= read().finally(() => (inProgress = null));
    await inProgress;
  };
}

interface AttemptCounts {
  livemode: boolean;
  due: number;
  due_since: Date | null;
  unknown: number;
  unknown_since: Date | null;
  accepted: number;
}

/**
 * An attempt is due if no process has claimed it. Its outcome is unknown if it was sent and isn't being sent for the
 * first time right now. If the acquirer has accepted it, nothing is unknown: it just takes time.
 */
async function readAttempts(db: Db, time: Date, isReachable: IsReachable): Promise<AttemptCounts[]> {
  const { rows } = await sql<AttemptCounts>`
    select livemode,
      count(*) filter (where is_due)::integer as due, min(next_call_at) filter (where is_due) as due_since,
      count(*) filter (where is_unknown)::integer as unknown, min(created_at) filter (where is_unknown) as unknown_since,
      count(*) filter (where is_accepted)::integer as accepted
    from (
      select livemode, next_call_at, created_at,
        next_call_at <= ${time} and coalesce(claimed_until <= ${time}, true) as is_due,
        accepted_at is null
          and (calls > 1 or (calls = 1 and coalesce(claimed_until <= ${time}, true))) as is_unknown,
        accepted_at is not null as is_accepted
      from attempt where status = 'processing' and ${isReachable()}
    ) open
    group by livemode`.execute(db);
  return rows;
}

interface AttentionCount {
  livemode: boolean;
  open: number;
}

async function readAttention(db: Db, isReachable: IsReachable): Promise<AttentionCount[]> {
  const { rows } = await sql<AttentionCount>`
    select livemode, count(*)::integer as open from attention
    where resolved_at is null and ${isReachable()} group by livemode`.execute(db);
  return rows;
}

interface DeliveryCounts {
  is_failing: boolean;
  due: number;
  due_since: Date;
}

async function readDeliveries(db: Db, time: Date, isReachable: IsReachable): Promise<DeliveryCounts[]> {
  const { rows } = await sql<DeliveryCounts>`
    select endpoint.failing_since is not null or coalesce(endpoint.held_until > ${time}, false) as is_failing,
      sum(backlog.due)::integer as due, min(backlog.due_since) as due_since
    from ${waitingEndpoints(isReachable)} waiting
    join webhook_endpoint endpoint
      on (endpoint.account_no, endpoint.livemode, endpoint.id) = (waiting.account_no, waiting.livemode, waiting.endpoint_id)
    cross join lateral (
      select count(*) as due, min(next_try_at) as due_since from (
        select next_try_at from delivery
        where (account_no, livemode, endpoint_id) = (endpoint.account_no, endpoint.livemode, endpoint.id)
          and status = 'pending' and next_try_at <= ${time} and ${isReachable()}
        order by next_try_at limit ${countedPerEndpoint}
      ) oldest
    ) backlog
    where backlog.due > 0 and ${isReachable("endpoint")}
    group by 1`.execute(db);
  return rows;
}

/** A mode without open attempts has no row, and its gauges are 0. */
function setAttempts(gauges: Gauges, rows: readonly AttemptCounts[], time: Date): void {
  for (const livemode of [false, true]) {
    const labels = { mode: modeOf({ livemode }) };
    const row = rows.find((one) => one.livemode === livemode);
    gauges.attemptsDue.set(labels, row?.due ?? 0);
    gauges.attemptsDueAge.set(labels, ageSeconds(row?.due_since, time));
    gauges.attemptsUnknown.set(labels, row?.unknown ?? 0);
    gauges.attemptsUnknownAge.set(labels, ageSeconds(row?.unknown_since, time));
    gauges.attemptsAccepted.set(labels, row?.accepted ?? 0);
  }
}

function setAttention(gauges: Gauges, rows: readonly AttentionCount[]): void {
  for (const livemode of [false, true]) {
    const row = rows.find((one) => one.livemode === livemode);
    gauges.attentionOpen.set({ mode: modeOf({ livemode }) }, row?.open ?? 0);
  }
}

function setDeliveries(gauges: Gauges, rows: readonly DeliveryCounts[], time: Date): void {
  for (const endpoint of ["working", "failing"]) {
    const row = rows.find(({ is_failing }) => is_failing === (endpoint === "failing"));
    gauges.deliveriesDue.set({ endpoint }, row?.due ?? 0);
    gauges.deliveriesDueAge.set({ endpoint }, ageSeconds(row?.due_since, time));
  }
}

function ageSeconds(since: Date | null | undefined, time: Date): number {
  return since ? Math.max(0, (time.getTime() - since.getTime()) / 1000) : 0;
}

function clear(gauges: Gauges): void {
  for (const gauge of Object.values(gauges)) gauge.reset();
}

/** Rejects after {@link withinMs}. The statements then end by the pool's own time limit. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No response within ${withinMs / 1000} seconds`)), withinMs);
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
