/**
 * Checks the key files and database roles before a live process starts. `platform/config.ts` has already checked the
 * environment. It never creates key files, because a live service that can't find its keys must not continue with new
 * ones.
 */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { OperatorError } from "@oriel/commands/operator-error";
import { readDatabaseRole } from "@oriel/vault";
import { keyFiles, type Config } from "./config.ts";
import { openDatabase, type Database } from "./storage/database.ts";

/** Must be called before any part of the service is opened. @throws OperatorError */
export async function checkLiveStart({
  live,
  keyDir,
  database,
}: Pick<Config, "live" | "keyDir" | "database">): Promise<void> {
  if (!live) return;
  const { vault, server } = keyFiles(keyDir); // `signing-key.ts` checks the loader's key
  for (const path of [vault, server]) {
    if (!existsSync(path)) {
      throw new OperatorError(
        `ORIEL_LIVE=1 needs ${basename(path)} in ORIEL_KEY_DIR (${keyDir}), but the file doesn't exist. Restore it, or create new key files with \`oriel-server key-files create\`.`,
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
 * Checks that there are two database roles, each with access to its own schema only. Neither may be a superuser, or able
 * to become one, because superusers can read every table and the server's files.
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
      `${role} in ${variable} is a PostgreSQL superuser, which ORIEL_LIVE=1 doesn't allow. See docs/deploy.md for the roles to create.`,
    );
  }
  if (service.reachesVault) {
    throw new OperatorError(
      `${service.role} in DATABASE_URL has access to the schema \`vault\`. Revoke this access: only the vault's role may read cards.`,
    );
  }
  if (!vault.reachesVault || vault.reachesService) {
    throw new OperatorError(
      `${vault.role} in VAULT_DATABASE_URL must have access to the schema \`vault\` but not to the service's tables. See docs/deploy.md for the grants.`,
    );
  }
}
