import { describe, expect, it } from "vitest";
import { shareResults } from "./share-results.ts";

describe("shareResults", () => {
  it("runs the work once for simultaneous calls with the same key, and again for later calls", async () => {
    const share = shareResults<number>();
    let calls = 0;
    const work = async () => ++calls;
    expect(await Promise.all([share("a", work), share("a", work), share("b", work)])).toEqual([1, 1, 2]);
    expect(await share("a", work)).toBe(3);
  });

  it("rejects all waiting callers if the work fails, and runs it again for the next caller", async () => {
    const share = shareResults<string>();
    const fail = () => Promise.reject(new Error("no database"));
    const results = await Promise.allSettled([share("a", fail), share("a", fail)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await share("a", () => Promise.resolve("connected"))).toBe("connected");
  });
});
