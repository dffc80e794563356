/**
 * The service's own keys (the vault has others, which this code never sees): a file in the data directory, readable by its owner only.
 *
 * - `seal` encrypts what the database keeps but must not show: signing secrets, stored answers (AES-256-GCM, bound to what they belong to).
 * - `token` signs the frame's tokens.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

export interface ServerKeys {
  /** Encrypts `text` so that it opens only with the same `boundTo`. */
  seal(text: string, boundTo: string): Buffer;
  /** @throws Error when the bytes or `boundTo` are not what was sealed. */
  unseal(sealed: Uint8Array, boundTo: string): string;
  /** Authenticates `text`: HMAC-SHA256, base64url. */
  sign(text: string): string;
  isSignatureOf(signature: string, text: string): boolean;
}

export function openServerKeys(path: string): ServerKeys {
  if (!existsSync(path)) createOnce(path, `${JSON.stringify({ version: 1, seal: newSecret(), token: newSecret() }, null, 2)}\n`);
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as { seal: string; token: string }; // what is in it is looked at by key32
    return serverKeys(key32(file.seal), key32(file.token));
  } catch {
    throw new Error(`The key file ${path} cannot be read. Restore it from a backup.`);
  }
}

/** Keys for one process that are written nowhere: for tests. */
export function newServerKeys(): ServerKeys {
  return serverKeys(randomBytes(32), randomBytes(32));
}

function serverKeys(sealKey: Buffer, tokenKey: Buffer): ServerKeys {
  const sign = (text: string) => createHmac("sha256", tokenKey).update(text).digest("base64url");
  return {
    sign,
    isSignatureOf(signature, text) {
      const expected = Buffer.from(sign(text));
      const actual = Buffer.from(signature);
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
    seal(text, boundTo) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", sealKey, iv).setAAD(Buffer.from(boundTo));
      return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    unseal(sealed, boundTo) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv("aes-256-gcm", sealKey, bytes.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(boundTo))
        .setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    },
  };
}

/** The file appears whole or not at all, so that processes which start at once agree on one. */
function createOnce(path: string, content: string): void {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(draft, content, { flag: "wx", mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
}

/** A short key would seal and sign as quietly as a good one. */
function key32(base64: string): Buffer {
  const key = Buffer.from(base64, "base64");
  if (key.length !== 32) throw new Error("A key is not 32 bytes long");
  return key;
}

function newSecret(): string {
  return randomBytes(32).toString("base64");
}
