import { describe, expect, it } from "vitest";
import { firstIdOf, newId, ownerTag, tenantOfId, tenantOfTag } from "./ids.ts";

const now = new Date("2026-06-01T12:00:00.000Z");
const owner = { accountNo: 2 ** 49 + 12_345, livemode: false };
const largest = { accountNo: 2 ** 50 - 1, livemode: true };
const smallest = { accountNo: 1, livemode: false };

describe("newId", () => {
  it("returns a prefix and 33 characters of an alphabet without ambiguous letters", () => {
    expect(newId("ch", now, owner)).toMatch(/^ch_[0-9a-hjkmnp-tv-z]{33}$/);
    expect(newId("acct", now)).toMatch(/^acct_[0-9a-hjkmnp-tv-z]{33}$/);
  });

  it("returns IDs that sort by time, across centuries and accounts", () => {
    const times = ["1970-01-01", "2026-06-01T12:00:00.000Z", "2026-06-01T12:00:00.001Z", "2999-01-01", "9999-12-31"];
    const ids = times.map((time, i) => newId("evt", new Date(time), i % 2 === 0 ? largest : smallest));
    expect([...ids].sort()).toEqual(ids);
  });

  it("returns unique IDs even within one millisecond", () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newId("att", now, owner))).size).toBe(10_000);
  });

  it("varies each of the 66 random bits", () => {
    const ids = Array.from({ length: 200 }, () => newId("att", now, owner));
    const random = ids.map((id) => id.slice(-13));
    for (let place = 0; place < 13; place++)
      expect(new Set(random.map((text) => text[place])).size).toBeGreaterThan(20);
    expect(new Set(ids.map((id) => id.at(-14))).size, "its last bit is random").toBe(2);
  });
});

describe("firstIdOf", () => {
  it("returns an ID that isn't above any ID of the same moment, and is above those before", () => {
    expect([newId("cs", now, smallest), firstIdOf("cs", now)].sort()[0]).toBe(firstIdOf("cs", now));
    const before = newId("cs", new Date(now.getTime() - 1), largest);
    expect([firstIdOf("cs", now), before].sort()[0]).toBe(before);
  });
});

describe("tenantOfId", () => {
  it.each([owner, largest, smallest])("reads account $accountNo in live mode: $livemode", (tenant) => {
    expect(tenantOfId(newId("pm", now, tenant))).toEqual(tenant);
    expect(tenantOfId(newId("pm", new Date("9999-12-31"), tenant))).toEqual(tenant);
  });

  it.each([
    ["an ID without an owner", newId("acct", now)],
    ["no ID", "pm_card_visa"],
    ["an ID that is too short", newId("ch", now, owner).slice(0, -1)],
    ["an ID that is too long", `${newId("ch", now, owner)}0`],
    ["a letter that isn't in the alphabet", newId("ch", now, owner).replace(/.$/, "u")],
    ["nothing", ""],
  ])("returns undefined for %s", (_, id) => expect(tenantOfId(id)).toBeUndefined());
});

describe("ownerTag", () => {
  it.each([owner, largest, smallest])("names account $accountNo in live mode: $livemode", (tenant) => {
    const tag = ownerTag(tenant);
    expect(tag).toMatch(/^[0-9a-hjkmnp-tv-z]{11}$/);
    expect(tenantOfTag(tag)).toEqual(tenant);
  });

  it.each([
    ["zeros", "00000000000"],
    ["another length", "0000000001"],
    ["other characters", "0000000000u"],
    ["bits above the owner's", "zzzzzzzzzzz"],
  ])("returns undefined for %s", (_, tag) => expect(tenantOfTag(tag)).toBeUndefined());
});
