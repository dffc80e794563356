/**
 * The loader's published builds, `releases/<version>/oriel.js`, and their integrity values, `releases/releases.json`.
 *
 * Merchants pin a release's exact bytes, so a release is never changed or removed. A build with a released version must
 * have the same bytes.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const releasesFolder = join(import.meta.dirname, "../releases");

export interface Release {
  /** The value for the `integrity` attribute: `sha384-` and base64. */
  integrity: string;
  /** Uncompressed size. */
  bytes: number;
}

/** By version. */
export type Releases = Readonly<Record<string, Release>>;

/** `/embed/sri.json`. Each `url` is a path, because the origin depends on the deployment. */
export interface SriFile {
  versions: Record<string, Release & { url: string }>;
}

export function readReleases(folder = releasesFolder): Releases {
  return JSON.parse(readFileSync(join(folder, "releases.json"), "utf8")) as Releases; // a test compares the file with the builds
}

export function describeBuild(code: string): Release {
  return { integrity: `sha384-${createHash("sha384").update(code).digest("base64")}`, bytes: Buffer.byteLength(code) };
}

/** Returns why this build can't have this version, or null if it can. */
export function versionProblem(version: string, code: string, releases: Releases): string | null {
  if (!/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(version)) {
    return `version ${version} must have the form x.y.z, which the service and loadOriel require: change it in packages/embed/package.json and packages/embed/src/version.ts`;
  }
  const released = releases[version];
  if (!released || released.integrity === describeBuild(code).integrity) return null;
  return `version ${version} was released with different bytes, which merchants have pinned: raise the version in packages/embed/package.json and packages/embed/src/version.ts`;
}

/** All releases and the current build. */
export function sriFile(releases: Releases, version: string, code: string): SriFile {
  const versions: SriFile["versions"] = {};
  for (const [name, { integrity, bytes }] of Object.entries({ ...releases, [version]: describeBuild(code) })) {
    versions[name] = { url: `/embed/v${name}/oriel.js`, integrity, bytes };
  }
  return { versions };
}

/**
 * Adds a build to the releases. Adding the same bytes again changes nothing.
 *
 * @throws Error if the version was released with different bytes
 */
export function addRelease(version: string, code: string, folder = releasesFolder): void {
  const releases = readReleases(folder);
  const problem = versionProblem(version, code, releases);
  if (problem) throw new Error(`Not released: ${problem}.`);
  const path = join(folder, version, "oriel.js");
  if (existsSync(path) && readFileSync(path, "utf8") !== code) {
    throw new Error(
      `Not released: ${path} already exists with different bytes but isn't in releases.json. Find out where it comes from.`,
    );
  }
  mkdirSync(join(folder, version), { recursive: true });
  writeFileSync(path, code);
  writeFileSync(
    join(folder, "releases.json"),
    `${JSON.stringify({ ...releases, [version]: describeBuild(code) }, null, 2)}\n`,
  );
}
