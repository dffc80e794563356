/** Runs `oriel` as an operator would, with one process per command. */
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { createBank } from "@oriel/sandbox";
import { isSignatureOf, type ScriptSignature } from "../src/http/embed/script-signature.ts";
import { openDatabase, type Db } from "../src/platform/storage/database.ts";
import { databaseRoles } from "./setup/database-roles.ts";
import { makeDatabaseTemplate, type DatabaseTemplate } from "./setup/database-template.ts";
import { processEnv } from "./setup/oriel-process.ts";
import { bankKeys, freePort, freshDatabase } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

// Every command starts a process, and with the embedded database that process also starts PostgreSQL. A test runs up to
// a dozen commands.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const onPostgres = inject("postgresUrl") !== null;
const cli = new URL("../src/cli.ts", import.meta.url).pathname;
let dataDir: string;
let closers: (() => Promise<unknown>)[];
let env: NodeJS.ProcessEnv;
let template: DatabaseTemplate;
beforeAll(async () => {
  template = await makeDatabaseTemplate();
});
afterAll(() => template.close());
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "oriel-cli-"));
  closers = [async () => rmSync(dataDir, { recursive: true, force: true })];
  env = {
    ...processEnv,
    ORIEL_DATA_DIR: dataDir,
    BANK_API_KEY: bankKeys.apiKey,
    BANK_RESULTS_KEY: bankKeys.resultsKey,
    ...(await template.copyTo(dataDir, closers)),
  };
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

interface Result {
  code: number | null;
  printed: string;
  told: string;
}

async function oriel(args: string[], more: NodeJS.ProcessEnv = {}): Promise<Result> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [told, printed] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
  return { code: child.exitCode, told, printed };
}

/** Returns stdout. Requires exit code 0 and an empty stderr. */
async function ok(args: string[]): Promise<string> {
  const { code, printed, told } = await oriel(args);
  expect({ code, told }).toEqual({ code: 0, told: "" });
  return printed;
}

/** Requires one line on stderr, no stack trace, and exit code 2. */
async function refused(args: string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, printed, told } = await oriel(args, more);
  expect({ code, printed, lines: told.trim().split("\n").length }).toEqual({ code: 2, printed: "", lines: 1 });
  return told;
}

/** The state before the first command: a database without tables, or no database. */
async function removeDatabase(): Promise<void> {
  rmSync(join(dataDir, "pglite"), { recursive: true, force: true });
  const database = await freshDatabase(closers);
  if (database.kind === "postgres") env["DATABASE_URL"] = database.url;
}

const found = (pattern: RegExp, where: string) => pattern.exec(where)?.[0] ?? "";
const keyPattern = /oriel_sk_(test|live)_\w{36}/;

/** Runs in this process, between commands. */
async function withDb<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const url = env["DATABASE_URL"];
  const database = await openDatabase(
    url ? { kind: "postgres", url } : { kind: "pglite", directory: join(dataDir, "pglite") },
  );
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

