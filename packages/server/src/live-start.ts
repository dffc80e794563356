/**
 * What must be true of the outside world before a live process starts; what the environment tells has been checked in
 * `platform/config.ts`. Makes nothing: in live mode key files are brought, and a service that does not find them must
 * not go on with fresh ones.
 */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { readDatabaseRole } from "@oriel/vault";
import { keyFiles, type Config } from "./platform/config.ts";
import { OperatorError } from "./platform/operator-error.ts";
import { openDatabase, type Database } from "./platform/storage/database.ts";

/** Before anything of the service is open. @throws OperatorError */
export async function checkLiveStart({
  live,
  keyDir,
  database,
}: Pick<Config, "live" | "keyDir" | "database">): Promise<void> {
  if (!live) return;
  const { vault, server } = keyFiles(keyDir); // the loader's key is looked for where it is needed
  for (const path of [vault, server]) {
    if (!existsSync(path)) {
      throw new OperatorError(
        `ORIEL_LIVE=1 needs ${basename(path)} in ORIEL_KEY_DIR (${keyDir}), and makes none. Bring it, or make new ones with \`oriel key-files create\`.`,
      );
    }
  }
  const opened = await openDatabase(database);
  try {
    await checkLiveRoles(opened);
  } finally {
    await opened.close();
  }
}

/**
 * Two roles, each of which reaches its own half. A superuser may read every table, the vault's too, and the server's
 * files; one who may become one is as good as that.
 *
 * @throws OperatorError
 */
export async function checkLiveRoles({ pool, vaultPool }: Pick<Database, "pool" | "vaultPool">): Promise<void> {
  const service = await readDatabaseRole(pool);
  const vault = await readDatabaseRole(vaultPool);
  for (const [{ role, isSuperuser }, variable] of [
    [service, "DATABASE_URL"],
    [vault, "VAULT_DATABASE_URL"],
  ] as const) {
    if (!isSuperuser) continue;
    throw new OperatorError(
      `ORIEL_LIVE=1 does not run as a superuser of PostgreSQL, and ${role} in ${variable} is one. docs/deploy.md has the roles it needs.`,
    );
  }
  if (service.reachesVault) {
    throw new OperatorError(
      `${service.role} in DATABASE_URL may look into the schema \`vault\`. Revoke that: cards are the vault's role's alone.`,
    );
  }
  if (!vault.reachesVault || vault.reachesService) {
    throw new OperatorError(
      `${vault.role} in VAULT_DATABASE_URL must reach the schema \`vault\` and nothing else. docs/deploy.md has the grants.`,
    );
  }
}
