/** The shapes of attacks, each with 5,000 numbers against one shop. */
import { population } from "./world.ts";

export interface Shape {
  name: string;
  /** Honest payments per hour at the shop. */
  shopPerHour: number;
  /** The share of the numbers that work. */
  working: number;
  /** Numbers that are tried at the same moment, and the pause until the next ones. */
  atOnce: number;
  everyMinutes: number;
  /** Tries with one address before the next one is used. */
  triesPerAddress: number;
  triesPerSession: number;
  /** Whether each session pretends to be another device. */
  hasDevices: boolean;
  mode: "payment" | "setup";
}

const slow: Shape = {
  name: "slow",
  shopPerHour: 20,
  working: population.working,
  atOnce: 1,
  everyMinutes: 2,
  triesPerAddress: 5,
  triesPerSession: 2,
  hasDevices: false,
  mode: "payment",
};

export const shapes: readonly Shape[] = [
  { ...slow, name: "burst", atOnce: 250, everyMinutes: 3, triesPerAddress: 1, triesPerSession: 1 },
  slow,
  { ...slow, name: "many addresses", atOnce: 5, everyMinutes: 5, triesPerAddress: 1 },
  // The numbers of one range are tried in order, from one network.
  { ...slow, name: "one range", atOnce: 1, everyMinutes: 2, triesPerAddress: 5_000, triesPerSession: 4 },
  { ...slow, name: "in a quiet shop", shopPerHour: 5, everyMinutes: 2, triesPerAddress: 2 },
  { ...slow, name: "in a busy shop", shopPerHour: 100, everyMinutes: 2, triesPerAddress: 2 },
  { ...slow, name: "setup mode", mode: "setup" },
  { ...slow, name: "many sessions", atOnce: 10, everyMinutes: 10, triesPerSession: 1 },
  {
    ...slow,
    name: "many devices",
    atOnce: 2,
    everyMinutes: 3,
    triesPerAddress: 1,
    triesPerSession: 1,
    hasDevices: true,
  },
  // The attacker wants to learn nothing: the shop's new customers shall be declined, with as little effort as possible.
  { ...slow, name: "made-up numbers", working: 0, everyMinutes: 15, triesPerAddress: 8, triesPerSession: 1 },
  // The same with a new address for each try. Nothing but returning customers and challenges helps the shop then.
  { ...slow, name: "made-up numbers from many addresses", working: 0, everyMinutes: 3, triesPerAddress: 1 },
  { ...slow, name: "mix", atOnce: 20, everyMinutes: 20, triesPerAddress: 3, triesPerSession: 3, hasDevices: true },
];
