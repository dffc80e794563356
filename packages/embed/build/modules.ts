/**
 * Builds the package's ES modules: one for each subpath in package.json's `exports`, with shared code in chunks.
 *
 * Our protocol package is bundled in, and only frameworks remain imports. The output is the same on every
 * machine: it contains no paths and doesn't depend on the order in which files are read.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";
import { shortenInnerNames } from "./inner-names.ts";

export const embedFolder = join(import.meta.dirname, "..");

/** The frameworks that the wrappers import. They aren't bundled. */
export const frameworks = ["react", "vue", "svelte"] as const;

/** The fields of a package.json that the builds use. */
export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  engines: Readonly<Record<string, string>>;
  exports: Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
  peerDependenciesMeta?: Readonly<Record<string, { optional: boolean }>>;
}

/** @param folder the package's, by default the embed's */
export function readManifest(folder = embedFolder): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest; // our own file
}

/** Subpath names and their sources: `index` for `.`, `react` for `./react`. */
export function readEntries(folder = embedFolder): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readManifest(folder).exports).map(([subpath, source]) => [
      subpath === "." ? "index" : subpath.slice(2),
      join(folder, source),
    ]),
  );
}

interface ModulesOptions {
  minify: boolean;
  plugins?: Plugin[];
}

export async function buildModules(
  entries: Record<string, string>,
  options: ModulesOptions,
): Promise<Rolldown.OutputChunk[]> {
  return (await buildFiles(entries, options)).filter((file) => file.type === "chunk");
}

/** The modules, and the license of each library that they contain in `third-party-licenses.md`. */
export async function buildFiles(
  entries: Record<string, string>,
  { minify, plugins = [] }: ModulesOptions,
): Promise<(Rolldown.OutputChunk | Rolldown.OutputAsset)[]> {
  const built = await build({
    configFile: false,
    root: embedFolder,
    logLevel: "warn",
    publicDir: false,
    plugins: [...plugins, shortenInnerNames],
    build: {
      write: false,
      lib: { entry: entries, formats: ["es"] },
      rolldownOptions: {
        external: frameworks.map((name) => new RegExp(`^${name}(/|$)`)),
        // "use client" is kept at the start of the React entry. A test of the packed package checks that.
        onLog: (level, log, report) => (log.code === "MODULE_LEVEL_DIRECTIVE" ? undefined : report(level, log)),
        // Otherwise the code would contain each source file's folder, relative to the build's working directory.
        experimental: { attachDebugInfo: "none" },
        output: {
          minify,
          entryFileNames: "[name].js",
          chunkFileNames: "chunks/[name].js",
          minifyInternalExports: minify,
          // See build.ts.
          topLevelVar: false,
        },
      },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !("output" in result)) throw new Error("Bug: Vite is watching instead of building");
  return result.output;
}

/** The chunks that an entry loads, including itself. */
export function chunksOf(entry: string, chunks: readonly Rolldown.OutputChunk[]): Set<Rolldown.OutputChunk> {
  const found = new Set<Rolldown.OutputChunk>();
  const visit = (fileName: string): void => {
    const chunk = chunks.find((one) => one.fileName === fileName);
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    [...chunk.imports, ...chunk.dynamicImports].forEach(visit);
  };
  visit(`${entry}.js`);
  return found;
}
