/**
 * How the key file survives a power failure, a full disk and concurrent processes: the order of steps on disk, and
 * what's left if one fails.
 */
import { createSecretKey } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../../../scripts/test/temporary-directory.ts";
import { createKeyFile, KeyFileError, openKeyFile, readKeyFile, readSecret, replaceKeyFile } from "./key-file.ts";

let directory: string;
let path: string;
let steps: string[];
beforeEach(() => {
  directory = temporaryDirectory(onTestFinished);
  path = join(directory, "vault.keys.json");
  steps = [];
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

type Step = "openSync" | "fsyncSync" | "closeSync" | "linkSync" | "renameSync";

/** Records the steps on disk. @param failing the step that fails, with the error's code */
function watch(failing?: { step: string; code: string }): void {
  const kindOf = (fd: unknown) => (fs.fstatSync(fd as number).isDirectory() ? "directory" : "draft");
  const kinds = new Map<unknown, string>();
  const note = (step: string) => {
    steps.push(step);
    if (step === failing?.step) throw Object.assign(new Error("Simulated disk failure"), { code: failing.code });
  };
  const original = { ...fs };
  const replace = (name: Step, describe: (argument: unknown) => string) =>
    vi.spyOn(fs, name).mockImplementation((...given: unknown[]) => {
      note(describe(given[0]));
      const result = Reflect.apply(original[name], fs, given) as unknown;
      if (name === "openSync") kinds.set(result, kindOf(result));
      return result;
    });
  replace("openSync", (opened) => `open ${opened === directory ? "directory" : "draft"}`);
  replace("fsyncSync", (fd) => `sync ${kindOf(fd)}`);
  replace("closeSync", (fd) => `close ${kinds.get(fd) ?? "something else"}`);
  replace("linkSync", () => "link final name");
  replace("renameSync", () => "link final name");
  syncBuiltinESMExports();
}

const parse = (content: unknown) => content;
const written = [
  "open draft",
  "sync draft",
  "close draft",
  "link final name",
  "open directory",
  "sync directory",
  "close directory",
];

describe("a key file", () => {
  it("is synced before it gets its name, and the name is synced before the file is used", () => {
    watch();
    expect(openKeyFile(path, () => ({ key: 1 }), parse)).toEqual({ key: 1 });
    expect(steps).toEqual(written);
    steps = [];
    replaceKeyFile(path, { key: 2 });
    expect(steps).toEqual(written);
    expect(readKeyFile(path, parse)).toEqual({ key: 2 });
  });

  it("is read but not written if it exists", () => {
    openKeyFile(path, () => ({ key: 1 }), parse);
    watch();
    expect(openKeyFile(path, () => ({ key: 2 }), parse)).toEqual({ key: 1 });
    expect(steps).toEqual([]);
  });

  it("contains JSON with one entry per line", () => {
    openKeyFile(path, () => ({ version: 2, nonce: "x" }), parse);
    expect(fs.readFileSync(path, "utf8")).toBe('{\n  "version": 2,\n  "nonce": "x"\n}\n');
  });

  it("is shared by processes that create it at the same time", () => {
    const make = () => {
      fs.writeFileSync(path, '{"key":"theirs"}');
      return { key: "ours" };
    };
    expect(openKeyFile(path, make, parse)).toEqual({ key: "theirs" });
    expect(fs.readdirSync(directory)).toEqual([basename(path)]);
  });

  it("is installed with the same bytes unless there is one", () => {
    expect(createKeyFile(path, Buffer.from('{"key":1}'))).toBe(true);
    expect(createKeyFile(path, Buffer.from('{"key":2}'))).toBe(false);
    expect(fs.readFileSync(path, "utf8")).toBe('{"key":1}');
    expect(fs.readdirSync(directory)).toEqual([basename(path)]);
  });

  it("isn't created, and leaves no draft, where hard links aren't supported", () => {
    watch({ step: "link final name", code: "EPERM" });
    expect(() => openKeyFile(path, () => ({ key: 1 }), parse)).toThrow(
      new KeyFileError(
        `Can't create the key file ${path} (EPERM). Check that its directory exists, that this user can write to it, and that the disk isn't full.`,
      ),
    );
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it("removes the draft of a process that died", () => {
    openKeyFile(path, () => ({ key: 1 }), parse);
    watch();
    replaceKeyFile(path, { key: 2 });
    const draft = String(vi.mocked(fs.openSync).mock.calls[0]?.[0]);
    fs.writeFileSync(draft, "{}");
    replaceKeyFile(path, { key: 3 });
    expect(fs.readdirSync(directory)).toEqual([basename(path)]);
  });

  it("removes the draft of a process that was killed at the next start, but not the draft of a running one", () => {
    openKeyFile(path, () => ({ key: 1 }), parse);
    const [abandoned, inUse] = [`${path}.0123456789abcdef`, `${path}.fedcba9876543210`];
    for (const draft of [abandoned, inUse]) fs.writeFileSync(draft, "{}");
    const twoMinutesAgo = new Date(Date.now() - 120_000);
    fs.utimesSync(abandoned, twoMinutesAgo, twoMinutesAgo);
    expect(openKeyFile(path, () => ({}), parse)).toEqual({ key: 1 });
    expect(fs.readdirSync(directory).sort()).toEqual([basename(path), basename(inUse)]);
  });

  it("ignores a draft that another process has already removed", () => {
    openKeyFile(path, () => ({ key: 1 }), parse);
    // The spy has the type of another overload.
    vi.spyOn(fs, "readdirSync").mockReturnValueOnce(["vault.keys.json.0123456789abcdef"] as never);
    syncBuiltinESMExports();
    replaceKeyFile(path, { key: 2 });
    expect(readKeyFile(path, parse)).toEqual({ key: 2 });
  });

  it.each([
    ["sync draft", 1],
    ["link final name", 1],
    ["sync directory", 2],
  ])("reports a failed replacement at the step %j and leaves one complete file", (step, key) => {
    openKeyFile(path, () => ({ key: 1 }), parse);
    watch({ step, code: "EIO" });
    const replace = () => replaceKeyFile(path, { key: 2 });
    expect(replace).toThrow(KeyFileError);
    expect(replace).toThrow(`Can't replace the key file ${path} (EIO). Check that this user owns the file`);
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(readKeyFile(path, parse)).toEqual({ key });
  });

  it("reports a failed replacement if its directory is gone", () => {
    fs.rmSync(directory, { recursive: true });
    const replace = () => replaceKeyFile(path, { key: 2 });
    expect(replace).toThrow(expect.objectContaining({ name: "KeyFileError" }));
    expect(replace).toThrow(`Can't replace the key file ${path} (ENOENT). Check that this user owns the file`);
  });
});

describe("readSecret", () => {
  it("accepts only base64 of 32 bytes", () => {
    expect(readSecret(Buffer.alloc(32, 7).toString("base64"))).toEqual(createSecretKey(Buffer.alloc(32, 7)));
    for (const wrong of [
      "",
      Buffer.alloc(31).toString("base64"),
      Buffer.alloc(33).toString("base64"),
      Array(32).fill(7),
      null,
    ]) {
      expect(() => readSecret(wrong)).toThrow("A key isn't");
    }
  });
});
