import { deliverNotifications } from "./notifications.ts";
import { nextWorkMs, work } from "./worker.ts";
import type { World } from "./world.ts";

/** No world has so many. */
const maxSteps = 5_000;

/** Lets everything happen until nothing is left to happen before `untilMs`. */
export async function runUntil(world: World, untilMs: number): Promise<void> {
  const { schedule, acquirer, conditions } = world;
  const { processes } = world.service;
  const idle = world.chance.stream("idle");
  let [workMs, knownAt] = [Infinity, -1];
  for (let steps = 0; ; steps++) {
    if (steps > maxSteps) throw new Error(`The world isn't quiet after ${maxSteps} steps`);
    // Only a process can change what there is to do.
    if (knownAt !== processes.runs) [workMs, knownAt] = [await nextWorkMs(world), processes.runs];
    const dueMs = acquirer.ledger.nextDue()?.getTime() ?? Infinity;
    const nextMs = Math.min(schedule.nextMs(), workMs, dueMs);
    if (nextMs > untilMs) break;
    if (dueMs <= nextMs) {
      schedule.advanceTo(dueMs);
      deliverNotifications(world);
    } else if (workMs <= nextMs) {
      // A worker looks once a second. It may also be busy, or restarting.
      const delayMs = idle.happens(conditions.idleWorkers) ? idle.between(1_000, 10 * 60_000) : idle.between(0, 1_000);
      const atMs = Math.max(schedule.nowMs, workMs) + delayMs;
      if (schedule.nextMs() < atMs) {
        const next = schedule.takeNext(atMs);
        await next?.run();
        continue;
      }
      schedule.advanceTo(atMs);
      await work(world);
    } else {
      const next = schedule.takeNext(nextMs);
      await next?.run();
    }
  }
  schedule.advanceTo(untilMs);
}
