import { describe, expect, test } from "vitest";
import { Faults, type FaultTarget, type Rule } from "./faults.ts";

const target: FaultTarget = { kind: "authorization", reference: "r1", last4: "4242" };

function faultsWith(rules: Rule[], random = () => 0): Faults {
  const faults = new Faults({ random, lateMs: 12_000 });
  expect(faults.add(rules)).toBeNull();
  return faults;
}

describe("a fault rule", () => {
  test.each<[string, Rule["match"], boolean]>([
    ["nothing", {}, true],
    ["the kind", { kind: "authorization" }, true],
    ["another kind", { kind: "capture" }, false],
    ["the reference", { reference: "r1" }, true],
    ["another reference", { reference: "r2" }, false],
    ["the last four", { last4: "4242" }, true],
    ["another last four", { last4: "0002" }, false],
    ["everything", { kind: "authorization", reference: "r1", last4: "4242", probability: 1 }, true],
    ["everything but one", { kind: "authorization", reference: "r1", last4: "0002" }, false],
  ])("that matches requests by %s %j strikes: %s", (_what, match, strikes) => {
    const strike = faultsWith([{ match, fault: "down" }]).strike(target);
    expect(strike).toEqual(strikes ? { fault: "down", ms: 12_000 } : null);
  });

  test("for a card doesn't strike a request without a known card", () => {
    const faults = faultsWith([{ match: { last4: "4242" }, fault: "down" }]);
    expect(faults.strike({ ...target, last4: null })).toBeNull();
  });

  test("applies its probability only to requests that meet its other conditions", () => {
    const draws = [0.09, 0.1, 0.99];
    const faults = faultsWith(
      [{ match: { kind: "authorization", probability: 0.1 }, fault: "down" }],
      () => draws.shift() ?? 1,
    );
    expect(faults.strike({ ...target, kind: "capture" })).toBeNull();
    expect([1, 2, 3].map(() => faults.strike(target)?.fault)).toEqual(["down", undefined, undefined]);
    expect(draws).toEqual([]);
  });

  test("strikes `times` times, and then the next matching rule strikes", () => {
    const faults = faultsWith([
      { match: {}, fault: "down", times: 2 },
      { match: {}, fault: "garbage" },
    ]);
    expect([1, 2, 3].map(() => faults.strike(target)?.fault)).toEqual(["down", "down", "garbage"]);
    expect(faults.list().map(({ struck }) => struck)).toEqual([2, 1]);
  });

  test.each([
    ["timeout_before", true],
    ["error_before", true],
    ["down", true],
    ["garbage", true],
    ["timeout_after", false],
    ["error_after", false],
    ["late", false],
    ["answer_twice", false],
  ] as const)("for %s that matches everything strikes a lookup: %s", (fault, strikes) => {
    const faults = faultsWith([{ match: {}, fault }]);
    expect(faults.strike({ ...target, kind: "lookup" })?.fault).toBe(strikes ? fault : undefined);
    expect(faults.add([{ match: { kind: "lookup" }, fault }]) === null).toBe(strikes);
  });

  test("strikes a result only if it names that kind", () => {
    const result: FaultTarget = { kind: "result", reference: "t1", last4: null };
    expect(faultsWith([{ match: {}, fault: "answer_twice" }]).strike(result)).toBeNull();
    expect(faultsWith([{ match: { kind: "result" }, fault: "answer_twice" }]).strike(result)).toMatchObject({
      fault: "answer_twice",
    });
  });

  test("delays by its own `ms`, or otherwise by the bank's default", () => {
    const faults = faultsWith([
      { match: {}, fault: "late", ms: 5, times: 1 },
      { match: {}, fault: "late" },
    ]);
    expect([faults.strike(target)?.ms, faults.strike(target)?.ms]).toEqual([5, 12_000]);
  });
});

describe("a card's own fault", () => {
  test("strikes if no rule does, up to `times` times for each reference", () => {
    const faults = faultsWith([{ match: { reference: "r2" }, fault: "down", times: 1 }]);
    const cardFault = { fault: "error_before", times: 1 } as const;
    const strikes = ["r1", "r1", "r2", "r2", "r2"].map(
      (reference) => faults.strike({ ...target, reference, cardFault })?.fault,
    );
    expect(strikes).toEqual(["error_before", undefined, "down", "error_before", undefined]);
  });

  test("that has no `times` always strikes and can't be deleted", () => {
    const faults = faultsWith([]);
    faults.clear();
    const strikes = [1, 2, 3].map(() => faults.strike({ ...target, cardFault: { fault: "timeout_after" } })?.fault);
    expect(strikes).toEqual(["timeout_after", "timeout_after", "timeout_after"]);
  });
});

test("at most a thousand rules are allowed, and none of a batch that exceeds the limit is added", () => {
  const faults = faultsWith(Array.from({ length: 999 }, () => ({ match: {}, fault: "down" }) as const));
  const two: Rule[] = [
    { match: {}, fault: "down" },
    { match: {}, fault: "down" },
  ];
  expect(faults.add(two)).toContain("at most 1000");
  expect(faults.list()).toHaveLength(999);
});
