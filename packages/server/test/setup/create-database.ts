import { randomBytes } from "node:crypto";
import pg from "pg";

/**
 * Creates a database on a server, as a copy of another one, by default an empty one.
 *
 * Copying files takes a third less time than PostgreSQL's default, which writes each page to the log.
 */
export async function createDatabase(server: string, template = "template1") {
  const name = `oriel_${randomBytes(8).toString("hex")}`;
  await onServer(server, `create database ${name} template ${template} strategy file_copy`);
  return { name, url: urlOf(server, name), drop: () => onServer(server, `drop database ${name} with (force)`) };
}

/** The URL of another database on the same server. */
export function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
