/**
 * Backs up an installation and restores it: the database, from one snapshot while the service runs, and the key files,
 * in a directory of their own. Both steps check their result.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join, resolve, sep } from "node:path";
import { CompiledQuery, sql } from "kysely";
import { OperatorError } from "@oriel/commands/operator-error";
import { version } from "@oriel/commands/version";
import { checkStoredKeys, createKeyFile, readKeyring } from "@oriel/vault";
import { openSigningKeyFile } from "../../http/embed/signing-key.ts";
import { verifyChain } from "../../merchants/audit/verify-chain.ts";
import { keyFiles } from "../../platform/config.ts";
import { checkServerKeys, openServerKeys } from "../../platform/server-keys.ts";
import { asRefusal } from "../../platform/storage/database-loss.ts";
import { openWithoutTimeLimits, type Database, type Db, type Tx } from "../../platform/storage/database.ts";
import { migrate, migrationNames } from "../../platform/storage/migrate.ts";
import { storedFunctions } from "../../stored-functions.ts";
import { describeDatabase } from "../describe-database.ts";
import {
  databaseFile,
  draftDirectory,
  hashOf,
  isAuthentic,
  readBackedUpKey,
  readDatabaseFile,
  readManifest,
  writeLines,
  writeManifest,
  writePrivateFile,
  type Manifest,
} from "./backup-files.ts";
import {
  countRows,
  readTable,
  tablesInUse,
  tablesToCopy,
  withoutTimeLimits,
  writeTables,
  type RowCounts,
  type Transactions,
} from "./table-copy.ts";

/** What a command passes on: where the key files are, and where messages go. */
interface Dependencies {
  keyDir: string;
  now: () => Date;
  /** Called often. */
  onProgress: (what: string, rows: number) => void;
}

/**
 * Writes a backup to two new directories and reads it back.
 *
 * @throws OperatorError or KeyFileError; then neither directory exists
 */
export async function createBackup(
  database: Database,
  { directory, keysTo }: { directory: string; keysTo: string },
  { keyDir, now, onProgress, warn }: Dependencies & { warn: (warning: string) => void },
): Promise<Manifest> {
  refuseSharedPlace(directory, keysTo);
  if (database.engine === "citus")
    throw new OperatorError(
      // On each node, a transaction has a snapshot of its own.
      "DATABASE_URL leads to a Citus cluster, whose nodes can't be copied at one point in time. Back up each node with PostgreSQL's own tools.",
    );
  const keys = readKeyFiles(keyDir);
  const serverKeys = openServerKeys(keyFiles(keyDir).server);
  await checkServerKeys(database.db, serverKeys, keyFiles(keyDir).server);
  const keyHashes = Object.fromEntries(keys.map(({ name, content }) => [name, hashOf(content)]));

  const drafts = [draftDirectory(keysTo, warn)];
  try {
    const keyDraft = drafts[0]?.path ?? "";
    const draft = draftDirectory(directory, warn);
    drafts.push(draft);

    const createdAt = now().toISOString();
    const path = join(draft.path, databaseFile);
    const rows: RowCounts = {};
    const databaseHash = await inSnapshot(database, async (txs) => {
      await checkStoredKeys(asVaultDatabase(txs.vault), readKeyring(keyFiles(keyDir).vault));
      return await writeLines(path, readDatabase(txs, rows, onProgress));
    });
    if (readKeyFiles(keyDir).some(({ name, content }) => hashOf(content) !== keyHashes[name]))
      throw new OperatorError(
        "A key file changed during the backup, probably because the keys are being rotated. Run the backup again when `oriel-server vault rotate` has finished.",
      );
    const facts = { createdAt, database: await describeDatabase(database), schema: migrationNames, rows };
    const manifest = { version, ...facts, databaseHash, keyHashes };
    writeManifest(draft.path, manifest, serverKeys);
    await verifyBackup(draft.path, null, onProgress);
    // Copied last, so that a command that's killed while it reads the database leaves no copy of a key.
    for (const { name, content } of keys) writePrivateFile(join(keyDraft, name), content);
    writeManifest(keyDraft, manifest, serverKeys);
    requireKeyFiles(readManifest(draft.path), draft.path, keyDraft);
    // The database first: if the command is killed here, the key files are still a draft, which a later backup removes.
    for (const { finish } of drafts.toReversed()) finish();
    return readManifest(directory);
  } catch (error) {
    for (const { remove } of drafts) remove();
    throw asRefusal(error, database, "Set VAULT_DATABASE_URL too, or use the role that owns the tables.");
  }
}

/**
 * Checks that the files of a backup are complete. With its key files, also checks that nobody has changed anything:
 * someone who changes a row can compute the hashes in the manifest again, but not its signature. Needs no database.
 *
 * @param keysFrom the backup's key files, or null to find only accidental damage of the database
 * @throws OperatorError
 */
