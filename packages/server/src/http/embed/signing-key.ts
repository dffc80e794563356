/**
 * The Ed25519 key that signs the evergreen loader. Merchants pin its public key in `integrity`. If the key is lost,
 * browsers block the script on merchants' pages until the merchants pin a new one.
 *
 * The key is read from the PKCS#8 PEM file set in `ORIEL_EMBED_SIGNING_KEY_FILE`, or otherwise from `embed.keys.json`
 * in the key directory. In test mode, the first start creates `embed.keys.json`. In live mode, it must exist.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { OperatorError } from "@oriel/commands/operator-error";
import { openKeyFile } from "@oriel/vault";
import { keyFiles, type Config } from "../../platform/config.ts";

/** @throws OperatorError, KeyFileError */
export function openSigningKey({
  embedSigningKeyFile,
  keyDir,
  live,
}: Pick<Config, "embedSigningKeyFile" | "keyDir" | "live">): KeyObject {
  if (embedSigningKeyFile !== null) return readSigningKey(embedSigningKeyFile);
  const path = keyFiles(keyDir).embed;
  if (live && !existsSync(path)) {
    throw new OperatorError(
      `The loader can't be signed because the signing key ${path} doesn't exist. With ORIEL_LIVE=1, keys aren't created automatically. Set ORIEL_EMBED_SIGNING_KEY_FILE, restore the file, or sign the build with \`oriel-server embed sign\`.`,
    );
  }
  return openSigningKeyFile(path);
}

/** Opens the key file in the key directory and creates it if it doesn't exist. @throws KeyFileError */
export function openSigningKeyFile(path: string): KeyObject {
  return openKeyFile(path, newFile, (content) => parsePem((content as { signing: unknown }).signing)); // parsePem validates it
}

/**
 * Reads a PKCS#8 PEM file, as `openssl genpkey -algorithm ed25519` writes it. Errors never quote its content.
 * @throws OperatorError
 */
export function readSigningKey(path: string): KeyObject {
  let pem: string;
  try {
    pem = readFileSync(path, "utf8");
  } catch (error) {
    throw new OperatorError(
      `The signing key ${path} can't be read. Check that the file exists and that the current user can read it.`,
      {
        cause: error,
      },
    );
  }
  try {
    return parsePem(pem);
  } catch {
    throw new OperatorError(
      `${path} isn't an Ed25519 private key in PKCS#8 PEM. Create one with \`openssl genpkey -algorithm ed25519 -out ${path}\`.`,
    );
  }
}

function newFile(): object {
  const { privateKey } = generateKeyPairSync("ed25519");
  return { version: 1, signing: privateKey.export({ type: "pkcs8", format: "pem" }) };
}

function parsePem(pem: unknown): KeyObject {
  if (typeof pem !== "string") throw new Error("The signing key isn't text");
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("The signing key isn't an Ed25519 key");
  return key;
}
