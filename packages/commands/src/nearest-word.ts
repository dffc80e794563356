/** Suggests the word that a typo was probably meant to be. */

/** Longer input is ignored to bound the work. */
const maxLength = 60;

/**
 * Returns the word with the smallest edit distance, if that's at most four and at most half the length of what was
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
 * The Levenshtein distance, computed row by row: `row[n]` is the distance between the part of `from` read so far and
 * the first n characters of `to`.
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