describe("accounts and keys", () => {
  it("can be created, listed, rolled, revoked, suspended and resumed, and every step is audited", async () => {
    const account = found(/acct_\w{26}/, await ok(["account", "create", "Kiln Street"]));
    const made = await ok(["key", "create", account, "--name", "Till", "--scope", "checkout"]);
    const [till, tillKey] = [found(/key_\w{26}/, made), found(keyPattern, made)];
    expect(made).toMatch(/not shown again/);
    const rolled = await ok(["key", "roll", till, "--overlap", "1h"]);
    const till2 = found(/key_\w{26}/, rolled);
    expect(rolled).toContain(`${till} goes on working for 1h.`);
    expect(await ok(["key", "revoke", till2])).toBe(`${till2} is revoked.\n`);

    const list = await ok(["key", "list", account]);
    const lineOf = (id: string) => list.split("\n").find((line) => line.startsWith(id)) ?? "";
    expect(lineOf(till)).toMatch(
      new RegExp(`test +checkout +\\.\\.\\.${tillKey.slice(-4)} .* never +until .* UTC +Till$`),
    );
    expect(lineOf(till2)).toMatch(/revoked +Till$/);
    expect(list.trim().split("\n")).toHaveLength(4);
    expect(list).not.toMatch(keyPattern);

    await ok(["account", "suspend", account]);
    expect(await ok(["account", "list"])).toMatch(new RegExp(`${account} +suspended +test only .* Kiln Street`));
    await ok(["account", "resume", account]);
    const rows = await withDb((db) => db.selectFrom("audit_log").select(["action", "actor"]).execute());
    expect(rows.map(({ action }) => action).sort()).toEqual(
      [
        "account.created",
        "api_key.created",
        "api_key.created",
        "api_key.rolled",
        "api_key.revoked",
        "account.suspended",
        "account.resumed",
      ].sort(),
    );
    expect(rows.every(({ actor }) => actor.startsWith("cli "))).toBe(true);
  });

  it("include live keys for approved accounts only", async () => {
    const account = found(/acct_\w{26}/, await ok(["account", "create", "Kiln Street"]));
    expect(await refused(["key", "create", account, "--live"])).toContain("not approved for live mode");
    await withDb((db) => db.updateTable("account").set({ live_approved_at: new Date() }).execute());
    expect(await ok(["key", "create", account, "--live"])).toMatch(/oriel_sk_live_\w{36}/);
  });

  it("are named in the error when they don't exist, and nothing happens", async () => {
    expect(await refused(["key", "revoke", "key_none"])).toContain('There is no key "key_none"');
    expect(await refused(["account", "suspend", "acct_none"])).toContain('There is no account "acct_none"');
  });

  it("aren't changed in a database whose tables have another version", async () => {
    await removeDatabase();
    expect(await refused(["key", "revoke", "key_none"])).toMatch(/not up to date.*oriel migrate/);
  });
});

describe("operators", () => {
  it("can be created, listed and removed, and must be verified users without a team", async () => {
    const account = found(/acct_\w{26}/, await ok(["account", "create", "Kiln Street"]));
    const at = new Date();
    const login = (id: string, email_verified: boolean) => ({
      id,
      name: `The ${id}`,
      email: `${id}@shop.example`,
      email_verified,
      two_factor_enabled: id !== "guest",
      created_at: at,
      updated_at: at,
    });
    await withDb(async (db) => {
      await db
        .insertInto("login")
        .values([login("keeper", true), login("owner", true), login("guest", true), login("newcomer", false)])
        .execute();
      await db
        .insertInto("member")
        .values({ account_id: account, login_id: "owner", role: "owner", created_at: at })
        .execute();
    });
    expect(await refused(["operator", "create", "nobody@shop.example"])).toContain("Nobody has signed up");
    expect(await refused(["operator", "create", "owner@shop.example"])).toContain(`is of the team of ${account}`);
    expect(await refused(["operator", "create", "newcomer@shop.example"])).toContain("has not confirmed the address");
    expect(await refused(["operator", "create", "guest@shop.example"])).toContain("has no authenticator app");
    expect(await ok(["operator", "create", "keeper@shop.example"])).toBe("keeper@shop.example is an operator.\n");
    expect(await ok(["operator", "list"])).toMatch(
      /^address .*\nkeeper@shop\.example +set up +20\d\d-\d\d-\d\d +The keeper\n$/,
    );
    expect(await ok(["audit", "list", "--limit", "1"])).toMatch(/cli .* operator\.created +keeper /);
    await ok(["operator", "remove", "keeper@shop.example"]);
    expect(await refused(["operator", "remove", "keeper@shop.example"])).toContain("is no operator");
  });
});

describe("the audit log", () => {
  it("is listed and verified, and tampering exits with code 1", async () => {
    const account = found(/acct_\w{26}/, await ok(["account", "create", "Kiln Street"]));
    await ok(["account", "create", "Loom"]);
    const noted = await ok(["audit", "verify"]);
    expect(noted).toMatch(/^4:[0-9a-f]{64}\n$/);
    await ok(["account", "suspend", account]);
    expect(await ok(["audit", "verify", "--expect", noted])).toMatch(/^5:/);

    const [heading, ...lines] = (await ok(["audit", "list", "--limit", "3"])).trim().split("\n");
    expect(heading).toMatch(/^row +when +who +what +to +details$/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(new RegExp(`^5 +20.* UTC +cli .* +account\\.suspended +${account} +\\{\\}$`));
    expect((await ok(["audit", "list", "--account", account])).trim().split("\n")).toHaveLength(4);

    await withDb((db) =>
      db.transaction().execute(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx);
        await sql`delete from audit_log where sequence = 2`.execute(tx);
      }),
    );
    const { code, printed, told } = await oriel(["audit", "verify"]);
    expect({ code, printed }).toEqual({ code: 1, printed: "" });
    expect(told).toMatch(/^Row 2 was removed: after row 1 comes row 3 \(aud_\w+\)\.\n$/);
  });

  it("refuses to verify against an invalid head", async () => {
    expect(await refused(["audit", "verify", "--expect", "12"])).toContain('--expect is "12"');
    expect(await refused(["audit", "list", "--limit", "0"])).toContain('--limit is "0"');
  });
});

