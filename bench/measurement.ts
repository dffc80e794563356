/** A figure, its budget, and its floor, which is what the machine achieves without Oriel. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "@oriel/commands";
import type { Machine } from "./machine.ts";

export interface Measurement {
  what: string;
  value: number;
  unit: "ms" | "ms of CPU" | "/s" | "events/s" | "times" | "MB" | "tasks" | "requests" | "bytes";
  /** For a median: the first and third quartiles. */
  quartiles?: [number, number];
  /** The maximum allowed, or the minimum for rates. */
  budget?: number;
  /** The same figure without Oriel. */
  floor?: number;
  floor_quartiles?: [number, number];
}

export function printMeasurements(machine: Machine, measurements: readonly Measurement[]): void {
  const { cores, model, memory_gb, system, load_before, ...software } = machine;
  console.log(`\n${cores} cores of ${model}, ${memory_gb} GB, ${system}; load before ${load_before}`);
  console.log(
    `${Object.entries(software)
      .map(([name, version]) => `${name} ${version}`)
      .join("; ")}\n`,
  );
  const rows = measurements.map(({ what, value, unit, quartiles, budget, floor, floor_quartiles }) => [
    what,
    `${value} ${unit}${between(quartiles)}`,
    budget === undefined ? "" : String(budget),
    budget === undefined ? "" : `${ratio(value, budget)}${isMissed(unit, value, budget) ? " MISSED" : ""}`,
    floor === undefined ? "" : `${floor}${between(floor_quartiles)}`,
    floor === undefined ? "" : ratio(value, floor),
  ]);
  console.log(table([["measured", "value", "budget", "value/budget", "floor", "value/floor"], ...rows]));
}

export function writeMeasurements(name: string, machine: Machine, measurements: readonly Measurement[]): void {
  writeResults(name, { machine, measurements });
}

/** Writes to `bench/results`. */
export function writeResults(name: string, measured: object): void {
  const directory = join(import.meta.dirname, "results");
  mkdirSync(directory, { recursive: true });
  const results = { measured_at: new Date().toISOString(), ...measured };
  writeFileSync(join(directory, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
}

/** Rounds to one decimal. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * The percentile: the value that this share of the values doesn't exceed. @param share - 0 to 1. @throws Error if there
 * are no values
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error("Nothing was measured.");
  return value;
}

function between(quartiles: Measurement["quartiles"]): string {
  return quartiles === undefined ? "" : ` [${quartiles.join("-")}]`;
}

function ratio(value: number, by: number): string {
  return by === 0 ? "" : (value / by).toFixed(2);
}

function isMissed(unit: Measurement["unit"], value: number, budget: number): boolean {
  return unit.endsWith("/s") ? value < budget : value > budget;
}