export async function verifyBackup(
  directory: string,
  keysFrom: string | null,
  onProgress: Dependencies["onProgress"],
): Promise<Manifest> {
  const manifest = readManifest(directory);
  if (keysFrom !== null) requireKeyFiles(manifest, directory, keysFrom);
  const rows: RowCounts = {};
  let table = "";
  for await (const line of readDatabaseFile(directory, manifest)) {
    if (line.startsWith("table ")) rows[(table = line.slice("table ".length))] = 0;
    else onProgress(`Checking ${table}`, (rows[table] = (rows[table] ?? 0) + 1));
  }
  requireSameRows(rows, manifest.rows, `the backup in ${directory}`);
  return manifest;
}

/**
 * Restores a backup into an empty database and installs its key files. Everything that can be checked before is
 * checked first. If a later check fails, the database stays empty and no key file is installed.
 *
 * @param keysFrom the backup's key files. If null, the key files that are already in the key directory are used.
 * @throws OperatorError or KeyFileError
 */
export async function restoreBackup(
  database: Database,
  { directory, keysFrom }: { directory: string; keysFrom: string | null },
  { keyDir, onProgress }: Dependencies,
): Promise<Manifest> {
  if (database.engine === "citus")
    throw new OperatorError("DATABASE_URL leads to a Citus cluster. Restore the backup into a PostgreSQL server.");
  const manifest = await verifyBackup(directory, keysFrom, onProgress);
  refuseOtherSchema(manifest);
  const installed: string[] = [];
  try {
    await refuseTablesInUse(database.db, "DATABASE_URL or ORIEL_DATA_DIR");
    if (database.vaultDb !== null) await refuseTablesInUse(database.vaultDb, "VAULT_DATABASE_URL");
    if (keysFrom !== null)
      for (const path of installKeyFiles(keysFrom, keyDir, Object.keys(manifest.keyHashes))) installed.push(path);
    readKeyFiles(keyDir);
    requireAuthentic(manifest, directory, keyDir);
    await migrate(database, storedFunctions);
    await inWriting(database, async (txs) => {
      const tables = Object.keys(manifest.rows);
      await writeTables(txs, tables, readDatabaseFile(directory, manifest), (name, rows) =>
        onProgress(`Restoring ${name}`, rows),
      );
      requireSameRows(await countRows(txs, tables), manifest.rows, "the restored database");
      await checkStoredKeys(asVaultDatabase(txs.vault), readKeyring(keyFiles(keyDir).vault));
      await checkServerKeys(txs.public, openServerKeys(keyFiles(keyDir).server), keyFiles(keyDir).server);
    });
  } catch (error) {
    for (const path of installed) rmSync(path, { force: true });
    throw asRefusal(error, database, "Use the role that owns the tables.");
  }
  const verdict = await verifyChain(database.db);
  if (verdict.isIntact) return manifest;
  throw new OperatorError(
    `The backup is restored, but its audit log isn't intact: ${verdict.fault.what} The log was already like this when the backup was made.`,
  );
}

/**
 * Runs `work` in one snapshot of the database, with the role of each schema. If the vault has a database of its own,
 * its snapshot is taken right after the service's, because a card is stored before the service refers to it.
 */
async function inSnapshot<T>({ db, vaultDb, choice }: Database, work: (txs: Transactions) => Promise<T>): Promise<T> {
  if (choice.kind === "pglite") return await db.transaction().execute((tx) => work({ public: tx, vault: tx }));
  const service = openWithoutTimeLimits(choice.url);
  const vault = choice.vaultUrl === undefined ? null : openWithoutTimeLimits(choice.vaultUrl);
  const reading = (of: Db) => of.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  try {
    return await reading(service).execute(async (tx) => {
      await withoutTimeLimits(tx);
      if (vault === null) return await work({ public: tx, vault: tx });
      const { rows } = await sql<{ id: string }>`select pg_export_snapshot() as id`.execute(tx);
      return await reading(vault).execute(async (vaultTx) => {
        if (vaultDb === null) await sql`set transaction snapshot ${sql.lit(rows[0]?.id ?? "")}`.execute(vaultTx);
        await withoutTimeLimits(vaultTx);
        return await work({ public: tx, vault: vaultTx });
      });
    });
  } finally {
    await vault?.destroy();
    await service.destroy();
  }
}

/** If the vault has a database of its own, its transaction commits right before the service's. */
async function inWriting(database: Database, work: (txs: Transactions) => Promise<void>): Promise<void> {
  const { db, vaultDb, choice } = database;
  const unlimitedDb = choice.kind === "postgres" ? openWithoutTimeLimits(choice.url) : db;
  const vault =
    vaultDb !== null && choice.kind === "postgres" && choice.vaultUrl !== undefined
      ? openWithoutTimeLimits(choice.vaultUrl)
      : null;
  try {
    await unlimitedDb.transaction().execute(async (tx) => {
      await withoutTimeLimits(tx);
      if (vault === null) return await work({ public: tx, vault: tx });
      await vault.transaction().execute(async (vaultTx) => {
        await withoutTimeLimits(vaultTx);
        await work({ public: tx, vault: vaultTx });
      });
    });
  } finally {
    await vault?.destroy();
    if (unlimitedDb !== db) await unlimitedDb.destroy();
  }
}

