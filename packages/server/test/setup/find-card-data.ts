/** Searches a text for card data and other secrets, in every encoding in which they could appear. */
import { createHash } from "node:crypto";

/** The forms of the number and of the CVC found in `text`, by name. Empty if there are none. */
export function findCardData(text: string, { number, code }: { number: string; code: string }): string[] {
  const found = Object.entries(formsOf(number)).filter(([, form]) => text.includes(form));
  const foundCode = Object.entries(formsOf(code)).filter(([name, form]) =>
    /^(plain|spaced|reversed)/.test(name)
      ? isAlone(form, text)
      : name.startsWith("base64")
        ? isEncoded(form, code, text)
        : text.includes(form),
  );
  return [...found.map(([name]) => `number, ${name}`), ...foundCode.map(([name]) => `code, ${name}`)];
}

/** Four digits also occur by chance inside longer numbers and times. */
function isAlone(digits: string, text: string): boolean {
  return new RegExp(`(?<![0-9A-Za-z.])${digits}(?![0-9A-Za-z])`).test(text);
}

/** Five characters of Base64 also occur by chance inside random tokens, so what surrounds them is decoded, too. */
function isEncoded(form: string, code: string, text: string): boolean {
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    const before = /[\w+/-]*$/.exec(text.slice(Math.max(0, at - 400), at))?.[0] ?? "";
    const after = /^[\w+/-]*/.exec(text.slice(at, at + 400))?.[0] ?? "";
    const bytes = Buffer.from((before + after).slice(before.length % 4), "base64");
    if (before + after === form || isAlone(code, bytes.toString("latin1"))) return true;
  }
  return false;
}

/** The forms of secrets found in `text`, such as `API key, hex`. Empty if there are none. */
export function findSecrets(text: string, secrets: Readonly<Record<string, string | Buffer>>): string[] {
  return Object.entries(secrets).flatMap(([what, secret]) =>
    Object.entries(formsOf(secret))
      .filter(([, form]) => text.includes(form))
      .map(([name]) => `${what}, ${name}`),
  );
}

/** By name, each form once. Bytes that aren't a text have no forms of a text. */
export function formsOf(secret: string | Buffer): Record<string, string> {
  const names = new Map<string, string>();
  for (const [name, form] of Object.entries(allForms(secret))) if (!names.has(form)) names.set(form, name);
  return Object.fromEntries([...names].map(([form, name]) => [name, form]));
}

function allForms(secret: string | Buffer): Record<string, string> {
  const bytes = Buffer.from(secret);
  const forms: Record<string, string> = {};
  if (typeof secret === "string") {
    const wide = Buffer.from(secret, "utf16le");
    const escaped = JSON.stringify(secret).slice(1, -1);
    Object.assign(forms, {
      plain: secret,
      reversed: secret.split("").reverse().join(""),
      "in JSON": escaped,
      "in JSON in JSON": JSON.stringify(escaped).slice(1, -1),
      "in JSON, each character escaped": each(wide, 2, (unit) => `\\u${unit.swap16().toString("hex")}`),
      "in a URL": encodeURIComponent(secret),
      "in a form": new URLSearchParams({ "": secret }).toString().slice(1),
      "in a URL, each byte escaped": each(bytes, 1, (byte) => `%${byte.toString("hex").toUpperCase()}`),
      "UTF-16 as text": secret.split("").join("\0"),
      "UTF-16 in JSON": secret.split("").join("\\u0000"),
      ...named("UTF-16LE", binaryForms(wide)),
      ...named("UTF-16BE", binaryForms(Buffer.from(wide).swap16())),
    });
    if (secret.length > 4) {
      forms["spaced"] = secret.replace(/(.{4})(?=.)/g, "$1 ");
      forms["spaced with dashes"] = secret.replace(/(.{4})(?=.)/g, "$1-");
    }
  }
  Object.assign(forms, binaryForms(bytes));
  for (const hash of ["md5", "sha1", "sha256", "sha512"]) {
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      forms[`${hash} in ${encoding}`] = createHash(hash).update(bytes).digest(encoding);
    }
  }
  return forms;
}

function binaryForms(bytes: Buffer): Record<string, string> {
  const hex = bytes.toString("hex");
  const forms: Record<string, string> = { hex, "hex in uppercase": hex.toUpperCase() };
  // The ends of a few bytes are so short that they occur by chance.
  for (const offset of bytes.length > 4 ? [0, 1, 2] : [0])
    for (const encoding of ["base64", "base64url"] as const)
      forms[`${encoding}, after ${offset} bytes`] = encodedAfter(offset, bytes, encoding);
  return forms;
}

/** The characters that depend on these bytes only, whatever is before and after them. */
function encodedAfter(offset: number, bytes: Buffer, encoding: "base64" | "base64url"): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString(encoding);
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function each(bytes: Buffer, size: number, write: (part: Buffer) => string): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += size) text += write(Buffer.from(bytes.subarray(i, i + size)));
  return text;
}

function named(what: string, forms: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(forms).map(([name, form]) => [`${what} ${name}`, form]));
}
