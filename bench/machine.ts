/** Describes the machine that the figures were measured on. Without it, the figures mean nothing. */
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { sql } from "kysely";
import type { Db } from "../packages/server/src/platform/storage/database.ts";

export interface Machine {
  cores: number;
  model: string;
  memory_gb: number;
  system: string;
  node: string;
  postgresql?: string;
  synchronous_commit?: string;
  chromium?: string;
  /** One-minute load average before the run. Other work on the machine makes the figures worse. */
  load_before: number;
}

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? "unknown",
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch} ${release()}`,
    node: process.version,
    load_before: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

/** Settings of the database that affect the figures. */
export async function describePostgres(db: Db): Promise<Required<Pick<Machine, "postgresql" | "synchronous_commit">>> {
  const { rows } = await sql<{ version: string; commit: string }>`
    select current_setting('server_version') as version, current_setting('synchronous_commit') as commit`.execute(db);
  return { postgresql: rows[0]?.version ?? "unknown", synchronous_commit: rows[0]?.commit ?? "unknown" };
}
