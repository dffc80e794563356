/** Checks a packed package as npm's users would get it. For tests. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

/** Unpacks a tarball to where npm would install it. */
export function unpack(tarball: Buffer, folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xz", "-C", folder, "--strip-components", "1"], { input: tarball });
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
