/** One thing that is not as the inventory says. */
export interface Difference {
  /** In a few words, for machines too: `header referrer-policy`, `script pay`, `html`. */
  what: string;
  /** Null: it should not be there. */
  expected: string | null;
  /** Null: it is not there. */
  found: string | null;
  /** The same in a sentence, for people. */
  says: string;
}
