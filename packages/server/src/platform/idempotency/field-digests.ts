/**
 * Finds the fields in which a request differs from the first one with the same idempotency key. Stores a keyed digest
 * for each field, by path, so that field values aren't kept.
 */
import type { ServerKeys } from "../server-keys.ts";

/** Only this many fields of a body are compared. */
const maxFields = 200;

/** @returns a digest for each path, for example `{ "line_items[0].amount": digest }` */
export function digestFields(keys: Pick<ServerKeys, "sign">, body: unknown): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [path, value] of fieldsOf(body, "")) {
    if (Object.keys(digests).length === maxFields) break;
    digests[path] = keys.sign(`idempotency field ${path} ${JSON.stringify(value)}`).slice(0, 16);
  }
  return digests;
}

/**
 * @returns the paths in which two requests differ, sorted. If empty, the method, the URL path or the whole body
 *   differs.
 */
export function differingFields(first: Record<string, string>, second: Record<string, string>): string[] {
  const paths = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...paths].filter((path) => first[path] !== second[path]).sort();
}

function* fieldsOf(value: unknown, path: string): Generator<[string, unknown]> {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) yield* fieldsOf(member, `${path}[${index}]`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* fieldsOf(member, path === "" ? name : `${path}.${name}`);
  } else {
    yield [path, value];
  }
}
