/** What somebody who mistyped a word may have meant. */

/** Longer words are not compared. */
const maxLength = 60;

/**
 * The one that takes the fewest changed, missing or surplus characters: at most four, and at most half of what was
 * typed.
 */
export function nearestWord(typed: string, words: readonly string[]): string | null {
  if (typed.length > maxLength) return null;
  const [nearest] = words
    .map((word) => ({ word, distance: distanceOf(typed, word) }))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest !== undefined && nearest.distance <= Math.min(4, typed.length / 2) ? nearest.word : null;
}

/**
 * Levenshtein's, one row at a time: `row[n]` is the distance from what was read of `from` to the first n characters of
 * `to`.
 */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [read, character] of Array.from(from).entries()) {
    const next = [read + 1];
    for (const [at, wanted] of Array.from(to).entries()) {
      const changed = (row[at] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
