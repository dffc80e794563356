/** Runs `oriel-server` as an operator does: each command is a separate process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { closersFor, type Closers } from "../../../../scripts/test/closers-for.ts";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { openDatabase, type Db } from "../../src/platform/storage/database.ts";
import { makeDatabaseTemplate, type DatabaseTemplate } from "./database-template.ts";
import { processEnv } from "./oriel-process.ts";
import { bankKeys, freshDatabase } from "./test-service.ts";

const cli = new URL("../../src/cli.ts", import.meta.url).pathname;

export interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** An installation of the service. Each test gets a new one. */
interface Installation {
  dataDir: string;
  /** The environment of the commands. A test may change it. */
  env: NodeJS.ProcessEnv;
  closers: Closers;
  run(args: string[], more?: NodeJS.ProcessEnv, input?: string): Promise<Result>;
  /** Returns stdout. The command must exit with 0 and print nothing to stderr. */
  ok(args: string[]): Promise<string>;
  /**
   * Returns the error. Besides the service's log, the command must print one line without a stack trace and exit with
   * 2.
   */
  refused(args: string[], more?: NodeJS.ProcessEnv): Promise<string>;
  /** Opens the database in this process, between commands. */
  withDb<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Restores the state before the first command: an empty PostgreSQL database, or no embedded database. */
  forgetDatabase(): Promise<void>;
}

/** Adds hooks that make an installation, with all tables, before each test and remove it after. */
export function useInstallation(): Installation {
  let template: DatabaseTemplate;
  beforeAll(async () => {
    template = await makeDatabaseTemplate();
  });
  afterAll(() => template.close());
  const closers = closersFor(afterEach);
  beforeEach(async () => {
    const dataDir = temporaryDirectory(onTestFinished);
    const env = {
      ...processEnv,
      ORIEL_DATA_DIR: dataDir,
      BANK_API_KEY: bankKeys.apiKey,
      BANK_RESULTS_KEY: bankKeys.resultsKey,
      ...(await template.copyTo(dataDir, closers)),
    };
    Object.assign(here, { dataDir, env });
  });
  const here: Installation = {
    dataDir: "",
    env: {},
    closers,
    async run(args, more = {}, input = "") {
      const child = spawn(process.execPath, [cli, ...args], { env: { ...here.env, ...more }, stdio: "pipe" });
      child.stdin.end(input);
      const [stderr, stdout] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
      return { code: child.exitCode, stderr, stdout };
    },
    async ok(args) {
      const { code, stdout, stderr } = await here.run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return stdout;
    },
    async refused(args, more = {}) {
      const { code, stdout, stderr } = await here.run(args, more);
      const printed = stdout.replace(/^\{.*\}\n/gm, "");
      expect({ code, printed, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, printed: "", lines: 1 });
      return stderr;
    },
    async withDb(work) {
      const url = here.env["DATABASE_URL"];
      const database = await openDatabase(
        url ? { kind: "postgres", url } : { kind: "pglite", directory: join(here.dataDir, "pglite") },
      );
      try {
        return await work(database.db);
      } finally {
        await database.close();
      }
    },
    async forgetDatabase() {
      rmSync(join(here.dataDir, "pglite"), { recursive: true, force: true });
      const database = await freshDatabase(here.closers);
      if (database.kind === "postgres") here.env["DATABASE_URL"] = database.url;
    },
  };
  return here;
}

/** The first match, or an empty string. */
export const found = (pattern: RegExp, where: string) => pattern.exec(where)?.[0] ?? "";
