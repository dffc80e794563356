import { describe, expect, it, vi } from "vitest";
import { openForTests } from "../../scripts/test/open-for-tests.ts";
import { plantBug, plants, type PlantName } from "./plants.ts";
import { runSeed, type SeedResult } from "./run-seed.ts";
import { startService } from "./service.ts";

/** Starting takes seconds, and each world a tenth of a second. A busy machine takes ten times as long. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The first of ten seeds. In their worlds, everything happens that the first test requires. */
const firstSeed = 43;
const results: SeedResult[] = [];
const service = await openForTests(startService());
for (let seed = firstSeed; seed < firstSeed + 10; seed++) results.push(await runSeed(service, seed));

describe("a simulated world", () => {
  it("agrees with the acquirer, whatever happens", () => {
    expect(results.flatMap(({ seed, differences }) => differences.map((text) => `${seed}: ${text}`))).toEqual([]);
    const lines = results.flatMap((result) => result.lines).join("\n");
    // Otherwise, it would also agree if nothing happened.
    for (const happened of [
      ..."process died|a statement failed|(lost)|(late)|gets a 429|is lost|meanwhile:".split("|"),
      ..."session_changed|/embed_url -> 200|CAPTURE true|REFUND true|repetition of|passes the challenge".split("|"),
      ..."/shipping_option -> 200|/update_request -> 200 accepted".split("|"),
      "/update_request -> 200 rejected",
    ])
      expect(lines).toContain(happened);
  });

  it("is the same each time for the same seed, whatever ran before", async () => {
    const other = await startService();
    const again: SeedResult[] = [];
    for (const seed of [firstSeed + 4, firstSeed + 3]) again.unshift(await runSeed(other, seed));
    await other.close();
    expect(again).toEqual(results.slice(3, 5));
  });

  it.each(Object.keys(plants) as PlantName[])("shows the planted bug %s", async (plant) => {
    const remove = await plantBug(service, plant);
    const found: string[] = [];
    try {
      for (let seed = 1; seed <= 100 && found.length === 0; seed++)
        found.push(...(await runSeed(service, seed)).differences.filter((text) => isShown[plant].test(text)));
    } finally {
      await remove(); // the next test has a bug of its own
    }
    expect(found).not.toEqual([]);
  });
});

/** What each bug does. */
const isShown: Record<PlantName, RegExp> = {
  "lost-outbox-row": /^eventsAgree: /,
  "replay-after-window": /^(ledgersAgree|nobodyPaidTwice): /,
  "double-capture-entry": /^ledgersAgree: /,
  "unnoticed-change": /^nobodyPaidUnseenTotals: /,
  "unnamed-acceptance": /^untrueReplies: /,
};