async function refuseTablesInUse(db: Db, variable: string): Promise<void> {
  const [inUse] = await tablesInUse(db);
  if (inUse === undefined) return;
  throw new OperatorError(
    `The database isn't empty: ${inUse} has rows. Restore into a new database, and set ${variable} to it.`,
  );
}

async function* readDatabase(
  txs: Transactions,
  rows: RowCounts,
  onProgress: Dependencies["onProgress"],
): AsyncGenerator<string> {
  for (const schema of ["public", "vault"] as const) {
    const tx = txs[schema];
    for (const name of await tablesToCopy(tx, schema)) {
      for await (const line of readTable(tx, name, rows)) {
        yield line;
        onProgress(`Backing up ${name}`, rows[name] ?? 0);
      }
    }
  }
}

/** Reads the key files and checks that they aren't damaged. The loader's key may be somewhere else. */
function readKeyFiles(keyDir: string): { name: string; content: Buffer }[] {
  const { vault, server, embed } = keyFiles(keyDir);
  for (const path of [vault, server]) {
    if (existsSync(path)) continue;
    throw new OperatorError(
      `The key file ${path} doesn't exist. Set ORIEL_KEY_DIR to the directory with the key files of this database.`,
    );
  }
  readKeyring(vault);
  openServerKeys(server);
  const paths = existsSync(embed) ? [vault, server, embed] : [vault, server];
  if (paths.includes(embed)) openSigningKeyFile(embed);
  return paths.map((path) => ({ name: basename(path), content: readFileSync(path) }));
}

/**
 * Yields the path of each file that wasn't there before, once it's installed.
 *
 * @throws OperatorError if a different file is there; then nothing is installed
 */
function* installKeyFiles(keysFrom: string, keyDir: string, names: readonly string[]): Generator<string> {
  const missing = names.filter((name) => {
    const path = join(keyDir, name);
    if (!existsSync(path)) return true;
    if (readFileSync(path).equals(readFileSync(join(keysFrom, name)))) return false;
    throw new OperatorError(
      `${path} exists and differs from the key file in the backup. Move it to another place, or set ORIEL_KEY_DIR to an empty directory.`,
    );
  });
  mkdirSync(keyDir, { recursive: true, mode: 0o700 });
  const files = missing.map((name) => ({ path: join(keyDir, name), content: readFileSync(join(keysFrom, name)) }));
  for (const { path, content } of files) if (createKeyFile(path, content)) yield path;
}

function refuseSharedPlace(directory: string, keysTo: string): void {
  const [one, other] = [resolve(directory) + sep, resolve(keysTo) + sep];
  if (!one.startsWith(other) && !other.startsWith(one)) return;
  throw new OperatorError(
    `--keys-to must not be in ${directory} or contain it. Anyone who has both the database and the key files can read cards, so store them in different places.`,
  );
}

function refuseOtherSchema({ schema, version }: Manifest): void {
  const missing = migrationNames.filter((name) => !schema.includes(name));
  const unknown = schema.filter((name) => !migrationNames.includes(name));
  if (missing.length === 0 && unknown.length === 0) return;
  throw new OperatorError(
    `The backup was made by Oriel ${version}, whose database schema differs from this version's (${[...missing, ...unknown].join(", ")}). Restore it with Oriel ${version}, and then upgrade.`,
  );
}

function requireKeyFiles(manifest: Manifest, directory: string, keysFrom: string): void {
  for (const [name, hash] of Object.entries(manifest.keyHashes)) {
    const key = join(keysFrom, name);
    const content = readBackedUpKey(key);
    if (content !== null && hashOf(content) === hash) continue;
    throw new OperatorError(
      `${key} is missing or isn't the file that was backed up together with ${directory}. Use the directory that \`oriel-server backup\` wrote at ${manifest.createdAt} with --keys-to.`,
    );
  }
  requireAuthentic(manifest, directory, keysFrom);
}

function requireAuthentic(manifest: Manifest, directory: string, keyDir: string): void {
  const path = keyFiles(keyDir).server;
  if (existsSync(path) && isAuthentic(manifest, openServerKeys(path))) return;
  throw new OperatorError(
    `The backup in ${directory} wasn't made with the key file ${path}, or someone has changed it since. Use the key files of the same installation. If you do, don't trust this copy: use another one.`,
  );
}

function requireSameRows(actual: RowCounts, expected: RowCounts, where: string): void {
  for (const name of new Set([...Object.keys(actual), ...Object.keys(expected)])) {
    if (actual[name] === expected[name]) continue;
    throw new OperatorError(
      `In ${where}, ${name} has ${actual[name] ?? "no"} rows, but the manifest says ${expected[name] ?? "none"}. Use another copy of this backup, or an older backup.`,
    );
  }
}

function asVaultDatabase(tx: Tx): Parameters<typeof checkStoredKeys>[0] {
  return { query: async (text, values = []) => await tx.executeQuery(CompiledQuery.raw(text, [...values])) };
}
