/** Tests that workers divide due work between accounts. No worker runs by itself here. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { countDue, dueWork, manyAndFew, whileOthersAreMissing } from "./setup/due-work.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ role: "api" }));

describe.each(dueWork)("due work: $what", (work) => {
  it("is taken from an account with little even if another one has much more that has been due for longer", async () => {
    const { context } = service;
    const merchants = await manyAndFew(service, work, { many: 30, few: 3 });
    const left = async () => ({
      many: await countDue(context, work, merchants.many.tenant),
      few: await countDue(context, work, merchants.few.tenant),
    });
    expect(await left()).toEqual({ many: 30, few: 3 });
    await work.take(context, 4);
    expect(await left()).toEqual({ many: 28, few: 1 });
    await work.take(context, 10);
    const { many, few } = await left();
    expect(few).toBe(0);
    expect(many).toBeLessThan(28);
    expect(many).toBeGreaterThanOrEqual(19);
    await work.take(context, 1_000);
    expect(await left()).toEqual({ many: 0, few: 0 });
  });

  it("is left for later if the account's node doesn't respond", async () => {
    const { context } = service;
    const { many, few } = await manyAndFew(service, work, { many: 3, few: 2 });
    await work.take(whileOthersAreMissing(context, few), 1_000);
    expect([await countDue(context, work, many.tenant), await countDue(context, work, few.tenant)]).toEqual([3, 0]);
    await work.take(context, 1_000);
    expect(await countDue(context, work, many.tenant)).toBe(0);
  });
});
