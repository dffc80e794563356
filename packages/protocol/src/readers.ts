/**
 * Checks for what arrives from another window, as plain functions that combine: no schema library and no `eval` in the
 * loader or the frame.
 *
 * A {@link Reader} copies what it understands and answers `undefined` for anything else. It looks at own properties
 * only, so a polluted `Object.prototype` supplies nothing, and a record is rebuilt from the fields that are named, so
 * nothing unnamed gets through.
 */

/** Copies a value of the right shape; `undefined` is a refusal. */
export type Reader<T> = (value: unknown) => T | undefined;

/** A text of 1 to `longest` characters. */
export const text =
  (longest = 2048): Reader<string> =>
  (value) =>
    typeof value === "string" && value.length > 0 && value.length <= longest ? value : undefined;

/** One of these and nothing else. */
export const oneOf =
  <const T extends string>(...allowed: readonly T[]): Reader<T> =>
  (value) =>
    allowed.find((one) => one === value);

export const flag: Reader<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

/** A whole number from 0 to `most`. */
export const whole =
  (most: number): Reader<number> =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most ? (value as number) : undefined; // isSafeInteger has said that it is a number

export const nullable =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null || value === undefined ? null : read(value);

/** Every named field must be readable; nothing else is copied. */
export const record =
  <T extends object>(fields: { readonly [K in keyof T]: Reader<T[K]> }): Reader<T> =>
  (value) => {
    const copy: Record<string, unknown> = {};
    for (const [name, read] of Object.entries<Reader<unknown>>(fields)) {
      copy[name] = read(own(value, name));
      if (copy[name] === undefined) return undefined;
    }
    return copy as T; // every field was read by the reader of its name
  };

/** A record's own property; `undefined` where there is none, and for what is no record. */
export function own(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name]; // an own property may be read by its name
}

/** What `typeof` says of a field; with `?` it may be null or absent. A list is an object. */
export type FieldType = `${"string" | "number" | "boolean" | "object"}${"" | "?"}`;

/**
 * A copy of the named fields of a record, if each is of its type and plain data: texts, whole numbers, booleans, null,
 * and short lists and records of these. For what comes from our own code in another window; what a stranger sends is
 * read more closely.
 *
 * @returns null for what is no record, lacks a field, or holds anything else.
 */
export function readFields(
  value: unknown,
  fields: Readonly<Record<string, FieldType>>,
): Record<string, unknown> | null {
  const copy: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(fields)) {
    const given = own(value, name);
    const fits = given === undefined || given === null ? type.endsWith("?") : type.startsWith(typeof given);
    if (!fits) return null;
    if (given !== undefined) copy[name] = given;
  }
  return typeof value === "object" && value !== null && isPlain(copy, 4) ? copy : null;
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "string") return value.length <= 2048;
  if (typeof value !== "object" || value === null)
    return value === null || typeof value === "boolean" || Number.isSafeInteger(value);
  const parts = Object.values(value);
  return depth > 0 && parts.length <= 16 && parts.every((part) => isPlain(part, depth - 1));
}
