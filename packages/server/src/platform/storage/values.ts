/**
 * Converts PostgreSQL values to JavaScript, the same for a server and for PGlite. Uses the defaults of `pg`, except
 * that `bigint` becomes a number, because all of ours are amounts below 10^12, counts, or account numbers below 2^50.
 */
import pg from "pg";

const int8 = 20;

export function valueParser(oid: number): (text: string) => unknown {
  if (oid === int8) return readSafeInteger;
  // oxlint-disable-next-line no-unsafe-enum-assignment -- the enum lists only the types that come with PostgreSQL
  return pg.types.getTypeParser(oid, "text") as (text: string) => unknown; // `pg` declares the parser as `any`
}

function readSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError("Bug: a bigint column contains a number that JavaScript can't represent");
  return value;
}
