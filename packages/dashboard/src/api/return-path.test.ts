import { describe, expect, it } from "vitest";
import { returnPath, signInPath } from "./return-path.ts";

const origin = "https://dashboard.example";
const back = (target: string) => returnPath(`?return=${encodeURIComponent(target)}`, origin);

describe("the return path after signing in", () => {
  it("leads to the page where the session ended, with its filters", () => {
    const from = "/acct_1/test/payments?status=failed";
    const [, search] = signInPath(from).split("/sign-in");
    expect(returnPath(search ?? "", origin)).toBe(from);
  });

  it.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "/.//evil.example/",
    "/a/..//evil.example/",
    "javascript:alert(1)",
    "evil.example",
    "",
  ])("never leads to %j", (target) => {
    expect(back(target)).toBe("/");
  });

  it("is the start page by default", () => {
    expect(returnPath("", origin)).toBe("/");
    expect(signInPath("/")).toBe("/sign-in");
  });
});
