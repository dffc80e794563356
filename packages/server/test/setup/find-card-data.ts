/** Searches a text for card data in every encoding in which it could appear. */
import { createHash } from "node:crypto";

/** The forms of the number and of the CVC found in `text`, by name. Empty if there are none. */
export function findCardData(text: string, { number, code }: { number: string; code: string }): string[] {
  const found = Object.entries(formsOf(number)).filter(([, form]) => text.includes(form));
  const foundCode = Object.entries(formsOf(code)).filter(([name, form]) =>
    // Four digits also occur by chance inside longer numbers and times.
    /^(plain|spaced|reversed)/.test(name)
      ? new RegExp(`(?<![0-9A-Za-z.])${form}(?![0-9A-Za-z])`).test(text)
      : text.includes(form),
  );
  return [...found.map(([name]) => `number, ${name}`), ...foundCode.map(([name]) => `code, ${name}`)];
}

export function formsOf(digits: string): Record<string, string> {
  const bytes = Buffer.from(digits);
  const forms: Record<string, string> = {
    plain: digits,
    reversed: digits.split("").reverse().join(""),
    hex: bytes.toString("hex"),
    base64: bytes.toString("base64").replace(/.=*$/, ""), // the last character also depends on the bytes that follow
  };
  if (digits.length > 4) {
    forms["spaced"] = digits.replace(/(.{4})(?=.)/g, "$1 ");
    forms["spaced with dashes"] = digits.replace(/(.{4})(?=.)/g, "$1-");
    forms["base64, one byte on"] = Buffer.concat([Buffer.alloc(1), bytes])
      .toString("base64")
      .slice(2, -4);
    forms["base64, two bytes on"] = Buffer.concat([Buffer.alloc(2), bytes])
      .toString("base64")
      .slice(3, -4);
  }
  for (const hash of ["md5", "sha1", "sha256", "sha512"]) {
    for (const encoding of ["hex", "base64", "base64url"] as const) {
      forms[`${hash} in ${encoding}`] = createHash(hash).update(digits).digest(encoding);
    }
  }
  return forms;
}
