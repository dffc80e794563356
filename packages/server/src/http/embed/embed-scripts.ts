/**
 * Reads the loaders that merchants' pages can load, once at startup: the current build and every release, byte for
 * byte.
 *
 * The build's `sri.json` contains its version and hash. If it doesn't match the loader next to it, the build is
 * incomplete and startup fails. Startup also fails if the build has the same version as a release but different bytes,
 * because browsers would block the script on pages that pin that release.
 *
 * `releases.json` contains the hash of each release. Startup fails if a release is missing, has different bytes or
 * isn't listed, because its URL is cached forever. The bytes of an unreleased version can change with each build.
 */
import { createHash, type KeyObject } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "@oriel/commands/operator-error";
import { readBuilt } from "./read-built.ts";
import { isSignatureOf, signatureHeaders, signScript, type ScriptSignature } from "./script-signature.ts";

export interface EmbedScripts {
  evergreen: { script: Buffer; /** The headers that contain its signature. */ headers: Record<string, string> };
  /** Keyed by version, such as `1.1.0`. */
  versions: ReadonlyMap<string, LoaderVersion>;
  sri: SriDocument;
}

export interface LoaderVersion {
  script: Buffer;
  /** The bytes of a released version never change. */
  isReleased: boolean;
}

/** The content of `/embed/sri.json`: the `integrity` value for each loader's URL. */
export interface SriDocument {
  versions: Record<string, { url: string; /** `sha384-...` */ integrity: string; bytes: number }>;
  evergreen: { url: string; version: string; /** `ed25519-...` */ integrity: string };
}

/**
 * @param dist the build's directory
 * @param releases a directory with one directory per release
 * @param signingKey called only if the build isn't signed yet
 * @throws OperatorError
 */
export function readEmbedScripts(dist: string, releases: string, signingKey: () => KeyObject): EmbedScripts {
  const script = readBuilt(join(dist, "embed", "oriel.js"));
  const version = readVersion(join(dist, "embed", "sri.json"), script);
  const versions = readReleases(releases);
  const released = versions.get(version);
  if (released?.script.equals(script) === false) {
    throw new OperatorError(
      `This build of the loader differs from the version ${version} that was already released. Raise the version in packages/embed/package.json and build again.`,
    );
  }
  if (!released) versions.set(version, { script, isReleased: false });
  const signature = readSignature(join(dist, "embed", "signature.json"), script) ?? signScript(script, signingKey());
  return {
    evergreen: { script, headers: signatureHeaders(signature, script) },
    versions,
    sri: {
      versions: Object.fromEntries(
        [...versions].map(([name, loader]) => [
          name,
          { url: `/embed/v${name}/oriel.js`, integrity: sha384(loader.script), bytes: loader.script.length },
        ]),
      ),
      evergreen: { url: "/embed/v1/oriel.js", version, integrity: `ed25519-${signature.keyid}` },
    },
  };
}

/** Exact versions, as `loadOriel` requests them. There are no prereleases such as 1.2.0-beta.1. */
const versionPattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/;

function readVersion(path: string, script: Buffer): string {
  const document: unknown = JSON.parse(readBuilt(path).toString());
  const versions =
    typeof document === "object" && document !== null && "versions" in document ? document.versions : null;
  const integrity = sha384(script);
  const found = Object.entries(versions ?? {}).find(
    ([name, entry]: [string, unknown]) => versionPattern.test(name) && integrityOf(entry) === integrity,
  );
  if (found === undefined) {
    throw new OperatorError(`${path} doesn't match the loader next to it. Run \`npm run build\` again.`);
  }
  return found[0];
}

/** Reads each version that has a directory or an entry in `releases.json`. Ignores other files. */
function readReleases(directory: string): Map<string, LoaderVersion> {
  const list = join(directory, "releases.json");
  const integrities = readIntegrities(list);
  const names = new Set([...integrities.keys(), ...readdirSync(directory)].filter((name) => versionPattern.test(name)));
  return new Map(
    [...names].sort(byVersion).map((name) => {
      const path = join(directory, name, "oriel.js");
      const script = existsSync(path) ? readFileSync(path) : null;
      if (script === null || sha384(script) !== integrities.get(name)) {
        throw new OperatorError(
          `${path} doesn't match the hash for ${name} in ${list}. Pages have pinned this hash. Restore both files from the repository.`,
        );
      }
      return [name, { script, isReleased: true }];
    }),
  );
}

/** Returns the `integrity` of each version in `releases.json`. */
function readIntegrities(path: string): Map<string, unknown> {
  let document: unknown = null;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // reported below
  }
  if (typeof document !== "object" || document === null) {
    throw new OperatorError(
      `${path} is missing or damaged. Pages that pinned a release need this file. Restore the file from the repository.`,
    );
  }
  return new Map(Object.entries(document).map(([name, entry]: [string, unknown]) => [name, integrityOf(entry)]));
}

function integrityOf(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null && "integrity" in entry ? entry.integrity : null;
}

/** Reads the signature that `oriel-server embed sign` wrote next to the build. Returns null if there is none. */
function readSignature(path: string, script: Buffer): ScriptSignature | null {
  if (!existsSync(path)) return null;
  const { keyid, signature } = JSON.parse(readFileSync(path, "utf8")) as Partial<Record<string, unknown>>; // checked below
  if (typeof keyid === "string" && typeof signature === "string" && isSignatureOf({ keyid, signature }, script)) {
    return { keyid, signature };
  }
  throw new OperatorError(
    `${path} isn't a valid signature of the loader next to it. Sign the loader again with \`oriel-server embed sign\`, or remove the signature file.`,
  );
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

function sha384(bytes: Buffer): string {
  return `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
}
