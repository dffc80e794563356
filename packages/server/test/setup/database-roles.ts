/** Creates the two roles described in docs/deploy.md, with what the statements in `deploy/postgres` grant them. */
import { readFileSync } from "node:fs";
import pg from "pg";
import type { DatabaseChoice } from "../../src/platform/storage/database.ts";

/** @param ownerUrl of a database that already has its tables */
export async function databaseRoles(ownerUrl: string, closers: (() => Promise<unknown>)[]): Promise<DatabaseChoice> {
  const suffix = new URL(ownerUrl).pathname.slice("/oriel_".length);
  const names = { oriel_service: `oriel_service_${suffix}`, oriel_vault: `oriel_vault_${suffix}` };
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  // Roles belong to the server, not to a database, so another test may be creating its own.
  const grants = readFileSync(new URL("../../../../deploy/postgres/grants.sql", import.meta.url), "utf8");
  const logins = Object.keys(names).map(
    (role) => `create role ${role} login password 'change me' nosuperuser nocreatedb nocreaterole;\n`,
  );
  const statements = (logins.join("") + grants)
    .replaceAll("oriel_service", names.oriel_service)
    .replaceAll("oriel_vault", names.oriel_vault);
  await owner.query(statements);
  closers.push(async () => {
    const both = Object.values(names).join(", ");
    await owner.query(`drop owned by ${both}; drop role ${both}`);
    await owner.end();
  });
  const urlOf = (role: string) => {
    const url = new URL(ownerUrl);
    url.username = role;
    return url.href;
  };
  return { kind: "postgres", url: urlOf(names.oriel_service), vaultUrl: urlOf(names.oriel_vault) };
}
