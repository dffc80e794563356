/**
 * The key that signs the evergreen loader: Ed25519. Merchants pin its public half in `integrity`, so a lost key means
 * that their pages refuse the script until they have changed them.
 *
 * It is the PKCS#8 PEM file that `ORIEL_EMBED_SIGNING_KEY_FILE` names, or `embed.keys.json` in the key directory, which
 * the first start makes in test mode. In live mode none is made.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { openKeyFile } from "@oriel/vault";
import { keyFiles, type Config } from "../../platform/config.ts";
import { OperatorError } from "../../platform/operator-error.ts";

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
      `ORIEL_LIVE=1 makes no keys, and there is no ${path} to sign the loader with. Set ORIEL_EMBED_SIGNING_KEY_FILE, bring the file, or sign the build with \`oriel embed sign\`.`,
    );
  }
  return openSigningKeyFile(path);
}

/** The key file of the key directory, made if it is not there. @throws KeyFileError */
export function openSigningKeyFile(path: string): KeyObject {
  return openKeyFile(path, newFile, (content) => parsePem((content as { signing: unknown }).signing)); // what is in it is looked at by parsePem
}

/**
 * A PKCS#8 PEM file, as `openssl genpkey -algorithm ed25519` writes it. Errors quote nothing of it.
 * @throws OperatorError
 */
export function readSigningKey(path: string): KeyObject {
  let pem: string;
  try {
    pem = readFileSync(path, "utf8");
  } catch (error) {
    throw new OperatorError(`The signing key ${path} cannot be read. Check that it is a file of this user's.`, {
      cause: error,
    });
  }
  try {
    return parsePem(pem);
  } catch {
    throw new OperatorError(
      `${path} is no Ed25519 private key in PKCS#8 PEM. Make one with \`openssl genpkey -algorithm ed25519 -out ${path}\`.`,
    );
  }
}

function newFile(): object {
  const { privateKey } = generateKeyPairSync("ed25519");
  return { version: 1, signing: privateKey.export({ type: "pkcs8", format: "pem" }) };
}

function parsePem(pem: unknown): KeyObject {
  if (typeof pem !== "string") throw new Error("A signing key is not text");
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("A signing key is not Ed25519");
  return key;
}
