/**
 * Lets only one process at a time open a PGlite directory. PGlite has no lock: if two processes open a directory, both
 * "commit", and one silently loses its rows. Containers that share a volume but not a network aren't protected; use
 * PostgreSQL there.
 */
import { mkdirSync, realpathSync } from "node:fs";
import { OperatorError } from "@oriel/commands/operator-error";
import { lockPath, type ProcessLock } from "@oriel/commands/process-lock";

/** @throws OperatorError naming the directory if another process has it open */
export async function lockDirectory(directory: string): Promise<ProcessLock> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = await lockPath("oriel", realpathSync(directory));
  if ("release" in lock) return lock;
  throw new OperatorError(
    `The data directory ${directory} is open in another process${lock.pid === null ? "" : ` (process ID ${lock.pid})`}. Stop that process, choose another ORIEL_DATA_DIR, or set DATABASE_URL to share a PostgreSQL database.`,
  );
}
