/**
 * The mistakes that people make when they start Oriel or run a command. Each gets one sentence that says what is wrong,
 * names the variable or path, and says what to do, instead of a stack trace.
 */
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { lockDirectory } from "../src/platform/storage/directory-lock.ts";
import { processEnv } from "./setup/oriel-process.ts";
import { freshDatabase } from "./setup/test-service.ts";

vi.setConfig({ testTimeout: 120_000 });

const root = new URL("../../../", import.meta.url).pathname;
const programs = {
  "oriel-server": [join(root, "packages/server/src/cli.ts")],
  "npm start": [join(root, "scripts/start.ts")],
  "npm start's service": [join(root, "packages/server/src/demo/serve-demo.ts")],
};

let base: string;
const closers = closersFor(afterEach);
beforeEach(() => {
  base = temporaryDirectory(onTestFinished);
});

interface Mistake {
  /** Default: `oriel-server serve`. */
  program?: keyof typeof programs;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Options for Node itself. */
  node?: string[];
}

/** A file where a directory is needed fails for every user, even root. */
function fileAt(path: string): string {
  writeFileSync(path, "");
  return path;
}

/** A database that reports another version than its server's. */
async function databaseOfVersion(version: string): Promise<string> {
  const choice = await freshDatabase(closers);
  if (choice.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
  const client = new pg.Client({ connectionString: choice.url });
  await client.connect();
  await client.query(`create schema past; alter database ${client.database} set search_path = past, pg_catalog`);
  await client.query(
    `create function past.current_setting(text) returns text as $$ select '${version}' $$ language sql`,
  );
  await client.end();
  return choice.url;
}

const pastVersion = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.19.2'})";

const mistakes: [name: string, cause: () => Mistake | Promise<Mistake>, sentence: RegExp][] = [
  [
    "a key directory that doesn't exist",
    () => ({ env: { ORIEL_KEY_DIR: join(base, "none") } }),
    /^oriel-server: Can't create the key file \S+\/none\/vault\.keys\.json \(ENOENT\)\. Check that its directory exists/,
  ],
  [
    "a data directory that can't be created",
    () => ({ env: { ORIEL_DATA_DIR: join(fileAt(join(base, "file")), "data") } }),
    /^oriel-server: Can't write \S+\/file\/data: a part of the path is a file.*ORIEL_DATA_DIR and ORIEL_KEY_DIR determine/,
  ],
  [
    "a data directory that is a file, in a command",
    () => ({ args: ["migrate"], env: { ORIEL_DATA_DIR: fileAt(join(base, "file")) } }),
    /^oriel-server: Can't write \S+\/file\/pglite: a part of the path is a file.*ORIEL_DATA_DIR/,
  ],
  [
    "a backup without the service's settings, which would be of a new database",
    () => ({
      args: ["backup", join(base, "backup"), "--keys-to", join(base, "keys")],
      env: { ORIEL_DATA_DIR: join(base, "none") },
    }),
    /^oriel-server: There is no database in \S+\/none\/pglite\. Set DATABASE_URL to the service's database/,
  ],
  [
    "a data directory that is open in another process",
    async () => {
      const lock = await lockDirectory(join(base, "pglite"));
      closers.push(() => lock.release());
      return { env: { ORIEL_DATA_DIR: base } };
    },
    /^oriel-server: The data directory \S+\/pglite is open in another process \(process ID \d+\)\. Stop that process/,
  ],
  [
    "a damaged embedded database",
    () => {
      mkdirSync(join(base, "pglite"));
      writeFileSync(join(base, "pglite", "PG_VERSION"), "damaged\n");
      return { args: ["migrate"], env: { ORIEL_DATA_DIR: base } };
    },
    /^oriel-server: The embedded database in \S+\/pglite can't be opened \(.+\)\. It's damaged.*`oriel-server restore`/,
  ],
  [
    "a database URL with the wrong scheme",
    () => ({ args: ["migrate"], env: { DATABASE_URL: "http://oriel:topsecret@db.example/oriel" } }),
    /^oriel-server: DATABASE_URL isn't the URL of a PostgreSQL database\. Set it to a URL such as postgres:/,
  ],
  [
    "a vault database URL with the wrong scheme",
    () => ({
      env: { DATABASE_URL: "postgres://db.example/oriel", VAULT_DATABASE_URL: "mysql://v:topsecret@db.example/o" },
    }),
    /^oriel-server: VAULT_DATABASE_URL isn't the URL of a PostgreSQL database/,
  ],
  [
    "a database that refuses the connection",
    () => ({ args: ["migrate"], env: { DATABASE_URL: "postgres://oriel:topsecret@127.0.0.1:1/oriel" } }),
    /^oriel-server: Could not connect to the PostgreSQL database oriel at 127\.0\.0\.1: .*ECONNREFUSED.* Check DATABASE_URL\.$/,
  ],
  [
    "a PostgreSQL that is too old",
    async () => ({ args: ["migrate"], env: { DATABASE_URL: await databaseOfVersion("14.22") } }),
    /^oriel-server: The database in DATABASE_URL runs on PostgreSQL 14\.22, which is too old\. Use PostgreSQL 15 or later\.$/,
  ],
  [
    "an API URL with the wrong scheme",
    () => ({ env: { ORIEL_API_URL: "ftp://api.example" } }),
    /^oriel-server: ORIEL_API_URL is "ftp:\/\/api\.example"; it must be an http or https origin/,
  ],
  [
    "an acquirer URL with the wrong scheme",
    () => ({ env: { BANK_URL: "tcp://bank.example" } }),
    /^oriel-server: BANK_URL is "tcp:\/\/bank\.example"; it must be an http or https origin/,
  ],
  [
    "a mail URL with the wrong scheme",
    () => ({ env: { SMTP_URL: "http://u:topsecret@mail.example" } }),
    /^oriel-server: SMTP_URL must be a URL such as smtp:/,
  ],
  [
    "a port that is in use",
    async () => {
      const { port, close } = await listenLocally(createServer());
      closers.push(close);
      return {
        program: "npm start",
        env: { ORIEL_PORT: String(port), BANK_PORT: await somePort(), SHOP_PORT: await somePort() },
      };
    },
    /^Port \d+ is in use\. Is npm start already running\? Stop the process that uses it, or set ORIEL_PORT/,
  ],
  [
    "a full disk",
    () => {
      const directory = builtLoader();
      symlinkSync("/dev/full", join(directory, "signature.json"));
      return { args: ["embed", "sign", signingKey(), directory] };
    },
    /^oriel-server: Can't write a file: the disk is full \(ENOSPC\)\. Free some space/,
  ],
  [
    "a version of Node that is too old",
    () => ({ node: ["--import", pastVersion], args: ["--help"] }),
    /^oriel-server needs Node 22\.12 or later, but \S+ is Node 20\.19\.2\. Install a newer version/,
  ],
  [
    "npm start in a checkout that can't be written to",
    () => {
      fileAt(join(base, "dist"));
      return { program: "npm start", cwd: base };
    },
    /^npm start can't write to \S+\/dist \(EEXIST\)\. Run npm start in a copy of the repository/,
  ],
  [
    "npm start with a data directory that can't be created",
    () => ({ program: "npm start", env: { ORIEL_DATA_DIR: join(fileAt(join(base, "file")), "data") } }),
    /^npm start can't write to \S+\/file\/data \(ENOTDIR\)\. Set ORIEL_DATA_DIR/,
  ],
  [
    "npm start's service with a data directory that can't be created",
    () => ({ program: "npm start's service", env: { ORIEL_DATA_DIR: join(fileAt(join(base, "file")), "data") } }),
    /^Can't write \S+\/file\/data: a part of the path is a file/,
  ],
];

describe("a mistake", () => {
  it.each(mistakes)("gets a sentence, and the process ends: %s", async (_name, cause, sentence) => {
    const {
      program = "oriel-server",
      args = program === "oriel-server" ? ["serve"] : [],
      env,
      cwd = base,
      node = [],
    } = await cause();
    const child = spawn(process.execPath, [...node, ...programs[program], ...args], {
      cwd,
      env: {
        ...processEnv,
        ORIEL_DATA_DIR: join(base, "data"),
        ORIEL_PORT: await somePort(),
        BANK_API_KEY: "k".repeat(16),
        BANK_RESULTS_KEY: "r".repeat(16),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    closers.push(async () => void child.kill("SIGKILL")); // in case it doesn't exit by itself
    const [stderr, stdout] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
    expect(stderr.trim()).toMatch(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(`${stdout}${stderr}`).not.toMatch(/^ {4}at |topsecret/m);
    expect([1, 2]).toContain(child.exitCode);
  });
});

it("reports an absent bank in `oriel-server doctor`, with the variable to check", async () => {
  const bankUrl = `http://127.0.0.1:${await somePort()}`;
  const child = spawn(process.execPath, [...programs["oriel-server"], "doctor"], {
    env: {
      ...processEnv,
      ORIEL_DATA_DIR: join(base, "data"),
      BANK_URL: bankUrl,
      BANK_API_KEY: "k".repeat(16),
      BANK_RESULTS_KEY: "r".repeat(16),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stderr, stdout] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
  expect({ stderr, code: child.exitCode }).toEqual({ stderr: "", code: 1 });
  const line = stdout.split("\n").find((one) => one.startsWith("FAILED"));
  expect(line).toMatch(/^FAILED +acquirer +http:\/\/127\.0\.0\.1:\d+: .*-> check BANK_URL and BANK_API_KEY/);
});

async function somePort(): Promise<string> {
  return String(await freePort());
}

function builtLoader(): string {
  const directory = join(base, "embed");
  mkdirSync(directory);
  writeFileSync(join(directory, "oriel.js"), "// a loader\n");
  return directory;
}

function signingKey(): string {
  const path = join(base, "signing.pem");
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(path, privateKey.export({ type: "pkcs8", format: "pem" }));
  return path;
}
