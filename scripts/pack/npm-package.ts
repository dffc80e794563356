/** What the npm packages have in common: the manifest, the licenses and the tarball. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readManifest } from "../../packages/embed/build/modules.ts";

export const root = join(import.meta.dirname, "../..");

/** The oldest version of Node that the packages for servers support. */
export const oldestNode = ">=22.12";

export const workspaceFolder = (name: string): string => join(root, "packages", name);

/** The `exports` of a package with one module and one declaration for each entry. */
export function exportsOf(entries: readonly string[]): Record<string, unknown> {
  const modules = entries.map((entry) => [
    entry === "index" ? "." : `./${entry}`,
    { types: `./types/${entry}.d.ts`, default: `./${entry}.js` },
  ]);
  return { ...Object.fromEntries(modules), "./package.json": "./package.json" };
}

/**
 * Writes the manifest, LICENSE and README, and packs the folder.
 *
 * @param fields what the manifest has in addition to name, version, description and license
 * @returns the tarball's path, next to the folder
 */
export function packFolder(workspace: string, folder: string, fields: object): string {
  const { name, version, description, license } = readManifest(workspaceFolder(workspace));
  const manifest = { name, version, description, license, type: "module", ...fields };
  write(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(workspaceFolder(workspace), "README.md"), join(folder, "README.md"));
  const destination = dirname(folder);
  const output = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", destination], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, npm_config_update_notifier: "false" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [packed] = JSON.parse(output) as { filename: string }[]; // npm's own output
  if (!packed) throw new Error(`npm packed nothing: ${output.slice(0, 500)}`);
  return join(destination, packed.filename);
}

export function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
