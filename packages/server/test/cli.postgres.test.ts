/**
 * Runs the commands of `oriel-server` that work the same on every database, and its help. `cli.test.ts` runs the others
 * on the embedded database too, where each command starts PostgreSQL.
 */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../scripts/test/free-port.ts";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { isSignatureOf, type ScriptSignature } from "../src/http/embed/script-signature.ts";
import { findAccountNo } from "../src/merchants/accounts/accounts.ts";
import type { EnteredAcquirer } from "../src/merchants/accounts/acquirer-accounts.ts";
import { acceptInvitation } from "../src/merchants/members/members.ts";
import { adyenApiKey, adyenHmacKey, startAdyen, type AdyenBank } from "./setup/adyen.ts";
import { addOwner } from "./setup/owner.ts";
import { found, useInstallation } from "./setup/server-commands.ts";

// A test runs up to a dozen commands, each in a process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const keyPattern = /oriel_sk_(test|live)_\w{36}/;
const oriel = useInstallation();

describe("accounts and keys", () => {
  it("are created, listed, rolled, revoked, suspended and resumed, each with an audit log entry", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    const made = await oriel.ok(["key", "create", account, "--name", "Till", "--scope", "checkout"]);
    const [till, tillKey] = [found(/key_\w{33}/, made), found(keyPattern, made)];
    expect(made).toMatch(/won't be shown again/);
    const rolled = await oriel.ok(["key", "roll", till, "--overlap", "1h"]);
    const till2 = found(/key_\w{33}/, rolled);
    expect(rolled).toContain(`${till} keeps working for 1h.`);
    expect(await oriel.ok(["key", "revoke", till2])).toBe(`${till2} is revoked.\n`);

    const list = await oriel.ok(["key", "list", account]);
    const lineOf = (id: string) => list.split("\n").find((line) => line.startsWith(id)) ?? "";
    expect(lineOf(till)).toMatch(
      new RegExp(`test +checkout +\\.\\.\\.${tillKey.slice(-4)} .* never +until .* UTC +Till$`),
    );
    expect(lineOf(till2)).toMatch(/revoked +Till$/);
    expect(list.trim().split("\n")).toHaveLength(4);
    expect(list).not.toMatch(keyPattern);

    await oriel.ok(["account", "suspend", account]);
    expect(await oriel.ok(["account", "list"])).toMatch(new RegExp(`${account} +suspended +test only .* Kiln Street`));
    await oriel.ok(["account", "resume", account]);
    const rows = await oriel.withDb((db) => db.selectFrom("audit_log").select(["action", "actor"]).execute());
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

  it("are suspended and resumed with an email to the owners, if the service's key file is here to seal it", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    await oriel.withDb(async (db) => {
      const now = () => new Date();
      await addOwner({ db, now }, await findAccountNo(db, account), "ann@shop.example");
    });
    const without = await oriel.run(["account", "suspend", account]);
    expect(without).toMatchObject({ code: 0, stdout: `${account} is suspended.\n` });
    expect(without.stderr).toMatch(
      /There won't be an email to the account's owners.*server\.keys\.json doesn't exist\. Set ORIEL_KEY_DIR/,
    );
    await oriel.ok(["key-files", "create", oriel.dataDir]);
    const wrong = await oriel.run(["account", "suspend", account], { ORIEL_DASHBOARD_ORIGIN: "no origin" });
    expect(wrong).toMatchObject({ code: 0, stderr: expect.stringContaining("There won't be an email") });
    await oriel.ok(["account", "resume", account]);
    await oriel.ok(["account", "resume", account]);
    const emails = await oriel.withDb((db) => db.selectFrom("email").select(["queue", "tries"]).execute());
    expect(emails).toEqual([{ queue: account, tries: 0 }]);
  });

  it("can't include live keys until the account is approved", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    expect(await oriel.refused(["key", "create", account, "--live"])).toContain("isn't approved for live mode");
    await oriel.withDb((db) => db.updateTable("account").set({ live_approved_at: new Date() }).execute());
    expect(await oriel.ok(["key", "create", account, "--live"])).toMatch(/oriel_sk_live_\w{36}/);
  });

  it("are reported by name if they don't exist", async () => {
    expect(await oriel.refused(["key", "revoke", "key_none"])).toContain('There is no key with the ID "key_none"');
    expect(await oriel.refused(["account", "suspend", "acct_none"])).toContain(
      'There is no account with the ID "acct_none"',
    );
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
    oriel.withDb((db) =>
      db
        .selectFrom("member")
        .innerJoin("account", "account.account_no", "member.account_no")
        .select(["account.id as account_id", "login_id", "role"])
        .execute(),
    );
  const linkPattern = /^http:\/\/dashboard\.localhost:4000\/invitation#(\S+)$/m;

  it("is the existing user with that email address", async () => {
    await oriel.withDb((db) => db.insertInto("login").values(login(true)).execute());
    const printed = await oriel.ok(["account", "create", "Kiln Street", "--owner", email]);
    const account_id = found(/acct_\w{33}/, printed);
    expect(printed).toContain(`${email} is its owner now and can sign in at http://dashboard.localhost:4000.`);
    expect(await members()).toEqual([{ account_id, login_id: "ann", role: "owner" }]);
  });

  it("gets a link to accept if there is no such user, or if the user's address isn't confirmed", async () => {
    await oriel.withDb((db) => db.insertInto("login").values(login(false)).execute());
    const printed = await oriel.ok(["account", "create", "Kiln Street", "--owner", email]);
    expect(printed).toContain(`Send this link to ${email}`);
    expect(printed).toContain(`to ${join(oriel.dataDir, "mail")}.`);
    expect(await members()).toEqual([]);
    const [, token = ""] = linkPattern.exec(printed) ?? [];
    const accountId = found(/acct_\w{33}/, printed);
    const ann = { loginId: "ann", email: email.toLowerCase() };
    expect(await oriel.withDb((db) => acceptInvitation(db, { token }, ann, new Date()))).toEqual({ accountId });
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
    });
    const { port, close } = await listenLocally(server);
    oriel.closers.push(close);
    const create = ["account", "create", "Kiln Street", "--owner", email];
    const sent = await oriel.run(create, { SMTP_URL: `smtp://127.0.0.1:${port}` });
    expect(sent).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining(`We emailed ${email} an invitation.`),
    });
    expect(sent.stdout).not.toMatch(linkPattern);
    expect(received.join("").replaceAll("=\r\n", "")).toMatch(
      /invited you to join the team of Kiln Street.*http:\/\/dashboard\.localhost:4000\/invitation#/s,
    );
    const failed = await oriel.run(create, { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(keyPattern) });
    expect(failed.stderr).toMatch(/couldn't be emailed \(.*ECONNREFUSED.*\)\. Check SMTP_URL/);
    expect(failed.stderr).toMatch(linkPattern);
  });

  it("can't be an operator or something else than an email address, and then no account is created", async () => {
    await oriel.withDb(async (db) => {
      await db.insertInto("login").values(login(true)).execute();
      await db.insertInto("operator").values({ login_id: "ann", created_at: at }).execute();
    });
    expect(await oriel.refused(["account", "create", "Kiln Street", "--owner", email])).toMatch(
      /is an operator.*Choose another/,
    );
    expect(await oriel.refused(["account", "create", "Kiln Street", "--owner", "Ann"])).toContain(
      '--owner is "Ann", but it must be an email address.',
    );
    expect(await oriel.withDb((db) => db.selectFrom("account").select("id").execute())).toEqual([]);
  });
});

