/**
 * Passwords: argon2id with the parameters that OWASP's Password Storage Cheat Sheet names first (19 MiB, two passes,
 * one lane), kept as PHC strings, so that they can be raised later. At least twelve characters (PCI DSS 8.3.6), any
 * that there are, and none that everybody tries first (ASVS 6.2.4).
 */
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { dictionary } from "@zxcvbn-ts/language-common";

const derive = promisify(argon2);

/** Of one hash: how much memory it fills, how often. */
export interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

export const fullPasswordCost: PasswordCost = { memoryKiB: 19_456, passes: 2 };
const parallelism = 1;
const tagLength = 32;

export const minPasswordLength = 12;
export const maxPasswordLength = 256;

/** Shorter ones are no word that a long password could be made of. */
const minCommonLength = 6;
/** The 49,000 commonest of public leaks, as zxcvbn-ts keeps them, in lower case. Looked at here and told to nobody. */
const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"].map(String).filter((password) => password.length >= minCommonLength),
);

/** What is wrong with it, as a sentence for the page; null for nothing. */
export function faultOfPassword(password: string, { email, name }: { email: string; name: string }): string | null {
  const length = Array.from(password).length;
  if (length < minPasswordLength) return `Use at least ${minPasswordLength} characters. A few words in a row will do.`;
  if (password.length > maxPasswordLength) return `Use at most ${maxPasswordLength} characters.`;
  const plain = plainOf(password);
  if (commonPasswords.has(plain) || commonPasswords.has(plain.replace(/[0-9]+$/, "")) || new Set(plain).size < 4)
    return "This is one of the passwords that are tried first. Choose another.";
  const [local = ""] = email.split("@");
  const own = [email, local, name].map(plainOf).filter((word) => word.length >= 4);
  return own.some((word) => plain.replaceAll(word, "").length < 6)
    ? "This is little more than your name or address. Choose another."
    : null;
}

/** @returns a PHC string, `$argon2id$v=19$m=...` */
export async function hashPassword(password: string, { memoryKiB, passes }: PasswordCost): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive("argon2id", {
    message: bytesOf(password),
    nonce,
    parallelism,
    tagLength,
    memory: memoryKiB,
    passes,
  });
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

export async function verifyPassword({ hash, password }: { hash: string; password: string }): Promise<boolean> {
  const [, memory, t, p, nonce, tag] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  if (nonce === undefined || tag === undefined) throw new Error("Bug: a stored password is no PHC string of argon2id");
  const expected = Buffer.from(tag, "base64");
  const actual = await derive("argon2id", {
    message: bytesOf(password),
    nonce: Buffer.from(nonce, "base64"),
    memory: Number(memory),
    passes: Number(t),
    parallelism: Number(p),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

/** Two keyboards may write one letter in two ways (NIST SP 800-63B 3.1.1.2: normalise). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize("NFKC"));
}

function plainOf(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s/g, "");
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
