import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../../../../scripts/test/temporary-directory.ts";
import { draftDirectory } from "./backup-files.ts";

let place: string;
beforeEach(() => {
  place = temporaryDirectory(onTestFinished);
});

const hourMs = 60 * 60 * 1000;
const hex = "0123abcd";
const noWarning = (warning: string) => expect.fail(warning);

/** @returns the path */
function addDraft(name: string, { ageMs = 0 } = {}): string {
  const path = join(place, name);
  const changedAt = new Date(Date.now() - ageMs);
  mkdirSync(path);
  writeFileSync(join(path, "vault.keys.json"), "");
  utimesSync(path, changedAt, changedAt);
  return path;
}

/** `root` may remove everything, so the work runs as nobody if the tests run as `root`. */
function asUserWithoutAccess(paths: string[], work: () => void): void {
  const nobody = 65_534;
  const isRoot = process.geteuid?.() === 0;
  for (const path of paths) chmodSync(path, 0);
  if (isRoot) chownSync(place, nobody, nobody);
  if (isRoot) process.seteuid?.(nobody);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    for (const name of readdirSync(place)) chmodSync(join(place, name), 0o700);
  }
}

describe("a draft of a backup", () => {
  it("is removed by the next backup if its process was killed, and kept while it may be running", () => {
    const { pid: killed } = spawnSync(process.execPath, ["--version"]);
    const abandoned = [
      { name: `2026-11-26.partial-${hostname()}-${killed}-${hex}`, ageMs: 2 * hourMs },
      { name: `a.partial-elsewhere-1-${hex}`, ageMs: 48 * hourMs },
    ];
    const retained = [
      { name: `2026-11-26.partial-${hostname()}-${process.pid}-${hex}`, ageMs: 2 * hourMs },
      { name: `b.partial-elsewhere-1-${hex}`, ageMs: 2 * hourMs },
      { name: "2026-11-26", ageMs: 48 * hourMs },
    ];
    for (const { name, ageMs } of [...abandoned, ...retained]) addDraft(name, { ageMs });

    draftDirectory(join(place, "2026-11-27"), noWarning).finish();
    expect(readdirSync(place).sort()).toEqual([...retained.map(({ name }) => name), "2026-11-27"].sort());
  });

  it("is kept while it's new, because its process may run in another container with the same host name", () => {
    const { pid: unknownHere } = spawnSync(process.execPath, ["--version"]);
    const running = `2026-11-26.partial-${hostname()}-${unknownHere}-${hex}`;
    addDraft(running);
    draftDirectory(join(place, "2026-11-27"), noWarning).finish();
    expect(readdirSync(place)).toContain(running);
  });

  it("doesn't stop the next backup if it can't be removed or another backup is removing it", () => {
    const paths = ["a", "b"].map((name) => addDraft(`${name}.partial-elsewhere-1-${hex}`, { ageMs: 48 * hourMs }));
    const warnings: string[] = [];
    const warn = (warning: string) => {
      warnings.push(warning);
      for (const path of paths) if (!warning.includes(path)) renameSync(path, join(place, "gone"));
    };
    asUserWithoutAccess(paths, () => draftDirectory(join(place, "2026-11-27"), warn).finish());
    expect(readdirSync(place)).toContain("2026-11-27");
    expect(warnings).toEqual([expect.stringMatching(/can't be removed \(EACCES\)/)]);
  });
});
