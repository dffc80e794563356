/**
 * A database whose disk a test can fill. As root with permission to mount, it is a tablespace on a separate 64 MB file
 * system that is filled with a file. Otherwise PostgreSQL is configured to write no temporary files, which fails at the
 * same point of the write check and nowhere else.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { Closers } from "../../../../scripts/test/closers-for.ts";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import type { DatabaseChoice } from "../../src/platform/storage/database.ts";

export interface SmallDisk {
  database: DatabaseChoice;
  /** Whether a real file system is filled. */
  isReal: boolean;
  fill(): Promise<void>;
  empty(): Promise<void>;
}

/** @param server a PostgreSQL on this machine, as a superuser */
export async function openSmallDisk(server: string, closers: Closers): Promise<SmallDisk> {
  const name = `oriel_small_${Date.now()}_${Math.floor(Math.random() * 1e9)}`;
  const mount = await mountSmallDisk(server, closers);
  if (mount !== null) await execute(server, `create tablespace ${name} location '${join(mount, "tablespace")}'`);
  await execute(server, `create database ${name} ${mount === null ? "" : `tablespace ${name}`}`);
  closers.push(async () => {
    await execute(server, `drop database ${name} with (force)`);
    if (mount !== null) await execute(server, `drop tablespace ${name}`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = { kind: "postgres", url: url.href } as const;

  /** Applies to new connections, and ends the existing ones. */
  async function limitTemporaryFiles(limit: string): Promise<void> {
    await execute(server, `alter database ${name} set temp_file_limit = ${limit}`);
    await execute(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  }
  if (mount === null) {
    return { database, isReal: false, fill: () => limitTemporaryFiles("0"), empty: () => limitTemporaryFiles("-1") };
  }
  const filler = join(mount, "filler");
  return {
    database,
    isReal: true,
    fill: async () => fillWith(filler),
    empty: async () => rmSync(filler),
  };
}

/** Returns null if this process may not mount, or if PostgreSQL can't see the mounted file system. */
async function mountSmallDisk(server: string, closers: Closers): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const directory = temporaryDirectory((remove) => closers.push(remove));
  const mount = join(directory, "disk");
  mkdirSync(mount);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "none", mount], { stdio: "pipe" });
  } catch {
    return null;
  }
  closers.push(async () => void execFileSync("umount", [mount]));
  const owner = statSync(String((await execute(server, "show data_directory"))[0]?.["data_directory"]));
  const tablespace = join(mount, "tablespace");
  mkdirSync(tablespace);
  for (const path of [directory, mount]) chmodSync(path, 0o755);
  chownSync(tablespace, owner.uid, owner.gid);
  return mount;
}

/** Writes to a file until there is no space left for a single byte. */
function fillWith(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const size of [1024 * 1024, 4096, 1]) {
      const chunk = Buffer.alloc(size);
      for (;;) if (!isWritten(file, chunk)) break;
    }
  } finally {
    closeSync(file);
  }
}

function isWritten(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) === chunk.length;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}

async function execute(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
