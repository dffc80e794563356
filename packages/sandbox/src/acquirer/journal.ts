/**
 * A file of lines that only grows. A line whose `append` has resolved survives the process being killed at any moment;
 * it is not synced to the disk, so it may not survive the machine losing power (a pretend bank's money can be lost that
 * way, and every payment is faster).
 *
 * A half-written last line belongs to an answer that nobody was given: it is cut off when the file is opened. Once a
 * write has failed every later one fails too, so that no line can follow a torn one.
 */
import { open, readFile } from "node:fs/promises";

export interface Journal {
  /** `line` without its line feed. */
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
        await last.catch(() => {}); // whoever appended has been told
        await handle.close();
      },
    },
  };
}
