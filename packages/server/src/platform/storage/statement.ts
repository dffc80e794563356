/**
 * A statement written as SQL text. The text is constant, so PostgreSQL prepares it once per connection. A step of a
 * payment that changes several tables is a function instead (`stored-function.ts`).
 *
 * Its parts change rows one after another: each part selects from the one before, so it does nothing if that one found no
 * row. All parts see the database as it was before the statement. So no part may read rows that another one has changed,
 * except through its `returning`.
 *
 * A part finds its row by the primary key alone, `id = :id` or `id = (select …)`, locks it, and checks its state afterwards.
 * With a join, or with a condition that another index fits, PostgreSQL could choose another index while the table is
 * small, and keep that plan when the table has grown.
 *
 * If the row is changed while the part waits for it, an update first builds its new values from the earlier row, and
 * checks their constraints. So they must satisfy the constraints on that row, too.
 *
 * @example
 * const rename = statement<{ id: string }>("update thing set name = :name where id = :id::text returning id");
 * const rows = await rename(db, { name: "cup", id: "1" });
 */
import { CompiledQuery } from "kysely";
import type { Db } from "./database.ts";

/**
 * @param text SQL with named parameters. Cast a parameter if PostgreSQL can't tell its type: `:amount::bigint`. Editors
 *   highlight a string after a comment that says `sql`.
 */
export function statement<Row>(text: string): (db: Db, values: Readonly<Record<string, unknown>>) => Promise<Row[]> {
  const names: string[] = [];
  const numbered = text.replace(/(?<!:):([a-z_]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return async (db, values) => {
    const parameters = names.map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`Bug: the statement has no value for :${name}`);
      return value;
    });
    const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(numbered, parameters));
    return rows;
  };
}
