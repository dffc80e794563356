/**
 * Runs the commands of `oriel-server` that start it, check it or rotate its keys, and one of each kind that reads and
 * writes. `cli.postgres.test.ts` runs the others.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createBank } from "@oriel/sandbox";
import { freePort } from "../../../scripts/test/free-port.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { databaseRoles } from "./setup/database-roles.ts";
import { found, useInstallation, type Result } from "./setup/server-commands.ts";
import { bankKeys } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

// A test runs up to a dozen commands. Each starts a process and, with the embedded database, PostgreSQL too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const onPostgres = inject("postgresUrl") !== null;
const oriel = useInstallation();

describe("commands", () => {
  it("read what they wrote, but are refused with advice while another process has the embedded database open", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    const { code, stdout, stderr } = await oriel.withDb(() => oriel.run(["key", "list", account]));
    expect(code).toBe(onPostgres ? 0 : 2);
    expect(`${stdout}${stderr}`).toMatch(
      onPostgres ? /\nkey_\w+ +test +full/ : /is open in another process \(process ID \d+\)\. Stop that process/,
    );
    expect(await oriel.ok(["key", "list", account])).toMatch(/\nkey_\w+ +test +full .* 20\d\d-\d\d-\d\d/);
    expect(await oriel.ok(["audit", "list"])).toMatch(
      new RegExp(`\n1 +20.* UTC +cli .* +account\\.created +${account} `),
    );
    expect(await oriel.ok(["audit", "verify"])).toMatch(/^2:[0-9a-f]{64}\n$/);
  });

  it("are refused with advice while the database schema is out of date", async () => {
    await oriel.forgetDatabase();
    expect(await oriel.refused(["key", "revoke", "key_none"])).toMatch(/out of date.*oriel-server migrate/);
  });

  it("are refused with advice while the database lacks a function", async () => {
    await oriel.ok(["migrate"]);
    await oriel.withDb((db) => sql`drop routine ${sql.id(storedFunctions[0]?.storedName ?? "")}`.execute(db));
    expect(await oriel.refused(["key", "revoke", "key_none"])).toMatch(/out of date.*oriel-server migrate/);
    await oriel.ok(["migrate"]);
    expect(await oriel.refused(["key", "revoke", "key_none"])).not.toContain("out of date");
  });
});

describe("key files", () => {
  it("get new vault keys when `oriel-server vault rotate` runs, which is recorded in the audit log", async () => {
    const directory = join(oriel.dataDir, "keys");
    await oriel.ok(["key-files", "create", directory]);
    const { code, stdout } = await oriel.run(["vault", "rotate"], { ORIEL_KEY_DIR: directory });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^0 records now use the key card_\w+\. Retired keys: card_\w+\. Back up the key file\.\n$/);
    const actions = await oriel.withDb((db) => db.selectFrom("audit_log").select(["action", "actor"]).execute());
    expect(actions.map(({ action }) => action)).toContain("vault.key_retired");
  });
});

describe("oriel-server serve with ORIEL_LIVE=1", () => {
  const live = {
    ORIEL_LIVE: "1",
    ORIEL_CHECKOUT_ORIGIN: "https://pay.example.com",
    ORIEL_DASHBOARD_ORIGIN: "https://dashboard.example.com",
    ORIEL_API_URL: "https://api.example.com",
    SMTP_URL: "smtp://mail.example.com",
    ORIEL_MAIL_FROM: "payments@kilnstreet.shop",
    BANK_URL: "https://bank.example.com",
  };

  // Only one of these cases applies to the embedded database.
  const cases: [string, () => Promise<void>][] = onPostgres
    ? [
        ["refuses to start without key files and creates none", expectNoKeysToBeMade],
        ["refuses a superuser", expectNoSuperuser],
        ["refuses a single role for the service and the vault", expectTwoRoles],
        ["starts with separate roles for the service and the vault, and existing key files", expectStart],
      ]
    : [["refuses the embedded database", expectNoPglite]];
  it.each(cases)("%s", async (_name, expectIt) => await expectIt());

  const keyDir = () => join(oriel.dataDir, "keys");

  async function expectNoPglite(): Promise<void> {
    expect(await oriel.refused(["serve"], { ...live, ORIEL_KEY_DIR: keyDir() })).toMatch(
      /ORIEL_LIVE=1 requires PostgreSQL/,
    );
  }

  async function expectNoKeysToBeMade(): Promise<void> {
    const stderr = await oriel.refused(["serve"], { ...live, ...asOwner(), ORIEL_KEY_DIR: keyDir() });
    expect(stderr).toMatch(/needs vault\.keys\.json in ORIEL_KEY_DIR/);
    expect(existsSync(keyDir())).toBe(false);
  }

  async function expectNoSuperuser(): Promise<void> {
    await oriel.ok(["key-files", "create", keyDir()]);
    const stderr = await oriel.refused(["serve"], { ...live, ...asOwner(), ORIEL_KEY_DIR: keyDir() });
    expect(stderr).toMatch(/is a PostgreSQL superuser/);
  }

  async function expectTwoRoles(): Promise<void> {
    await oriel.ok(["key-files", "create", keyDir()]);
    expect(await oriel.refused(["serve"], { ...live, ORIEL_KEY_DIR: keyDir() })).toMatch(/set VAULT_DATABASE_URL/);
  }

  /** Uses the owner role, which is a superuser here, for both the service and the vault. */
  function asOwner(): { VAULT_DATABASE_URL: string } {
    return { VAULT_DATABASE_URL: String(oriel.env["DATABASE_URL"]) };
  }

  async function expectStart(): Promise<void> {
    await oriel.ok(["key-files", "create", keyDir()]);
    await oriel.ok(["migrate"]);
    const roles = await databaseRoles(String(oriel.env["DATABASE_URL"]), oriel.closers);
    if (roles.kind !== "postgres" || roles.vaultUrl === undefined)
      throw new Error("Bug: the test needs PostgreSQL roles");
    const port = await freePort();
    const database = { DATABASE_URL: roles.url, VAULT_DATABASE_URL: roles.vaultUrl };
    const settings = { ...live, ...database, ORIEL_KEY_DIR: keyDir(), ORIEL_PORT: String(port) };
    const main = new URL("./setup/api-process.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [main], { env: { ...oriel.env, ...settings }, stdio: "ignore" });
    oriel.closers.push(async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    });
    const ready = await until("the service", () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null));
    expect(ready.status).toBe(200);
    const { stdout } = await oriel.run(["doctor"], settings);
    expect(stdout).toMatch(/ok +configuration +live mode/);
    expect(stdout).toMatch(/ok +database user +separate roles for the service and the vault/);
    expect(stdout).toMatch(/ok +vault keys/);
  }
});

