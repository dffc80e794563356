/**
 * The comparison after the run, of four things that could each be wrong by themselves: what clients were told (the ledger), what the bank's books
 * say, what our database says, and what the webhook receiver got. Every mistake is a sentence that names the object.
 */
import { sql } from "kysely";
import type { Db } from "../../packages/server/src/storage/database.ts";
import type { Books } from "./bank.ts";
import { checkAnswers } from "./check-answers.ts";
import { checkAttempts, checkSales } from "./check-books.ts";
import { checkEvents } from "./check-events.ts";
import type { Ledger } from "./ledger.ts";
import type { Receiver } from "./receiver.ts";
import type { Ask } from "./send.ts";

export type Mistake = { kind: "twice" | "lost" | "stuck" | "event" | "answer"; what: string };

export interface Evidence {
  ledger: Ledger;
  asks: readonly Ask[];
  books: Books;
  db: Db;
  receiver: Pick<Receiver, "events" | "wrong">;
  /** What was not final in time, as sentences. */
  unfinished: readonly string[];
  /** For how long an outcome may have been unknown. Null where the bank kept silent at times, so that nothing is promised. */
  mustBeKnownInSeconds: number | null;
}

export interface Verdict {
  asked: number;
  once: number;
  counts: Record<Mistake["kind"], number>;
  mistakes: Mistake[];
}

export async function check({ ledger, asks, books, db, receiver, unfinished, mustBeKnownInSeconds }: Evidence): Promise<Verdict> {
  const sales = checkSales(ledger.sales, books);
  const mistakes: Mistake[] = [
    ...sales.mistakes,
    ...unfinished.map((what) => ({ kind: "stuck" as const, what })),
    ...(mustBeKnownInSeconds === null ? [] : await checkPromise(db, mustBeKnownInSeconds)),
    ...(await checkAttempts(db, books)),
    ...(await checkAnswers(db, asks)),
    ...ledger.unexpected.map((what) => ({ kind: "answer" as const, what })),
    ...(await checkEvents(db, receiver)),
  ];
  const count = (kind: Mistake["kind"]) => mistakes.filter((mistake) => mistake.kind === kind).length;
  return {
    asked: ledger.sales.length,
    once: sales.once,
    counts: {
      twice: count("twice"),
      lost: count("lost"),
      stuck: count("stuck"),
      event: count("event"),
      answer: count("answer"),
    },
    mistakes,
  };
}

/** Each outcome was known in time, measured from when the attempt was written down. */
async function checkPromise(db: Db, seconds: number): Promise<Mistake[]> {
  const open = await longestOpen(db, 1_000_000);
  if (open.length === 0) return [{ kind: "stuck", what: "There was no attempt at all" }];
  return open
    .filter((attempt) => attempt.seconds > seconds)
    .map((attempt) => ({
      kind: "stuck",
      what: `The outcome of the ${attempt.kind} ${attempt.id} was unknown for ${attempt.seconds} s`,
    }));
}

/** The attempts whose outcome was unknown for longest. */
export async function longestOpen(db: Db, limit: number): Promise<{ id: string; kind: string; seconds: number }[]> {
  const { rows } = await sql<{ id: string; kind: string; seconds: number }>`
    select id, kind, round(extract(epoch from coalesce(finished_at, now()) - created_at))::integer as seconds
      from attempt order by seconds desc limit ${limit}`.execute(db);
  return rows;
}

/** What is not final yet. */
export async function findUnfinished(db: Db): Promise<string[]> {
  const attempts = await db
    .selectFrom("attempt")
    .select(["id", "kind", "times_asked"])
    .where("status", "=", "processing")
    .execute();
  const keys = await db.selectFrom("idempotency_key").select("key").where("response_status", "is", null).execute();
  const authentications = await db
    .selectFrom("authentication")
    .select(["id", "status"])
    .where("status", "!=", "complete")
    .execute();
  const deliveries = await db.selectFrom("delivery").select(["id", "tries"]).where("status", "!=", "succeeded").execute();
  const charges = await db
    .selectFrom("charge")
    .select("id")
    .where(({ eb, or }) =>
      or([eb("status", "=", "processing"), eb("busy_attempt_id", "is not", null), eb("amount_refunding", "!=", 0)]),
    )
    .execute();
  return [
    ...attempts.map(({ id, kind, times_asked }) => `the attempt ${id} to ${kind}, asked ${times_asked} times`),
    ...keys.map(({ key }) => `the idempotency key ${key}`),
    ...authentications.map(({ id, status }) => `the authentication ${id}, ${status}`),
    ...deliveries.map(({ id, tries }) => `the delivery ${id}, tried ${tries} times`),
    ...charges.map(({ id }) => `the charge ${id}`),
  ];
}
