import { describe, expect, it } from "vitest";
import { shareAnswers } from "./share-answers.ts";

describe("an answer that is shared", () => {
  it("is worked out once for all who ask while it is, and anew for who asks later or for something else", async () => {
    const share = shareAnswers<number>();
    let asked = 0;
    const ask = async () => ++asked;
    expect(await Promise.all([share("a", ask), share("a", ask), share("b", ask)])).toEqual([1, 1, 2]);
    expect(await share("a", ask)).toBe(3);
  });

  it("fails for all who wait, and is tried anew by the next", async () => {
    const share = shareAnswers<string>();
    const fail = () => Promise.reject(new Error("no database"));
    const answers = await Promise.allSettled([share("a", fail), share("a", fail)]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await share("a", () => Promise.resolve("there"))).toBe("there");
  });
});
