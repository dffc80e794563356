/**
 * Reproducible randomness: every random choice in a run comes from its seed. Every client, and everything else that
 * makes choices, has its own stream, so that its choices don't depend on how fast the others are. The seed doesn't
 * determine exactly when a kill hits or which requests the bank's faults strike.
 */
export interface Chance {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  happens(probability: number): boolean;
  /** A whole number, including both ends. */
  between(min: number, max: number): number;
  pick<T>(items: readonly T[]): T;
  /** A stream that depends only on the seed and the name. */
  stream(name: string): Chance;
}

export function createChance(seed: number, name = ""): Chance {
  let state = hash(`${seed} ${name}`);
  /** mulberry32, by Tommy Ettinger: 32 bits of state, public domain. */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    happens: (probability) => next() < probability,
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error("Bug: nothing to pick from");
      return item;
    },
    stream: (more) => createChance(seed, `${name}/${more}`),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value;
}
