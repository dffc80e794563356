/**
 * The builds of the loader that have been published, `releases/<version>/oriel.js`, and their integrity,
 * `releases/releases.json`.
 *
 * A merchant who pinned a version pinned its bytes, so a release is never changed and never taken away. It trusts the
 * files of this repository and refuses a build that bears a released version and has other bytes.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const releasesFolder = join(import.meta.dirname, "../releases");

export interface Release {
  /** As the `integrity` attribute takes it: `sha384-` and base64. */
  integrity: string;
  /** Uncompressed. */
  bytes: number;
}

/** By version. */
export type Releases = Readonly<Record<string, Release>>;

/** `/embed/sri.json`. A `url` is a path, because the origin is that of whoever runs the service. */
export interface SriFile {
  versions: Record<string, Release & { url: string }>;
}

export function readReleases(folder = releasesFolder): Releases {
  return JSON.parse(readFileSync(join(folder, "releases.json"), "utf8")) as Releases; // our own file; a test compares it with the builds
}

export function describeBuild(code: string): Release {
  return { integrity: `sha384-${createHash("sha384").update(code).digest("base64")}`, bytes: Buffer.byteLength(code) };
}

/** Why this build may not bear this version; null when it may. */
export function versionProblem(version: string, code: string, releases: Releases): string | null {
  if (!/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(version)) {
    return `version ${version} is not x.y.z, and neither the service nor loadOriel knows any other: change it in packages/embed/package.json and packages/embed/src/version.ts`;
  }
  const released = releases[version];
  if (!released || released.integrity === describeBuild(code).integrity) return null;
  return `version ${version} is released with other bytes, and merchants have pinned those: raise the version in packages/embed/package.json and packages/embed/src/version.ts`;
}

/** Every version there is, with the current build among them. */
export function sriFile(releases: Releases, version: string, code: string): SriFile {
  const versions: SriFile["versions"] = {};
  for (const [name, { integrity, bytes }] of Object.entries({ ...releases, [version]: describeBuild(code) })) {
    versions[name] = { url: `/embed/v${name}/oriel.js`, integrity, bytes };
  }
  return { versions };
}

/**
 * Puts a build among the releases. Doing it again with the same bytes changes nothing.
 *
 * @throws Error when the version is released with other bytes.
 */
export function addRelease(version: string, code: string, folder = releasesFolder): void {
  const releases = readReleases(folder);
  const problem = versionProblem(version, code, releases);
  if (problem) throw new Error(`Not released: ${problem}.`);
  const path = join(folder, version, "oriel.js");
  if (existsSync(path) && readFileSync(path, "utf8") !== code) {
    throw new Error(
      `Not released: ${path} is there with other bytes and releases.json does not know it. Find out where it comes from.`,
    );
  }
  mkdirSync(join(folder, version), { recursive: true });
  writeFileSync(path, code);
  writeFileSync(
    join(folder, "releases.json"),
    `${JSON.stringify({ ...releases, [version]: describeBuild(code) }, null, 2)}\n`,
  );
}
