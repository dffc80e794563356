/**
 * The npm packages with a command: `@oriel/server` with `oriel-server` and the built pages, `@oriel/cli` with `oriel`,
 * and `@oriel/sandbox` with `oriel-sandbox`, the bank to try an installation with. They need no build step and only the runtime dependencies, at the exact versions that were tested.
 *
 * The modules keep their paths from this repository, so stack traces and reviews refer to the same files, and each file
 * finds the pages at the same relative path.
 */
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "../../packages/embed/build/modules.ts";
import { buildForNode } from "./build-for-node.ts";
import { oldestNode, packFolder, root, workspaceFolder } from "./npm-package.ts";

interface CommandPackage {
  /** The folder in `packages/`. */
  workspace: string;
  /** The command's module in that folder's `src`. */
  main: string;
  command: string;
  /** Our other packages that the modules come from. */
  bundled: readonly string[];
  /** The oldest version of Node that the package and its dependencies support. */
  engine: string;
  /** Files and folders that the package contains besides the modules. Those in `dist` are built. */
  files: readonly string[];
}

const server: CommandPackage = {
  workspace: "server",
  main: "cli",
  command: "oriel-server",
  engine: ">=22.15", // OpenTelemetry's
  bundled: ["vault", "protocol", "http-listener", "commands", "time-limit", "webhook-signature"],
  // The last one is the guide that `/docs/errors` shows.
  files: ["dist/checkout", "dist/embed", "dist/dashboard", "packages/embed/releases", "docs/api/errors.md"],
};

const cli: CommandPackage = {
  workspace: "cli",
  main: "cli",
  command: "oriel",
  engine: oldestNode,
  bundled: ["protocol", "commands", "time-limit", "webhook-signature"],
  files: ["dist/checkout/inventory.json"], // for `oriel monitor`
};

const sandbox: CommandPackage = {
  workspace: "sandbox",
  main: "main",
  command: "oriel-sandbox",
  engine: oldestNode,
  bundled: ["protocol", "http-listener", "commands"],
  files: [],
};

/**
 * @param folder - Where to write the package. Emptied first. The tarball goes next to it.
 * @returns the tarball's path.
 * @throws Error if the pages aren't built
 */
export const packServer = (folder: string): Promise<string> => pack(server, folder);

/** Like {@link packServer}. */
export const packCli = (folder: string): Promise<string> => pack(cli, folder);

/** Like {@link packServer}. */
export const packSandbox = (folder: string): Promise<string> => pack(sandbox, folder);

async function pack(
  { workspace, main: module, command, bundled, engine, files }: CommandPackage,
  folder: string,
): Promise<string> {
  const unbuilt = files.find((path) => path.startsWith("dist/") && !existsSync(join(root, path)));
  if (unbuilt !== undefined) throw new Error(`${unbuilt} doesn't exist. Run \`npm run build\` first.`);
  rmSync(folder, { recursive: true, force: true });
  const main = `packages/${workspace}/src/${module}`;
  const versions = dependencyVersions([workspace, ...bundled]);
  const imported = await buildForNode({
    entries: { [main]: join(root, `${main}.ts`) },
    folder,
    external: Object.keys(versions),
    preserveModules: true,
  });
  chmodSync(join(folder, `${main}.js`), 0o755);
  // Before the first release, there is no folder of releases.
  for (const path of files.filter((one) => existsSync(join(root, one)))) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  const needed = Object.entries(versions).filter(([name]) => imported.some((one) => `${one}/`.startsWith(`${name}/`)));
  return packFolder(workspace, folder, {
    bin: { [command]: `./${main}.js` },
    exports: { "./package.json": "./package.json" },
    files: ["packages", ...new Set(files.map((path) => path.split("/")[0]).filter((name) => name !== "packages"))],
    engines: { node: engine },
    dependencies: Object.fromEntries(needed),
  });
}

/** The runtime dependencies of these packages, without our own. */
function dependencyVersions(workspaces: readonly string[]): Record<string, string> {
  const all = workspaces.flatMap((name) => Object.entries(readManifest(workspaceFolder(name)).dependencies ?? {}));
  const others = all.filter(([name]) => !name.startsWith("@oriel/"));
  return Object.fromEntries(others.sort(([a], [b]) => (a < b ? -1 : 1)));
}
