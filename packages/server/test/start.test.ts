/**
 * Tests the process itself: if it can't start, it says why in one sentence and exits, instead of running without
 * serving anyone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { freePort } from "../../../scripts/test/free-port.ts";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { readServiceConfig } from "../src/service-config.ts";
import { openService } from "../src/service.ts";
import { makeDatabaseTemplate } from "./setup/database-template.ts";
import { processEnv } from "./setup/oriel-process.ts";
import { freshDatabase } from "./setup/test-service.ts";

// Every command starts a process, and with the embedded database that process also starts PostgreSQL.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const cli = new URL("../src/cli.ts", import.meta.url).pathname;
let dataDir: string;
const closers = closersFor(afterEach);
const template = await openForTests(makeDatabaseTemplate());
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  dataDir = temporaryDirectory(onTestFinished);
  env = {
    ...processEnv,
    ORIEL_DATA_DIR: dataDir,
    BANK_API_KEY: "k".repeat(16),
    BANK_RESULTS_KEY: "r".repeat(16),
    ...(await template.copyTo(dataDir, closers)),
  };
});

/** Runs the command until it exits. */
async function oriel(
  args: string[],
  more: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; errors: string; printed: string }> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  closers.push(async () => void child.kill()); // in case it doesn't exit by itself
  const [errors, printed] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
  return { code: child.exitCode, errors, printed };
}

/** Requires a single line on stderr without a stack trace. */
function expectSentence({ code, errors }: Awaited<ReturnType<typeof oriel>>, sentence: RegExp): void {
  expect(errors).toMatch(sentence);
  expect(errors.trim().split("\n")).toHaveLength(1);
  expect(code).toBe(2);
}

describe("oriel-server serve", () => {
  it("exits when its port is taken and names the variable to set", async () => {
    const { port, close } = await listenLocally(createServer());
    closers.push(close);
    // This doesn't need the pages, which may not have been built. Without them it exits too.
    const result = await oriel(["serve"], { ORIEL_PORT: String(port) });
    expectSentence(result, /Port \d+ on 127\.0\.0\.1 is in use.*ORIEL_PORT|Run `npm run build` first/);
  });

  it("exits when its metrics port is taken and names the variable to set", async () => {
    const { port, close } = await listenLocally(createServer());
    closers.push(close);
    const result = await oriel(["serve"], { ORIEL_PORT: String(await freePort()), ORIEL_METRICS_PORT: String(port) });
    expectSentence(result, /Port \d+ on 127\.0\.0\.1 is in use.*ORIEL_METRICS_PORT/);
  });

  it("exits when a key file is damaged, before it opens a database", async () => {
    writeFileSync(join(dataDir, "vault.keys.json"), "{");
    expectSentence(await oriel(["serve"]), /The key file .*vault\.keys\.json is damaged/);
  });

  it("exits when its key file doesn't belong to the database, and starts again with the right one", async () => {
    const start = async () => await openService(readServiceConfig(env, "all"), pino({ level: "silent" }));
    await (await start()).close();
    const path = join(dataDir, "server.keys.json");
    renameSync(path, join(dataDir, "right"));
    for (let i = 0; i < 2; i++) {
      // The first start creates a new key file. On the second start, that file doesn't belong to the database either.
      expectSentence(
        await oriel(["serve"], { ORIEL_PORT: String(await freePort()) }),
        /The key file .*server\.keys\.json does not belong to this database.*Restore the right key file/,
      );
    }
    renameSync(join(dataDir, "right"), path);
    await (await start()).close();
  });

  it("exits when PostgreSQL is unavailable, without revealing the password", async () => {
    const result = await oriel(["serve"], { DATABASE_URL: "postgres://oriel:topsecret@127.0.0.1:1/oriel" });
    expectSentence(result, /Could not connect to the PostgreSQL database oriel at 127\.0\.0\.1/);
    expect(result.errors).not.toContain("topsecret");
  });

  it("refuses to be one of several processes on a single-process database", async () => {
    expectSentence(await oriel(["serve", "--role", "worker"], { DATABASE_URL: "" }), /DATABASE_URL/);
  });

  it.each([
    [["serve", "--role", "boss"], /--role is "boss"/],
    [["serve", "--rôle"], /Unknown option/],
    [["sing"], /Unknown command "sing"/],
    [["account", "create"], /oriel-server account create/],
  ])("explains what is wrong with %j", async (args, sentence) => {
    expectSentence(await oriel(args), sentence);
  });
});

describe("oriel-server account create", () => {
  it("creates the tables and an account, and prints the key once", async () => {
    rmSync(join(dataDir, "pglite"), { recursive: true, force: true });
    const empty = await freshDatabase(closers);
    const { code, printed } = await oriel(
      ["account", "create", "Kiln Street"],
      empty.kind === "postgres" ? { DATABASE_URL: empty.url } : {},
    );
    expect(code).toBe(0);
    expect(printed).toMatch(/^account\s+acct_\w{33}\nsecret key\s+oriel_sk_test_\w{36}\n/);
  });
});
