import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "./test/temporary-directory.ts";
import { fetchVendorDocument, type VendorDocument } from "./vendor-documents.ts";

const content = '{"openapi":"3.1.0"}';
let folder: string;
let document: VendorDocument;

beforeEach(() => {
  folder = temporaryDirectory(onTestFinished);
  document = {
    name: "a document",
    npmPackage: "documents@1.0.0",
    megabytes: 1,
    file: "package/api/a.json",
    sha256: createHash("sha256").update(content).digest("hex"),
    path: join(folder, "cache/a.json"),
  };
  mkdirSync(join(folder, "package/api"), { recursive: true });
  writeFileSync(join(folder, "package/api/a.json"), content);
  writeFileSync(join(folder, "package/api/b.json"), "another document");
  execFileSync("tar", ["-czf", "documents-1.0.0.tgz", "package"], { cwd: folder });
  useNpm(`cp "${folder}/documents-1.0.0.tgz" .`);
});

afterEach(() => vi.unstubAllEnvs());

/** Puts an `npm` on PATH that runs this script and keeps its arguments. */
function useNpm(script: string): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  const recorded = `#!/bin/sh\necho "$@" >> "${folder}/npm-arguments"\n${script}\n`;
  writeFileSync(join(folder, "bin/npm"), recorded, { mode: 0o755 });
  vi.stubEnv("PATH", `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`);
}

const npmRuns = () =>
  existsSync(join(folder, "npm-arguments")) ? readFileSync(join(folder, "npm-arguments"), "utf8") : "";

/** @returns the printed lines */
async function fetch(): Promise<string[]> {
  const lines: string[] = [];
  await fetchVendorDocument(document, (line) => lines.push(line));
  return lines;
}

describe("fetching a vendor's document", () => {
  it("saves the file from the package, and says what it does", async () => {
    expect(await fetch()).toEqual(["Downloading documents@1.0.0 (1 MB) for a document ...", `Saved ${document.path}`]);
    expect(readFileSync(document.path, "utf8")).toBe(content);
  });

  it("packs the exact version without its scripts, and with no option that older versions of npm lack", async () => {
    await fetch();
    expect(npmRuns()).toBe("pack documents@1.0.0 --ignore-scripts --loglevel=error\n");
  });

  it("does nothing if the file is there", async () => {
    await fetch();
    useNpm("exit 1");
    expect(await fetch()).toEqual([]);
    expect(npmRuns().trim().split("\n")).toHaveLength(1);
  });

  it("replaces a damaged file", async () => {
    await fetch();
    writeFileSync(document.path, content.slice(1));
    await fetch();
    expect(readFileSync(document.path, "utf8")).toBe(content);
  });

  it("refuses a file with another checksum", async () => {
    document.sha256 = "0".repeat(64);
    await expect(fetch()).rejects.toThrow(/has the SHA-256 [0-9a-f]{64} instead of 0{64}/);
    expect(existsSync(document.path)).toBe(false);
  });

  it("says what to do if npm can't download the package", async () => {
    useNpm('echo "npm ERR! network request failed" >&2; exit 1');
    await expect(fetch()).rejects.toThrow(
      /^npm couldn't download documents@1\.0\.0: npm ERR! network request failed\n.*registry.*ADYEN_DOCUMENT/,
    );
    expect(existsSync(document.path)).toBe(false);
  });

  it("fails if the package doesn't contain the file", async () => {
    document.file = "package/api/c.json";
    await expect(fetch()).rejects.toThrow("tar couldn't extract package/api/c.json");
  });
});
