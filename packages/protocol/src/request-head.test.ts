import { describe, expect, it } from "vitest";
import { faultOfHead } from "./request-head.ts";

describe("faultOfHead", () => {
  it.each([[["Host", "a"]], [["X-Host", "a", "HOST", "b"]], [["Accept", "host", "Host", "a", "X", "host"]], [[]]])(
    "accepts a path with the headers %j",
    (headers) => {
      expect(faultOfHead("/a?b", headers)).toBeNull();
    },
  );

  it.each([[["Host", "a", "Host", "a"]], [["host", "a", "X", "b", "HOST", ""]]])(
    "refuses the duplicate Host in %j",
    (headers) => {
      expect(faultOfHead("/", headers)).toContain("one Host");
    },
  );

  it.each(["http://a/", "//".slice(2), "*", "a:443", "a/b"])("refuses the target %j", (target) => {
    expect(faultOfHead(target, ["Host", "a"])).toContain("slash");
  });
});
