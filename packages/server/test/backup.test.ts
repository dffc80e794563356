/**
 * Tests backups: that a restored installation is the same as the one that was backed up, that no backup contains a CVC,
 * and that nothing changes if a backup or a database isn't right.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import {
  databaseFile,
  hashOf,
  readManifest,
  writeManifest,
  type Manifest,
} from "../src/commands/backup/backup-files.ts";
import { createBackup, restoreBackup, verifyBackup } from "../src/commands/backup/backup.ts";
import { setAcquirerAccount } from "../src/merchants/accounts/acquirer-accounts.ts";
import { acquirerFor } from "../src/merchants/accounts/live-mode.ts";
import { openServerKeys } from "../src/platform/server-keys.ts";
import { openDatabase, type Database, type DatabaseChoice } from "../src/platform/storage/database.ts";
import { migrate } from "../src/platform/storage/migrate.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { withoutTryingOut } from "./setup/adyen.ts";
import { cardNumbers, openCheckout } from "./setup/customer.ts";
import { databaseRoles } from "./setup/database-roles.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { processEnv } from "./setup/oriel-process.ts";
import { freshDatabase, startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const onPostgres = inject("postgresUrl") !== null;
/** For tests that need roles or a server, which the embedded database doesn't have. */
const servers = onPostgres ? ["PostgreSQL"] : [];
const base = temporaryDirectory(afterAll);
const closers = closersFor(afterAll);

const keyDir = join(base, "keys");
const backup = { directory: join(base, "backup"), keysTo: join(base, "key-backup") };
const dependencies = { keyDir, now: () => new Date(), onProgress: () => {}, warn: () => {} };
let choice: DatabaseChoice;
let secretKey = "";
let savedCard: unknown;
/** Their types, in the order of the feed. */
let eventsBefore: string[];
/** What the database contained. */
let contents: string[];
let ciphertexts: { cards: string[]; codes: string[]; credentials: string[] };
/** An acquirer account with credentials, and those credentials. */
let acquirer: { owner: Tenant; id: string };
const credentials = { api_key: "AQE-a-key-for-this-test", hmac_keys: ["0123456789abcdef".repeat(4)] };

beforeAll(async () => {
  mkdirSync(keyDir);
  choice = await emptyDatabase();
  const service = await startTestService({ database: choice, keyDir });
  secretKey = service.secretKey;
  const checkout = await openCheckout(service, {
    save_payment_method: true,
    metadata: { note: 'two\nlines, "ä\u2028"' },
  });
  await checkout.pay(cardNumbers.approved);
  savedCard = (await checkout.session())["payment_method_id"];
  // The merchant's server completes this payment, so until then the CVC is stored.
  const unfinished = await openCheckout(service, { confirmation: "server" });
  await unfinished.pay(cardNumbers.approved);
  const owner = { ...service.tenant, livemode: true };
  const api_url = "https://prefix-checkout-live.adyenpayments.com/checkout/v72";
  const entered = { connector: "adyen", settings: { merchant_account: "KilnAndClay", api_url }, credentials } as const;
  const set = () => setAcquirerAccount(service.context, owner, entered, "the test");
  acquirer = { owner, ...(await withoutTryingOut(service, set)) };
  const events = await service.context.db.selectFrom("event").select("type").orderBy("id").execute();
  eventsBefore = events.map(({ type }) => type);
  await feedIsNumbered(service.context.db);
  contents = await copied(service.context.db);
  const hex = async (table: string) => {
    const { rows } = await sql<{
      sealed: string;
    }>`select encode(sealed, 'hex') as sealed from ${sql.table(table)}`.execute(service.context.db);
    return rows.map(({ sealed }) => sealed);
  };
  ciphertexts = {
    cards: await hex("vault.card"),
    codes: await hex("vault.cvc"),
    credentials: await hex("vault.credentials"),
  };
  // On PostgreSQL the service runs during the backup. An embedded database is open in one process only.
  if (onPostgres) await withDatabase(choice, (database) => createBackup(database, backup, dependencies));
  await service.close();
  if (!onPostgres) await withDatabase(choice, (database) => createBackup(database, backup, dependencies));
});

let databases = 0;
async function emptyDatabase(): Promise<DatabaseChoice> {
  const fresh = await freshDatabase(closers);
  if (fresh.kind === "postgres") return fresh;
  const directory = join(base, `pglite-${databases++}`);
  await (await openDatabase({ ...fresh, directory })).close();
  return { kind: "pglite", directory };
}

