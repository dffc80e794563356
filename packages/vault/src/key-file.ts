/**
 * A file of keys: whole or not at all, readable by its owner only, and replaced in one step when it changes. Errors
 * name the file and what is wrong with it, and quote nothing of it.
 */
import { randomBytes } from "node:crypto";
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
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** A key file that is there but cannot be used. The message is for the operator. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

/**
 * Reads the file, or makes it on the very first start. Processes that start at once agree on one.
 *
 * @param parse reads the parsed JSON; whatever it throws means that the file is damaged
 * @throws KeyFileError
 */
export function openKeyFile<T>(path: string, make: () => object, parse: (content: unknown) => T): T {
  if (!existsSync(path)) createOnce(path, make());
  return readKeyFile(path, parse);
}

/** @throws KeyFileError */
export function readKeyFile<T>(path: string, parse: (content: unknown) => T): T {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new KeyFileError(
      `The key file ${path} cannot be read (${codeOf(error)}). Check that it is a file of this user's.`,
      {
        cause: error,
      },
    );
  }
  try {
    return parse(JSON.parse(text));
  } catch {
    // No cause: a JSON error quotes the text around the fault, and that text is a key.
    throw new KeyFileError(
      `The key file ${path} cannot be used: it is damaged or of another version. Restore it from a backup.`,
    );
  }
}

/**
 * Puts other content into the file's place, on the disk when this returns. A process that dies in between leaves the
 * old file, and perhaps a draft beside it, which the next replacement removes. One at a time: the caller makes sure of
 * that.
 *
 * @throws KeyFileError
 */
export function replaceKeyFile(path: string, content: object): void {
  let draft: string | null = null;
  try {
    draft = writeDraft(path, content);
    const { uid, gid } = statSync(path);
    chownSync(draft, uid, gid); // whoever rotates the keys, the service must be able to read them
    renameSync(draft, path);
    removeDrafts(path);
    syncDirectory(path);
  } catch (error) {
    if (draft !== null) rmSync(draft, { force: true });
    throw new KeyFileError(
      `The key file ${path} cannot be replaced (${codeOf(error)}). Check that this user owns it and may write its directory.`,
      {
        cause: error,
      },
    );
  }
}

export function newSecret(): string {
  return randomBytes(32).toString("base64");
}

/** 32 bytes in base64. A shorter key would seal and sign as quietly as a good one. @throws Error */
export function readSecret(base64: unknown): Buffer {
  if (typeof base64 !== "string") throw new Error("A key is not text");
  const secret = Buffer.from(base64, "base64");
  if (secret.length !== 32) throw new Error("A key is not 32 bytes long");
  return secret;
}

/** Nobody reads half a key, and a process that dies here leaves nothing in the way. */
function createOnce(path: string, content: object): void {
  const draft = writeDraft(path, content);
  try {
    linkSync(draft, path); // fails if another process was first; then its file is the one
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  syncDirectory(path);
}

/** The whole content in a file of its own beside the real one, on the disk. */
function writeDraft(path: string, content: object): string {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

/** Removes drafts of processes that died. A key that is taken out of the file must not live on in one of them. */
function removeDrafts(path: string): void {
  const [directory, name] = [dirname(path), basename(path)];
  const isDraft = (entry: string) =>
    entry.startsWith(`${name}.`) && /^[0-9a-f]{16}$/.test(entry.slice(name.length + 1));
  for (const entry of readdirSync(directory).filter(isDraft)) rmSync(join(directory, entry), { force: true });
}

/** So that the file's new name outlives a power cut too. */
function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** `ENOENT` and the like. */
function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code); // thrown by node:fs
}
