/** `oriel vault rotate` */
import { readKeyring, rotateKeys } from "@oriel/vault";
import { auditVault } from "../merchants/audit/audit-vault.ts";
import { keyFiles, readKeyDir } from "../platform/config.ts";
import type { Command } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export const vaultCommand: Command = {
  name: "vault rotate",
  takes: [],
  options: {},
  summary: "give the vault new keys, while the service runs",
  details:
    "Killed half way, it is simply started again and finishes. Back the key file up afterwards: the old one no longer opens everything.",
  run: async ({ env, now, actor, print, tell }) => {
    const result = await withDatabase(env, ({ db, vaultPool }) =>
      rotateKeys({
        db: vaultPool,
        keyring: readKeyring(keyFiles(readKeyDir(env)).vault),
        now,
        onProgress: ({ rewrapped, total }) => tell(`rewrapped ${rewrapped} of ${total}`),
        audit: auditVault({ db, now }, actor),
      }),
    );
    const { currentKeyId, rewrapped, retiredKeyIds, brokenRecordIds, isResumed } = result;
    if (isResumed) tell("An earlier rotation was finished, and no new key made. Run this again for one.");
    print(
      `${rewrapped} cards are under ${currentKeyId} now. Retired: ${retiredKeyIds.join(", ") || "none"}. Back the key file up.`,
    );
    if (brokenRecordIds.length === 0) return 0;
    tell(
      `${brokenRecordIds.length} cards do not open and were left alone: ${brokenRecordIds.join(", ")}. The audit log has them.`,
    );
    return 1;
  },
};
