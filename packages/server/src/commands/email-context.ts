/** Lets a command email the people that it concerns. The command queues the emails, and the service sends them. */
import { existsSync } from "node:fs";
import type { EmailContext } from "../merchants/emails/outbox.ts";
import { ownerAddresses } from "../merchants/members/members.ts";
import { keyFiles, readDashboardOrigin, readKeyDir } from "../platform/config.ts";
import { messageOf } from "../platform/message-of.ts";
import { checkServerKeys, openServerKeys } from "../platform/server-keys.ts";
import type { Db } from "../platform/storage/database.ts";

/**
 * Emails need the dashboard's origin, and are sealed with the service's key file. Without them, the command does its
 * work anyway, because it may be an emergency, and says that nobody was emailed.
 *
 * @param whom "the account's owners"
 * @param warn prints a warning
 * @returns null if they can't be emailed
 */
export async function openEmailContext(
  env: NodeJS.ProcessEnv,
  db: Db,
  whom: string,
  now: () => Date,
  warn: (text: string) => void,
): Promise<EmailContext | null> {
  try {
    const config = { dashboardOrigin: readDashboardOrigin(env) };
    const path = keyFiles(readKeyDir(env)).server;
    if (!existsSync(path)) throw new Error(`The service's key file ${path} doesn't exist. Set ORIEL_KEY_DIR.`);
    const keys = openServerKeys(path);
    await checkServerKeys(db, keys, path);
    return { keys, now, config };
  } catch (error) {
    const reason = messageOf(error);
    warn(`There won't be an email to ${whom} about this. ${reason}`);
    return null;
  }
}

/** The same for an account's owners. @returns null if there are none or they can't be emailed */
export async function openOwnersEmailContext(
  env: NodeJS.ProcessEnv,
  db: Db,
  accountNo: number,
  now: () => Date,
  warn: (text: string) => void,
): Promise<EmailContext | null> {
  if ((await ownerAddresses(db, accountNo)).length === 0) return null;
  return await openEmailContext(env, db, "the account's owners", now, warn);
}
