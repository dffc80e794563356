/**
 * An account's own acquirers: at most one current acquirer account for each mode, and those that it has replaced. See
 * `schema/acquirer-accounts.ts`.
 *
 * A change is tried out with the vendor first. Credentials are in the vault, which may have another database. New ones
 * are stored there first, as a new version. Then one transaction changes the settings and the version, and writes the
 * audit entry. So settings and credentials always change together, and a new acquirer account is never current without
 * its credentials. If a process dies in between, a version stays in the vault that nothing uses.
 */
import { isDeepStrictEqual } from "node:util";
import type { OperatorAcquirer, SetAcquirerAccount } from "@oriel/protocol/dashboard/acquirers";
import { AcquirerAccountError, connectorKinds, type AcquirerCredentials } from "@oriel/vault";
import type { AcquirerAccounts } from "../../platform/acquirer-account-cache.ts";
import { ChangedMeanwhileError } from "../../platform/changed-meanwhile.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { missingInBody } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { modeOf, ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { lastActor } from "../audit/last-actor.ts";
import type { EmailContext } from "../emails/outbox.ts";
import { emailOwners } from "../members/email-owners.ts";
import { acquirerEmail } from "./acquirer-email.ts";

export type EnteredAcquirer = Omit<SetAcquirerAccount, "livemode">;

/** What an operator did. `unchanged`: everything was as it is. */
export interface AcquirerChange {
  id: string;
  change: "created" | "replaced" | "changed" | "unchanged";
  /** False: it was replaced earlier, so only the payments that were made with it use it. */
  isCurrent: boolean;
}

/**
 * Sets the current acquirer account. If the account at the vendor stays the same, the current one changes in place.
 * Otherwise, a new one replaces it, and payments that were made with the old one keep it. With an ID, the acquirer
 * account with that ID changes in place instead, whether it's current or replaced, and stays so.
 *
 * @param actor for the audit log
 * @param emailContext to notify the account's owners, in the same transaction. Null: nobody is notified.
 * @throws ChangedMeanwhileError if the acquirer account isn't the one that the operator saw
 * @throws AcquirerAccountError if settings or credentials are wrong, missing or don't work, or someone else is changing them
 * @throws ApiError `resource_missing` if the account has no acquirer account with the ID in this mode
 */
export async function setAcquirerAccount(
  context: Pick<PlatformContext, "db" | "now"> & {
    vault: AcquirerCredentials;
    acquirerAccounts: Pick<AcquirerAccounts, "forget">;
  },
  tenant: Tenant,
  entered: EnteredAcquirer,
  actor: string,
  emailContext: EmailContext | null = null,
): Promise<AcquirerChange> {
  const { db, vault, now, acquirerAccounts } = context;
  const { connector, credentials } = entered;
  const mode = modeOf(tenant);
  const kind = connectorKinds[connector];
  const settings = vault.readSettings({ connector, mode }, entered.settings);
  const before = await find(db, tenant, entered.id);
  const reused =
    before?.connector === connector && kind.identityOf(before.settings) === kind.identityOf(settings) ? before : null;
  if (entered.id !== undefined) {
    if (before === undefined) throw missingInBody("acquirer account", entered.id, "id");
    if (reused === null) throw staysConnected(before);
  }
  if (entered.seen !== undefined) await requireSeen(db, tenant, { before, seen: entered.seen, settings }, actor);
  if (credentials === undefined && reused === null)
    throw new AcquirerAccountError(null, "The credentials are missing. They can only be omitted for a change.");
  // Otherwise, whoever may change the URL could read the stored API key by having it sent to a server of their own.
  if (
    credentials === undefined &&
    reused !== null &&
    kind.destinationOf(reused.settings) !== kind.destinationOf(settings)
  )
    throw new AcquirerAccountError(
      "credentials.api_key",
      "The API URL is on another host, so enter the credentials again.",
    );
  if (credentials === undefined && reused !== null && isDeepStrictEqual(reused.settings, settings))
    return { id: reused.id, change: "unchanged", isCurrent: reused.replaced_at === null };

  const id = reused?.id ?? newId("aa", now(), tenant);
  const account = { id, accountNo: tenant.accountNo, mode, connector, settings };
  await vault.tryOut(
    account,
    credentials === undefined ? { version: reused?.credentials_version ?? "" } : { entered: credentials },
  );
  const stored = credentials === undefined ? null : await vault.storeCredentials(account, credentials);
  const change: Exclude<AcquirerChange["change"], "unchanged"> =
    before === undefined ? "created" : reused === null ? "replaced" : "changed";
  const isCurrent = reused === null || reused.replaced_at === null;
  const time = now();
  const isDone = await db.transaction().execute(async (tx) => {
    await lockAccount(tx, tenant);
    if (!isSame(await find(tx, tenant, entered.id), before)) return false;
    const shared = { settings: JSON.stringify(settings), updated_at: time };
    if (reused !== null) {
      const version = stored === null ? {} : { credentials_version: stored };
      await tx
        .updateTable("acquirer_account")
        .set({ ...shared, ...version })
        .where(ownedBy(tenant))
        .where("id", "=", id)
        .execute();
    } else {
      if (stored === null) throw new Error("Bug: a new acquirer account has no credentials");
      await replaceCurrent(tx, tenant, time);
      await tx
        .insertInto("acquirer_account")
        .values({ ...ownerColumns(tenant), ...shared, id, connector, credentials_version: stored, created_at: time })
        .execute();
    }
    const details = {
      connector,
      livemode: tenant.livemode,
      ...settings,
      credentials_changed: stored !== null,
      ...(change === "replaced" && before !== undefined ? { replaced: before.id } : {}),
    };
    const { accountNo } = tenant;
    await recordAudit(tx, { actor, action: `acquirer_account.${change}`, accountNo, objectId: id, details }, time);
    if (emailContext !== null) {
      const news = {
        livemode: tenant.livemode,
        change,
        isCurrent,
        connector,
        destination: kind.destinationOf(settings),
      };
      await emailOwners(emailContext, tx, accountNo, (accountName) =>
        acquirerEmail(emailContext.config.dashboardOrigin, { accountName, ...news }),
      );
    }
    return true;
  });
  acquirerAccounts.forget(id);
  // A version that may have been committed must not be erased, so only one that certainly wasn't is.
  const unused = isDone ? reused?.credentials_version : stored;
  if (stored !== null && unused !== null && unused !== undefined) await vault.eraseCredentials(id, unused);
  if (!isDone) throw new AcquirerAccountError(null, "Someone else has just changed this acquirer account. Try again.");
  return { id, change, isCurrent };
}

