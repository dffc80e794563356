/**
 * Allows one listener per state file. Two of them would send every event twice and overwrite each other's cursor.
 *
 * The lock is a socket whose name is derived from the state file's path, as for a data directory
 * (`platform/storage/directory-lock.ts`). It replies with the process ID of its holder. On Linux and Windows the kernel
 * owns the name: it's taken atomically and freed however the process ends. Elsewhere it's a socket file, which the next
 * listener takes over if nothing responds. Containers that share the state file but not a network aren't protected from
 * each other.
 *
 * The reply is untrusted, so only digits are shown.
 */
import { createHash } from "node:crypto";
import { realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { OperatorError } from "@oriel/commands/operator-error";

export interface ListenerLock {
  release(): Promise<void>;
}

/**
 * @param path the state file, which need not exist yet
 * @param forwardTo shown in the error message
 * @throws OperatorError that names the other process
 */
export async function lockListener(path: string, forwardTo: string): Promise<ListenerLock> {
  const address = addressOf(path);
  const server = (await listen(address)) ?? (await listenOverStaleFile(address));
  if (server === null) {
    const answer = await ask(address);
    const holder = answer !== null && /^[0-9]{1,10}$/.test(answer) ? ` (process ${answer})` : "";
    throw new OperatorError(`Another listener${holder} is already forwarding events to ${forwardTo}. Stop it first.`);
  }
  return { release: () => new Promise((done) => server.close(() => done())) };
}

function addressOf(path: string): string {
  const name = `oriel-listen-${createHash("sha256").update(realPathOf(path)).digest("hex").slice(0, 32)}`;
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Resolves symbolic links and `..`, even if the last directories don't exist yet. */
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

async function listenOverStaleFile(address: string): Promise<Server | null> {
  if (!address.endsWith(".sock") || (await ask(address)) !== null) return null;
  rmSync(address, { force: true });
  return await listen(address);
}

const askTimeoutMs = 2_000;
const maxAnswerCharacters = 20;

/** Returns the holder's reply, "" if it doesn't reply in time, or null if nothing is listening. */
function ask(address: string): Promise<string | null> {
  return new Promise((done) => {
    let answer = "";
    let isThere = false;
    const socket = connect(address, () => (isThere = true));
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      done(isThere ? answer : null);
    };
    const timer = setTimeout(finish, askTimeoutMs);
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      answer += text;
      if (answer.length > maxAnswerCharacters) finish();
    });
    socket.on("end", finish);
    socket.on("error", finish);
  });
}