describe("oriel-server doctor", () => {
  let bankUrl: string;
  let bank: Awaited<ReturnType<typeof createBank>>;
  beforeAll(async () => {
    bank = await createBank({ origin: "http://bank.localhost:4100", ...bankKeys });
    bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(() => bank.close());

  /** Returns the report's lines by check name. */
  const lines = ({ stdout }: Result) =>
    Object.fromEntries(
      stdout
        .trim()
        .split("\n")
        .map((line) => [line.split(/ {2,}/)[1], line]),
    );

  it("reports no failure for a healthy installation", async () => {
    await oriel.forgetDatabase();
    await oriel.ok(["migrate"]);
    const result = await oriel.run(["doctor"], { BANK_URL: bankUrl });
    expect(result.stdout).not.toContain("FAILED");
    expect(result).toMatchObject({ code: 0, stderr: "" });
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
      "acquirer",
      "live acquirer",
      "acquirer accounts",
      "API URL",
      "mail",
      "emails",
    ]);
    expect(existsSync(join(oriel.dataDir, "vault.keys.json"))).toBe(false); // doctor creates no files
  });

  it("prints each failure and its fix on one line, and still runs the other checks", async () => {
    await oriel.ok(["key-files", "create", oriel.dataDir]);
    chmodSync(join(oriel.dataDir, "vault.keys.json"), 0o644);
    const result = await oriel.run(["doctor"], {
      BANK_URL: bankUrl,
      BANK_API_KEY: "not-the-one-that-was-agreed",
      SMTP_URL: "smtp://ann:topsecret@127.0.0.1:1",
    });
    expect(result.code).toBe(1);
    expect(lines(result)).toMatchObject({
      configuration: expect.stringMatching(/^ok /),
      "key files": expect.stringMatching(/^FAILED .*readable by other users: .*vault\.keys\.json -> chmod 600/),
      database: expect.stringMatching(/^ok /),
      tables: expect.stringMatching(/^ok /),
      clock: expect.stringMatching(
        /^ok .*(differs from the database's clock by \d+ ms|doesn't apply to the embedded database)$/,
      ),
      acquirer: expect.stringMatching(/^FAILED .*401 -> check BANK_URL and BANK_API_KEY/),
      mail: expect.stringMatching(/^FAILED +mail +127\.0\.0\.1:1: .*ECONNREFUSED.* -> check SMTP_URL/),
    });
    expect(result.stdout).not.toContain("topsecret");
    expect(result.stdout).not.toContain("not-the-one-that-was-agreed");
  });

  it("skips checks that depend on a failed one", async () => {
    const result = await oriel.run(["doctor"], {
      BANK_API_KEY: "",
      DATABASE_URL: "postgres://oriel:topsecret@127.0.0.1:1/oriel",
    });
    expect(result.code).toBe(1);
    expect(lines(result)).toMatchObject({
      configuration: expect.stringMatching(/^FAILED .*BANK_API_KEY/),
      database: expect.stringMatching(/^FAILED .*Could not connect to/),
      tables: expect.stringMatching(/^skipped/),
      acquirer: expect.stringMatching(/^skipped/),
    });
    expect(result.stdout).not.toContain("topsecret");
  });

  it("reports key files that belong to another database", async () => {
    await oriel.ok(["key-files", "create", oriel.dataDir]);
    const first = await oriel.run(["doctor"], { BANK_URL: bankUrl });
    expect(first.code).toBe(0);
    const directory = join(oriel.dataDir, "others");
    await oriel.ok(["key-files", "create", directory]);
    const result = await oriel.run(["doctor"], { BANK_URL: bankUrl, ORIEL_KEY_DIR: directory });
    expect(result.code).toBe(1);
    expect(lines(result)["vault keys"]).toMatch(/^FAILED .*does not belong to this database/);
  });

  it("says to run `oriel-server migrate` on a new PostgreSQL database", async () => {
    await oriel.forgetDatabase();
    const result = await oriel.run(["doctor"], { BANK_URL: bankUrl });
    expect(result.code).toBe(onPostgres ? 1 : 0);
    expect(result.stdout).toMatch(
      onPostgres
        ? /^FAILED +tables .*-> run `oriel-server migrate`$/m
        : /^ok +database .*created when the service first starts$/m,
    );
  });
});
