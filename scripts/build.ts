/**
 * `npm run build`: builds what browsers load into `dist`, and enforces its size limits. It does nothing if `dist`
 * already holds the build of these files, so `npm start`, the tests and the chaos runs can call it each time.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const usage = `npm run build [-- options]   builds what browsers load into dist, unless it's up to date

  --force   build even if it's up to date
  --help`;

const root = join(import.meta.dirname, "..");
/** What a build can depend on. npm writes which dependencies are installed to a lock file of its own. */
const installed = "node_modules/.package-lock.json";
const inputs = ["packages", "demo", "package.json", installed, "tsconfig.json", "vite.config.ts"];
const outputs = ["dist/embed", "dist/checkout", "dist/dashboard", "dist/shop"];
/** Its content says from which inputs the outputs were built, and which bytes they then had. */
const record = join(root, "dist/built-from.json");

/** @throws Error if the build fails, after its own messages */
export function build(options: { force?: boolean } = {}): "built" | "up to date" {
  const from = fingerprint(inputs);
  if (!options.force && readRecord() === JSON.stringify({ from, to: fingerprint(outputs) })) return "up to date";
  rmSync(record, { force: true });
  const vite = join(root, "node_modules/.bin/vite");
  const { status } = spawnSync(vite, ["build", "--app", "--logLevel", "warn"], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("The build failed.");
  writeFileSync(record, JSON.stringify({ from, to: fingerprint(outputs) }));
  return "built";
}

function readRecord(): string | null {
  return existsSync(record) ? readFileSync(record, "utf8") : null;
}

/** SHA-256 of the names and contents of these files and folders, without tests and dependencies. */
function fingerprint(paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesIn)) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\n${content.byteLength}\n`).update(content);
  }
  return hash.digest("hex");
}

function filesIn(path: string): string[] {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [path];
  return readdirSync(join(root, path))
    .filter((name) => !/^(node_modules|test|e2e|dist)$|\.test\.tsx?$/.test(name))
    .toSorted()
    .flatMap((name) => filesIn(`${path}/${name}`));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { force: { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) {
    console.log(usage);
  } else {
    try {
      if (build({ force: values.force ?? false }) === "up to date") console.log("dist is up to date");
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
