/** Records the vault's reports in the audit log: records that couldn't be opened, and changes to its keys. */
import type { VaultAudit } from "@oriel/vault";
import type { PlatformContext } from "../../platform/context.ts";
import type { Db } from "../../platform/storage/database.ts";
import { recordAudit } from "./audit-log.ts";

/** For `createVault` and `rotateKeys`. @param actor `service`, or the user who ran the command */
export function auditVault({ db, now }: Pick<PlatformContext, "db" | "now">, actor: string): VaultAudit {
  return async (entry) => {
    if (entry.what === "seal_broken") {
      const { mode, accountNo, recordId, purpose } = entry.record;
      const requester = entry.reason === "other_account" ? { asked_by: await accountId(db, entry.requestedBy) } : {};
      const details = { reason: entry.reason, purpose, mode, key_id: entry.keyId, ...requester };
      await recordAudit(
        db,
        { actor, action: "vault.seal_broken", outcome: "refused", accountNo, objectId: recordId, details },
        now(),
      );
      return;
    }
    const { what, keyId, purpose } = entry;
    await recordAudit(db, { actor, action: `vault.${what}`, objectId: keyId, details: { purpose } }, now());
  };
}

async function accountId(db: Db, accountNo: number): Promise<string | null> {
  const account = db.selectFrom("account").select("id").where("account_no", "=", accountNo);
  return (await account.executeTakeFirst())?.id ?? null;
}
