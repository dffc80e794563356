/**
 * The files of a backup. One directory has the database, another the key files, and both have the manifest, which has
 * the hash of every file. The two directories belong in different places, so that nobody can read cards with only one.
 * The service's key signs the manifest, so that nobody who has only the database can change a row and the hash with it.
 *
 * A directory appears under its name only when it's complete and on disk. If the process is killed before that, its
 * drafts stay. A later backup in the same place removes them.
 */
import { createHash, randomBytes, type Hash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { OperatorError } from "@oriel/commands/operator-error";
import type { ServerKeys } from "../../platform/server-keys.ts";
import type { RowCounts } from "./table-copy.ts";

export interface Manifest {
  format: typeof format;
  /** Of Oriel. */
  version: string;
  createdAt: string;
  /** For example `PostgreSQL 18.4`. */
  database: string;
  /** The migrations that created the tables. */
  schema: readonly string[];
  rows: RowCounts;
  /** SHA-256 in hex. */
  databaseHash: string;
  /** SHA-256 in hex, by name of the key file. */
  keyHashes: Record<string, string>;
  /** Of everything else in the manifest, with the service's key. */
  mac: string;
}

export const databaseFile = "database.jsonl.gz";
const manifestFile = "manifest.json";
/** The manifests of `oriel-backup-1` weren't signed. */
const format = "oriel-backup-2";

/** A directory that doesn't have its final name yet. */
export interface Draft {
  path: string;
  /** Renames the directory to its final name. @throws Error if there is a directory of that name by now */
  finish(): void;
  /** Removes the directory, whether or not it has its final name. */
  remove(): void;
}

/**
 * @param warn gets a warning for each draft of an earlier backup that can't be removed
 * @throws OperatorError if the directory already exists
 */
export function draftDirectory(directory: string, warn: (warning: string) => void): Draft {
  const target = resolve(directory);
  if (existsSync(target))
    throw new OperatorError(
      `${target} already exists. Choose a directory that doesn't exist, for example one named after the date.`,
    );
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  removeAbandonedDrafts(dirname(target), warn);
  let path = `${target}.partial-${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  mkdirSync(path, { mode: 0o700 });
  return {
    path,
    finish() {
      syncDirectory(path);
      renameSync(path, target);
      path = target;
      syncDirectory(dirname(target));
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** A draft in which no file was created for this long is abandoned, even if it's another machine's. No backup takes a day. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;
/**
 * A draft whose process no longer runs on this host is abandoned after this time, not at once: containers can have the
 * same host name but process IDs of their own, so a backup that runs in another one looks dead.
 */
const deadAfterMs = 60 * 60 * 1000;
const draftName = /\.partial-(?:(.+)-(\d+)-)?[0-9a-f]{8}$/;

/**
 * Removes drafts of processes that were killed. They can contain copies of key files. A draft that can't be removed, for
 * example another user's, doesn't stop the backup.
 */
function removeAbandonedDrafts(place: string, warn: (warning: string) => void): void {
  for (const { name } of readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const path = join(place, name);
    try {
      if (isAbandoned(path)) rmSync(path, { recursive: true, force: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // of node:fs
      if (code === "ENOENT") continue; // another backup was faster
      warn(
        `The incomplete backup ${path} can't be removed (${code}). It may contain key files, so remove it as its owner.`,
      );
    }
  }
}

function isAbandoned(path: string): boolean {
  const [found, host, pid] = draftName.exec(basename(path)) ?? [];
  if (found === undefined) return false;
  const ageMs = Date.now() - statSync(path).mtimeMs;
  const isDead = host === hostname() && !isRunning(Number(pid));
  return ageMs > (isDead ? deadAfterMs : abandonedAfterMs);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user's process
  }
}

/** Writes a file that only its owner can read. It's on disk when this returns. */
export function writePrivateFile(path: string, content: string | Buffer): void {
  writeFileSync(path, content, { flag: "wx", mode: 0o600, flush: true });
}

