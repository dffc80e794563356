/** Resource usage of processes, from /proc. NaN on systems without it. */
import { readdirSync, readFileSync } from "node:fs";
import { sql } from "kysely";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";

/** USER_HZ. Linux has the same value on every architecture that Node supports. */
const ticksPerSecond = 100;

/** CPU time since the processes started, in milliseconds. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

/** Resident memory, in megabytes. */
export function residentMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1] ?? Number.NaN),
  );
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

/**
 * PostgreSQL's CPU time in milliseconds: our connection's process, the server that forked it, and the server's other
 * children, including those that have exited. NaN if PostgreSQL runs on another machine.
 */
export async function openPostgresUsage(db: Db): Promise<() => number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  const own = rows[0]?.pid ?? 0;
  if (!/^Name:\s+postgres/m.test(read(`/proc/${own}/status`))) return () => Number.NaN;
  const server = parentOf(own);
  return () => {
    const living = readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && (pid === server || parentOf(pid) === server));
    return living.reduce((sum, pid) => sum + (cpuMsOf(pid) || 0), 0) + cpuMsOf(server, "its ended children");
  };
}

/** Fields 14 and 15, or 16 and 17, counted after the name, which may contain spaces (proc_pid_stat(5)). */
function cpuMsOf(pid: number, whose: "its own" | "its ended children" = "its own"): number {
  const from = whose === "its own" ? 11 : 13;
  const [user = "", system = ""] = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ")
    .slice(from, from + 2);
  return user === "" ? Number.NaN : ((Number(user) + Number(system)) * 1000) / ticksPerSecond;
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? Number.NaN);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
