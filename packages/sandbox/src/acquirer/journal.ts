/**
 * An append-only file of lines. Once `append` has resolved, its line survives even if the process is killed. It may not
 * survive a power failure, because the file isn't synced to disk. That's fine for a sandbox and makes payments faster.
 *
 * A partial last line was never acknowledged, so it's dropped when the file is opened. After a failed write, every
 * later write fails too, so no line can follow a partial one.
 */
import { open, readFile } from "node:fs/promises";

export interface Journal {
  /** Appends a line. `line` must not include the line feed. */
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

export async function openJournal(path: string): Promise<{ journal: Journal; lines: string[] }> {
  const handle = await open(path, "a", 0o600);
  const bytes = await readFile(path);
  const wholeLength = bytes.lastIndexOf("\n") + 1;
  if (wholeLength < bytes.length) await handle.truncate(wholeLength);

  let last = Promise.resolve();
  return {
    lines: bytes.subarray(0, wholeLength).toString("utf8").split("\n").slice(0, -1),
    journal: {
      append(line) {
        last = last.then(() => handle.appendFile(`${line}\n`));
        return last;
      },
      async close() {
        await last.catch(() => {}); // the caller of `append` already got the error
        await handle.close();
      },
    },
  };
}
