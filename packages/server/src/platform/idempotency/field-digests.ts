/**
 * Which fields of a request differed from the one that a key was first used for, without keeping what stood in them: a
 * keyed digest for each field, by its path. Names are told, values never are.
 */
import type { ServerKeys } from "../server-keys.ts";

/** A body with more fields than this is told by its first ones. */
const maxFields = 200;

/** `{ "line_items[0].amount": digest }` */
export function digestFields(keys: Pick<ServerKeys, "sign">, body: unknown): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [path, value] of fieldsOf(body, "")) {
    if (Object.keys(digests).length === maxFields) break;
    digests[path] = keys.sign(`idempotency field ${path} ${JSON.stringify(value)}`).slice(0, 16);
  }
  return digests;
}

/** Sorted; the method, the path or the whole body differed where it is empty. */
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
