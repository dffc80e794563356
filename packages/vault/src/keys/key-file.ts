/**
 * A file of keys that is written completely or not at all, readable by its owner only, and replaced atomically. Errors
 * name the file and the fault, but never quote its content.
 */
import { createSecretKey, randomBytes, type KeyObject } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** A key file that can't be used. The message is for the operator. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

/**
 * Reads the file, or creates it on the first start. Processes that start at the same time end up with the same file.
 *
 * @param parse reads the parsed JSON; any error it throws means that the file is damaged
 * @throws KeyFileError
 */
export function openKeyFile<T>(path: string, make: () => object, parse: (content: unknown) => T): T {
  if (existsSync(path)) removeAbandonedDrafts(path);
  else createKeyFile(path, textOf(make()));
  return readKeyFile(path, parse);
}

/** @throws KeyFileError */
export function readKeyFile<T>(path: string, parse: (content: unknown) => T): T {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new KeyFileError(
      `Can't read the key file ${path} (${codeOf(error)}). Check the path and this user's permissions.`,
      {
        cause: error,
      },
    );
  }
  try {
    return parse(JSON.parse(text));
  } catch {
    // No cause: a JSON error quotes the text around the fault, which is a key.
    throw new KeyFileError(`The key file ${path} is damaged or from another version. Restore it from a backup.`);
  }
}

/**
 * Replaces the file's content. It's on disk when this returns. If the process dies, the old file remains, and perhaps a
 * draft that the next replacement or start removes. The caller makes sure that only one process does this at a time.
 *
 * @throws KeyFileError
 */
export function replaceKeyFile(path: string, content: object): void {
  let draft: string | null = null;
  try {
    draft = writeDraft(path, textOf(content));
    const { uid, gid } = statSync(path);
    chownSync(draft, uid, gid); // the service must be able to read it, whoever rotates the keys
    renameSync(draft, path);
    removeDrafts(path);
    syncDirectory(path);
  } catch (error) {
    if (draft !== null) rmSync(draft, { force: true });
    throw new KeyFileError(
      `Can't replace the key file ${path} (${codeOf(error)}). Check that this user owns the file and can write to its directory.`,
      {
        cause: error,
      },
    );
  }
}

export function newSecret(): string {
  return randomBytes(32).toString("base64");
}

/**
 * Reads 32 bytes in base64. A shorter key would work without any error, so it's refused. Node prepares a KeyObject once
 * and a Buffer again for each use, and logs and JSON don't show a KeyObject's bytes.
 *
 * @throws Error
 */
export function readSecret(base64: unknown): KeyObject {
  if (typeof base64 !== "string") throw new Error("A key isn't a string");
  const secret = createSecretKey(base64, "base64");
  if (secret.symmetricKeySize !== 32) throw new Error("A key isn't 32 bytes long");
  return secret;
}

/**
 * Creates the file atomically. Nobody can read a partial file, and a process that dies here doesn't block others. The
 * next start removes its draft.
 *
 * @returns false if the file exists. It isn't replaced.
 * @throws KeyFileError
 */
export function createKeyFile(path: string, content: string | Buffer): boolean {
  let isCreated = true;
  try {
    const draft = writeDraft(path, content);
    try {
      linkSync(draft, path); // fails if another process was first, and its file wins
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      isCreated = false;
    } finally {
      rmSync(draft);
    }
    syncDirectory(path);
    return isCreated;
  } catch (error) {
    throw new KeyFileError(
      `Can't create the key file ${path} (${codeOf(error)}). Check that its directory exists, that this user can write to it, and that the disk isn't full.`,
      { cause: error },
    );
  }
}

/** Writes the content to a separate file in the same directory and syncs it to disk. */
function writeDraft(path: string, content: string | Buffer): string {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

/** Removes drafts of processes that died, so that a key removed from the file doesn't survive in one of them. */
function removeDrafts(path: string): void {
  for (const draft of draftsOf(path)) rmSync(draft, { force: true });
}

/** A draft exists for milliseconds, unless its process was killed. Another process may be writing a younger one. */
const abandonedAfterMs = 60_000;

/** The start of a service that may only read the directory must not fail. */
function removeAbandonedDrafts(path: string): void {
  try {
    for (const draft of draftsOf(path))
      if (Date.now() - statSync(draft).mtimeMs > abandonedAfterMs) rmSync(draft, { force: true });
  } catch {
    // The next start or rotation by a process that may write tries again.
  }
}

function draftsOf(path: string): string[] {
  const [directory, name] = [dirname(path), basename(path)];
  const isDraft = (entry: string) =>
    entry.startsWith(`${name}.`) && /^[0-9a-f]{16}$/.test(entry.slice(name.length + 1));
  return readdirSync(directory)
    .filter(isDraft)
    .map((entry) => join(directory, entry));
}

function textOf(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Makes the file's new name survive a power failure, too. */
function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** For example `ENOENT`. */
function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code); // thrown by node:fs
}
