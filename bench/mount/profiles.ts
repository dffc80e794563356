/** The customer's device and network. */
import type { Measurement } from "../measurement.ts";
import type { Network } from "./bottleneck.ts";

export interface Profile {
  name: string;
  /** How many times slower than this machine. */
  cpuSlowdown: number;
  /** Null: unthrottled. */
  network: Network | null;
  /** Maximum of mount to usable, given the bare form's time in milliseconds. */
  budgetAbove(floor: number): NonNullable<Measurement["budget"]>;
}

export const profiles = {
  unthrottled: { name: "unthrottled", cpuSlowdown: 1, network: null, budgetAbove: (floor) => floor + 25 },
  "slow-4g": {
    name: "slow 4G, 4x CPU",
    cpuSlowdown: 4,
    network: { roundTripMs: 150, downBytesPerSecond: 1_600_000 / 8, upBytesPerSecond: 750_000 / 8 },
    budgetAbove: (floor) => floor * 1.15,
  },
} satisfies Record<string, Profile>;
