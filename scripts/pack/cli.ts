/**
 * The npm package `@oriel/cli`: the command `oriel` for developers of shops. It needs nothing from the server and has
 * the script inventory of its version's checkout, for `oriel monitor`.
 */
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildForNode } from "./build-for-node.ts";
import { oldestNode, packFolder, readManifest, root } from "./npm-package.ts";

const command = "packages/cli/src/cli";
const inventory = "dist/checkout/inventory.json";

/**
 * @param folder - Where to write the package. Emptied first. The tarball goes next to it.
 * @returns the tarball's path.
 * @throws Error if the checkout isn't built
 */
export async function packCli(folder: string): Promise<string> {
  if (!existsSync(join(root, inventory))) throw new Error(`${inventory} doesn't exist. Run \`npm run build\` first.`);
  rmSync(folder, { recursive: true, force: true });
  const { typebox } = readManifest("cli").dependencies ?? {};
  await buildForNode({
    entries: { [command]: join(root, `${command}.ts`) },
    folder,
    external: ["typebox"],
    keepsModules: true,
  });
  chmodSync(join(folder, `${command}.js`), 0o755);
  cpSync(join(root, inventory), join(folder, inventory));
  return packFolder("cli", folder, {
    bin: { oriel: `./${command}.js` },
    exports: { "./package.json": "./package.json" },
    files: ["packages", "dist"],
    engines: { node: oldestNode },
    dependencies: { typebox },
  });
}