describe("operators", () => {
  it("are created with a link or from a user with an app, listed and removed", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    const at = new Date();
    const login = (id: string) => ({
      id,
      name: `The ${id}`,
      email: `${id}@shop.example`,
      email_verified: true,
      two_factor_enabled: true,
      created_at: at,
      updated_at: at,
    });
    await oriel.withDb(async (db) => {
      await db
        .insertInto("login")
        .values([login("keeper"), login("owner")])
        .execute();
      const account_no = await findAccountNo(db, account);
      await db.insertInto("member").values({ account_no, login_id: "owner", role: "owner", created_at: at }).execute();
    });
    for (const email of ["nobody", "a b@shop.example", ""])
      expect(await oriel.refused(["operator", "create", email])).toContain("isn't an email address");
    expect(await oriel.refused(["operator", "create", "ann@shop.example", "--name", "http://x.example/"])).toContain(
      "--name",
    );
    expect(await oriel.refused(["operator", "create", "owner@shop.example"])).toContain(
      `is on the team of the account ${account}`,
    );
    expect(await oriel.ok(["operator", "create", "keeper@shop.example"])).toBe(
      "keeper@shop.example is an operator and can sign in at http://dashboard.localhost:4000.\n",
    );
    const link = /\nhttp:\/\/dashboard\.localhost:4000\/choose-password#[\w-]{43}\n/;
    expect(await oriel.ok(["operator", "create", "Ann@shop.example", "--name", "Ann Lee"])).toMatch(link);
    expect(await oriel.ok(["operator", "list"])).toMatch(
      /^email .*\nkeeper@shop\.example +set up +\S+ +The keeper\nann@shop\.example +missing +20\d\d-\d\d-\d\d +Ann Lee\n$/,
    );
    await oriel.ok(["key-files", "create", oriel.dataDir]); // seals the email to the user
    expect(await oriel.ok(["user", "reset", "keeper@shop.example"])).toMatch(link);
    expect(await oriel.refused(["user", "reset", "nobody@shop.example"])).toContain("No user has the email address");
    expect(await oriel.ok(["audit", "list", "--limit", "1"])).toMatch(/cli .* login\.reset +keeper /);
    await oriel.ok(["operator", "remove", "keeper@shop.example"]);
    expect(await oriel.refused(["operator", "remove", "keeper@shop.example"])).toContain("isn't an operator");
  });
});

