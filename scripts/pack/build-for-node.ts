/** Compiles the TypeScript of a package for Node into JavaScript modules that aren't minified. */
import { build } from "vite";
import { root } from "./npm-package.ts";

export interface NodeBuild {
  /** Names of output files and their sources. */
  entries: Readonly<Record<string, string>>;
  folder: string;
  /** Packages that stay imports. All others are bundled. */
  external: readonly string[];
  /** Writes one file for each source at its path in this repository, instead of bundling them. */
  preserveModules?: boolean;
}

/** @returns the names of the external packages that the modules import */
export async function buildForNode({
  entries,
  folder,
  external,
  preserveModules = false,
}: NodeBuild): Promise<string[]> {
  const built = await build({
    configFile: false,
    root,
    logLevel: "warn",
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: "node22",
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: { ...entries },
        external: (name) => name.startsWith("node:") || external.some((one) => `${name}/`.startsWith(`${one}/`)),
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "chunks/[name].js",
          minifyInternalExports: false,
          ...(preserveModules ? { preserveModules, preserveModulesRoot: root } : {}),
        },
        // Otherwise the code would contain each source file's folder, relative to the build's working directory.
        experimental: { attachDebugInfo: "none" },
      },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !("output" in result)) throw new Error("Bug: Vite is watching instead of building");
  const imports = result.output.flatMap((file) =>
    file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : [],
  );
  return [...new Set(imports)].filter((name) => !name.startsWith("node:"));
}
