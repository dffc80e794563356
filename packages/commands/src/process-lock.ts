/**
 * Lets one process at a time hold a name, such as the path of a file that only one process may change.
 *
 * The lock is a socket that replies with its holder's process ID. On Linux and Windows the kernel owns the socket's
 * name: it's taken atomically and freed however the process ends. Elsewhere it's a socket file, which the next process
 * takes over if nothing responds. Containers that share files but not a network aren't protected from each other.
 *
 * The reply is untrusted, so only digits are accepted.
 */
import { createHash, randomBytes } from "node:crypto";
import { realpathSync, renameSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

export interface ProcessLock {
  release(): Promise<void>;
}

/** @param pid null if the holder didn't reply */
export type Holder = { pid: string | null };

/**
 * Locks a file's path. The file need not exist. Different paths to the same directory count as one.
 *
 * @param purpose keeps apart locks of the same path
 * @param rename moves a stale socket file. Tests pass their own.
 */
export async function lockPath(
  purpose: string,
  path: string,
  rename: (from: string, to: string) => void = renameSync,
): Promise<ProcessLock | Holder> {
  const address = addressOf(purpose, realPathOf(path));
  const server = (await listen(address)) ?? (await listenOverStaleFile(address, rename));
  if (server === null) {
    const reply = await queryHolder(address);
    return { pid: reply !== null && /^[0-9]{1,10}$/.test(reply) ? reply : null };
  }
  return { release: () => new Promise((done) => server.close(() => done())) };
}

function addressOf(purpose: string, path: string): string {
  const name = `${purpose}-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Resolves `..` and symbolic links to directories, even if the last directories don't exist yet. */
function realPathOf(path: string): string {
  const directory = dirname(resolve(path));
  if (directory === resolve(path)) return directory;
  try {
    return join(realpathSync(directory), basename(path));
  } catch {
    return join(realPathOf(directory), basename(path));
  }
}

function listen(address: string): Promise<Server | null> {
  return new Promise((done, reject) => {
    const server = createServer((socket) => {
      socket.on("error", () => {}); // the client disconnected
      socket.end(String(process.pid), () => socket.destroy()); // a client that stays connected mustn't block release()
    }).unref();
    server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? done(null) : reject(error)));
    server.listen(address, () => done(server));
  });
}

/**
 * Removes a socket file whose process is gone. It's renamed first and then queried again, because another process may
 * have replaced it in the meantime. The other process's file is put back.
 */
async function listenOverStaleFile(
  address: string,
  rename: (from: string, to: string) => void,
): Promise<Server | null> {
  if (!address.endsWith(".sock") || (await queryHolder(address)) !== null) return null;
  // Not longer than the address, because the paths of sockets have at most 103 characters on macOS.
  const aside = join(dirname(address), `oriel-${randomBytes(8).toString("hex")}.sock`);
  if (isMoved(() => rename(address, aside))) {
    if ((await queryHolder(aside)) !== null) {
      renameSync(aside, address);
      return null;
    }
    rmSync(aside, { force: true });
  }
  return await listen(address);
}

/** Returns false if the file doesn't exist. */
function isMoved(move: () => void): boolean {
  try {
    move();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

const queryTimeoutMs = 2_000;
const maxReplyCharacters = 20;

/** Returns the holder's reply, "" if it doesn't reply in time, or null if nothing is listening. */
function queryHolder(address: string): Promise<string | null> {
  return new Promise((done) => {
    let reply = "";
    let isThere = false;
    const socket = connect(address, () => (isThere = true));
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      done(isThere ? reply : null);
    };
    const timer = setTimeout(finish, queryTimeoutMs);
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      reply += text;
      if (reply.length > maxReplyCharacters) finish();
    });
    socket.on("end", finish);
    socket.on("error", finish);
  });
}
