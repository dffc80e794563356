/**
 * Collects the type declarations for the embed's npm package: those of its entries and of everything they mention, and
 * nothing else.
 *
 * The compiler writes one declaration for each source. Starting from the entries, this follows the imports, copies each
 * declaration, adds the protocol's, and rewrites each specifier to the copy. So no declaration names a package that
 * isn't on npm, and anything the entries don't mention stays private.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { frameworks } from "../packages/embed/build/modules.ts";

const root = join(import.meta.dirname, "..");

/**
 * @param sources - The entries' source files.
 * @param folder - Where the declarations go: one `<entry>.d.ts` for each entry.
 * @returns the packages that the declarations import.
 * @throws Error if the sources don't compile, or a declaration needs a package that merchants wouldn't have.
 */
export function writeDeclarations(sources: readonly string[], folder: string): { packages: string[] } {
  const compiled = mkdtempSync(join(tmpdir(), "oriel-types-"));
  try {
    // Imports by package name aren't compiled with the entries, so the protocol is compiled separately.
    for (const project of ["packages/embed", "packages/protocol"]) compile(project, compiled);
    const found = new Set(sources.map((source) => relative(join(root, "packages"), source).replace(/\.ts$/, ".d.ts")));
    const packages = new Set<string>();
    for (const path of found) {
      // The set grows during the loop and contains each declaration only once.
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

/** The compiled file of a specifier, relative to `packages/`. Null for a package that stays an import. */
function declarationOf(specifier: string, from: string, compiled: string): string | null {
  const ours = /^@oriel\/protocol\/([a-z-]+)$/.exec(specifier);
  const target = ours
    ? `protocol/src/${ours[1]}.d.ts`
    : specifier.startsWith(".")
      ? join(dirname(from), specifier).replace(/\.ts$/, ".d.ts")
      : null;
  if (target !== null) {
    if (!existsSync(join(compiled, target)))
      throw new Error(`${from} imports "${specifier}", which has no declarations.`);
    return target;
  }
  if (frameworks.some((name) => specifier === name || specifier.startsWith(`${name}/`))) return null;
  throw new Error(
    `The public types mention "${specifier}" (in ${from}), which isn't installed with the package. Remove it from the entries' exports.`,
  );
}

/** Path of a compiled declaration's copy. */
function published(path: string): string {
  return path.replace(/^embed\/src\//, "").replace(/^protocol\/src\//, "protocol/");
}
