/** A closed loop: each client starts its next operation when the previous one is done. */
import { percentile, rounded } from "../measurement.ts";

export interface Pace {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  /** Milliseconds of each operation. */
  took: readonly number[];
}

/** @param clients - One operation per client, which the client repeats. */
export async function runLoop(clients: readonly (() => Promise<unknown>)[], seconds: number): Promise<Pace> {
  const took: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  await Promise.all(
    clients.map(async (work) => {
      for (let began = performance.now(); began < endsAt;) {
        await work();
        const ended = performance.now();
        took.push(ended - began);
        began = ended;
      }
    }),
  );
  const elapsed = (performance.now() - startedAt) / 1000;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => rounded(percentile(took, share))) as [
    number,
    number,
    number,
  ]; // there are always three
  return { perSecond: rounded(took.length / elapsed), p50, p95, p99, took };
}
