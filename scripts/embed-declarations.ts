/**
 * The type declarations of the packed embed: those of its entries and everything they mention, and nothing else.
 *
 * The compiler writes one declaration per source. From the entries this follows the imports, copies what it meets, puts
 * the protocol's beside the embed's, and rewrites each specifier to the copy. So no declaration names a package that
 * npm does not have. What the entries do not mention stays private.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { frameworks } from "../packages/embed/build/modules.ts";

const root = join(import.meta.dirname, "..");

/**
 * @param sources The entries' source files.
 * @param folder Where the declarations go: `<entry>.d.ts` for each.
 * @returns the packages that the declarations import.
 * @throws Error when the sources do not compile, or a declaration needs a package that the merchant would not have.
 */
export function writeDeclarations(sources: readonly string[], folder: string): { packages: string[] } {
  const compiled = mkdtempSync(join(tmpdir(), "oriel-types-"));
  try {
    // What is imported by a package's name is not compiled along, so the protocol is compiled by itself.
    for (const project of ["packages/embed", "packages/protocol"]) compile(project, compiled);
    const found = new Set(sources.map((source) => relative(join(root, "packages"), source).replace(/\.ts$/, ".d.ts")));
    const packages = new Set<string>();
    for (const path of found) {
      // A set that grows while it is walked: each declaration once, and only as many as there are files.
      const text = readFileSync(join(compiled, path), "utf8").replace(
        specifierPattern,
        (whole, before?: string, specifier?: string) => {
          if (before === undefined || specifier === undefined) return whole;
          const target = declarationOf(specifier, path, compiled);
          if (target === null) {
            packages.add(specifier);
            return `${before}"${specifier}"`;
          }
          found.add(target);
          const way = relative(dirname(published(path)), published(target)).replace(/\.d\.ts$/, ".js");
          return `${before}"${way.startsWith(".") ? way : `./${way}`}"`;
        },
      );
      const to = join(folder, published(path));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, text);
    }
    return { packages: [...packages] };
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}

/** A comment, or `from "x"`, `import "x"`, `import("x")`, `declare module "x"`. */
const specifierPattern = /\/\*[\s\S]*?\*\/|(\bfrom\s*|\bimport\s*\(?\s*|\bmodule\s+)"([^"\n]+)"/g;

function compile(project: string, outDir: string): void {
  const options = [
    "--noEmit",
    "false",
    "--declaration",
    "--emitDeclarationOnly",
    "--rootDir",
    "packages",
    "--outDir",
    outDir,
  ];
  try {
    execFileSync("node_modules/.bin/tsc", ["-p", project, ...options], {
      cwd: root,
      encoding: "utf8",
      timeout: 120_000,
    });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    throw new Error(`${project} does not compile:\n${output}`, { cause: error });
  }
}

/** The compiled file that a specifier means, seen from `packages/`; null for a package that stays an import. */
function declarationOf(specifier: string, from: string, compiled: string): string | null {
  const ours = /^@oriel\/protocol\/([a-z-]+)$/.exec(specifier);
  const target = ours
    ? `protocol/src/${ours[1]}.d.ts`
    : specifier.startsWith(".")
      ? join(dirname(from), specifier).replace(/\.ts$/, ".d.ts")
      : null;
  if (target !== null) {
    if (!existsSync(join(compiled, target)))
      throw new Error(`${from} imports "${specifier}", which has no declaration.`);
    return target;
  }
  if (frameworks.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return null;
  throw new Error(
    `The public types mention "${specifier}" (in ${from}), which whoever installs the package does not have. Keep it out of what the entries export.`,
  );
}

/** Where a compiled declaration goes. */
function published(path: string): string {
  return path.replace(/^embed\/src\//, "").replace(/^protocol\/src\//, "protocol/");
}
