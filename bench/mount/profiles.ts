/** The customer's device and network. */
import type { Measurement } from "../measurement.ts";

export interface Profile {
  name: string;
  /** How many times slower than this machine. */
  cpuSlowdown: number;
  /** Bytes per second and milliseconds per request. Null: unthrottled. */
  network: { latency: number; downloadThroughput: number; uploadThroughput: number } | null;
  /** Maximum of mount to usable, given the bare form's time in milliseconds. */
  budgetOver(floor: number): NonNullable<Measurement["budget"]>;
}

export const profiles = {
  unthrottled: { name: "unthrottled", cpuSlowdown: 1, network: null, budgetOver: (floor) => floor + 25 },
  "slow-4g": {
    name: "slow 4G, 4x CPU",
    cpuSlowdown: 4,
    network: { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 },
    budgetOver: (floor) => floor * 1.15,
  },
} satisfies Record<string, Profile>;
