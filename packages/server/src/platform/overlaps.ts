/** How long a replaced secret key or signing secret keeps working alongside its replacement, in milliseconds. */
import type { Overlap } from "@oriel/protocol/api";

export const overlapsMs = { now: 0, "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const satisfies Record<
  Overlap,
  number
>;
