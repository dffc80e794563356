/**
 * A file of keys: made once, whole or not at all, readable by its owner only, and never overwritten. Errors name the file and what is wrong with
 * it, and quote nothing of it.
 */
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

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
  if (!existsSync(path)) createOnce(path, `${JSON.stringify(make(), null, 2)}\n`);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new KeyFileError(`The key file ${path} cannot be read (${reason}). Check that it is a file of this user's.`, {
      cause: error,
    });
  }
  try {
    return parse(JSON.parse(text));
  } catch {
    // No cause: a JSON error quotes the text around the fault, and that text is a key.
    throw new KeyFileError(`The key file ${path} cannot be used: it is damaged or of another version. Restore it from a backup.`);
  }
}

export function newSecret(): string {
  return randomBytes(32).toString("base64");
}

/** 32 bytes in base64. A shorter key would seal and sign as quietly as a good one. @throws Error */
export function readSecret(base64: unknown): Buffer {
  const secret = typeof base64 === "string" ? Buffer.from(base64, "base64") : Buffer.alloc(0);
  if (secret.length !== 32) throw new Error("A key is not 32 bytes long");
  return secret;
}

/** Nobody reads half a key, and a process that dies here leaves nothing in the way. */
function createOnce(path: string, content: string): void {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, content, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, path); // fails if another process was first; then its file is the one
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
}