/** Credentials aren't compared, because operators don't see them. */
async function requireSeen(
  db: Db,
  tenant: Tenant,
  {
    before,
    seen,
    settings,
  }: {
    before: Row<"acquirer_account"> | undefined;
    seen: NonNullable<EnteredAcquirer["seen"]> | null;
    settings: EnteredAcquirer["settings"];
  },
  actor: string,
): Promise<void> {
  const isSeen = before?.id === seen?.id && isDeepStrictEqual(before?.settings, seen?.settings);
  if (isSeen || isDeepStrictEqual(before?.settings, settings)) return;
  const by = await lastActor(db, tenant.accountNo, { actions: changes });
  throw new ChangedMeanwhileError("this acquirer account", { by, actor });
}

const changes = ["acquirer_account.created", "acquirer_account.replaced", "acquirer_account.changed"] as const;

/** Lists the current and replaced acquirer accounts of both modes, newest first. Never their credentials. */
export async function listAcquirerAccounts(db: Db, accountNo: number, apiUrl: string): Promise<OperatorAcquirer[]> {
  const rows = await db
    .selectFrom("acquirer_account")
    .select(["id", "livemode", "connector", "settings", "created_at", "updated_at", "replaced_at"])
    .where("account_no", "=", accountNo)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1000)
    .execute();
  return rows.map(({ id, livemode, connector, settings, created_at, updated_at, replaced_at }) => ({
    id,
    livemode,
    connector,
    settings,
    notification_url: notificationUrl(apiUrl, id),
    created: unixSeconds(created_at),
    updated: unixSeconds(updated_at),
    replaced: replaced_at && unixSeconds(replaced_at),
  }));
}

/** The URL to which the vendor sends notifications. */
export function notificationUrl(apiUrl: string, acquirerAccountId: string): string {
  return `${apiUrl}/acquirers/${acquirerAccountId}/notifications`;
}

/** The acquirer account with this ID, or without an ID the current one. */
async function find(db: Db, tenant: Tenant, id: string | undefined): Promise<Row<"acquirer_account"> | undefined> {
  const own = db.selectFrom("acquirer_account").selectAll().where(ownedBy(tenant));
  return await (id === undefined ? own.where("replaced_at", "is", null) : own.where("id", "=", id)).executeTakeFirst();
}

/** Changes of acquirer accounts lock the account, because there may be no current acquirer account yet. */
async function lockAccount(tx: Tx, tenant: Tenant): Promise<void> {
  const account = tx.selectFrom("account").select("account_no").where("account_no", "=", tenant.accountNo);
  await account.forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** The payments of an acquirer account are at that account at the vendor, so it never gets another one. */
function staysConnected({ id, connector, settings }: Row<"acquirer_account">): AcquirerAccountError {
  const identity = JSON.stringify(connectorKinds[connector].identityOf(settings));
  return new AcquirerAccountError(
    "settings",
    `The acquirer account ${id} stays connected to ${identity}. To connect another one, leave out \`id\`.`,
  );
}

async function replaceCurrent(tx: Tx, tenant: Tenant, now: Date): Promise<void> {
  await tx
    .updateTable("acquirer_account")
    .set({ replaced_at: now })
    .where(ownedBy(tenant))
    .where("replaced_at", "is", null)
    .execute();
}

/** Whether nobody has changed it between two reads. */
function isSame(one: Row<"acquirer_account"> | undefined, other: Row<"acquirer_account"> | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.id === other.id &&
    one.credentials_version === other.credentials_version &&
    (one.replaced_at === null) === (other.replaced_at === null) &&
    isDeepStrictEqual(one.settings, other.settings)
  );
}
