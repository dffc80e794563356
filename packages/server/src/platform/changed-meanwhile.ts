import { isDeepStrictEqual } from "node:util";

/**
 * Refuses a change because someone else has changed what it would overwrite, after the user loaded it. Thrown, so that the
 * transaction is rolled back. Only the dashboard's routes refuse like this.
 */
export class ChangedMeanwhileError extends Error {
  override readonly name = "ChangedMeanwhileError";

  /**
   * @param what completes "Ann has changed ..."
   * @param by who made the change and who requests this one, as in the audit log
   */
  constructor(what: string, { by, actor }: { by: string | undefined; actor: string }) {
    const who = by === undefined ? "Someone else has" : by === actor ? "You have" : `${by.replace(/^login /, "")} has`;
    const where = by === actor ? ", in another tab or window" : "";
    super(`${who} changed ${what} in the meantime${where}. Nothing was saved. Check the current values and try again.`);
  }
}

/**
 * Whether a change would overwrite a value that the user didn't see. It's no conflict if someone else requested the same,
 * or if it's a retry. An undefined value isn't changed.
 */
export function isConflict({ now, seen, wanted }: { now: unknown; seen: unknown; wanted: unknown }): boolean {
  return wanted !== undefined && !isDeepStrictEqual(now, seen) && !isDeepStrictEqual(now, wanted);
}
