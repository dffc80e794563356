/** Rotates the vault's encryption keys. */
import { readKeyring, rotateKeys } from "@oriel/vault";
import { auditVault } from "../merchants/audit/audit-vault.ts";
import { keyFiles, readKeyDir } from "../platform/config.ts";
import type { Command } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export const vaultCommand: Command = {
  name: "vault rotate",
  takes: [],
  options: {},
  summary: "Rotate the vault's encryption keys while the service runs",
  details: `If it's interrupted, run it again to finish.
Back up the key file afterwards: an older backup can't decrypt all cards.`,
  run: async ({ env, now, actor, print, tell }) => {
    const result = await withDatabase(env, ({ db, vaultPool }) =>
      rotateKeys({
        db: vaultPool,
        keyring: readKeyring(keyFiles(readKeyDir(env)).vault),
        now,
        onProgress: ({ rewrapped, total }) => tell(`Processed ${rewrapped} of ${total} cards`),
        audit: auditVault({ db, now }, actor),
      }),
    );
    const { currentKeyId, rewrapped, retiredKeyIds, brokenRecordIds, isResumed } = result;
    if (isResumed) tell("Finished an earlier rotation without creating a new key. Run the command again to rotate.");
    print(
      `${rewrapped} cards now use the key ${currentKeyId}. Retired: ${retiredKeyIds.join(", ") || "none"}. Back up the key file.`,
    );
    if (brokenRecordIds.length === 0) return 0;
    tell(
      `${brokenRecordIds.length} cards could not be decrypted and were skipped: ${brokenRecordIds.join(", ")}. See the audit log.`,
    );
    return 1;
  },
};
