/**
 * How PostgreSQL's values become JavaScript's, the same for a server and for PGlite: what `pg` does by default, but
 * `bigint` as a number, since every one we keep is an amount below 10^12 or a count.
 */
import pg from "pg";

const int8 = 20;

export function valueParser(oid: number): (text: string) => unknown {
  if (oid === int8) return readSafeInteger;
  // oxlint-disable-next-line no-unsafe-enum-assignment -- the enum lists only the types that come with PostgreSQL
  return pg.types.getTypeParser(oid, "text") as (text: string) => unknown; // the types of `pg` declare the parser as `any`
}

function readSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError("Bug: a bigint column holds a number that JavaScript cannot");
  return value;
}
