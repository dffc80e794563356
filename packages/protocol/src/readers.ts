/**
 * Composable validators for data from another window. They avoid a schema library and `eval` in the loader and the
 * iframe.
 *
 * A {@link Reader} copies a valid value and returns `undefined` for anything else. It only looks at own properties, so
 * a polluted `Object.prototype` has no effect, and it copies only the named fields of a record.
 */

/** Copies a valid value. Returns `undefined` to refuse it. */
export type Reader<T> = (value: unknown) => T | undefined;

/** A string of 1 to `longest` characters. */
export const text =
  (longest = 2048): Reader<string> =>
  (value) =>
    typeof value === "string" && value.length > 0 && value.length <= longest ? value : undefined;

/** A string with this pattern. */
export const matching =
  (pattern: RegExp): Reader<string> =>
  (value) =>
    typeof value === "string" && pattern.test(value) ? value : undefined;

/** One of these strings. */
export const oneOf =
  <const T extends string>(...allowed: readonly T[]): Reader<T> =>
  (value) =>
    allowed.find((one) => one === value);

export const flag: Reader<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

/** An integer from 0 to `most`. */
export const whole =
  (most: number): Reader<number> =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most ? (value as number) : undefined; // isSafeInteger checked that it's a number

export const nullable =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null || value === undefined ? null : read(value);

/** Requires every named field to be valid, and copies no others. */
export const record =
  <T extends object>(fields: { readonly [K in keyof T]: Reader<T[K]> }): Reader<T> =>
  (value) => {
    const copy: Record<string, unknown> = {};
    for (const [name, read] of Object.entries<Reader<unknown>>(fields)) {
      copy[name] = read(own(value, name));
      if (copy[name] === undefined) return undefined;
    }
    return copy as T; // every field was validated by its reader
  };

/** An object's own property, or `undefined` if it has none or the value isn't an object. */
export function own(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name]; // it has this own property
}

/** A field's `typeof`. With `?`, it may be null or absent. Arrays are objects. */
export type FieldType = `${"string" | "number" | "boolean" | "object"}${"" | "?"}`;

/**
 * Copies the named fields of an object if each has its type and is plain data: strings, integers, booleans, null, and
 * small arrays and objects of these. Use it for data from our own code in another window. Data from other code needs
 * stricter readers.
 *
 * @returns null if the value isn't an object, lacks a field or contains anything else
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
  if (isBulky(value)) return false;
  const parts = Object.entries(value); // Prototype.js replaces `Object.values`
  return depth > 0 && parts.length <= 16 && parts.every(([, part]) => isPlain(part, depth - 1));
}

/**
 * Whether the value is a String object or a typed array, such as `[object Uint8Array]`. `Object.entries` lists all their
 * characters or numbers, which could take seconds, and our messages contain neither.
 */
export function isBulky(value: unknown): boolean {
  return /String|\d/.test(Object.prototype.toString.call(value));
}
