/**
 * Functions in the database, for steps of a payment that must finish in one round trip and one commit. The text of each
 * is next to the code that calls it, `stored-functions.ts` lists them, and `migrate` creates them.
 *
 * A function consists of plain statements, each about one table's rows of one account. So in a Citus cluster, the whole
 * function runs on the worker that has the account's rows. `every-statement.test.ts` refuses other statements.
 *
 * - Its name in the database ends with a digest of its text. So each release calls its own functions, and processes of
 *   several releases can run at the same time. `migrate` never changes or drops one.
 * - Each statement sees what was committed before it. Lock a row first, which you find by the primary key alone, and check
 *   its state afterwards. With a condition that another index fits, PostgreSQL could choose that index while the table is
 *   small, and keep the plan when the table has grown.
 * - Lock rows in the same order as other functions and transactions do. Foreign keys and triggers lock rows after each
 *   statement.
 *
 * @example
 * const rename = storedFunction<{ before: string }>("rename", {
 *   takes: { account_no: "bigint", id: "text", name: "text" },
 *   returns: "before text",
 *   declares: "found text;",
 *   steps: `
 *     select name into found from thing where account_no = :account_no and id = :id for no key update;
 *     if not found then return; end if;
 *     update thing set name = :name where account_no = :account_no and id = :id;
 *     return query select found;`,
 * });
 * const [renamed] = await rename(db, { account_no: 1, id: "1", name: "cup" });
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "./database.ts";
import { statement } from "./statement.ts";

export interface Definition {
  /** The arguments with their types. The first one is `account_no`. */
  takes: Readonly<Record<string, string>>;
  /** The columns of the rows that it returns, with their types. If absent, it returns nothing. */
  returns?: string;
  /** Declarations of its variables. If a column has the same name, the name means the column. */
  declares?: string;
  /** PL/pgSQL with the arguments as `:name`. Editors highlight a string after a comment that says `sql`. */
  steps: string;
}

/** Calls the function, in a prepared {@link statement}. */
export interface StoredFunction<Row = unknown> {
  (db: Db, values: Readonly<Record<string, unknown>>): Promise<Row[]>;
  definition: Definition;
  /** Its name in the database. */
  storedName: string;
  /** A call for a {@link statement} that does more, with the arguments as `:name`. It doesn't run on the worker then. */
  callText: string;
  /** The statement that creates it. */
  create: string;
}

/** @param name without the digest; at most 50 characters */
export function storedFunction<Row>(name: string, definition: Definition): StoredFunction<Row> {
  const { takes, declares = "", steps } = definition;
  const returns = definition.returns === undefined ? "void" : `table (${definition.returns})`;
  const names = Object.keys(takes);
  const numbered = steps.replace(/(?<!:):([a-z_]+)/g, (_, argument: string) => {
    if (!names.includes(argument)) throw new Error(`Bug: ${name} takes no ${argument}`);
    return `$${names.indexOf(argument) + 1}`;
  });
  const createAs = (storedName: string) => /* sql */ `
    create function ${storedName}(${Object.values(takes).join(", ")}) returns ${returns}
    language plpgsql set search_path = public, pg_temp as $function$
    #variable_conflict use_column
    declare
      ${declares}
    begin
      ${numbered}
    end
    $function$`;
  const digest = createHash("sha256").update(createAs(name)).digest("hex");
  const storedName = `${name}_${digest.slice(0, 8)}`;
  const callText = `${storedName}(${names.map((argument) => `:${argument}`).join(", ")})`;
  return Object.assign(statement<Row>(`select * from ${callText}`), {
    definition,
    storedName,
    callText,
    create: createAs(storedName),
  });
}

/** @returns those that don't exist yet */
export async function missingFunctions(db: Db, functions: readonly StoredFunction[]): Promise<StoredFunction[]> {
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and proname = any(${functions.map((one) => one.storedName)})`.execute(
    db,
  );
  return functions.filter(({ storedName }) => !rows.some(({ name }) => name === storedName));
}