describe("an account's own acquirer", () => {
  const credentials = { api_key: adyenApiKey, hmac_keys: [adyenHmacKey] };
  let adyen: AdyenBank;
  let entered: EnteredAcquirer & { livemode: boolean };
  beforeAll(async () => {
    adyen = await startAdyen();
    entered = { livemode: false, ...adyen.entered };
  });
  afterAll(() => adyen.close());
  const set = (account: string, input: string) => oriel.run(["acquirer", "set", account], {}, input);
  beforeEach(async () => {
    oriel.env["ORIEL_KEY_DIR"] = join(oriel.dataDir, "keys");
    await oriel.ok(["key-files", "create", oriel.env["ORIEL_KEY_DIR"]]);
  });

  it("is set with JSON from the standard input, changed without credentials, listed without them, and audited", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    const created = await set(account, JSON.stringify(entered));
    const id = found(/aa_\w{33}/, created.stdout);
    expect(created).toEqual({
      code: 0,
      stdout: `${id} is created. Its notification URL is http://127.0.0.1:4000/acquirers/${id}/notifications\n`,
      stderr: "",
    });
    const settings = { ...entered.settings, multiple_partial_captures: true };
    const { credentials: _, ...changed } = { ...entered, settings };
    expect((await set(account, JSON.stringify(changed))).stdout).toContain(`${id} is changed.`);
    const listed = await oriel.ok(["acquirer", "list", account]);
    expect(listed).toMatch(new RegExp(`${id} +test +current +adyen +{"api_url":.*"KilnAndClay"`));
    const rows = await oriel.withDb((db) =>
      db.selectFrom("audit_log").select(["action", "actor", "details"]).execute(),
    );
    expect(rows.map(({ action }) => action).filter((action) => action.startsWith("acquirer_account"))).toEqual([
      "acquirer_account.created",
      "acquirer_account.changed",
    ]);
    for (const secret of [credentials.api_key, ...credentials.hmac_keys])
      expect(JSON.stringify([created, listed, rows])).not.toContain(secret);
  });

  it("is refused with advice that doesn't quote the input", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    const inLive = (api_url: string) =>
      JSON.stringify({ ...entered, livemode: true, settings: { ...entered.settings, api_url } });
    const wrong: [string, string][] = [
      ["hunter2", "isn't JSON"],
      ['{"api_key":"hunter2"}', "must have `livemode`"],
      [JSON.stringify({ ...entered, credentials: { ...credentials, hmac_keys: ["hunter2"] } }), "`hmac_keys` must"],
      [JSON.stringify({ ...entered, livemode: true }), "must use https"],
      [inLive("https://10.0.0.7/v72"), "isn't a host of Adyen's live environment"],
      [inLive("https://checkout-test.adyen.com./v72"), "isn't a host of Adyen's live environment"],
    ];
    for (const [input, advice] of wrong) {
      const { code, stdout, stderr } = await set(account, input);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(advice);
      expect(stderr).not.toContain("hunter2");
    }
    expect(
      (await oriel.run(["acquirer", "set", account], { ORIEL_ADYEN_HOSTS: "10.0.0.7" }, inLive("https://10.0.0.7/v72")))
        .stderr,
    ).toContain("ORIEL_ADYEN_HOSTS contains");
    expect((await set("acct_none", JSON.stringify(entered))).stderr).toContain("There is no account");
  });
});

