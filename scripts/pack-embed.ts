/**
 * `npm run pack:embed`: writes the npm package `@oriel/embed` to dist/npm/embed, with its tarball next to it.
 *
 * The package has only ES modules, one for each subpath with shared code in chunks. They aren't minified, so merchants
 * can read them. Our protocol is bundled, so there are no dependencies. npm doesn't rewrite `exports`, so this script
 * writes the package.json.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import {
  buildModules,
  embedFolder,
  type EmbedManifest,
  frameworks,
  readEntries,
  readManifest,
} from "../packages/embed/build/modules.ts";
import { writeDeclarations } from "./embed-declarations.ts";

/** The oldest major versions that the wrappers support. You need a framework only if you use its wrapper. */
const peers: Record<(typeof frameworks)[number], string> = { react: ">=18", vue: ">=3.3", svelte: ">=3" };

const root = join(import.meta.dirname, "..");

/**
 * @param folder - Where to write the package. Emptied first. The tarball goes next to it.
 * @returns the tarball's path.
 */
export async function packEmbed(folder: string): Promise<string> {
  const manifest = readManifest();
  const entries = readEntries();
  rmSync(folder, { recursive: true, force: true });

  const chunks = await buildModules(entries, { minify: false });
  for (const { fileName, code } of chunks) write(join(folder, fileName), code);
  const typed = writeDeclarations(Object.values(entries), join(folder, "types"));
  const imported = new Set([
    ...chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]),
    ...typed.packages,
  ]);

  write(
    join(folder, "package.json"),
    `${JSON.stringify(packedManifest(manifest, Object.keys(entries), imported), null, 2)}\n`,
  );
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(embedFolder, "README.md"), join(folder, "README.md"));
  return tarball(folder);
}

function packedManifest(manifest: EmbedManifest, entries: readonly string[], imported: ReadonlySet<string>): object {
  const peerNames = frameworks.filter((name) =>
    [...imported].some((one) => one === name || one.startsWith(`${name}/`)),
  );
  const exports = entries.map((entry) => [
    entry === "index" ? "." : `./${entry}`,
    { types: `./types/${entry}.d.ts`, default: `./${entry}.js` },
  ]);
  return {
    name: "@oriel/embed",
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    type: "module",
    engines: manifest.engines,
    sideEffects: ["./element.js"],
    exports: { ...Object.fromEntries(exports), "./package.json": "./package.json" },
    files: ["*.js", "chunks", "types"],
    peerDependencies: Object.fromEntries(peerNames.map((name) => [name, peers[name]])),
    peerDependenciesMeta: Object.fromEntries(peerNames.map((name) => [name, { optional: true }])),
  };
}

function tarball(folder: string): string {
  const destination = dirname(folder);
  const answer = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", destination], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, npm_config_update_notifier: "false" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [packed] = JSON.parse(answer) as { filename: string }[]; // npm's own output
  if (!packed) throw new Error(`npm packed nothing: ${answer.slice(0, 500)}`);
  return join(destination, packed.filename);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (import.meta.main) {
  const usage = `npm run pack:embed [-- options]   writes the npm package @oriel/embed and its tarball

  --out FOLDER   where to write the package; emptied first (default: dist/npm/embed)
  --help`;
  const { values } = parseArgs({
    options: { out: { type: "string", default: join(root, "dist/npm/embed") }, help: { type: "boolean" } },
  });
  console.log(values.help ? usage : await packEmbed(values.out));
}
