/** Allows one listener per state file. Two of them would send every event twice and overwrite each other's cursor. */
import { OperatorError } from "@oriel/commands/operator-error";
import { lockPath, type ProcessLock } from "@oriel/commands/process-lock";

/**
 * @param path the state file, which need not exist yet
 * @throws OperatorError that names the other process
 */
export async function lockListener(path: string): Promise<ProcessLock> {
  const lock = await lockPath("oriel-listen", path);
  if ("release" in lock) return lock;
  const holder = lock.pid === null ? "" : ` (process ${lock.pid})`;
  throw new OperatorError(
    `Another listener${holder} is using ${path}. Stop it first, or choose another file with --state.`,
  );
}
