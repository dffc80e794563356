/** How long what is replaced goes on beside what replaces it. */
import type { RotateSecret } from "@oriel/protocol/api";

export type Overlap = NonNullable<RotateSecret["overlap"]>;

const words: Readonly<Record<Overlap, string>> = {
  now: "Not at all: it ends now",
  "1h": "One hour",
  "24h": "One day",
  "7d": "Seven days",
};

export const overlapChoices = Object.entries(words).map(([value, label]) => ({ value: value as Overlap, label })); // the record's own names
