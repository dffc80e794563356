/** The npm package `@oriel/sdk`: ES modules and plain types, without dependencies. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readEntries, readManifest } from "../../packages/embed/build/modules.ts";
import { buildForNode } from "./build-for-node.ts";
import { writeDeclarations } from "./declarations.ts";
import { exportsOf, oldestNode, packFolder, workspaceFolder } from "./npm-package.ts";

/**
 * @param folder - Where to write the package. Emptied first. The tarball goes next to it.
 * @returns the tarball's path.
 */
export async function packSdk(folder: string): Promise<string> {
  const entries = readEntries(workspaceFolder("sdk"));
  const { peerDependencies = {}, peerDependenciesMeta = {} } = readManifest(workspaceFolder("sdk"));
  rmSync(folder, { recursive: true, force: true });
  await buildForNode({ entries, folder, external: [] });
  await writeDeclarations({
    project: "sdk",
    sources: Object.values(entries),
    folder: join(folder, "types"),
    peers: Object.keys(peerDependencies),
  });
  return packFolder("sdk", folder, {
    sideEffects: false,
    exports: exportsOf(Object.keys(entries)),
    files: ["*.js", "chunks", "types"],
    engines: { node: oldestNode },
    peerDependencies,
    peerDependenciesMeta,
  });
}
