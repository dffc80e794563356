import { describe, expect, it } from "vitest";
import { NoReplyError } from "../errors.ts";
import { cacheCardRanges } from "./card-ranges.ts";
import type { CardRange } from "./threeds-responses.ts";

const visa = "4242424242424242";
const mastercard = "5555555555554444";
const ranges: CardRange[] = [
  {
    start: "4000000000000000",
    end: "4999999999999999",
    versions: [
      { version: "2.2.0", methodUrl: null },
      { version: "2.3.1", methodUrl: "https://bank.example/method" },
    ],
  },
];
const unreachable = () => Promise.reject(new NoReplyError("a request for card ranges", "ECONNREFUSED"));

function open(request: () => Promise<CardRange[]>) {
  const clock = { now: new Date("2026-06-01T12:00:00Z") };
  const warnings: string[] = [];
  const enrollment = cacheCardRanges(
    request,
    () => clock.now,
    (message) => void warnings.push(message),
  );
  return { enrollment, clock, warnings };
}

describe("the cached card ranges", () => {
  it("are requested once an hour", async () => {
    let requests = 0;
    const { enrollment, clock } = open(() => Promise.resolve((requests++, ranges)));
    expect(await enrollment(visa)).toEqual({ version: "2.3.1", methodUrl: "https://bank.example/method" });
    const start = clock.now.getTime();
    const hourMs = 60 * 60 * 1000;
    for (const later of [0, hourMs - 1]) {
      clock.now = new Date(start + later);
      await enrollment(visa);
    }
    expect(requests).toBe(1);
    clock.now = new Date(start + hourMs);
    await enrollment(visa);
    expect(requests).toBe(2);
    clock.now = new Date(start); // the clock was corrected
    await enrollment(visa);
    expect(requests).toBe(3);
  });

  it("include the first and the last card number of a range", async () => {
    const versions: CardRange["versions"] = [{ version: "2.2.0", methodUrl: null }];
    const { enrollment } = open(() => Promise.resolve([{ start: visa, end: visa, versions }]));
    expect(await enrollment(visa)).toEqual(versions[0]);
  });

  it("throw on a bug instead of warning about the acquirer", async () => {
    const { enrollment, warnings } = open(() => Promise.reject(new TypeError("Bug")));
    await expect(enrollment(visa)).rejects.toThrow(TypeError);
    expect(warnings).toEqual([]);
  });

  it("exclude cards outside a range or of another length", async () => {
    const { enrollment } = open(() => Promise.resolve(ranges));
    expect(await enrollment(mastercard)).toBeNull();
    const other = open(() => Promise.resolve(ranges.map((range) => ({ ...range, start: "4", end: "5" }))));
    expect(await other.enrollment(visa)).toBeNull();
  });

  it("stay in use if a refresh fails, and are unknown with a warning if there were none", async () => {
    let fetchRanges: () => Promise<CardRange[]> = unreachable;
    const { enrollment, clock, warnings } = open(() => fetchRanges());
    expect(await enrollment(visa)).toBe("unknown");
    expect(warnings).toHaveLength(1);
    fetchRanges = () => Promise.resolve(ranges);
    for (const later of [0, 29_999]) {
      clock.now = new Date(clock.now.getTime() + later);
      expect(await enrollment(visa)).toBe("unknown"); // no new request for 30 seconds
    }
    clock.now = new Date(clock.now.getTime() + 1);
    expect(await enrollment(visa)).toMatchObject({ version: "2.3.1" });
    fetchRanges = unreachable;
    clock.now = new Date(clock.now.getTime() + 2 * 60 * 60 * 1000);
    expect(await enrollment(visa)).toMatchObject({ version: "2.3.1" });
    expect(warnings).toHaveLength(2);
  });

  it("are requested once for concurrent callers", async () => {
    let requests = 0;
    const { enrollment } = open(() => Promise.resolve((requests++, ranges)));
    await Promise.all(Array.from({ length: 10 }, () => enrollment(visa)));
    expect(requests).toBe(1);
  });
});
