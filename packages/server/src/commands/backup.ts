/** Commands that back up the database and the key files, check a backup, and restore one. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command, CommandInput } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { readDatabaseChoice, readKeyDir } from "../platform/config.ts";
import type { Manifest } from "./backup/backup-files.ts";
import { createBackup, restoreBackup, verifyBackup } from "./backup/backup.ts";
import { withAnyDatabase, withDatabase } from "./with-database.ts";

/** Progress is shown this often, and not at all if the work is faster. */
const progressMs = 2_000;

export const backupCommands: Command[] = [
  {
    name: "backup verify",
    takes: ["DIRECTORY"],
    options: { "keys-from": { value: "DIRECTORY" } },
    summary: "Check that a backup is complete and unchanged",
    details: `Reads only the files of the backup and needs no database. Without --keys-from, the command only finds accidental damage,
because whoever changes the database file on purpose can change the hashes too.

Options
  --keys-from  also check the key files in this directory, and with them that nobody has changed the backup`,
    run: async ({ args: [directory = ""], option, now, print, log }) => {
      const keysFrom = option("keys-from") ?? null;
      const manifest = await verifyBackup(directory, keysFrom, progress(now, log));
      const verdict =
        keysFrom === null ? "complete. To check that nobody has changed it, add --keys-from" : "complete and unchanged";
      print(`${describe(manifest)} is ${verdict}.`);
    },
  },
  {
    name: "backup",
    takes: ["DIRECTORY"],
    options: { "keys-to": { value: "DIRECTORY", required: true } },
    summary: "Back up the database and the key files while the service runs",
    details: `Writes the database to DIRECTORY and the key files to the directory in --keys-to, then reads both again to check
them. Neither directory may exist yet. Store them in different places, because anyone who has both can read cards.

The backup is one snapshot of the database. It never contains CVCs. With the embedded database, stop the service first.`,
    run: async ({ args: [directory = ""], option, env, now, print, log }) => {
      const keysTo = option("keys-to");
      if (keysTo === undefined)
        throw new OperatorError(
          "--keys-to is missing. Set it to a directory for the key files, which you store in another place than the database.",
        );
      refuseMissingDatabase(env);
      const manifest = await withDatabase(env, (database) =>
        createBackup(
          database,
          { directory, keysTo },
          { keyDir: readKeyDir(env), now, onProgress: progress(now, log), warn: log },
        ),
      );
      print(`${describe(manifest)} is complete.

database   ${resolve(directory)}
key files  ${resolve(keysTo)}

Move the key files to another place than the database: anyone who has both can read cards.`);
      if (env["ORIEL_EMBED_SIGNING_KEY_FILE"])
        log(`The backup doesn't contain ${env["ORIEL_EMBED_SIGNING_KEY_FILE"]}. Back it up separately.`);
    },
  },
];

export const restoreCommand: Command = {
  name: "restore",
  takes: ["DIRECTORY"],
  options: { "keys-from": { value: "DIRECTORY" } },
  summary: "Restore a backup into an empty database",
  details: `Checks the backup, restores the database in DIRECTORY in one transaction, and checks the result: the number of rows in
each table, that the key files belong to the database, that the key of every stored record is there, and the audit log.
DATABASE_URL must be an empty database, and its user must own the tables. If a check fails, the database stays empty.

Options
  --keys-from  copy the key files from this directory to ORIEL_KEY_DIR. Without this option, they must already be there`,
  run: async ({ args: [directory = ""], option, env, now, print, log }) => {
    const from = { directory, keysFrom: option("keys-from") ?? null };
    const manifest = await withAnyDatabase(env, (database) =>
      restoreBackup(database, from, { keyDir: readKeyDir(env), now, onProgress: progress(now, log) }),
    );
    print(`${describe(manifest)} is restored.

If the service has roles of its own, grant them access. Then run \`oriel-server doctor\` with the service's settings, and
start the service. A worker looks up the outcome of unfinished payments at the acquirer.
Charges made after the backup exist only in the acquirer's records.`);
  },
};

/** Opening the embedded database would create it. */
function refuseMissingDatabase(env: NodeJS.ProcessEnv): void {
  const choice = readDatabaseChoice(env);
  if (choice.kind !== "pglite" || existsSync(choice.directory ?? "")) return;
  throw new OperatorError(
    `There is no database in ${choice.directory ?? "memory"}. Set DATABASE_URL to the service's database, or ORIEL_DATA_DIR to its data directory.`,
  );
}

function describe({ createdAt, version, database, rows }: Manifest): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `The backup from ${createdAt} (Oriel ${version}, ${database}, ${total} rows)`;
}

function progress(now: () => Date, log: CommandInput["log"]): (what: string, rows: number) => void {
  let loggedAt = now().getTime();
  return (what, rows) => {
    if (now().getTime() - loggedAt < progressMs) return;
    loggedAt = now().getTime();
    log(`${what}: ${rows} rows`);
  };
}
