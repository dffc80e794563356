/**
 * Divides the items into `count` equal parts and picks a random item from each. Returns all items if there are fewer
 * than `count`.
 */
import type { Chance } from "../chance.ts";

export function sample<T>(items: readonly T[], count: number, chance: Chance): T[] {
  if (count >= items.length) return [...items];
  const firstOf = (part: number) => Math.floor((part * items.length) / count);
  const chosen = new Set(
    Array.from({ length: count }, (_, part) => chance.between(firstOf(part), firstOf(part + 1) - 1)),
  );
  return items.filter((_, index) => chosen.has(index));
}
