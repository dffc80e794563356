import { ApiError } from "./errors.ts";

const maxKeys = 50;

/**
 * @param change keys to add or to replace. Null removes its key
 * @throws ApiError if there would be too many keys
 */
export function mergeMetadata(
  before: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>> = {},
): Record<string, string> {
  const after = Object.fromEntries(
    Object.entries({ ...before, ...change }).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  if (Object.keys(after).length <= maxKeys) return after;
  throw new ApiError("parameter_invalid", `\`metadata\` can have at most ${maxKeys} keys.`, { param: "metadata" });
}
