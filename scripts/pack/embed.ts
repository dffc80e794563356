/**
 * The npm package `@oriel/embed`: only ES modules, one for each subpath, with shared code in chunks. They aren't
 * minified, so merchants can read them, but the names in `inner-names.ts` are shortened. Our protocol package is bundled,
 * so there are no dependencies.
 *
 * The element and the wrappers import the main entry by the package's name, so that tests can replace it with the mock.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { buildFiles, embedFolder, frameworks, readEntries } from "../../packages/embed/build/modules.ts";
import { writeDeclarations } from "./declarations.ts";
import { exportsOf, oldestNode, packFolder, write } from "./npm-package.ts";

/** The oldest major versions that the wrappers support. You need a framework only if you use its wrapper. */
const peers: Record<(typeof frameworks)[number], string> = { react: ">=18", vue: ">=3.3", svelte: ">=3" };

/**
 * @param folder - Where to write the package. Emptied first. The tarball goes next to it.
 * @returns the tarball's path.
 */
export async function packEmbed(folder: string): Promise<string> {
  const entries = readEntries();
  rmSync(folder, { recursive: true, force: true });

  const files = await buildFiles(entries, { minify: false, plugins: [importMainByName] });
  for (const file of files) write(join(folder, file.fileName), file.type === "chunk" ? file.code : file.source);
  const typed = await writeDeclarations({
    project: "embed",
    sources: Object.values(entries),
    folder: join(folder, "types"),
    peers: frameworks,
  });
  const imported = [...files.flatMap((file) => (file.type === "chunk" ? file.imports : [])), ...typed];
  const peerNames = frameworks.filter((name) => imported.some((one) => `${one}/`.startsWith(`${name}/`)));
  return packFolder("embed", folder, {
    engines: { node: oldestNode },
    sideEffects: ["./element.js"],
    exports: exportsOf(Object.keys(entries)),
    files: ["*.js", "chunks", "types"],
    peerDependencies: Object.fromEntries(peerNames.map((name) => [name, peers[name]])),
    peerDependenciesMeta: Object.fromEntries(peerNames.map((name) => [name, { optional: true }])),
  });
}

const mainEntry = join(embedFolder, "src/index.ts");

const importMainByName: Plugin = {
  name: "import-main-by-name",
  enforce: "pre", // before Vite finds the file
  resolveId: (source, importer) =>
    source.endsWith("/create-checkout.ts") && importer !== mainEntry ? { id: "@oriel/embed", external: true } : null,
};
