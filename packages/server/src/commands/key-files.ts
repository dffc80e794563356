/** Creates the keys that are stored in files, not in the database. */
import { existsSync, mkdirSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { openKeyring } from "@oriel/vault";
import { openSigningKeyFile } from "../http/embed/signing-key.ts";
import { keyFiles } from "../platform/config.ts";
import { openServerKeys } from "../platform/server-keys.ts";

export const keyFilesCommand: Command = {
  name: "key-files create",
  takes: ["DIRECTORY"],
  options: {},
  summary: "Create the vault, service and loader key files for live mode",
  details: `Use this command for a new installation. Set ORIEL_KEY_DIR to the directory, give every process the same files, and
back them up separately from the database.`,
  run: async ({ args: [directory = ""], print }) => {
    const files = keyFiles(directory);
    const paths = [files.vault, files.server, files.embed];
    const [first, second, third] = paths.map((path) => basename(path));
    const existing = paths.find((path) => existsSync(path));
    if (existing !== undefined) {
      throw new OperatorError(
        `${basename(existing)} already exists in ${directory} and won't be overwritten. Choose another directory. If this command was interrupted before, and nothing has used its files, delete them and run it again.`,
      );
    }
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    openSigningKeyFile(files.embed);
    openKeyring(files.vault);
    openServerKeys(files.server); // last, so compose.yaml can tell that all files exist
    print(`Created ${first}, ${second} and ${third} in ${directory}.`);
  },
};
