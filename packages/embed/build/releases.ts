/**
 * The published builds of the loader, `releases/<version>/oriel.js`, and their integrity hashes,
 * `releases/releases.json`.
 *
 * Merchants pin a version by its bytes, so a release is never changed or removed. This trusts the files in this
 * repository and refuses a build with a released version and different bytes.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const releasesFolder = join(import.meta.dirname, "../releases");

export interface Release {
  /** In the format of the `integrity` attribute: `sha384-` and base64. */
  integrity: string;
  /** Uncompressed size. */
  bytes: number;
}

/** By version. */
export type Releases = Readonly<Record<string, Release>>;

/** Contents of `/embed/sri.json`. Each `url` is a path, because the origin depends on the installation. */
export interface SriFile {
  versions: Record<string, Release & { url: string }>;
}

export function readReleases(folder = releasesFolder): Releases {
  // Our own file, which a test compares with the builds.
  return JSON.parse(readFileSync(join(folder, "releases.json"), "utf8")) as Releases;
}

export function describeBuild(code: string): Release {
  return { integrity: `sha384-${createHash("sha384").update(code).digest("base64")}`, bytes: Buffer.byteLength(code) };
}

/** Why this build can't have this version. Null if it can. */
export function versionProblem(version: string, code: string, releases: Releases): string | null {
  if (!/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(version)) {
    return `version ${version} isn't in the format x.y.z, which the service and loadOriel need. Change it in packages/embed/package.json and packages/embed/src/api/version.ts`;
  }
  const released = releases[version];
  if (!released || released.integrity === describeBuild(code).integrity) return null;
  return `version ${version} was already released with different bytes, which merchants may have pinned. Raise the version in packages/embed/package.json and packages/embed/src/api/version.ts`;
}

/** Every version, including the current build. */
export function sriFile(releases: Releases, version: string, code: string): SriFile {
  const versions: SriFile["versions"] = {};
  for (const [name, { integrity, bytes }] of Object.entries({ ...releases, [version]: describeBuild(code) })) {
    versions[name] = { url: `/embed/v${name}/oriel.js`, integrity, bytes };
  }
  return { versions };
}

/**
 * Adds a build to the releases. Repeating it with the same bytes changes nothing.
 *
 * @throws Error if the version was released with different bytes.
 */
export function addRelease(version: string, code: string, folder = releasesFolder): void {
  const releases = readReleases(folder);
  const problem = versionProblem(version, code, releases);
  if (problem) throw new Error(`Not released: ${problem}.`);
  const path = join(folder, version, "oriel.js");
  if (existsSync(path) && readFileSync(path, "utf8") !== code) {
    throw new Error(
      `Not released: ${path} exists with different bytes but isn't in releases.json. Find out where the file comes from.`,
    );
  }
  mkdirSync(join(folder, version), { recursive: true });
  writeFileSync(path, code);
  writeFileSync(
    join(folder, "releases.json"),
    `${JSON.stringify({ ...releases, [version]: describeBuild(code) }, null, 2)}\n`,
  );
}