describe("command-line arguments", () => {
  it("print help for any command with --help", async () => {
    const all = await ok(["--help"]);
    for (const command of [
      "serve",
      "migrate",
      "account create NAME",
      "key roll KEY_ID",
      "vault rotate",
      "doctor",
      "monitor URL",
    ])
      expect(all).toContain(`  ${command} `);
    expect(await ok([])).toBe(all);
    expect(await ok(["key", "--help"])).not.toContain("doctor");
    expect(await ok(["key", "roll", "--help"])).toMatch(
      /^Usage: oriel key roll KEY_ID \[--overlap now\|1h\|24h\|7d\]\n\nMake a key/,
    );
  });

  it.each<[string[], RegExp]>([
    [["key", "roll"], /Say `oriel key roll KEY_ID \[--overlap now\|1h\|24h\|7d\]`/],
    [["key", "roll", "a", "b"], /Say `oriel key roll/],
    [["key", "roll", "key_x", "--overlap", "1y"], /--overlap is "1y"; it must be one of now, 1h, 24h, 7d/],
    [["key", "create", "acct_x", "--scope", "all"], /--scope is "all"; it must be one of full, read, checkout/],
    [["key", "create", "acct_x", "--scop", "full"], /Unknown option/],
    [["key", "sing"], /no command "key sing".*key list, key create, key roll, key revoke/],
    [["key"], /no command "key"/],
    [["keys", "list"], /no command "keys list".*--help/],
    [["account", "create", " "], /oriel account create/],
    [["account", "create", "Pay at www.evil.example"], /The name looks like an address/],
    [["key-files", "create"], /Say `oriel key-files create DIRECTORY`/],
  ])("are refused with one sentence: %j", async (args, sentence) => {
    expect(await refused(args)).toMatch(sentence);
  });
});

describe("while the service has the database open", () => {
  it("commands run on PostgreSQL and explain what to do on an embedded database", async () => {
    const account = found(/acct_\w{26}/, await ok(["account", "create", "Kiln Street"]));
    const { code, printed, told } = await withDb(() => oriel(["key", "list", account]));
    expect(code).toBe(onPostgres ? 0 : 2);
    expect(`${printed}${told}`).toMatch(
      onPostgres ? /\nkey_\w+ +test +full/ : /is open in another process. Stop that one/,
    );
  });
});

describe("key files", () => {
  it("are created in a separate directory, readable by this user only, without overwriting existing ones", async () => {
    const directory = join(dataDir, "keys");
    await ok(["key-files", "create", directory]);
    expect(readdirSync(directory).sort()).toEqual(["embed.keys.json", "server.keys.json", "vault.keys.json"]);
    expect(await refused(["key-files", "create", directory])).toContain("already");
  });

  it("include a key that signs the loader, or use the operator's own, and the service serves the signature with the build", async () => {
    const directory = join(dataDir, "embed");
    mkdirSync(directory);
    const keyFile = join(dataDir, "signing.pem");
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    expect(await refused(["embed", "sign", keyFile, directory])).toMatch(
      /oriel\.js is not there\. Run `npm run build` first/,
    );

    writeFileSync(join(directory, "oriel.js"), "// a loader\n");
    expect(await refused(["embed", "sign", join(directory, "oriel.js"), directory])).toMatch(/no Ed25519 private key/);
    const x = publicKey.export({ format: "jwk" }).x ?? "";
    const integrity = `ed25519-${Buffer.from(x, "base64url").toString("base64")}`;
    expect(await ok(["embed", "sign", keyFile, directory])).toBe(`${integrity}\n`);
    const signature = JSON.parse(readFileSync(join(directory, "signature.json"), "utf8")) as ScriptSignature;
    expect(`ed25519-${signature.keyid}`).toBe(integrity);
    expect(isSignatureOf(signature, Buffer.from("// a loader\n"))).toBe(true);
    expect(isSignatureOf(signature, Buffer.from("// a loadex\n"))).toBe(false);
  });

  it("get new vault keys while the database is in use, reported on stderr and in the audit log", async () => {
    const directory = join(dataDir, "keys");
    await ok(["key-files", "create", directory]);
    const { code, printed } = await oriel(["vault", "rotate"], { ORIEL_KEY_DIR: directory });
    expect(code).toBe(0);
    expect(printed).toMatch(/^0 cards are under card_\w+ now\. Retired: card_\w+\. Back the key file up\.\n$/);
    const actions = await withDb((db) => db.selectFrom("audit_log").select(["action", "actor"]).execute());
    expect(actions.map(({ action }) => action)).toContain("vault.key_retired");
  });
});

describe("oriel serve with ORIEL_LIVE=1", () => {
  const live = {
    ORIEL_LIVE: "1",
    ORIEL_CHECKOUT_ORIGIN: "https://pay.example.com",
    ORIEL_DASHBOARD_ORIGIN: "https://dashboard.example.com",
    ORIEL_API_URL: "https://api.example.com",
    SMTP_URL: "smtp://mail.example.com",
    BANK_URL: "https://bank.example.com",
  };

  // The embedded database has a single case to test.
  const cases: [string, () => Promise<void>][] = onPostgres
    ? [
        ["refuses to start without key files instead of creating them", expectNoKeysToBeMade],
        ["refuses a superuser", expectNoSuperuser],
        ["refuses to store cards where the service's own role can read them", expectTwoRoles],
        ["starts with separate roles for the service and the vault, and existing key files", expectStart],
      ]
    : [["refuses the embedded database", expectNoPglite]];
  it.each(cases)("%s", async (_name, expectIt) => await expectIt());

  const keyDir = () => join(dataDir, "keys");

  async function expectNoPglite(): Promise<void> {
    expect(await refused(["serve"], { ...live, ORIEL_KEY_DIR: keyDir() })).toMatch(/ORIEL_LIVE=1 needs a PostgreSQL/);
  }

  async function expectNoKeysToBeMade(): Promise<void> {
    const told = await refused(["serve"], { ...live, ...asOwner(), ORIEL_KEY_DIR: keyDir() });
    expect(told).toMatch(/needs vault\.keys\.json in ORIEL_KEY_DIR/);
    expect(existsSync(keyDir())).toBe(false);
  }

  async function expectNoSuperuser(): Promise<void> {
    await ok(["key-files", "create", keyDir()]);
    const told = await refused(["serve"], { ...live, ...asOwner(), ORIEL_KEY_DIR: keyDir() });
    expect(told).toMatch(/does not run as a superuser.*is one/);
  }

  async function expectTwoRoles(): Promise<void> {
    await ok(["key-files", "create", keyDir()]);
    expect(await refused(["serve"], { ...live, ORIEL_KEY_DIR: keyDir() })).toMatch(/set VAULT_DATABASE_URL/);
  }

  /** The owner role serves as both, and is a superuser here. */
  function asOwner(): { VAULT_DATABASE_URL: string } {
    return { VAULT_DATABASE_URL: String(env["DATABASE_URL"]) };
  }

  async function expectStart(): Promise<void> {
    await ok(["key-files", "create", keyDir()]);
    await ok(["migrate"]);
    const roles = await databaseRoles(String(env["DATABASE_URL"]), closers);
    if (roles.kind !== "postgres" || roles.vaultUrl === undefined)
      throw new Error("Bug: the test needs PostgreSQL roles");
    const port = await freePort();
    const database = { DATABASE_URL: roles.url, VAULT_DATABASE_URL: roles.vaultUrl };
    const settings = { ...live, ...database, ORIEL_KEY_DIR: keyDir(), ORIEL_PORT: String(port) };
    const main = new URL("./setup/api-process.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [main], { env: { ...env, ...settings }, stdio: "ignore" });
    closers.push(async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    });
    const ready = await until("the service", () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null));
    expect(ready.status).toBe(200);
    const { printed } = await oriel(["doctor"], settings);
    expect(printed).toMatch(/ok +configuration +live mode/);
    expect(printed).toMatch(/ok +database user +one for the service and one for the vault/);
    expect(printed).toMatch(/ok +vault keys/);
  }
});

describe("oriel doctor", () => {
  let bankUrl: string;
  let bank: Awaited<ReturnType<typeof createBank>>;
  beforeAll(async () => {
    bank = await createBank({ origin: "http://bank.localhost:4100", ...bankKeys });
    bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(() => bank.close());

  /** Keyed by the check's name. */
  const lines = ({ printed }: Result) =>
    Object.fromEntries(
      printed
        .trim()
        .split("\n")
        .map((line) => [line.split(/ {2,}/)[1], line]),
    );

  it("reports no problems in a healthy setup", async () => {
    await removeDatabase();
    await ok(["migrate"]);
    const result = await oriel(["doctor"], { BANK_URL: bankUrl });
    expect(result.printed).not.toContain("FAILED");
    expect(result).toMatchObject({ code: 0, told: "" });
    expect(Object.keys(lines(result))).toEqual([
      "configuration",
      "disk",
      "key files",
      "database",
      "database user",
      "tables",
      "clock",
      "vault keys",
      "service keys",
      "bank",
      "live bank",
    ]);
    expect(existsSync(join(dataDir, "vault.keys.json"))).toBe(false); // it creates nothing
  });

  it("reports each problem with a fix on its own line and runs the remaining checks", async () => {
    await ok(["key-files", "create", dataDir]);
    chmodSync(join(dataDir, "vault.keys.json"), 0o644);
    const result = await oriel(["doctor"], { BANK_URL: bankUrl, BANK_API_KEY: "not-the-one-that-was-agreed" });
    expect(result.code).toBe(1);
    expect(lines(result)).toMatchObject({
      configuration: expect.stringMatching(/^ok /),
      "key files": expect.stringMatching(/^FAILED .*others may read .*vault\.keys\.json -> chmod 600/),
      database: expect.stringMatching(/^ok /),
      tables: expect.stringMatching(/^ok /),
      // The embedded database has no separate clock.
      clock: expect.stringMatching(/^ok .*( ms from the database's|has this machine's)$/),
      bank: expect.stringMatching(/^FAILED .*401 -> check BANK_URL and BANK_API_KEY/),
    });
    expect(result.printed).not.toContain("not-the-one-that-was-agreed");
  });

  it("skips checks that can't run", async () => {
    const result = await oriel(["doctor"], {
      BANK_API_KEY: "",
      DATABASE_URL: "postgres://oriel:topsecret@127.0.0.1:1/oriel",
    });
    expect(result.code).toBe(1);
    expect(lines(result)).toMatchObject({
      configuration: expect.stringMatching(/^FAILED .*BANK_API_KEY/),
      database: expect.stringMatching(/^FAILED .*does not let us into/),
      tables: expect.stringMatching(/^skipped/),
      bank: expect.stringMatching(/^skipped/),
    });
    expect(result.printed).not.toContain("topsecret");
  });

  it("detects key files that belong to another database", async () => {
    await ok(["key-files", "create", dataDir]);
    const first = await oriel(["doctor"], { BANK_URL: bankUrl });
    expect(first.code).toBe(0);
    const directory = join(dataDir, "others");
    await ok(["key-files", "create", directory]);
    const result = await oriel(["doctor"], { BANK_URL: bankUrl, ORIEL_KEY_DIR: directory });
    expect(result.code).toBe(1);
    expect(lines(result)["vault keys"]).toMatch(/^FAILED .*does not belong to this database/);
  });

  it("names the one step to take on a new machine", async () => {
    await removeDatabase();
    const result = await oriel(["doctor"], { BANK_URL: bankUrl });
    expect(result.code).toBe(onPostgres ? 1 : 0);
    expect(result.printed).toMatch(
      onPostgres ? /^FAILED +tables .*-> oriel migrate$/m : /^ok +database .*first start makes$/m,
    );
  });
});

describe("oriel monitor", () => {
  it("explains in one sentence what it can't monitor, without the secret in the URL", async () => {
    const told = await refused(["monitor", "https://pay.example.com/nowhere#cs_secret_1"]);
    expect(told).toContain("URL must be an embed_url");
    expect(told).not.toContain("cs_secret_1");
    expect(await refused(["monitor"])).toContain("oriel monitor URL [--inventory FILE] [--json]");
    expect(await ok(["monitor", "--help"])).toMatch(
      /0 if all is the same, 1 if anything differs, 2 if it could not look/,
    );
  });
});
