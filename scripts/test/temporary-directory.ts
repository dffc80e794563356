import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates an empty directory. `after` is the hook that removes it: `onTestFinished`, or `afterAll` in a whole file. */
export function temporaryDirectory(after: (remove: () => Promise<void>) => unknown): string {
  const directory = mkdtempSync(join(tmpdir(), "oriel-test-"));
  after(async () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
