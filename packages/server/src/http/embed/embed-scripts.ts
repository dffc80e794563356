/**
 * The loaders that merchants' pages can name: the one just built, and every release before it, byte for byte. All are
 * read once, at the start.
 *
 * The build says in `sri.json` which version it is and what its bytes hash to; one that says something else than what
 * lies beside it is half a build and is refused, and so is one that calls itself a version that was released with other
 * bytes: whoever pinned that release would be left with a script that their browser refuses.
 *
 * `releases.json` says what was released. A release that is missing, has other bytes or is not named there is refused:
 * it would be served for ever, under a hash of our own word. A build that is no release yet may be built again under
 * the same version, with other bytes.
 */
import { createHash, type KeyObject } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../platform/operator-error.ts";
import { readBuilt } from "./read-built.ts";
import { isSignatureOf, signatureHeaders, signScript, type ScriptSignature } from "./script-signature.ts";

export interface EmbedScripts {
  evergreen: { script: Buffer; /** Those that sign it. */ headers: Record<string, string> };
  /** By version, such as `1.1.0`. */
  versions: ReadonlyMap<string, LoaderVersion>;
  sri: SriDocument;
}

export interface LoaderVersion {
  script: Buffer;
  /** Keeps its bytes for ever. */
  isReleased: boolean;
}

/** `/embed/sri.json`: what to write beside the address of each loader. */
export interface SriDocument {
  versions: Record<string, { url: string; /** `sha384-...` */ integrity: string; bytes: number }>;
  evergreen: { url: string; version: string; /** `ed25519-...` */ integrity: string };
}

/**
 * @param dist where the build is
 * @param releases the directory with a directory per release
 * @param signingKey asked for only where the build was not signed beforehand
 * @throws OperatorError
 */
export function readEmbedScripts(dist: string, releases: string, signingKey: () => KeyObject): EmbedScripts {
  const script = readBuilt(join(dist, "embed", "oriel.js"));
  const version = readVersion(join(dist, "embed", "sri.json"), script);
  const versions = readReleases(releases);
  const released = versions.get(version);
  if (released?.script.equals(script) === false) {
    throw new OperatorError(
      `The loader that was built calls itself ${version}, and that version was released with other bytes. Raise the version in packages/embed/package.json and build again.`,
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

/** Exact, as `loadOriel` asks for it: there is no 1.2.0-beta.1. */
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
    throw new OperatorError(`${path} does not describe the loader beside it. Run \`npm run build\` again.`);
  }
  return found[0];
}

/** Every directory of a version and every version of `releases.json`; what else lies there is not looked at. */
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
          `${path} is not what ${list} says was released as ${name}: pages pinned those bytes. Restore both as they are in the repository.`,
        );
      }
      return [name, { script, isReleased: true }];
    }),
  );
}

/** What `releases.json` says of each version. */
function readIntegrities(path: string): Map<string, unknown> {
  let document: unknown = null;
  try {
    document = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // said below
  }
  if (typeof document !== "object" || document === null) {
    throw new OperatorError(`${path} is not there or damaged: pages that pinned a release need it. Restore it.`);
  }
  return new Map(Object.entries(document).map(([name, entry]: [string, unknown]) => [name, integrityOf(entry)]));
}

function integrityOf(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null && "integrity" in entry ? entry.integrity : null;
}

/** The signature that `oriel embed sign` left beside the build; null if there is none. */
function readSignature(path: string, script: Buffer): ScriptSignature | null {
  if (!existsSync(path)) return null;
  const { keyid, signature } = JSON.parse(readFileSync(path, "utf8")) as Partial<Record<string, unknown>>; // looked at below
  if (typeof keyid === "string" && typeof signature === "string" && isSignatureOf({ keyid, signature }, script)) {
    return { keyid, signature };
  }
  throw new OperatorError(
    `${path} does not sign the loader beside it. Sign it again with \`oriel embed sign\`, or remove the file.`,
  );
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

function sha384(bytes: Buffer): string {
  return `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
}
