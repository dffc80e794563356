/** `oriel embed sign`: signs the loader where the key is, so that the machines that serve it need none. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBuilt } from "../http/embed/read-built.ts";
import { readSigningKey } from "../http/embed/signing-key.ts";
import { signScript } from "../http/embed/script-signature.ts";
import { defaultDist } from "../http/routes/built-files.ts";
import type { Command } from "./command.ts";

export const embedCommand: Command = {
  name: "embed sign",
  takes: ["KEY_FILE"],
  mayTake: ["DIRECTORY"],
  options: {},
  summary: "sign the loader that was built, under an Ed25519 key that may stay offline",
  details:
    "KEY_FILE is a private key in PKCS#8 PEM. DIRECTORY is where oriel.js is, dist/embed unless you say otherwise; signature.json is written beside it. Bring both to the machines that serve it. Sign again after each build.",
  run: async ({ args: [keyFile = "", directory = join(defaultDist, "embed")], print }) => {
    const signature = signScript(readBuilt(join(directory, "oriel.js")), readSigningKey(keyFile));
    writeFileSync(join(directory, "signature.json"), `${JSON.stringify(signature, null, 2)}\n`);
    print(`ed25519-${signature.keyid}`);
  },
};
