/** How long what is replaced, a secret key or a signing secret, goes on beside what replaces it, in milliseconds. */
import type { Overlap } from "@oriel/protocol/api";

export const overlapsMs = { now: 0, "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const satisfies Record<
  Overlap,
  number
>;
