/**
 * How fast this machine's processor is while a step runs. The same work needs up to 1.7 times the processor time when
 * other programs share the cores or their caches, so a budget in plain seconds would hold on one machine only.
 */
import { createHash } from "node:crypto";

/** Milliseconds of processor time that {@link work} needs while the tests run on the machine of the recorded budgets. */
const usualMs = 8.5;
const everyMs = 2_000;

/**
 * Measures a small piece of work every two seconds, which takes half a percent of one core.
 *
 * @returns a function that stops measuring and returns the factor by which the processor was slower than usual. 1 if it
 * measured nothing
 */
export function watchSlowness(): () => number {
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(millisecondsOf(work)), everyMs);
  return () => {
    clearInterval(timer);
    const median = samples.toSorted((one, other) => one - other)[Math.floor(samples.length / 2)];
    return median === undefined ? 1 : median / usualMs;
  };
}

function millisecondsOf(task: () => void): number {
  const before = process.threadCpuUsage();
  task();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${(id * 7_919) % 2_000}`, tags: [id % 7] }));

/** Parses, sorts and hashes, as the tests and the service do. */
function work(): void {
  for (let round = 0; round < 6; round++) {
    const text = JSON.stringify(rows);
    const copy = JSON.parse(text) as typeof rows;
    copy.sort((one, other) => (one.name < other.name ? -1 : 1));
    createHash("sha256").update(text).update(String(copy[0]?.id)).digest();
  }
}
