import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { draftDirectory } from "./backup-files.ts";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "oriel-drafts-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

describe("a draft of a backup", () => {
  it("is removed by the next backup if its process was killed, and kept while it may be running", () => {
    const { pid: killed } = spawnSync(process.execPath, ["--version"]);
    const abandoned = [`2026-11-26.partial-${hostname()}-${killed}-0123abcd`, "a.partial-elsewhere-1-0123abcd"];
    const kept = [
      `2026-11-26.partial-${hostname()}-${process.pid}-0123abcd`,
      "b.partial-elsewhere-1-0123abcd",
      "2026-11-26",
    ];
    for (const name of [...abandoned, ...kept]) mkdirSync(join(place, name));
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
    utimesSync(join(place, "a.partial-elsewhere-1-0123abcd"), twoDaysAgo, twoDaysAgo);

    draftDirectory(join(place, "2026-11-27")).finish();
    expect(readdirSync(place).sort()).toEqual([...kept, "2026-11-27"].sort());
  });
});
