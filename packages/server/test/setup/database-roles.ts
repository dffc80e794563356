/** Creates the two roles described in docs/deploy.md, with what the statements in `deploy/postgres` grant them. */
import { readFileSync } from "node:fs";
import pg from "pg";
import type { Closers } from "../../../../scripts/test/closers-for.ts";
import type { DatabaseChoice } from "../../src/platform/storage/database.ts";

/**
 * @param ownerUrl of a database that already has its tables
 * @param vaultOwnerUrl of the database with the vault's tables, if it's another one
 */
export async function databaseRoles(
  ownerUrl: string,
  closers: Closers,
  vaultOwnerUrl = ownerUrl,
): Promise<DatabaseChoice> {
  return {
    kind: "postgres",
    url: await createRole(ownerUrl, "oriel_service", "grants.sql", closers),
    vaultUrl: await createRole(vaultOwnerUrl, "oriel_vault", "vault-grants.sql", closers),
  };
}

/** @returns the database's URL with that role */
async function createRole(ownerUrl: string, name: string, file: string, closers: Closers): Promise<string> {
  const url = new URL(ownerUrl);
  // Roles belong to the server, not to a database, so another test may be creating its own.
  url.username = `${name}${url.pathname.slice("/oriel".length)}`;
  const grants = readFileSync(new URL(`../../../../deploy/postgres/${file}`, import.meta.url), "utf8");
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(
    `create role ${name} login password 'change me' nosuperuser nocreatedb nocreaterole;
    ${grants}`.replaceAll(name, url.username),
  );
  closers.push(async () => {
    await owner.query(`drop owned by ${url.username}; drop role ${url.username}`);
    await owner.end();
  });
  return url.href;
}
