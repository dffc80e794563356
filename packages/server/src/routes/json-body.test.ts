import { describe, expect, it } from "vitest";
import { findFault } from "./json-body.ts";

describe("a JSON body", () => {
  it.each([
    "{}",
    "[]",
    '""',
    "7",
    '{"a":{"a":{"a":1}},"b":{"a":[{"a":1},{"a":2}]}}',
    '{"a":"\\"b\\":1, \\"b\\":2","b":1}',
    '{"a":"{","b":"}","c":"{\\"a\\":","d":"\\\\"}',
    '{"a\\\\":1,"a":2,"A":3,"":4," ":5}',
    '[{"a":1},{"a":1}]',
    '{"a" : 1 ,\n"b"\t:\r2}',
    '{"a":"\\u00e9\\ud83c\\udf88","é":"🎈"}',
    "[".repeat(16) + "]".repeat(16),
  ])("%s is fine", (json) => {
    JSON.parse(json);
    expect(findFault(json)).toBeNull();
  });

  it.each([
    ['{"a":1,"a":1}', "the same name twice"],
    ['{"a":1,"b":{"c":[]},"a":2}', "the same name twice"],
    ['{"x":[1,{"a":1,"\\u0061" : 2}]}', "the same name twice"],
    ['{"":1,"":2}', "the same name twice"],
    ['{"\\"":1,"\\u0022":2}', "the same name twice"],
    ['{"a":"\\u0000"}', "a character that is none"],
    ['{"\\u0000":1}', "a character that is none"],
    ['["\\ud83c"]', "a character that is none"],
    ['["\\udf88\\ud83c"]', "a character that is none"],
    ["[".repeat(17) + "]".repeat(17), "nested too deeply"],
    ['{"a":'.repeat(17) + "1" + "}".repeat(17), "nested too deeply"],
  ])("%s is not: it holds %s", (json, fault) => {
    JSON.parse(json);
    expect(findFault(json)).toContain(fault);
  });

  it("of the largest size is looked through at once, whatever it is made of", () => {
    const size = 64 * 1024;
    for (const json of [
      `"${"x".repeat(size)}"`,
      `"${"\\\\".repeat(size / 2)}"`,
      `[${"[],".repeat(size / 3)}1]`,
      `[${'"",'.repeat(size / 3)}1]`,
    ]) {
      const startedAt = performance.now();
      expect(findFault(json)).toBeNull();
      expect(performance.now() - startedAt).toBeLessThan(500);
    }
  });
});
