/**
 * The bank's persistent files, readable only by their owner: its ledger, `books.jsonl`, and its secret, `bank.key`.
 * Without a directory both are kept in memory. Only one process at a time may open a directory: two of them would write
 * lines that contradict each other, and the bank wouldn't start again.
 *
 * Renames a ledger that an older bank stored as `authorizations.jsonl`.
 */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lockPath } from "@oriel/commands/process-lock";
import { openJournal, type Journal } from "./acquirer/journal.ts";

export interface BankData {
  secret: Buffer;
  journal: Journal;
  /** Contents of the journal when it was opened. */
  lines: string[];
}

/** @throws Error if another process has the directory open, or a file is damaged */
export async function openBankData(directory: string | undefined): Promise<BankData> {
  if (directory === undefined) {
    return {
      secret: randomBytes(32),
      lines: [],
      journal: { append: () => Promise.resolve(), close: () => Promise.resolve() },
    };
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockPath("oriel-sandbox", join(directory, "books.jsonl"));
  if (!("release" in lock)) {
    const holder = lock.pid === null ? "another process" : `process ${lock.pid}`;
    throw new Error(`${directory} is open in ${holder}. Stop that process, or choose another BANK_DATA_DIR.`);
  }
  try {
    const path = await renameOldLedger(directory);
    const secret = await openSecret(join(directory, "bank.key"), existsSync(path));
    const { journal, lines } = await openJournal(path);
    const close = async () => {
      await journal.close();
      await lock.release();
    };
    return { secret, lines, journal: { append: journal.append, close } };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Path of the ledger. The old file is renamed only if no new one exists, so that nothing is overwritten. */
async function renameOldLedger(directory: string): Promise<string> {
  const [older, path] = [join(directory, "authorizations.jsonl"), join(directory, "books.jsonl")];
  if (existsSync(older) && !existsSync(path)) await rename(older, path);
  return path;
}

async function openSecret(path: string, hasLedger: boolean): Promise<Buffer> {
  try {
    // `wx` fails if the file exists, so a secret is never overwritten.
    await writeFile(path, randomBytes(32), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const secret = await readFile(path);
  if (secret.length === 0 && !hasLedger) {
    // The bank was killed during its first start, before it wrote the secret.
    await rm(path);
    return await openSecret(path, hasLedger);
  }
  if (secret.length !== 32)
    throw new Error(
      `${path} is damaged. To start with an empty ledger, move this file and the ledger next to it to another directory.`,
    );
  return secret;
}