describe("the audit log", () => {
  it("can be listed and verified, and a removed row is reported with exit code 1", async () => {
    const account = found(/acct_\w{33}/, await oriel.ok(["account", "create", "Kiln Street"]));
    await oriel.ok(["account", "create", "Loom"]);
    const noted = await oriel.ok(["audit", "verify"]);
    expect(noted).toMatch(/^4:[0-9a-f]{64}\n$/);
    await oriel.ok(["account", "suspend", account]);
    expect(await oriel.ok(["audit", "verify", "--expect", noted])).toMatch(/^5:/);

    const [heading, ...lines] = (await oriel.ok(["audit", "list", "--limit", "3"])).trim().split("\n");
    expect(heading).toMatch(/^row +time +actor +action +object +details$/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(new RegExp(`^5 +20.* UTC +cli .* +account\\.suspended +${account} +\\{\\}$`));
    expect((await oriel.ok(["audit", "list", "--account", account])).trim().split("\n")).toHaveLength(4);

    await oriel.withDb((db) =>
      db.transaction().execute(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx);
        await sql`delete from audit_log where sequence = 2`.execute(tx);
      }),
    );
    const { code, stdout, stderr } = await oriel.run(["audit", "verify"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Row 2 was removed: row 1 is followed by row 3 \(aud_\w+\)\.\n$/);
  });

  it("rejects an invalid --expect or --limit", async () => {
    expect(await oriel.refused(["audit", "verify", "--expect", "12"])).toContain('--expect is "12"');
    expect(await oriel.refused(["audit", "list", "--limit", "0"])).toContain('--limit is "0"');
  });
});

describe("the command line", () => {
  it("prints its version", async () => {
    expect(await oriel.ok(["--version"])).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("prints help for everything, a group and a command", async () => {
    const all = await oriel.ok(["--help"]);
    for (const command of ["serve", "migrate", "account create NAME", "key roll KEY_ID", "vault rotate", "doctor"])
      expect(all).toContain(`  ${command} `);
    expect(await oriel.ok([])).toBe(all);
    expect(await oriel.ok(["key", "--help"])).not.toContain("  doctor ");
    expect(await oriel.ok(["key", "roll", "--help"])).toMatch(
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
    expect(await oriel.refused(args)).toMatch(sentence);
  });
});

describe("key files", () => {
  it("are created in a directory and never overwritten", async () => {
    const directory = join(oriel.dataDir, "keys");
    await oriel.ok(["key-files", "create", directory]);
    expect(readdirSync(directory).sort()).toEqual(["embed.keys.json", "server.keys.json", "vault.keys.json"]);
    expect(await oriel.refused(["key-files", "create", directory])).toContain("already exists");
  });

  it("can include the operator's own key for signing the loader, which writes the signature next to the build", async () => {
    const directory = join(oriel.dataDir, "embed");
    mkdirSync(directory);
    const keyFile = join(oriel.dataDir, "signing.pem");
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    expect(await oriel.refused(["embed", "sign", keyFile, directory])).toMatch(
      /oriel\.js doesn't exist\. Run `npm run build` first/,
    );

    writeFileSync(join(directory, "oriel.js"), "// a loader\n");
    expect(await oriel.refused(["embed", "sign", join(directory, "oriel.js"), directory])).toMatch(
      /isn't an Ed25519 private key/,
    );
    const x = publicKey.export({ format: "jwk" }).x ?? "";
    const integrity = `ed25519-${Buffer.from(x, "base64url").toString("base64")}`;
    expect(await oriel.ok(["embed", "sign", keyFile, directory])).toBe(`${integrity}\n`);
    const signature = JSON.parse(readFileSync(join(directory, "signature.json"), "utf8")) as ScriptSignature;
    expect(`ed25519-${signature.keyid}`).toBe(integrity);
    expect(isSignatureOf(signature, Buffer.from("// a loader\n"))).toBe(true);
    expect(isSignatureOf(signature, Buffer.from("// a loadex\n"))).toBe(false);
  });
});
