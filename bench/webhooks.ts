/**
 * `npm run bench -- webhooks`: measures webhook delivery. Everything is real except the bank, which is the sandbox.
 * PostgreSQL has `synchronous_commit=on`. `oriel-server serve` and the receivers run in their own processes. Everything
 * shares the cores of one machine.
 */
import { openService } from "../trials/chaos/service.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { printMeasurements, writeMeasurements, type Measurement } from "./measurement.ts";
import { measureDelay } from "./webhooks/delay.ts";
import { measureDrain } from "./webhooks/drain.ts";
import { measureIsolation } from "./webhooks/isolation.ts";
import { measureMemory } from "./webhooks/memory.ts";
import { openReceivers } from "./webhooks/receivers.ts";
import type { Testbed } from "./webhooks/setup.ts";

const parts: Record<string, (testbed: Testbed) => Promise<Measurement[]>> = {
  delay: measureDelay,
  drain: measureDrain,
  isolation: measureIsolation,
  memory: measureMemory,
};
export const webhookParts = Object.keys(parts);

/** @param only - Runs only this part and writes nothing to disk. */
export async function benchWebhooks(only: string | null): Promise<void> {
  const service = await openService({ roles: ["all", "api", "worker"] });
  const receivers = await openReceivers();
  const machine = { ...describeMachine(), ...(await describePostgres(service.db)) };
  const measurements: Measurement[] = [];
  try {
    for (const [name, measure] of Object.entries(parts)) {
      if (only !== null && only !== name) continue;
      console.log(`Measuring ${name} ...`);
      measurements.push(...(await measure({ service, receivers })));
    }
    if (service.processes.failures.length > 0)
      throw new Error("A process exited unexpectedly, so the figures are invalid.");
    if (only === null) writeMeasurements("webhooks", machine, measurements);
  } finally {
    printMeasurements(machine, measurements);
    const { failures } = service.processes;
    for (const what of failures) console.error(what);
    receivers.close(); // close these first, or the worker keeps waiting for a tar pit's response
    await service.close(failures.length > 0);
  }
}
