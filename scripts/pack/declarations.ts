/**
 * Collects the type declarations for an npm package: those of its entries and of everything they mention, and nothing
 * else.
 *
 * The compiler writes one declaration for each source. Starting from the entries, this follows the imports, copies each
 * declaration, adds the protocol's, and rewrites each specifier to the copy. So no declaration names a package that
 * isn't on npm, and anything the entries don't mention stays private.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, relative } from "node:path";
import { readManifest } from "../../packages/embed/build/modules.ts";
import { expandSchemas } from "./expand-schemas.ts";
import { root, workspaceFolder } from "./npm-package.ts";

const protocolExports = readManifest(workspaceFolder("protocol")).exports;

export interface DeclarationPlan {
  /** The folder in `packages/` that the entries are in. */
  project: string;
  /** The entries' source files. */
  sources: readonly string[];
  /** Where the declarations go: one `<entry>.d.ts` for each entry. */
  folder: string;
  /** Packages that users of the package have, so that declarations may import them. */
  peers: readonly string[];
}

/**
 * @returns the packages that the declarations import.
 * @throws Error if the sources don't compile, or a declaration needs a package that isn't a peer.
 */
export async function writeDeclarations({ project, sources, folder, peers }: DeclarationPlan): Promise<string[]> {
  const compiled = mkdtempSync(join(tmpdir(), "oriel-types-"));
  try {
    // Imports by package name aren't compiled with the entries, so the protocol is compiled separately.
    for (const name of [project, "protocol"]) compile(`packages/${name}`, compiled);
    const found = new Set(sources.map((source) => relative(join(root, "packages"), source).replace(/\.ts$/, ".d.ts")));
    const packages = new Set<string>();
    const published = (path: string) =>
      path.startsWith("protocol/") ? path.replace("/src/", "/") : path.replace(`${project}/src/`, "");
    for (const path of found) {
      // The set grows during the loop and contains each declaration only once.
      const text = await expandSchemas(readFileSync(join(compiled, path), "utf8"), sourceOf(path));
      const rewritten = text.replace(specifierPattern, (whole, before?: string, specifier?: string) => {
        if (before === undefined || specifier === undefined) return whole;
        const target = declarationOf(specifier, path, compiled);
        if (target === null) {
          const isPeer = specifier.startsWith("node:") || peers.some((name) => `${specifier}/`.startsWith(`${name}/`));
          if (!isPeer)
            throw new Error(`The types in ${path} need "${specifier}", which isn't installed with the package.`);
          packages.add(specifier);
          return whole;
        }
        found.add(target);
        const way = relative(dirname(published(path)), published(target)).replace(/\.d\.ts$/, ".js");
        return `${before}"${way.startsWith(".") ? way : `./${way}`}"`;
      });
      const to = join(folder, published(path));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, rewritten);
    }
    return [...packages];
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}

/** A comment, or `from "x"`, `import "x"`, `import("x")`, `declare module "x"`. */
const specifierPattern = /\/\*[\s\S]*?\*\/|(\bfrom\s*|\bimport\s*\(?\s*|\bmodule\s+)"([^"\n]+)"/g;

function compile(project: string, outDir: string): void {
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--rootDir", "packages"];
  try {
    execFileSync("node_modules/.bin/tsc", ["-p", project, ...options, "--outDir", outDir], {
      cwd: root,
      encoding: "utf8",
      timeout: 120_000,
    });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    throw new Error(`${project} does not compile:\n${output}`, { cause: error });
  }
}

function sourceOf(path: string): string {
  return join(root, "packages", path.replace(/\.d\.ts$/, ".ts"));
}

/** The compiled file of a specifier, relative to `packages/`. Null for a package that stays an import. */
function declarationOf(specifier: string, from: string, compiled: string): string | null {
  const ours = /^@oriel\/protocol\/(.+)$/.exec(specifier)?.[1];
  const source =
    ours !== undefined
      ? `protocol/${protocolExports[`./${ours}`]}`
      : specifier.startsWith(".")
        ? join(dirname(from), specifier)
        : null;
  const target = source === null ? null : normalize(source).replace(/\.ts$/, ".d.ts");
  if (target !== null && !existsSync(join(compiled, target))) {
    throw new Error(`${from} imports "${specifier}", which has no declarations.`);
  }
  return target;
}
