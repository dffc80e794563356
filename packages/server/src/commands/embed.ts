/** Signs the loader, so that the machines that serve it don't need the private key. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@oriel/commands";
import { readBuilt } from "../http/embed/read-built.ts";
import { signScript } from "../http/embed/script-signature.ts";
import { readSigningKey } from "../http/embed/signing-key.ts";
import { defaultDist } from "../http/routes/built-files.ts";

export const embedCommand: Command = {
  name: "embed sign",
  takes: ["KEY_FILE"],
  mayTake: ["DIRECTORY"],
  options: {},
  summary: "Sign the built loader with an Ed25519 key that can stay offline",
  details: `KEY_FILE is a private key in PKCS#8 PEM format. DIRECTORY contains oriel.js (default: dist/embed).
The command writes signature.json to DIRECTORY. Deploy both files together, and sign again after each build.`,
  run: async ({ args: [keyFile = "", directory = join(defaultDist, "embed")], print }) => {
    const signature = signScript(readBuilt(join(directory, "oriel.js")), readSigningKey(keyFile));
    writeFileSync(join(directory, "signature.json"), `${JSON.stringify(signature, null, 2)}\n`);
    print(`ed25519-${signature.keyid}`);
  },
};
