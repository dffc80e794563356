/** Checks a packed package as npm's users would get it. For tests. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "./npm-package.ts";

export interface Installed {
  /** A temporary project that has the package. */
  project: string;
  /** The package's folder in it. */
  folder: string;
  /** The package's files. */
  files: string[];
  tarball: Buffer;
  read(file: string): string;
  remove(): void;
}

/**
 * Packs a package and unpacks the tarball in a new project, as npm would.
 *
 * @param name the package's name without `@oriel/`
 * @param libraries packages of this repository's node_modules that the project has too
 */
export async function install(
  name: string,
  pack: (folder: string) => Promise<string>,
  libraries: readonly string[],
): Promise<Installed> {
  const project = mkdtempSync(join(tmpdir(), `oriel-${name}-`));
  const tarball = readFileSync(await pack(join(project, "packed", name)));
  const folder = join(project, "node_modules/@oriel", name);
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xz", "-C", folder, "--strip-components", "1"], { input: tarball });
  for (const library of libraries) {
    const places = ["packages/server/node_modules", "node_modules"].map((place) => join(root, place, library));
    const link = join(project, "node_modules", library);
    mkdirSync(dirname(link), { recursive: true });
    const found = places.find(existsSync);
    if (found !== undefined) symlinkSync(found, link);
  }
  writeFileSync(join(project, "package.json"), '{ "name": "project", "type": "module", "private": true }');
  return {
    project,
    folder,
    files: readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      statSync(join(folder, file)).isFile(),
    ),
    tarball,
    read: (file) => readFileSync(join(folder, file), "utf8"),
    remove: () => rmSync(project, { recursive: true, force: true }),
  };
}

export async function publintProblems(tarball: Buffer): Promise<string[]> {
  const bytes = Uint8Array.from(tarball).buffer;
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: bytes } });
  return messages.map((message) => formatMessage(message, pkg) ?? message.code);
}

/**
 * Checks the types of every entry. Two problems are expected: TypeScript's `node10` resolution doesn't support
 * `exports`, and CommonJS code gets an ES module, which Node's `require` loads but older versions of TypeScript reject.
 *
 * @returns the entries that have types, such as `["."]`, and other problems
 */
export async function typeProblems(tarball: Buffer): Promise<{ typed: string[]; problems: unknown[] }> {
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (!result.types) throw new Error("The package has no types.");
  const typed = Object.entries(result.entrypoints)
    .filter(([, { resolutions }]) =>
      [resolutions.bundler, resolutions["node16-esm"]].every(({ resolution }) => resolution?.isTypeScript),
    )
    .map(([name]) => name);
  const problems = result.problems.filter(
    (problem) => !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(problem.resolutionKind)),
  );
  return { typed: typed.sort(), problems };
}
