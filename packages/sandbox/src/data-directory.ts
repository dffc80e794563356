/**
 * Where the bank keeps what must survive it: `books.jsonl`, its books, and `bank.key`, its secret, both for the owner's
 * eyes only. Without a directory both live in memory and end with the process.
 *
 * Books that an older bank left as `authorizations.jsonl` are taken over under the new name.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openJournal, type Journal } from "./acquirer/journal.ts";

export interface BankData {
  secret: Buffer;
  journal: Journal;
  /** What the journal held when it was opened. */
  lines: string[];
}

export async function openBankData(directory: string | undefined): Promise<BankData> {
  if (directory === undefined) {
    return {
      secret: randomBytes(32),
      lines: [],
      journal: { append: () => Promise.resolve(), close: () => Promise.resolve() },
    };
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    secret: await openSecret(join(directory, "bank.key")),
    ...(await openJournal(await takeOverBooks(directory))),
  };
}

/**
 * Where the books are. A name is changed only while there are none under the new one, so that none are written over.
 */
async function takeOverBooks(directory: string): Promise<string> {
  const [older, path] = [join(directory, "authorizations.jsonl"), join(directory, "books.jsonl")];
  if (existsSync(older) && !existsSync(path)) await rename(older, path);
  return path;
}

async function openSecret(path: string): Promise<Buffer> {
  try {
    // `wx` fails if the file is there: a secret is made once and never written over.
    await writeFile(path, randomBytes(32), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const secret = await readFile(path);
  if (secret.length !== 32)
    throw new Error(`${path} is damaged. Move it and the books beside it away to start with empty books.`);
  return secret;
}
