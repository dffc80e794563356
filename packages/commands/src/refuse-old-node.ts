/**
 * Says that Node is too old, before modules are loaded that it can't parse. A program's main module imports only this
 * one statically.
 */

/** The oldest version that the npm packages support. `scripts/pack/npm-package.ts` has the same. */
const oldest = [22, 12] as const;

/** Ends the process if Node is older, with the exit code of a command that failed (`run-command.ts`). */
export function refuseOldNode(program: string, version = process.versions.node): void {
  const sentence = faultOfNode(program, version, process.execPath);
  if (sentence === null) return;
  console.error(sentence);
  process.exit(2);
}

/** @returns null if the version is new enough */
export function faultOfNode(program: string, version: string, path: string): string | null {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return null;
  return `${program} needs Node ${oldest.join(".")} or later, but ${path} is Node ${version}. Install a newer version from https://nodejs.org, or run ${program} with a newer one that you have.`;
}