export function writeManifest(
  directory: string,
  facts: Omit<Manifest, "format" | "mac">,
  keys: Pick<ServerKeys, "sign">,
): void {
  const manifest = { format, ...facts } as const;
  const signed = { ...manifest, mac: keys.sign(signedText(manifest)) };
  writePrivateFile(join(directory, manifestFile), `${JSON.stringify(signed, null, 2)}\n`);
}

/** Whether the manifest was written with these keys, and hasn't changed since. */
export function isAuthentic({ mac, ...manifest }: Manifest, keys: Pick<ServerKeys, "isSignatureOf">): boolean {
  return typeof mac === "string" && keys.isSignatureOf(mac, signedText(manifest));
}

/** Parsing and writing JSON keeps the order of the fields. */
function signedText(manifest: Omit<Manifest, "mac">): string {
  return `backup manifest ${JSON.stringify(manifest)}`;
}

/** Trust it only if it {@link isAuthentic}. @throws OperatorError if the directory isn't a backup that this version can read */
export function readManifest(directory: string): Manifest {
  const path = join(directory, manifestFile);
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(readFileSync(path, "utf8")) as Partial<Manifest>; // `format` is checked below
  } catch (error) {
    throw unreadable(path, error, `Check that ${directory} is a directory written by \`oriel-server backup\``);
  }
  if (manifest.format !== format)
    throw new OperatorError(
      `The backup in ${directory} has another format (${String(manifest.format)}). Use the version of Oriel that made it.`,
    );
  return manifest as Manifest;
}

/** The content of a key file in a backup, or null if there's no such file. @throws OperatorError */
export function readBackedUpKey(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unreadable(path, error, "Check the path");
  }
}

function unreadable(path: string, cause: unknown, todo: string): OperatorError {
  const { code = "damaged" } = cause as NodeJS.ErrnoException; // of node:fs, or a JSON error without a code
  const sentence = `${path} can't be read (${code}). ${todo}, and that this command's user may read it.`;
  return new OperatorError(sentence, { cause });
}

/** Compresses the lines into a file that only its owner can read. @returns the file's hash */
export async function writeLines(path: string, lines: AsyncIterable<string>): Promise<string> {
  const hash = createHash("sha256");
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(lines, createGzip({ level: 4 }), hashing(hash), file);
  return hash.digest("hex");
}

/**
 * The lines of a backup's database.
 *
 * @throws OperatorError if the file can't be read, or after the last line if it isn't the file that was backed up. Someone
 *   may have replaced it since it was read before.
 */
export async function* readDatabaseFile(
  directory: string,
  { databaseHash }: Pick<Manifest, "databaseHash">,
): AsyncGenerator<string> {
  const path = join(directory, databaseFile);
  const changed = (cause?: unknown) =>
    new OperatorError(
      `${path} is missing or differs from the file that was backed up. Use another copy of this backup, or an older backup.`,
      { cause },
    );
  const hash = createHash("sha256");
  try {
    yield* readLines(path, hash);
  } catch (error) {
    throw changed(error);
  }
  if (hash.digest("hex") !== databaseHash) throw changed();
}

/** @param hash gets the bytes of the file as they're read */
async function* readLines(path: string, hash: Hash): AsyncGenerator<string> {
  const unzipped = createGunzip();
  const reading = pipeline(createReadStream(path), hashing(hash), unzipped);
  reading.catch(() => {}); // iterating throws the same error
  unzipped.setEncoding("utf8");
  let start: string[] = [];
  for await (const chunk of unzipped as AsyncIterable<string>) {
    const [first = "", ...others] = chunk.split("\n");
    start.push(first);
    if (others.length === 0) continue;
    yield start.join("");
    start = [others.pop() ?? ""];
    yield* others;
  }
}

function hashing(hash: Hash) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
}

export function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
