/**
 * Fills the tables with payments. One is made over the API, and PostgreSQL copies its rows with new IDs and timestamps.
 * Foreign key checks are off while it copies. The copies reference each other as the originals do.
 */
import pg from "pg";
import type { Send } from "../api/scenarios.ts";

/** IDs of the rows to copy. */
export interface Original {
  session: string;
  decision: string;
  charge: string;
  refund: string;
}

/** Columns that each copy has its own values for, as SQL. `g` is the copy's number, from 1. */
export type Own = Record<string, string>;

interface Copied {
  table: string;
  /** Selects the row: SQL over the table, with `$1` for the ID. */
  where: string;
  of: keyof Original;
  own: Own;
  /** 1: every payment has this row. 5: every fifth payment. */
  every: number;
}

/**
 * The start of the IDs of all copies: the original's timestamp and owner. Time filters become ID ranges, and all copies
 * have the same timestamp in their IDs.
 */
const leadOf = ({ charge }: Pick<Original, "charge">) => charge.slice(3, 23);
const lead = "{lead}";
/** The SQL of a copy's ID, once {@link withIds} has put in the start of the IDs. */
export const id = (prefix: string, number = "g") => `'${prefix}_${lead}' || lpad((${number})::text, 13, '0')`;

export function withIds(statement: string, original: Pick<Original, "charge">): string {
  return statement.replaceAll(lead, leadOf(original));
}

/** Timestamps a tenth of a second apart, the newest a minute ago. */
export const moment = "now() - interval '1 minute' - (count - g) * interval '100 milliseconds'";

const copied: readonly Copied[] = [
  {
    table: "checkout_session",
    where: "id = $1",
    of: "session",
    own: {
      id: id("cs"),
      created_at: moment,
      payment_decision_id: id("dec"),
      status: "'complete'",
      payment_status: "'paid'",
    },
    every: 1,
  },
  {
    table: "decision",
    where: "id = $1",
    of: "decision",
    own: { id: id("dec"), created_at: moment, session_id: id("cs"), charge_id: id("ch") },
    every: 1,
  },
  {
    table: "charge",
    where: "id = $1",
    of: "charge",
    own: { id: id("ch"), created_at: moment, session_id: id("cs"), decision_id: id("dec") },
    every: 1,
  },
  {
    table: "attempt",
    where: "charge_id = $1 and kind = 'authorize'",
    of: "charge",
    own: { id: id("att"), created_at: moment, decision_id: id("dec"), charge_id: id("ch") },
    every: 1,
  },
  { table: "event_sequence", where: "object_id = $1", of: "charge", own: { object_id: id("ch") }, every: 1 },
  {
    table: "event",
    where: "object_id = $1",
    of: "charge",
    own: { id: id("evt"), created_at: moment, object_id: id("ch") },
    every: 1,
  },
  {
    table: "feed_entry",
    where: "event_id = (select id from event where object_id = $1)",
    of: "charge",
    own: { number: "10 + g", event_id: id("evt") },
    every: 1,
  },
  {
    table: "delivery",
    where: "event_id = (select id from event where object_id = $1)",
    of: "charge",
    own: { id: id("del"), created_at: moment, event_id: id("evt"), status: "'succeeded'" },
    every: 1,
  },
  {
    table: "refund",
    where: "id = $1",
    of: "refund",
    own: { id: id("re"), created_at: moment, charge_id: id("ch") },
    every: 5,
  },
  {
    table: "idempotency_key",
    where: "attempt_id = (select id from attempt where charge_id = $1 and kind = 'authorize')",
    of: "charge",
    own: { key: "'key ' || g", attempt_id: id("att") },
    every: 5,
  },
];

/** ID of the copy with that number. */
export function copyOf(original: Pick<Original, "charge">, prefix: string, g: number): string {
  return `${prefix}_${leadOf(original)}${String(g).padStart(13, "0")}`;
}

/** Makes one payment of €49.00 with a refund of €0.01, and its events for an endpoint that is disabled afterwards. */
export async function makeOriginal(send: Send): Promise<Original & { endpoint: string }> {
  const money = { amount: 4900, currency: "eur" };
  const payment = { payment_method_id: "pm_card_visa", ...money };
  const endpoint = await send("POST", "/webhook_endpoints", { url: "http://127.0.0.1:9999/" });
  const { session } = await send("POST", "/checkout_sessions", { ...money, allowed_origins: ["https://shop.example"] });
  const decision = await send("POST", "/decisions", payment);
  const charge = await send("POST", "/charges", { ...payment, decision_id: decision.id });
  const refund = await send("POST", "/refunds", { charge_id: charge.id, amount: 1 });
  await send("PATCH", `/webhook_endpoints/${endpoint.id}`, { status: "disabled" });
  await send("GET", "/events?after=now"); // numbers the event feed
  return {
    session: session?.id ?? "",
    decision: decision.id,
    charge: charge.id,
    refund: refund.id,
    endpoint: endpoint.id,
  };
}

const atOnce = 250_000;

/**
 * @param databaseUrl - The user must be allowed to turn foreign key checks off.
 * @param onProgress - Called with the number of payments copied so far.
 * @param variety - More columns, by table, in which each copy has its own value.
 */
export async function fill(
  databaseUrl: string,
  original: Original,
  count: number,
  onProgress: (done: number) => void,
  variety: Readonly<Record<string, Own>> = {},
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl }); // without the service's timeouts
  await client.connect();
  await client.query("set session_replication_role = replica; set synchronous_commit = off");
  const statements = new Map<Copied, string>();
  for (const one of copied) {
    const own = { ...one.own, ...variety[one.table] };
    statements.set(one, withIds(await copyStatement(client, { ...one, own }), original));
  }
  for (let from = 1; from <= count; from += atOnce) {
    const to = Math.min(count, from + atOnce - 1);
    for (const [{ table, of, every }, statement] of statements) {
      const { rowCount } = await client.query(statement, [original[of], from, to, count]);
      const expected = Math.floor(to / every) - Math.floor((from - 1) / every);
      if (rowCount !== expected) throw new Error(`Made ${rowCount} instead of ${expected} copies in ${table}`);
    }
    onProgress(to);
  }
  await client.query("update feed_counter set last = (select max(number) from feed_entry)"); // there's one account
  await client.query("vacuum analyze");
  await client.query("checkpoint"); // flush pending writes now, so that they don't happen during the measurement
  await client.end();
}

/** Every column of the original except those with new values and those that PostgreSQL generates. */
async function copyStatement(client: pg.Client, { table, where, own, every }: Copied): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1 and is_identity = 'NO'",
    [table],
  );
  const columns = rows.map(({ name }) => `"${name}"`).join(", ");
  const values = rows.map(({ name }) => own[name] ?? `original."${name}"`).join(", ");
  return `insert into ${table} (${columns}) select ${values}
    from (select * from ${table} where ${where}) original,
      (select g, $4::integer as count from generate_series($2::integer, $3::integer) g where g % ${every} = 0) numbers`;
}
