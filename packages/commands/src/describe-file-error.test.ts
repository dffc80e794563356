import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { describeFileError } from "./describe-file-error.ts";

const failed = (code: string, more: object = { path: "/srv/oriel" }) =>
  Object.assign(new Error(`${code}: simulated`), { code, syscall: "mkdir", ...more });

it.each([
  ["ENOSPC", "Can't write /srv/oriel: the disk is full (ENOSPC). Free some space, or choose a path on another disk."],
  [
    "EROFS",
    "Can't write /srv/oriel: the file system is read-only (EROFS). Choose a path on a file system that allows writing.",
  ],
  [
    "EACCES",
    "Can't write /srv/oriel: this user isn't allowed to (EACCES). Change its owner or permissions, or choose another path.",
  ],
])("explains %s", (code, sentence) => {
  expect(describeFileError(failed(code))).toBe(sentence);
  expect(describeFileError(failed(code), "ORIEL_DATA_DIR determines the path.")).toBe(
    `${sentence} ORIEL_DATA_DIR determines the path.`,
  );
});

it("explains a write without a path", () => {
  expect(describeFileError(failed("ENOSPC", { syscall: "write" }))).toMatch(/^Can't write a file: the disk is full/);
});

it("explains real errors", () => {
  const errorOf = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return error;
    }
  };
  expect(describeFileError(errorOf(() => readFileSync("/none/file")))).toBe(
    "Can't use /none/file: it doesn't exist (ENOENT). Check the path.",
  );
  expect(describeFileError(errorOf(() => mkdirSync("/dev/null/oriel")))).toBe(
    "Can't write /dev/null/oriel: a part of the path is a file, not a directory (ENOTDIR). Choose another path.",
  );
});

it("leaves other errors to the caller", async () => {
  const [refused] = (await once(connect("/none/socket"), "error").catch((error: unknown) => [error])) as [unknown];
  for (const error of [new Error("Bug"), refused, failed("EWHAT"), "ENOSPC", null]) {
    expect(describeFileError(error)).toBeNull();
  }
});
