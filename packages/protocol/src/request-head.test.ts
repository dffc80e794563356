import { describe, expect, it } from "vitest";
import { faultOfHead } from "./request-head.ts";

describe("the head of a request", () => {
  it.each([[["Host", "a"]], [["X-Host", "a", "HOST", "b"]], [["Accept", "host", "Host", "a", "X", "host"]], [[]]])(
    "with %j and a path is fine",
    (headers) => {
      expect(faultOfHead("/a?b", headers)).toBeNull();
    },
  );

  it.each([[["Host", "a", "Host", "a"]], [["host", "a", "X", "b", "HOST", ""]]])(
    "with %j names its host twice",
    (headers) => {
      expect(faultOfHead("/", headers)).toContain("one Host");
    },
  );

  it.each(["http://a/", "//".slice(2), "*", "a:443", "a/b"])("with the target %j is refused", (target) => {
    expect(faultOfHead(target, ["Host", "a"])).toContain("slash");
  });
});
