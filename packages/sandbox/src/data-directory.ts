/**
 * The bank's persistent files, readable only by their owner: its ledger, `books.jsonl`, and its secret, `bank.key`.
 * Without a directory both are kept in memory.
 *
 * Renames a ledger that an older bank stored as `authorizations.jsonl`.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openJournal, type Journal } from "./acquirer/journal.ts";

export interface BankData {
  secret: Buffer;
  journal: Journal;
  /** Contents of the journal when it was opened. */
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

/** Path of the ledger. The old file is renamed only if no new one exists, so that nothing is overwritten. */
async function takeOverBooks(directory: string): Promise<string> {
  const [older, path] = [join(directory, "authorizations.jsonl"), join(directory, "books.jsonl")];
  if (existsSync(older) && !existsSync(path)) await rename(older, path);
  return path;
}

async function openSecret(path: string): Promise<Buffer> {
  try {
    // `wx` fails if the file exists, so a secret is never overwritten.
    await writeFile(path, randomBytes(32), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const secret = await readFile(path);
  if (secret.length !== 32)
    throw new Error(
      `${path} is damaged. To start with an empty ledger, move this file and the ledger next to it to another directory.`,
    );
  return secret;
}
