/**
 * Passwords. They are hashed with argon2id and the parameters that OWASP's Password Storage Cheat Sheet lists first
 * (19 MiB, two passes, one lane), and stored as PHC strings, so that the parameters can be raised later. A password
 * needs at least twelve characters (PCI DSS 8.3.6), may contain any character, and must not be common (ASVS 6.2.4).
 */
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { dictionary } from "@zxcvbn-ts/language-common";

const derive = promisify(argon2);

/** The memory and the number of passes of one hash. */
export interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

export const fullPasswordCost: PasswordCost = { memoryKiB: 19_456, passes: 2 };
const parallelism = 1;
const tagLength = 32;

export const minPasswordLength = 12;
export const maxPasswordLength = 256;

/** Shorter entries are ignored, because a long password that contains one isn't necessarily common. */
const minCommonLength = 6;
/** The 49,000 most common passwords from public leaks, in lowercase, from zxcvbn-ts. The check is local. */
const commonPasswords: ReadonlySet<string> = new Set(
  dictionary["passwords-common"].map(String).filter((password) => password.length >= minCommonLength),
);

/** Returns what is wrong with a password, as a sentence for the user, or null. */
export function faultOfPassword(password: string, { email, name }: { email: string; name: string }): string | null {
  const length = Array.from(password).length;
  if (length < minPasswordLength)
    return `Use at least ${minPasswordLength} characters, for example a few words in a row.`;
  if (password.length > maxPasswordLength) return `Use at most ${maxPasswordLength} characters.`;
  const plain = plainOf(password);
  const [withoutFinalDigits = ""] = /^.*[^0-9]/.exec(plain) ?? [];
  if (commonPasswords.has(plain) || commonPasswords.has(withoutFinalDigits) || new Set(plain).size < 4)
    return "This password is too common. Choose another password.";
  const [local = ""] = email.split("@");
  const own = [email, local, name].map(plainOf).filter((word) => word.length >= 4);
  return own.some((word) => plain.replaceAll(word, "").length < 6)
    ? "This password is too similar to your name or email address. Choose another password."
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
  if (nonce === undefined || tag === undefined)
    throw new Error("Bug: a stored password isn't a PHC string of argon2id");
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

/** Normalizes first, because keyboards may encode the same letter differently (NIST SP 800-63B 3.1.1.2). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize("NFKC"));
}

function plainOf(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s/g, "");
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
