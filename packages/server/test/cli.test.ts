/** Runs `oriel-server` as an operator does: each command is a separate process. */
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
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { createBank } from "@oriel/sandbox";
import { isSignatureOf, type ScriptSignature } from "../src/http/embed/script-signature.ts";
import { findAccountNo } from "../src/merchants/accounts/accounts.ts";
import { acceptInvitation } from "../src/merchants/members/members.ts";
import { openDatabase, type Db } from "../src/platform/storage/database.ts";
import { databaseRoles } from "./setup/database-roles.ts";
import { makeDatabaseTemplate, type DatabaseTemplate } from "./setup/database-template.ts";
import { processEnv } from "./setup/oriel-process.ts";
import { bankKeys, freePort, freshDatabase } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

// A test runs up to a dozen commands. Each starts a process and, with the embedded database, PostgreSQL too.
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
  stdout: string;
  stderr: string;
}

async function oriel(args: string[], more: NodeJS.ProcessEnv = {}, input = ""): Promise<Result> {
  const child = spawn(process.execPath, [cli, ...args], { env: { ...env, ...more }, stdio: "pipe" });
  child.stdin.end(input);
  const [stderr, stdout] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
  return { code: child.exitCode, stderr, stdout };
}

/** Returns stdout. The command must exit with 0 and print nothing to stderr. */
async function ok(args: string[]): Promise<string> {
  const { code, stdout, stderr } = await oriel(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Returns the error. Besides the service's log, the command must print one line without a stack trace and exit with 2. */
async function refused(args: string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const { code, stdout, stderr } = await oriel(args, more);
  const printed = stdout.replace(/^\{.*\}\n/gm, "");
  expect({ code, printed, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, printed: "", lines: 1 });
  return stderr;
}

/** Restores the state before the first command: an empty PostgreSQL database, or no embedded database. */
async function forgetDatabase(): Promise<void> {
  rmSync(join(dataDir, "pglite"), { recursive: true, force: true });
  const database = await freshDatabase(closers);
  if (database.kind === "postgres") env["DATABASE_URL"] = database.url;
}

const found = (pattern: RegExp, where: string) => pattern.exec(where)?.[0] ?? "";
const keyPattern = /oriel_sk_(test|live)_\w{36}/;

/** Opens the database in this process, between commands. */
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
  it("are created, listed, rolled, revoked, suspended and resumed, each with an audit log entry", async () => {
    const account = found(/acct_\w{33}/, await ok(["account", "create", "Kiln Street"]));
    const made = await ok(["key", "create", account, "--name", "Till", "--scope", "checkout"]);
    const [till, tillKey] = [found(/key_\w{33}/, made), found(keyPattern, made)];
    expect(made).toMatch(/won't be shown again/);
    const rolled = await ok(["key", "roll", till, "--overlap", "1h"]);
    const till2 = found(/key_\w{33}/, rolled);
    expect(rolled).toContain(`${till} keeps working for 1h.`);
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

  it("can't include live keys until the account is approved", async () => {
    const account = found(/acct_\w{33}/, await ok(["account", "create", "Kiln Street"]));
    expect(await refused(["key", "create", account, "--live"])).toContain("isn't approved for live mode");
    await withDb((db) => db.updateTable("account").set({ live_approved_at: new Date() }).execute());
    expect(await ok(["key", "create", account, "--live"])).toMatch(/oriel_sk_live_\w{36}/);
  });

  it("are reported by name if they don't exist", async () => {
    expect(await refused(["key", "revoke", "key_none"])).toContain('There is no key with the ID "key_none"');
    expect(await refused(["account", "suspend", "acct_none"])).toContain('There is no account with the ID "acct_none"');
  });

  it("can't be changed while the database schema is out of date", async () => {
    await forgetDatabase();
    expect(await refused(["key", "revoke", "key_none"])).toMatch(/out of date.*oriel-server migrate/);
  });
});

describe("an account's owner", () => {
  const email = "Ann@shop.example";
  const at = new Date();
  const login = (email_verified: boolean) => ({
    id: "ann",
    name: "Ann",
    email: email.toLowerCase(),
    email_verified,
    created_at: at,
    updated_at: at,
  });
  const members = () =>
    withDb((db) =>
      db
        .selectFrom("member")
        .innerJoin("account", "account.account_no", "member.account_no")
        .select(["account.id as account_id", "login_id", "role"])
        .execute(),
    );
  const linkPattern = /^http:\/\/dashboard\.localhost:4000\/invitation#(\S+)$/m;

  it("is the existing user with that email address", async () => {
    await withDb((db) => db.insertInto("login").values(login(true)).execute());
    const printed = await ok(["account", "create", "Kiln Street", "--owner", email]);
    const account_id = found(/acct_\w{33}/, printed);
    expect(printed).toContain(`${email} is its owner now and can sign in at http://dashboard.localhost:4000.`);
    expect(await members()).toEqual([{ account_id, login_id: "ann", role: "owner" }]);
  });

  it("gets a link to accept if there is no such user, or if the user's address isn't confirmed", async () => {
    await withDb((db) => db.insertInto("login").values(login(false)).execute());
    const printed = await ok(["account", "create", "Kiln Street", "--owner", email]);
    expect(printed).toContain(`Send this link to ${email}`);
    expect(printed).toContain(`to ${join(dataDir, "mail")}.`);
    expect(await members()).toEqual([]);
    const [, token = ""] = linkPattern.exec(printed) ?? [];
    const accountId = found(/acct_\w{33}/, printed);
    const ann = { loginId: "ann", email: email.toLowerCase() };
    expect(await withDb((db) => acceptInvitation(db, token, ann, new Date()))).toEqual({ accountId });
    expect(await members()).toEqual([{ account_id: accountId, login_id: "ann", role: "owner" }]);
  });

  it("gets an email if there is a mail server, and a failure to send it shows the link", async () => {
    const received: string[] = [];
    const server = createServer((socket) => {
      let message = "";
      let isBody = false;
      socket.write("220 ready\r\n");
      socket.on("data", (chunk) => {
        message += chunk.toString();
        if (!message.endsWith(isBody ? "\r\n.\r\n" : "\r\n")) return;
        received.push(message);
        isBody = !isBody && message.startsWith("DATA");
        message = "";
        socket.write(isBody ? "354 go on\r\n" : "250 ok\r\n");
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.push(async () => void server.close());
    const port = (server.address() as AddressInfo).port; // a TCP server's address
    const create = ["account", "create", "Kiln Street", "--owner", email];
    const sent = await oriel(create, { SMTP_URL: `smtp://127.0.0.1:${port}` });
    expect(sent).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining(`We emailed ${email} an invitation.`),
    });
    expect(sent.stdout).not.toMatch(linkPattern);
    expect(received.join("").replaceAll("=\r\n", "")).toMatch(
      /invited you to join the team of Kiln Street.*http:\/\/dashboard\.localhost:4000\/invitation#/s,
    );
    const failed = await oriel(create, { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(keyPattern) });
    expect(failed.stderr).toMatch(/couldn't be emailed \(.*ECONNREFUSED.*\)\. Check SMTP_URL/);
    expect(failed.stderr).toMatch(linkPattern);
  });

  it("can't be an operator or something else than an email address, and then no account is created", async () => {
    await withDb(async (db) => {
      await db.insertInto("login").values(login(true)).execute();
      await db.insertInto("operator").values({ login_id: "ann", created_at: at }).execute();
    });
    expect(await refused(["account", "create", "Kiln Street", "--owner", email])).toMatch(
      /is an operator.*Choose another/,
    );
    expect(await refused(["account", "create", "Kiln Street", "--owner", "Ann"])).toContain(
      '--owner is "Ann", but it must be an email address.',
    );
    expect(await withDb((db) => db.selectFrom("account").select("id").execute())).toEqual([]);
  });
});

describe("operators", () => {
  it("must be verified users without a team, and are created, listed and removed", async () => {
    const account = found(/acct_\w{33}/, await ok(["account", "create", "Kiln Street"]));
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
      const account_no = await findAccountNo(db, account);
      await db.insertInto("member").values({ account_no, login_id: "owner", role: "owner", created_at: at }).execute();
    });
    expect(await refused(["operator", "create", "nobody@shop.example"])).toContain(
      "There is no user with the email address",
    );
    expect(await refused(["operator", "create", "owner@shop.example"])).toContain(
      `is on the team of the account ${account}`,
    );
    expect(await refused(["operator", "create", "newcomer@shop.example"])).toContain("hasn't been confirmed yet");
    expect(await refused(["operator", "create", "guest@shop.example"])).toContain("hasn't set up an authenticator app");
    expect(await ok(["operator", "create", "keeper@shop.example"])).toBe("keeper@shop.example is now an operator.\n");
    expect(await ok(["operator", "list"])).toMatch(
      /^email .*\nkeeper@shop\.example +set up +20\d\d-\d\d-\d\d +The keeper\n$/,
    );
    expect(await ok(["audit", "list", "--limit", "1"])).toMatch(/cli .* operator\.created +keeper /);
    await ok(["operator", "remove", "keeper@shop.example"]);
    expect(await refused(["operator", "remove", "keeper@shop.example"])).toContain("isn't an operator");
  });
});

describe("an account's own acquirer", () => {
  const credentials = { api_key: "AQE-a-key-for-this-test", hmac_keys: ["0123456789abcdef".repeat(4)] };
  const settings = { merchant_account: "KilnAndClay", api_url: "https://checkout-test.adyen.com/v72" };
  const entered = { livemode: false, connector: "adyen", settings, credentials };
  const set = (account: string, input: string) => oriel(["acquirer", "set", account], {}, input);
  beforeEach(async () => {
    env["ORIEL_KEY_DIR"] = join(dataDir, "keys");
    await ok(["key-files", "create", env["ORIEL_KEY_DIR"]]);
  });

  it("is set with JSON from the standard input, changed without credentials, listed without them, and audited", async () => {
    const account = found(/acct_\w{33}/, await ok(["account", "create", "Kiln Street"]));
    const created = await set(account, JSON.stringify(entered));
    const id = found(/aa_\w{33}/, created.stdout);
    expect(created).toEqual({
      code: 0,
      stdout: `${id} is created. Its webhook's URL is http://127.0.0.1:4000/acquirers/${id}/notifications\n`,
      stderr: "",
    });
    const { credentials: _, ...changed } = { ...entered, settings: { ...settings, multiple_partial_captures: true } };
    expect((await set(account, JSON.stringify(changed))).stdout).toContain(`${id} is changed.`);
    const listed = await ok(["acquirer", "list", account]);
    expect(listed).toMatch(new RegExp(`${id} +test +current +adyen +{"api_url":.*"KilnAndClay"`));
    const rows = await withDb((db) => db.selectFrom("audit_log").select(["action", "actor", "details"]).execute());
    expect(rows.map(({ action }) => action).filter((action) => action.startsWith("acquirer_account"))).toEqual([
      "acquirer_account.created",
      "acquirer_account.changed",
    ]);
    for (const secret of [credentials.api_key, ...credentials.hmac_keys])
      expect(JSON.stringify([created, listed, rows])).not.toContain(secret);
  });

  it("is refused with advice that doesn't quote the input", async () => {
    const account = found(/acct_\w{33}/, await ok(["account", "create", "Kiln Street"]));
    const wrong: [string, string][] = [
      ["hunter2", "isn't JSON"],
      ['{"api_key":"hunter2"}', "must have `livemode`"],
      [JSON.stringify({ ...entered, credentials: { ...credentials, hmac_keys: ["hunter2"] } }), "`hmac_keys` must"],
    ];
    for (const [input, advice] of wrong) {
      const { code, stdout, stderr } = await set(account, input);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(advice);
      expect(stderr).not.toContain("hunter2");
    }
    expect((await set("acct_none", JSON.stringify(entered))).stderr).toContain("There is no account");
  });
});

describe("the audit log", () => {
  it("can be listed and verified, and a removed row is reported with exit code 1", async () => {
    const account = found(/acct_\w{33}/, await ok(["account", "create", "Kiln Street"]));
    await ok(["account", "create", "Loom"]);
    const noted = await ok(["audit", "verify"]);
    expect(noted).toMatch(/^4:[0-9a-f]{64}\n$/);
    await ok(["account", "suspend", account]);
    expect(await ok(["audit", "verify", "--expect", noted])).toMatch(/^5:/);

    const [heading, ...lines] = (await ok(["audit", "list", "--limit", "3"])).trim().split("\n");
    expect(heading).toMatch(/^row +time +actor +action +object +details$/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(new RegExp(`^5 +20.* UTC +cli .* +account\\.suspended +${account} +\\{\\}$`));
    expect((await ok(["audit", "list", "--account", account])).trim().split("\n")).toHaveLength(4);

    await withDb((db) =>
      db.transaction().execute(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx);
        await sql`delete from audit_log where sequence = 2`.execute(tx);
      }),
    );
    const { code, stdout, stderr } = await oriel(["audit", "verify"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Row 2 was removed: row 1 is followed by row 3 \(aud_\w+\)\.\n$/);
  });

  it("rejects an invalid --expect or --limit", async () => {
    expect(await refused(["audit", "verify", "--expect", "12"])).toContain('--expect is "12"');
    expect(await refused(["audit", "list", "--limit", "0"])).toContain('--limit is "0"');
  });
});

describe("the command line", () => {
  it("prints its version", async () => {
    expect(await ok(["--version"])).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("prints help for everything, a group and a command", async () => {
    const all = await ok(["--help"]);
    for (const command of ["serve", "migrate", "account create NAME", "key roll KEY_ID", "vault rotate", "doctor"])
      expect(all).toContain(`  ${command} `);
    expect(await ok([])).toBe(all);
    expect(await ok(["key", "--help"])).not.toContain("  doctor ");
    expect(await ok(["key", "roll", "--help"])).toMatch(
      /^Usage: oriel-server key roll KEY_ID \[--overlap now\|1h\|24h\|7d\]\n\nReplace a key/,
    );
  });

  it.each<[string[], RegExp]>([
    [["key", "roll"], /Usage: oriel-server key roll KEY_ID \[--overlap now\|1h\|24h\|7d\]/],
    [["key", "roll", "a", "b"], /Wrong number of arguments. Usage: oriel-server key roll/],
    [["key", "roll", "key_x", "--overlap", "1y"], /--overlap is "1y", but it must be one of now, 1h, 24h, 7d/],
    [["key", "create", "acct_x", "--scope", "all"], /--scope is "all", but it must be one of full, read, checkout/],
    [["key", "create", "acct_x", "--scop", "full"], /Unknown option/],
    [["key", "sing"], /Unknown command "key sing".*key list, key create, key roll, key revoke/],
    [["key"], /Unknown command "key"/],
    [["keys", "list"], /Unknown command "keys list".*--help/],
    [["account", "create", " "], /oriel-server account create/],
    [["account", "create", "Pay at www.evil.example"], /The name .*URL or an email address/],
    [["key-files", "create"], /Usage: oriel-server key-files create DIRECTORY/],
  ])("refuses %j with a message", async (args, sentence) => {
    expect(await refused(args)).toMatch(sentence);
  });
});

describe("commands while the database is open in another process", () => {
  it("run on PostgreSQL, and are refused with advice on an embedded database", async () => {
    const account = found(/acct_\w{33}/, await ok(["account", "create", "Kiln Street"]));
    const { code, stdout, stderr } = await withDb(() => oriel(["key", "list", account]));
    expect(code).toBe(onPostgres ? 0 : 2);
    expect(`${stdout}${stderr}`).toMatch(
      onPostgres ? /\nkey_\w+ +test +full/ : /is open in another process. Stop that process/,
    );
  });
});

describe("key files", () => {
  it("are created in a directory and never overwritten", async () => {
    const directory = join(dataDir, "keys");
    await ok(["key-files", "create", directory]);
    expect(readdirSync(directory).sort()).toEqual(["embed.keys.json", "server.keys.json", "vault.keys.json"]);
    expect(await refused(["key-files", "create", directory])).toContain("already exists");
  });

  it("can include the operator's own key for signing the loader, which writes the signature next to the build", async () => {
    const directory = join(dataDir, "embed");
    mkdirSync(directory);
    const keyFile = join(dataDir, "signing.pem");
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    expect(await refused(["embed", "sign", keyFile, directory])).toMatch(
      /oriel\.js doesn't exist\. Run `npm run build` first/,
    );

    writeFileSync(join(directory, "oriel.js"), "// a loader\n");
    expect(await refused(["embed", "sign", join(directory, "oriel.js"), directory])).toMatch(
      /isn't an Ed25519 private key/,
    );
    const x = publicKey.export({ format: "jwk" }).x ?? "";
    const integrity = `ed25519-${Buffer.from(x, "base64url").toString("base64")}`;
    expect(await ok(["embed", "sign", keyFile, directory])).toBe(`${integrity}\n`);
    const signature = JSON.parse(readFileSync(join(directory, "signature.json"), "utf8")) as ScriptSignature;
    expect(`ed25519-${signature.keyid}`).toBe(integrity);
    expect(isSignatureOf(signature, Buffer.from("// a loader\n"))).toBe(true);
    expect(isSignatureOf(signature, Buffer.from("// a loadex\n"))).toBe(false);
  });

  it("get new vault keys when `oriel-server vault rotate` runs, which is recorded in the audit log", async () => {
    const directory = join(dataDir, "keys");
    await ok(["key-files", "create", directory]);
    const { code, stdout } = await oriel(["vault", "rotate"], { ORIEL_KEY_DIR: directory });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^0 records now use the key card_\w+\. Retired keys: card_\w+\. Back up the key file\.\n$/);
    const actions = await withDb((db) => db.selectFrom("audit_log").select(["action", "actor"]).execute());
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

  const keyDir = () => join(dataDir, "keys");

  async function expectNoPglite(): Promise<void> {
    expect(await refused(["serve"], { ...live, ORIEL_KEY_DIR: keyDir() })).toMatch(/ORIEL_LIVE=1 requires PostgreSQL/);
  }

  async function expectNoKeysToBeMade(): Promise<void> {
    const stderr = await refused(["serve"], { ...live, ...asOwner(), ORIEL_KEY_DIR: keyDir() });
    expect(stderr).toMatch(/needs vault\.keys\.json in ORIEL_KEY_DIR/);
    expect(existsSync(keyDir())).toBe(false);
  }

  async function expectNoSuperuser(): Promise<void> {
    await ok(["key-files", "create", keyDir()]);
    const stderr = await refused(["serve"], { ...live, ...asOwner(), ORIEL_KEY_DIR: keyDir() });
    expect(stderr).toMatch(/is a PostgreSQL superuser/);
  }

  async function expectTwoRoles(): Promise<void> {
    await ok(["key-files", "create", keyDir()]);
    expect(await refused(["serve"], { ...live, ORIEL_KEY_DIR: keyDir() })).toMatch(/set VAULT_DATABASE_URL/);
  }

  /** Uses the owner role, which is a superuser here, for both the service and the vault. */
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
    const { stdout } = await oriel(["doctor"], settings);
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
    await forgetDatabase();
    await ok(["migrate"]);
    const result = await oriel(["doctor"], { BANK_URL: bankUrl });
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
      "bank",
      "live bank",
      "API URL",
    ]);
    expect(existsSync(join(dataDir, "vault.keys.json"))).toBe(false); // doctor creates no files
  });

  it("prints each failure and its fix on one line, and still runs the other checks", async () => {
    await ok(["key-files", "create", dataDir]);
    chmodSync(join(dataDir, "vault.keys.json"), 0o644);
    const result = await oriel(["doctor"], { BANK_URL: bankUrl, BANK_API_KEY: "not-the-one-that-was-agreed" });
    expect(result.code).toBe(1);
    expect(lines(result)).toMatchObject({
      configuration: expect.stringMatching(/^ok /),
      "key files": expect.stringMatching(/^FAILED .*readable by other users: .*vault\.keys\.json -> chmod 600/),
      database: expect.stringMatching(/^ok /),
      tables: expect.stringMatching(/^ok /),
      clock: expect.stringMatching(
        /^ok .*(differs from the database's clock by \d+ ms|doesn't apply to the embedded database)$/,
      ),
      bank: expect.stringMatching(/^FAILED .*401 -> check BANK_URL and BANK_API_KEY/),
    });
    expect(result.stdout).not.toContain("not-the-one-that-was-agreed");
  });

  it("skips checks that depend on a failed one", async () => {
    const result = await oriel(["doctor"], {
      BANK_API_KEY: "",
      DATABASE_URL: "postgres://oriel:topsecret@127.0.0.1:1/oriel",
    });
    expect(result.code).toBe(1);
    expect(lines(result)).toMatchObject({
      configuration: expect.stringMatching(/^FAILED .*BANK_API_KEY/),
      database: expect.stringMatching(/^FAILED .*Could not connect to/),
      tables: expect.stringMatching(/^skipped/),
      bank: expect.stringMatching(/^skipped/),
    });
    expect(result.stdout).not.toContain("topsecret");
  });

  it("reports key files that belong to another database", async () => {
    await ok(["key-files", "create", dataDir]);
    const first = await oriel(["doctor"], { BANK_URL: bankUrl });
    expect(first.code).toBe(0);
    const directory = join(dataDir, "others");
    await ok(["key-files", "create", directory]);
    const result = await oriel(["doctor"], { BANK_URL: bankUrl, ORIEL_KEY_DIR: directory });
    expect(result.code).toBe(1);
    expect(lines(result)["vault keys"]).toMatch(/^FAILED .*does not belong to this database/);
  });

  it("says to run `oriel-server migrate` on a new PostgreSQL database", async () => {
    await forgetDatabase();
    const result = await oriel(["doctor"], { BANK_URL: bankUrl });
    expect(result.code).toBe(onPostgres ? 1 : 0);
    expect(result.stdout).toMatch(
      onPostgres
        ? /^FAILED +tables .*-> run `oriel-server migrate`$/m
        : /^ok +database .*created when the service first starts$/m,
    );
  });
});
