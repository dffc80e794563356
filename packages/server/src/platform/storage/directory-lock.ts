/**
 * Lets only one process at a time open a PGlite directory. PGlite has no lock: if two processes open a directory, both
 * "commit", and one silently loses its rows.
 *
 * On Linux the lock is an abstract Unix socket, which is taken atomically and which the kernel frees however the
 * process ends. Elsewhere it is a socket file that accepts connections while its owner lives. Containers that share a
 * volume but not a network aren't protected; use PostgreSQL there.
 */
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OperatorError } from "@oriel/commands/operator-error";

export interface DirectoryLock {
  release(): Promise<void>;
}

/** @throws OperatorError naming the directory if another process has it open */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const name = `oriel-${createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 32)}`;
  const address = process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  const server = (await listen(address)) ?? (await listenOverStaleFile(address));
  if (server === null) {
    throw new OperatorError(
      `The data directory ${directory} is open in another process. Stop that process, choose another ORIEL_DATA_DIR, or set DATABASE_URL to share a PostgreSQL database.`,
    );
  }
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function listenOverStaleFile(address: string): Promise<Server | null> {
  if (address.startsWith("\0") || (await answers(address))) return null;
  rmSync(address, { force: true });
  return await listen(address);
}

function listen(address: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(null) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
