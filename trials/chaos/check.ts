/**
 * Compares four independent records after the run: the clients' records (`client-records.ts`), the
 * acquirer's ledger, our database, and what the webhook receiver got. Describes each mistake in a sentence that names the object.
 */
import { sql } from "kysely";
import { verifyChain } from "../../packages/server/src/merchants/audit/verify-chain.ts";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { AcquirerCheck } from "./check-acquirer.ts";
import { checkEvents } from "./check-events.ts";
import { checkResponses } from "./check-responses.ts";
import { checkTokens } from "./check-tokens.ts";
import type { ClientRecords } from "./client-records.ts";
import { mistakeKinds, type Mistake } from "./mistake.ts";
import type { ServiceProcess } from "./processes.ts";
import type { Receiver } from "./receiver.ts";
import type { KeyedRequest } from "./send.ts";

export interface Evidence {
  clientRecords: ClientRecords;
  keyedRequests: readonly KeyedRequest[];
  acquirer: AcquirerCheck;
  db: Db;
  receiver: Pick<Receiver, "events" | "wrong">;
  /** A sentence for everything that wasn't final in time. */
  unfinished: readonly string[];
  /**
   * How long an outcome may have been unknown while one of these workers ran. Null if the bank was silent at times,
   * because then nothing is promised.
   */
  promise: { seconds: number; workers: readonly Pick<ServiceProcess, "readyTimes">[] } | null;
}

export interface Verdict {
  requested: number;
  once: number;
  counts: Record<Mistake["kind"], number>;
  mistakes: Mistake[];
}

export async function check({
  clientRecords,
  keyedRequests,
  acquirer,
  db,
  receiver,
  unfinished,
  promise,
}: Evidence): Promise<Verdict> {
  const chain = await verifyChain(db);
  const mistakes: Mistake[] = [
    ...acquirer.mistakes,
    ...(chain.isIntact ? [] : [{ kind: "ledger" as const, what: `The audit log: ${chain.fault.what}` }]),
    ...unfinished.map((what) => ({ kind: "stuck" as const, what })),
    ...(promise === null ? [] : await checkPromise(db, promise)),
    ...(await checkTokens(db)),
    ...(await checkResponses(db, keyedRequests)),
    ...clientRecords.unexpected.map((what) => ({ kind: "response" as const, what })),
    ...(await checkEvents(db, receiver)),
  ];
  const counts = Object.fromEntries(
    mistakeKinds.map((kind) => [kind, mistakes.filter((mistake) => mistake.kind === kind).length]),
  ) as Verdict["counts"];
  return { requested: clientRecords.sales.length, once: acquirer.once, counts, mistakes };
}

/** Checks that each outcome was known in time. Counts only the time during which a worker was running. */
async function checkPromise(db: Db, { seconds, workers }: NonNullable<Evidence["promise"]>): Promise<Mistake[]> {
  const attempts = await db.selectFrom("attempt").select(["id", "kind", "created_at", "finished_at"]).execute();
  if (attempts.length === 0) return [{ kind: "stuck", what: "There were no attempts" }];
  const times = workers.flatMap(({ readyTimes }) => readyTimes).map(({ from, to }) => ({ from, to: to ?? Date.now() }));
  return attempts.flatMap(({ id, kind, created_at, finished_at }): Mistake[] => {
    const open = { from: created_at.getTime(), to: finished_at?.getTime() ?? Date.now() };
    const worked = overlapMs(open, times) / 1000;
    if (worked <= seconds) return [];
    const whole = (open.to - open.from) / 1000;
    const what = `The outcome of the ${kind} ${id} was unknown for ${whole.toFixed(1)} s, and a worker was running for ${worked.toFixed(1)} s of that time`;
    return [{ kind: "stuck", what }];
  });
}

interface Time {
  from: number;
  to: number;
}

/** How much of a period other periods cover. */
function overlapMs(time: Time, others: readonly Time[]): number {
  let covered = 0;
  let reached = time.from;
  for (const { from, to } of others.toSorted((a, b) => a.from - b.from)) {
    const [begin, end] = [Math.max(from, reached), Math.min(to, time.to)];
    if (end <= begin) continue;
    covered += end - begin;
    reached = end;
  }
  return covered;
}

/** How long the slowest outcome was unknown, in seconds. */
export async function longestUnknown(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select max(extract(epoch from coalesce(finished_at, now()) - created_at))::float8 as seconds from attempt`.execute(
    db,
  );
  return rows[0]?.seconds ?? 0;
}

/** Returns a sentence for everything that isn't final yet. */
export async function findUnfinished(db: Db): Promise<string[]> {
  const attempts = await db
    .selectFrom("attempt")
    .select(["id", "kind", "calls"])
    .where("status", "=", "processing")
    .execute();
  const keys = await db.selectFrom("idempotency_key").select("key").where("response_status", "is", null).execute();
  const authentications = await db
    .selectFrom("authentication")
    .select(["id", "status"])
    .where("status", "!=", "complete")
    .execute();
  const deliveries = await db
    .selectFrom("delivery")
    .select(["id", "tries"])
    .where("status", "!=", "succeeded")
    .execute();
  const notifications = await db
    .selectFrom("acquirer_notification")
    .select(["id", "tries"])
    .where("status", "=", "received")
    .execute();
  const charges = await db
    .selectFrom("charge")
    .select("id")
    .where(({ eb, or }) =>
      or([eb("status", "=", "processing"), eb("busy_attempt_id", "is not", null), eb("amount_refunding", "!=", 0)]),
    )
    .execute();
  return [
    ...attempts.map(({ id, kind, calls }) => `the attempt ${id} to ${kind}, requested ${calls} times`),
    ...keys.map(({ key }) => `the idempotency key ${key}`),
    ...authentications.map(({ id, status }) => `the authentication ${id}, ${status}`),
    ...deliveries.map(({ id, tries }) => `the delivery ${id}, attempted ${tries} times`),
    ...notifications.map(({ id, tries }) => `the notification ${id}, tried ${tries} times`),
    ...charges.map(({ id }) => `the charge ${id}`),
  ];
}
