/** `oriel vault rotate`, `oriel key-files create`: the keys that are files, not rows. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openKeyring, rotateVaultKeys } from "@oriel/vault";
import { auditVault } from "../audit/vault-events.ts";
import { ConfigError, readKeyDir } from "../config.ts";
import { keyFileNames } from "../live-start.ts";
import { openServerKeys } from "../server-keys.ts";
import type { Command } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export const vaultCommands: Command[] = [
  {
    name: "vault rotate",
    takes: [],
    options: {},
    summary: "give the vault new keys, while the service runs",
    details:
      "Killed half way, it is simply started again and finishes. Back the key file up afterwards: the old one no longer opens everything.",
    run: async ({ env, now, actor, print, tell }) => {
      const result = await withDatabase(env, ({ db, vaultPool }) =>
        rotateVaultKeys({
          db: vaultPool,
          keyFile: join(readKeyDir(env), "vault.keys.json"),
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
  },
  {
    name: "key-files create",
    takes: ["DIRECTORY"],
    options: {},
    summary: "make the vault's and the service's key files, as live mode needs them",
    details:
      "For a new installation. Set ORIEL_KEY_DIR to the directory, give every process the same files, and back them up apart from the database.",
    run: async ({ args: [directory = ""], print }) => {
      for (const name of keyFileNames) {
        if (!existsSync(join(directory, name))) continue;
        throw new ConfigError(`There is a ${name} in ${directory} already, and it may be the only one. Name another directory.`);
      }
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      openKeyring(join(directory, "vault.keys.json"));
      openServerKeys(join(directory, "server.keys.json"));
      print(`${keyFileNames.join(" and ")} are in ${directory}.`);
    },
  },
];
