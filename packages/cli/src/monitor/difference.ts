/** A deviation from the inventory. */
export interface Difference {
  /** A short identifier for programs: `header referrer-policy`, `script pay`, `html`. */
  what: string;
  /** Null if it shouldn't exist. */
  expected: string | null;
  /** Null if it's missing. */
  found: string | null;
  /** The difference as a sentence. */
  says: string;
}
