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
  budgetOver(floor: number): NonNullable<Measurement["budget"]>;
}

export const profiles = {
  unthrottled: { name: "unthrottled", cpuSlowdown: 1, network: null, budgetOver: (floor) => floor + 25 },
  "slow-4g": {
    name: "slow 4G, 4x CPU",
    cpuSlowdown: 4,
    network: { roundTripMs: 150, downBytesPerSecond: 1_600_000 / 8, upBytesPerSecond: 750_000 / 8 },
    budgetOver: (floor) => floor * 1.15,
  },
} satisfies Record<string, Profile>;