async function withDatabase<T>(of: DatabaseChoice, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(of);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The service numbers new events in the background. Nothing else changes rows while no request runs. */
async function feedIsNumbered(db: Database["db"]): Promise<void> {
  await until("the events to be numbered", async () => {
    const queued = await db.selectFrom("feed_queue").select("position").execute();
    return queued.length === 0 || null;
  });
}

/** All rows that a backup contains, in a fixed order. */
async function copied(db: Database["db"]): Promise<string[]> {
  const lines = (await dumpDatabase(db)).split("\n");
  return lines
    .filter((line) => !/^(public\.(kysely_|rate_bucket|request_log|write_check)|vault\.cvc)/.test(line))
    .sort();
}

/** Restores into a new database. */
async function restore(from: { directory: string; keysFrom: string | null }, to: string): Promise<DatabaseChoice> {
  const restored = await emptyDatabase();
  await withDatabase(restored, (database) => restoreBackup(database, from, { ...dependencies, keyDir: to }));
  return restored;
}

/** Changes a manifest as someone who has no keys can. */
function changeManifest({ directory }: { directory: string }, change: (manifest: Manifest) => Partial<Manifest>): void {
  const manifest = readManifest(directory);
  writeFileSync(join(directory, "manifest.json"), JSON.stringify({ ...manifest, ...change(manifest) }));
}

/** Changes a manifest as a backup that was made so would have it. */
function signManifest({ directory }: { directory: string }, change: (manifest: Manifest) => Partial<Manifest>): void {
  const { format: _, mac: __, ...facts } = readManifest(directory);
  const changed = { ...facts, ...change(readManifest(directory)) };
  rmSync(join(directory, "manifest.json"));
  writeManifest(directory, changed, openServerKeys(join(keyDir, "server.keys.json")));
}

/** Gives the account another name, and computes the hash again. */
function tamper({ directory }: { directory: string }): void {
  const path = join(directory, databaseFile);
  const lines = gunzipSync(readFileSync(path)).toString();
  const changed = gzipSync(lines.replace("Test Shop", "Evil Shop"));
  expect(changed).not.toEqual(gzipSync(lines));
  writeFileSync(path, changed);
  changeManifest({ directory }, () => ({ databaseHash: hashOf(changed) }));
}

/** A copy of the backup that a test may change. */
function copyOfBackup(name: string): { directory: string; keysFrom: string } {
  const copy = { directory: join(base, name), keysFrom: join(base, `${name}-keys`) };
  cpSync(backup.directory, copy.directory, { recursive: true });
  cpSync(backup.keysTo, copy.keysFrom, { recursive: true });
  return copy;
}

describe("a restored backup", () => {
  it("has every row of the snapshot, and its saved cards can be charged with the same API key", async () => {
    const keys = join(base, "restored-keys");
    const restored = await restore({ directory: backup.directory, keysFrom: backup.keysTo }, keys);
    await withDatabase(restored, async ({ db }) => expect(await copied(db)).toEqual(contents));

    const service = await startTestService({ database: restored, keyDir: keys });
    try {
      expect(await acquirerFor(service.context, acquirer.owner, acquirer.id)).toMatchObject({ mode: "live" });
      const headers = { authorization: `Bearer ${secretKey}` };
      const order = { payment_method_id: savedCard, amount: 700, currency: "eur" };
      const decided = await service.call("POST", "/api/v1/decisions", order, headers);
      const charged = await service.call(
        "POST",
        "/api/v1/charges",
        { ...order, decision_id: decided.body["id"] },
        headers,
      );
      expect(charged).toMatchObject({ status: 200, body: { status: "succeeded" } });
      // Clients that read the event feed before the backup find the new events after those that they know.
      const types = await until("the new charge's event in the feed", async () => {
        const feed = await service.call("GET", "/api/v1/events?after=start", undefined, headers);
        const found = (feed.body["data"] as unknown as { type: string }[]).map(({ type }) => type);
        return found.length > eventsBefore.length ? found : null;
      });
      expect(types.slice(0, eventsBefore.length)).toEqual(eventsBefore);
      expect(types.slice(eventsBefore.length)).toEqual(["payment.succeeded"]);
    } finally {
      await service.close();
    }
  });

  it("uses the key files that are already installed if it's restored without any", async () => {
    const restored = await restore({ directory: backup.directory, keysFrom: null }, keyDir);
    await withDatabase(restored, async ({ db }) => expect(await copied(db)).toEqual(contents));
  });
});

it.each(servers)("moves an installation from the embedded database to %s", async () => {
  const embedded = await startTestService({ database: { kind: "pglite", directory: join(base, "embedded") }, keyDir });
  await (await openCheckout(embedded, { save_payment_method: true })).pay(cardNumbers.approved);
  await feedIsNumbered(embedded.context.db);
  const expected = await copied(embedded.context.db);
  await embedded.close();
  const to = { directory: join(base, "moved"), keysTo: join(base, "moved-keys") };
  await withDatabase({ kind: "pglite", directory: join(base, "embedded") }, (database) =>
    createBackup(database, to, dependencies),
  );
  const moved = await restore({ directory: to.directory, keysFrom: to.keysTo }, join(base, "moved-installed"));
  await withDatabase(moved, async ({ db }) => expect(await copied(db)).toEqual(expected));
});

describe("a backup", () => {
  it("contains cards and acquirer credentials, encrypted, and no CVC", () => {
    const files = readdirSync(backup.directory).map((name) => readFileSync(join(backup.directory, name)));
    const plain = gunzipSync(readFileSync(join(backup.directory, "database.jsonl.gz"))).toString();
    expect(ciphertexts.codes).toHaveLength(1);
    expect(ciphertexts.cards.length).toBeGreaterThanOrEqual(2);
    for (const card of ciphertexts.cards) expect(plain).toContain(card);
    expect(ciphertexts.credentials).toHaveLength(1);
    for (const record of ciphertexts.credentials) expect(plain).toContain(record);
    for (const encoding of ["utf8", "hex", "base64", "base64url"] as const)
      expect(plain).not.toContain(Buffer.from(credentials.api_key).toString(encoding));
    for (const code of ciphertexts.codes) {
      expect(plain).not.toContain(code);
      for (const file of files) expect(file.includes(Buffer.from(code, "hex"))).toBe(false);
    }
    expect(plain).not.toMatch(/^table (vault\.cvc|public\.rate_bucket)/m);
  });

  it("has the keys in a directory of their own, and all its files are private", () => {
    expect(readdirSync(backup.directory).sort()).toEqual(["database.jsonl.gz", "manifest.json"]);
    expect(readdirSync(backup.keysTo).sort()).toEqual(["manifest.json", "server.keys.json", "vault.keys.json"]);
    for (const directory of Object.values(backup)) {
      expect(statSync(directory).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(base).filter((name) => name.includes(".partial-"))).toEqual([]);
  });

  it("copies no key while it reads the database, so that none is left if the command is killed", async () => {
    const to = { directory: join(base, "observed"), keysTo: join(base, "observed-keys") };
    const copies = new Set<string>();
    const isKey = (path: string) => path.endsWith(".keys.json");
    let steps = 0;
    const onProgress = () => {
      steps += 1;
      for (const path of readdirSync(base, { recursive: true, encoding: "utf8" }))
        if (path.startsWith("observed") && isKey(path)) copies.add(path);
    };
    await withDatabase(choice, (database) => createBackup(database, to, { ...dependencies, onProgress }));
    expect(steps).toBeGreaterThan(10);
    expect([...copies]).toEqual([]);
    expect(readdirSync(to.keysTo).filter(isKey)).toHaveLength(2);
  });

  it("can't be verified if its files can't be read, and says so", async () => {
    const [directory, keysFrom] = [join(base, "unreadable"), join(base, "unreadable-keys")];
    cpSync(backup.directory, directory, { recursive: true });
    mkdirSync(join(keysFrom, "vault.keys.json"), { recursive: true });
    await expect(verifyBackup(directory, keysFrom, () => {})).rejects.toThrow(
      `${join(keysFrom, "vault.keys.json")} can't be read (EISDIR). Check the path, and that this command's user may read it.`,
    );
    rmSync(join(directory, "manifest.json"));
    mkdirSync(join(directory, "manifest.json"));
    await expect(verifyBackup(directory, null, () => {})).rejects.toThrow("manifest.json can't be read (EISDIR)");
  });

  it("leaves nothing behind if a key file changes meanwhile", async () => {
    const changing = join(base, "changing-keys");
    cpSync(keyDir, changing, { recursive: true });
    const to = { directory: join(base, "unfinished"), keysTo: join(base, "unfinished-keys") };
    const onProgress = () =>
      writeFileSync(join(changing, "vault.keys.json"), ` ${readFileSync(join(keyDir, "vault.keys.json"), "utf8")}`);
    await withDatabase(choice, async (database) => {
      await expect(createBackup(database, to, { ...dependencies, keyDir: changing, onProgress })).rejects.toThrow(
        "A key file changed during the backup",
      );
    });
    expect(readdirSync(base).filter((name) => name.startsWith("unfinished"))).toEqual([]);
  });

  it.each(servers)("is one snapshot for separate roles of the service and the vault on %s", async () => {
    const owner = await emptyDatabase();
    if (owner.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
    mkdirSync(join(base, "role-keys"));
    const service = await startTestService({ database: owner, keyDir: join(base, "role-keys") });
    const checkout = await openCheckout(service, { save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    await feedIsNumbered(service.context.db);
    const expected = await copied(service.context.db);
    await service.close();
    const roles = await databaseRoles(owner.url, closers);
    const to = { directory: join(base, "roles"), keysTo: join(base, "roles-keys") };
    if (roles.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
    await withDatabase({ kind: "postgres", url: roles.url }, async (database) => {
      await expect(createBackup(database, to, { ...dependencies, keyDir: join(base, "role-keys") })).rejects.toThrow(
        /^The PostgreSQL role in DATABASE_URL isn't allowed to do this: permission denied .*VAULT_DATABASE_URL/,
      );
    });
    let cards = 0;
    const onProgress = (what: string, rows: number) => void (what.endsWith("vault.card") && (cards = rows));
    await withDatabase(roles, (database) =>
      createBackup(database, to, { ...dependencies, keyDir: join(base, "role-keys"), onProgress }),
    );
    expect(cards).toBe(1);
    const restored = await restore({ directory: to.directory, keysFrom: to.keysTo }, join(base, "role-restored-keys"));
    await withDatabase(restored, async ({ db }) => expect(await copied(db)).toEqual(expected));
  });
});

describe("restoring", () => {
  let untouched: DatabaseChoice;
  beforeAll(async () => {
    untouched = await emptyDatabase();
  });

  it.each<[string, (copy: { directory: string; keysFrom: string }) => unknown, RegExp]>([
    [
      "a database file with a changed byte",
      ({ directory }) => {
        const path = join(directory, "database.jsonl.gz");
        const bytes = readFileSync(path);
        bytes[100] = (bytes[100] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      },
      /database\.jsonl\.gz is missing or differs from the file that was backed up/,
    ],
    [
      "a missing database file",
      ({ directory }) => rmSync(join(directory, "database.jsonl.gz")),
      /database\.jsonl\.gz is missing/,
    ],
    ["a missing manifest", ({ directory }) => rmSync(join(directory, "manifest.json")), /manifest\.json can't be read/],
    [
      "a manifest with other row counts",
      (copy) => signManifest(copy, ({ rows }) => ({ rows: { ...rows, "public.account": 77 } })),
      /public\.account has \d rows, but the manifest says 77/,
    ],
    [
      "a newer schema",
      (copy) =>
        signManifest(copy, ({ schema }) => ({
          schema: schema.map((name) => (name === "0001_first" ? "9999_later" : name)),
        })),
      /whose database schema differs .*0001_first, 9999_later.*Restore it with Oriel 0\.1\.0, and then upgrade/,
    ],
    [
      "a changed row with its hash",
      tamper,
      /wasn't made with the key file .*server\.keys\.json, or someone has changed it/,
    ],
    [
      "a changed time in the manifest",
      (copy) => changeManifest(copy, () => ({ createdAt: "2020-01-01T00:00:00.000Z" })),
      /someone has changed it/,
    ],
    ["a manifest without a signature", (copy) => changeManifest(copy, () => ({ mac: "" })), /someone has changed it/],
    [
      "a manifest of a version that didn't sign it",
      ({ directory }) => {
        const path = join(directory, "manifest.json");
        writeFileSync(path, readFileSync(path, "utf8").replace("oriel-backup-2", "oriel-backup-1"));
      },
      /has another format \(oriel-backup-1\)\. Use the version of Oriel that made it/,
    ],
    [
      "a manifest that doesn't name the service's key file, which is missing",
      (copy) => {
        rmSync(join(copy.keysFrom, "server.keys.json"));
        changeManifest(copy, ({ keyHashes }) => ({
          keyHashes: { "vault.keys.json": keyHashes["vault.keys.json"] ?? "" },
        }));
      },
      /someone has changed it/,
    ],
    [
      "key files of another installation",
      ({ keysFrom }) => writeFileSync(join(keysFrom, "vault.keys.json"), "{}"),
      /vault\.keys\.json is missing or isn't the file that was backed up together/,
    ],
  ])("refuses %s and changes nothing", async (name, damage, sentence) => {
    const copy = copyOfBackup(name.replaceAll(" ", "-"));
    damage(copy);
    const keys = join(base, `${name.replaceAll(" ", "-")}-target`);
    await withDatabase(untouched, async (database) => {
      await expect(restoreBackup(database, copy, { ...dependencies, keyDir: keys })).rejects.toThrow(sentence);
      const { rows } = await sql`select 1 from pg_class where relname = 'account'`.execute(database.db);
      expect(rows).toEqual([]);
    });
    expect(existsSync(keys)).toBe(false);
  });

  it("refuses a changed row with its hash, also with the key files that are already installed", async () => {
    const { directory } = copyOfBackup("changed-for-installed-keys");
    tamper({ directory });
    await withDatabase(untouched, async (database) => {
      await expect(restoreBackup(database, { directory, keysFrom: null }, dependencies)).rejects.toThrow(
        /someone has changed it since/,
      );
      const { rows } = await sql`select 1 from pg_class where relname = 'account'`.execute(database.db);
      expect(rows).toEqual([]);
    });
  });

  it("refuses a database file that was replaced after it had been checked", async () => {
    const { directory, keysFrom } = copyOfBackup("replaced");
    const other = copyOfBackup("replacement");
    tamper(other);
    const onProgress = () => {
      if (existsSync(other.directory)) renameSync(join(other.directory, databaseFile), join(directory, databaseFile));
      rmSync(other.directory, { recursive: true, force: true });
    };
    await withDatabase(await emptyDatabase(), async (database) => {
      const places = { ...dependencies, keyDir: join(base, "replaced-installed"), onProgress };
      await expect(restoreBackup(database, { directory, keysFrom }, places)).rejects.toThrow(
        /differs from the file that was backed up/,
      );
      expect(await database.db.selectFrom("account").select("id").execute()).toEqual([]);
    });
  });

  it("refuses a Citus cluster, to and from which nothing can be copied", async () => {
    await withDatabase(choice, async (database) => {
      const cluster = { ...database, engine: "citus" } as const;
      const to = { directory: join(base, "cluster"), keysTo: join(base, "cluster-keys") };
      const from = { directory: backup.directory, keysFrom: null };
      const sentence = /leads to a Citus cluster/;
      await expect(createBackup(cluster, to, dependencies)).rejects.toThrow(sentence);
      await expect(restoreBackup(cluster, from, dependencies)).rejects.toThrow(sentence);
    });
  });

  it("refuses a database that is in use", async () => {
    await withDatabase(choice, async (database) => {
      const from = { directory: backup.directory, keysFrom: null };
      await expect(restoreBackup(database, from, dependencies)).rejects.toThrow(
        /The database isn't empty: public\.\w+ has rows\. Restore into a new database/,
      );
    });
  });

  it("undoes everything if the installed key files don't fit", async () => {
    const keys = join(base, "others-keys");
    mkdirSync(keys);
    const other = await startTestService({ keyDir: keys });
    await other.close();
    cpSync(join(keyDir, "server.keys.json"), join(keys, "server.keys.json"));
    await withDatabase(await emptyDatabase(), async (database) => {
      const from = { directory: backup.directory, keysFrom: null };
      await expect(restoreBackup(database, from, { ...dependencies, keyDir: keys })).rejects.toThrow(
        /vault\.keys\.json does not belong to this database/,
      );
      expect(await database.db.selectFrom("account").select("id").execute()).toEqual([]);
      await expect(
        restoreBackup(database, { ...from, keysFrom: backup.keysTo }, { ...dependencies, keyDir: keys }),
      ).rejects.toThrow(/exists and differs from the key file in the backup/);
      // The right files still can be restored into this database.
      rmSync(keys, { recursive: true });
      await restoreBackup(database, { ...from, keysFrom: backup.keysTo }, { ...dependencies, keyDir: keys });
      expect(await copied(database.db)).toEqual(contents);
    });
  });

  it.each(servers)("requires the role that owns the tables on %s", async () => {
    const owner = await emptyDatabase();
    if (owner.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
    const keys = join(base, "refused-keys");
    await withDatabase(owner, (database) => migrate(database, storedFunctions));
    const { kind, url } = (await databaseRoles(owner.url, closers)) as { kind: "postgres"; url: string };
    await withDatabase({ kind, url }, async (database) => {
      const from = { directory: backup.directory, keysFrom: backup.keysTo };
      await expect(restoreBackup(database, from, { ...dependencies, keyDir: keys })).rejects.toThrow(
        /^The PostgreSQL role in DATABASE_URL isn't allowed to do this: .+\. Use the role that owns the tables\.$/,
      );
      expect(existsSync(keys)).toBe(false);
    });
  });

  it("refuses tables that the restored database doesn't have", async () => {
    await withDatabase(await emptyDatabase(), async (database) => {
      await migrate(database, storedFunctions);
      await sql`drop table attack_report`.execute(database.db);
      const from = { directory: backup.directory, keysFrom: null };
      await expect(restoreBackup(database, from, dependencies)).rejects.toThrow(
        "The table public.attack_report is missing in the database.",
      );
    });
  });
});

describe("the commands", () => {
  async function oriel(args: string[], env: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, [new URL("../src/cli.ts", import.meta.url).pathname, ...args], {
      env: { ...processEnv, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stderr, stdout] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
    return { code: child.exitCode, stdout, stderr };
  }
  const environmentOf = (of: DatabaseChoice, dataDir: string, keys: string): NodeJS.ProcessEnv => ({
    ORIEL_DATA_DIR: dataDir,
    ORIEL_KEY_DIR: keys,
    ...(of.kind === "postgres" && { DATABASE_URL: of.url }),
  });

  it("back up, verify and restore an installation", async () => {
    const [directory, keys] = [join(base, "from-command"), join(base, "from-command-keys")];
    const dataDir = mkdtempSync(join(base, "data-"));
    if (choice.kind === "pglite") cpSync(choice.directory ?? "", join(dataDir, "pglite"), { recursive: true });
    const source = environmentOf(choice, dataDir, `${keyDir}/`); // also with a slash at the end
    const made = await oriel(["backup", directory, "--keys-to", keys], source);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Move the key files to another place"),
    });
    expect(await oriel(["backup", "verify", directory, "--keys-from", keys], {})).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^The backup from 20\S+Z \(Oriel 0\.1\.0, .*PostgreSQL \d.*, \d+ rows\) is complete and unchanged\.\n$/,
      ),
    });
    // Without the keys, nothing shows whether someone has changed it.
    const withoutKeys = await oriel(["backup", "verify", directory], {});
    expect(withoutKeys).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ rows\) is complete\. To check that nobody/),
    });
    expect(withoutKeys.stdout).not.toContain("unchanged");
    const target = await freshDatabase(closers);
    const env = environmentOf(target, mkdtempSync(join(base, "data-")), join(base, "installed-keys"));
    const restored = await oriel(["restore", directory, "--keys-from", keys], env);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("is restored.") });
    expect(readFileSync(join(base, "installed-keys", "vault.keys.json"))).toEqual(
      readFileSync(join(keyDir, "vault.keys.json")),
    );
    // A second time, the database isn't empty.
    expect(await oriel(["restore", directory, "--keys-from", keys], env)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^oriel-server: The database isn't empty/),
    });
  });

  it.each([
    [["backup", join(base, "x")], /--keys-to is missing/],
    [["backup", join(base, "x"), "--keys-to", join(base, "x", "keys")], /--keys-to must not be in .* or contain it/],
    [["backup", backup.directory, "--keys-to", join(base, "y")], /backup already exists\. Choose a directory/],
    [["backup", "verify", join(base, "none")], /none\/manifest\.json can't be read/],
  ])("refuse %j in a sentence", async (args, sentence) => {
    const dataDir = mkdtempSync(join(base, "data-"));
    if (choice.kind === "pglite") cpSync(choice.directory ?? "", join(dataDir, "pglite"), { recursive: true });
    const result = await oriel(args, environmentOf(choice, dataDir, keyDir));
    expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(sentence) });
    expect(result.stderr.trim().split("\n")).toHaveLength(1);
  });
});
