/**
 * An account's settings: its name, the origins that may frame its checkout, the hosts of return URLs, and the default
 * appearance. They apply in both modes to sessions created after the change. Each change is recorded in the audit log
 * in the same transaction.
 */
import { isDeepStrictEqual } from "node:util";
import type { ChangeSettings, RenameAccount, Settings } from "@oriel/protocol/dashboard/setup";
import { ChangedMeanwhileError, isConflict } from "../../platform/changed-meanwhile.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { lastActor } from "../audit/last-actor.ts";
import { checkName } from "../emails/check-name.ts";
import { asciiHost, checkOriginsOfAccount, checkReturnHosts, withAsciiHost } from "./allowed-urls.ts";
import { checkAppearance } from "./check-appearance.ts";

export async function readAccountSettings(db: Db, accountNo: number): Promise<Settings> {
  return await db
    .selectFrom("account")
    .select(["id as account_id", "name", "allowed_origins", "return_url_hosts", "appearance"])
    .where("account_no", "=", accountNo)
    .executeTakeFirstOrThrow();
}

/**
 * @param actor for the audit log
 * @param notifyOwners called if the origins or redirect hosts have changed, in the same transaction
 * @throws ApiError that names the invalid setting
 * @throws ChangedMeanwhileError if one of the settings isn't the one that the user saw
 */
export async function changeAccountSettings(
  db: Db,
  accountNo: number,
  { appearance, seen, ...requested }: ChangeSettings,
  now: Date,
  actor: string,
  notifyOwners: (tx: Tx) => Promise<void>,
): Promise<void> {
  const allowed_origins = requested.allowed_origins?.map(withAsciiHost);
  const return_url_hosts = requested.return_url_hosts?.map(asciiHost);
  if (allowed_origins !== undefined) checkOriginsOfAccount(allowed_origins);
  if (return_url_hosts !== undefined) checkReturnHosts(return_url_hosts);
  if (appearance !== undefined && appearance !== null) checkAppearance({ appearance });
  const changes = {
    ...(allowed_origins !== undefined && { allowed_origins }),
    ...(return_url_hosts !== undefined && { return_url_hosts }),
    ...(appearance !== undefined && { appearance: appearance === null ? null : JSON.stringify(appearance) }),
  };
  if (Object.keys(changes).length === 0) return;
  const details = {
    ...(allowed_origins !== undefined && { allowed_origins: allowed_origins.join(" ") }),
    ...(return_url_hosts !== undefined && { return_url_hosts: return_url_hosts.join(" ") }),
    ...(appearance !== undefined && { appearance: appearance === null ? "default" : "own" }),
  };
  await db.transaction().execute(async (tx) => {
    const account = tx
      .selectFrom("account")
      .select(["id", "allowed_origins", "return_url_hosts", "appearance"])
      .where("account_no", "=", accountNo);
    const before = await account.forNoKeyUpdate().executeTakeFirstOrThrow();
    const wanted = { allowed_origins, return_url_hosts, appearance };
    for (const [name, what] of Object.entries(settingNames) as [keyof typeof wanted, string][]) {
      if (seen?.[name] === undefined || !isConflict({ now: before[name], seen: seen[name], wanted: wanted[name] }))
        continue;
      const change = { actions: ["account.settings_changed"], detail: name } as const;
      throw new ChangedMeanwhileError(what, { by: await lastActor(tx, accountNo, change), actor });
    }
    await tx.updateTable("account").set(changes).where("account_no", "=", accountNo).execute();
    await recordAudit(tx, { actor, action: "account.settings_changed", accountNo, objectId: before.id, details }, now);
    const { allowed_origins: origins, return_url_hosts: hosts } = await account.executeTakeFirstOrThrow();
    if (!isDeepStrictEqual([before.allowed_origins, before.return_url_hosts], [origins, hosts])) await notifyOwners(tx);
  });
}

const settingNames = {
  allowed_origins: "the allowed origins",
  return_url_hosts: "the redirect hosts",
  appearance: "the appearance",
} as const;

/**
 * Renames an account. Customers and banks see the new name from the next payment on. Not possible while an application
 * is submitted or in review, or after approval for live mode, because both depend on the name.
 *
 * @throws ApiError for an invalid name
 * @throws ChangedMeanwhileError if the name isn't the one that the user saw
 * @returns whether the account was renamed
 */
export async function renameAccount(
  db: Db,
  accountNo: number,
  { name, seen }: RenameAccount,
  now: Date,
  actor: string,
): Promise<boolean> {
  checkName(name, "name");
  return await db.transaction().execute(async (tx) => {
    // Lock the account first, as `submitApplication` does. An update that only waited for the row's lock would still
    // see the old state of the application.
    const account = tx.selectFrom("account").select(["id", "name"]).where("account_no", "=", accountNo);
    const { id, name: before } = await account.forNoKeyUpdate().executeTakeFirstOrThrow();
    if (seen !== undefined && isConflict({ now: before, seen, wanted: name }))
      throw new ChangedMeanwhileError("the account's name", {
        by: await lastActor(tx, accountNo, { actions: ["account.renamed"] }),
        actor,
      });
    const withOperator = tx
      .selectFrom("application")
      .select("id")
      .where("account_no", "=", accountNo)
      .where("status", "in", ["submitted", "in_review"]);
    const renamed = await tx
      .updateTable("account")
      .set({ name })
      .where("account_no", "=", accountNo)
      .where("live_approved_at", "is", null)
      .where(({ not, exists }) => not(exists(withOperator)))
      .executeTakeFirst();
    if (renamed.numUpdatedRows === 0n) return false;
    await recordAudit(tx, { actor, action: "account.renamed", accountNo, objectId: id, details: { name } }, now);
    return true;
  });
}
