/**
 * The npm package `@oriel/server`: the command `oriel-server` with the built pages. It needs no build step and only the
 * runtime dependencies, at the exact versions that were tested.
 *
 * The modules keep their paths from this repository, so stack traces and reviews refer to the same files, and each file
 * finds the pages at the same relative path.
 */
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildForNode } from "./build-for-node.ts";
import { oldestNode, packFolder, readManifest, root } from "./npm-package.ts";

const command = "packages/server/src/cli";
const workspaces = ["server", "vault", "protocol", "http-listener", "commands", "webhook-signature"];
/** Besides the modules: the pages for browsers, released loaders, and the guide that `/docs/errors` shows. */
const files = ["dist/checkout", "dist/embed", "dist/dashboard", "packages/embed/releases", "docs/api/errors.md"];

/**
 * @param folder - Where to write the package. Emptied first. The tarball goes next to it.
 * @returns the tarball's path.
 * @throws Error if the pages aren't built
 */
export async function packServer(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  const versions = dependencyVersions();
  const imported = await buildForNode({
    entries: { [command]: join(root, `${command}.ts`) },
    folder,
    external: Object.keys(versions),
    keepsModules: true,
  });
  const needed = Object.keys(versions).filter((name) => imported.some((one) => `${one}/`.startsWith(`${name}/`)));
  for (const path of files) {
    if (path.startsWith("dist/") && !existsSync(join(root, path))) {
      throw new Error(`${path} doesn't exist. Run \`npm run build\` first.`);
    }
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  chmodSync(join(folder, `${command}.js`), 0o755);
  return packFolder("server", folder, {
    bin: { "oriel-server": `./${command}.js` },
    exports: { "./package.json": "./package.json" },
    files: ["packages", "dist", "docs"],
    engines: { node: oldestNode },
    dependencies: Object.fromEntries(needed.map((name) => [name, versions[name]])),
  });
}

/** The runtime dependencies of the server and of the packages that are bundled with it. */
function dependencyVersions(): Record<string, string> {
  const all = workspaces.flatMap((name) => Object.entries(readManifest(name).dependencies ?? {}));
  const others = all.filter(([name]) => !name.startsWith("@oriel/"));
  return Object.fromEntries(others.sort(([a], [b]) => (a < b ? -1 : 1)));
}
