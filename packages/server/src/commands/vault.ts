/** Rotates the vault's encryption keys. */
import type { Command } from "@oriel/commands";
import { readKeyring, rotateKeys } from "@oriel/vault";
import { auditVault } from "../merchants/audit/audit-vault.ts";
import { keyFiles, readKeyDir } from "../platform/config.ts";
import { withDatabase } from "./with-database.ts";

export const vaultCommand: Command = {
  name: "vault rotate",
  takes: [],
  options: {},
  summary: "Rotate the vault's encryption keys while the service runs",
  details: `If the command is interrupted, run it again to finish the rotation.
Back up the key file afterward. Older backups can't decrypt all records.`,
  run: async ({ env, now, actor, print, log }) => {
    const result = await withDatabase(env, ({ db, vaultPool }) =>
      rotateKeys({
        db: vaultPool,
        keyring: readKeyring(keyFiles(readKeyDir(env)).vault),
        now,
        onProgress: ({ rewrapped, total }) => log(`Processed ${rewrapped} of ${total} records`),
        audit: auditVault({ db, now }, actor),
      }),
    );
    const { currentKeyId, rewrapped, retiredKeyIds, brokenRecordIds, isResumed } = result;
    if (isResumed)
      log("Finished an interrupted rotation without creating a new key. To create a new key, run the command again.");
    print(
      `${rewrapped} records now use the key ${currentKeyId}. Retired keys: ${retiredKeyIds.join(", ") || "none"}. Back up the key file.`,
    );
    if (brokenRecordIds.length === 0) return 0;
    log(
      `${brokenRecordIds.length} records could not be decrypted and were skipped: ${brokenRecordIds.join(", ")}. See the audit log.`,
    );
    return 1;
  },
};
