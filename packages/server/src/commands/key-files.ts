/** `oriel key-files create`: the keys that are files, not rows. */
import { existsSync, mkdirSync } from "node:fs";
import { basename } from "node:path";
import { openKeyring } from "@oriel/vault";
import { keyFiles } from "../platform/config.ts";
import { openSigningKeyFile } from "../http/embed/signing-key.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { openServerKeys } from "../platform/server-keys.ts";
import type { Command } from "./command.ts";

export const keyFilesCommand: Command = {
  name: "key-files create",
  takes: ["DIRECTORY"],
  options: {},
  summary: "make the vault's, the service's and the loader's key files, as live mode needs them",
  details:
    "For a new installation. Set ORIEL_KEY_DIR to the directory, give every process the same files, and back them up apart from the database.",
  run: async ({ args: [directory = ""], print }) => {
    const files = keyFiles(directory);
    const paths = [files.vault, files.server, files.embed];
    const [first, second, third] = paths.map((path) => basename(path));
    const there = paths.find((path) => existsSync(path));
    if (there !== undefined) {
      throw new OperatorError(
        `There is a ${basename(there)} in ${directory} already, and it may be the only one. Name another directory.`,
      );
    }
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    openKeyring(files.vault);
    openServerKeys(files.server);
    openSigningKeyFile(files.embed);
    print(`${first}, ${second} and ${third} are in ${directory}.`);
  },
};
