import { visible } from "@oriel/protocol/hidden-characters";

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

export function missing(what: string, expected: string): Difference {
  return { what, expected, found: null, says: `The ${what} is missing.` };
}

/** Where a redirect leads is decided by whoever controls the response, so it's never followed. */
export function redirected(what: string, expected: string | null, location = "nowhere"): Difference {
  return { what, expected, found: location, says: `The ${what} redirects to ${location.slice(0, 300)}.` };
}

export function tooLarge(what: string, expected: string | null): Difference {
  const found = "more than 1 MB, or more than 2 MB decompressed";
  return { what, expected, found, says: `The ${what} is too large to check: ${found}.` };
}

/** Some of the text comes from the checked server, and must not control the reader's terminal. */
export function shown({ what, expected, found, says }: Difference): Difference {
  return { what: visible(what), expected, found: found === null ? null : visible(found), says: visible(says) };
}
