/**
 * One listener at a time for one state: two of them would send everything twice and move each other's cursor.
 *
 * The lock is a socket of a name made from the state file's path, as for a data directory
 * (`platform/storage/directory-lock.ts`); it answers with the process that holds it. On Linux and Windows the name is
 * the kernel's: taken atomically and freed however the process ends, so nothing stale is ever left. Elsewhere it is a
 * socket file, which the next listener takes over when nobody answers at it. Containers that share the state's file and
 * not a network are not protected from each other.
 *
 * It trusts nothing that it is answered: a number in digits is shown, anything else is not.
 */
import { createHash } from "node:crypto";
import { realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { OperatorError } from "../../platform/operator-error.ts";

export interface ListenerLock {
  release(): Promise<void>;
}

/**
 * @param path the state's file; it need not be there yet
 * @param forwardTo for the message
 * @throws OperatorError that names the other process
 */
export async function lockListener(path: string, forwardTo: string): Promise<ListenerLock> {
  const address = addressOf(path);
  const server = (await listen(address)) ?? (await listenOverStaleFile(address));
  if (server === null) {
    const answer = await ask(address);
    const who = answer !== null && /^[0-9]{1,10}$/.test(answer) ? ` (process ${answer})` : "";
    throw new OperatorError(`Another listener${who} already forwards to ${forwardTo}; stop it first.`);
  }
  return { release: () => new Promise((done) => server.close(() => done())) };
}

function addressOf(path: string): string {
  const name = `oriel-listen-${createHash("sha256").update(realPathOf(path)).digest("hex").slice(0, 32)}`;
  if (process.platform === "linux") return `\0${name}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** The same for every way to write it, whether or not its last directories are there yet. */
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
      socket.on("error", () => {}); // whoever asked is gone
      socket.end(String(process.pid), () => socket.destroy()); // one that asks and stays does not hold up the release
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

/** What the holder says; an empty text when it says nothing in time; null when nobody is there. */
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
