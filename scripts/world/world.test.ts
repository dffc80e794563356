import { afterEach, describe, expect, it } from "vitest";
import { plants, type PlantName } from "./plants.ts";
import { runSeed, type SeedResult } from "./run-seed.ts";
import { startService, type SimulatedService } from "./service.ts";

/** Starting takes seconds, and each world a tenth of a second. A busy machine takes ten times as long. */
const timeoutMs = 180_000;

let service: SimulatedService;
afterEach(() => service.close());

async function runSeeds(from: number, count: number): Promise<SeedResult[]> {
  const results: SeedResult[] = [];
  for (let seed = from; seed < from + count; seed++) results.push(await runSeed(service, seed));
  return results;
}

describe("a simulated world", () => {
  it("agrees with the acquirer, whatever happens", { timeout: timeoutMs }, async () => {
    service = await startService();
    const results = await runSeeds(1, 20);
    expect(results.flatMap(({ seed, differences }) => differences.map((text) => `${seed}: ${text}`))).toEqual([]);
    const lines = results.flatMap((result) => result.lines).join("\n");
    // Otherwise, it would also agree if nothing happened.
    for (const happened of ["process died", "(lost)", "(late)", "is lost", "meanwhile:", "CAPTURE true", "REFUND true"])
      expect(lines).toContain(happened);
  });

  it("is the same each time for the same seed, whatever ran before", { timeout: timeoutMs }, async () => {
    service = await startService();
    const first = await runSeeds(4, 4);
    const again = [];
    for (let seed = 7; seed >= 4; seed--) again.unshift(...(await runSeeds(seed, 1)));
    expect(again).toEqual(first);
    await service.close();
    service = await startService();
    expect(await runSeeds(4, 4)).toEqual(first);
  });

  it.each(Object.keys(plants) as PlantName[])("shows the planted bug %s", { timeout: timeoutMs }, async (plant) => {
    service = await startService(plant);
    const found: string[] = [];
    for (let seed = 1; seed <= 100 && found.length === 0; seed++)
      found.push(...(await runSeed(service, seed)).differences.filter((text) => isShown[plant].test(text)));
    expect(found).not.toEqual([]);
  });
});

/** What each bug does. */
const isShown: Record<PlantName, RegExp> = {
  "lost-outbox-row": /^eventsTellTheTruth: /,
  "replay-after-window": /^(ledgersAgree|nobodyPaidTwice): /,
  "double-capture-entry": /^ledgersAgree: /,
};
