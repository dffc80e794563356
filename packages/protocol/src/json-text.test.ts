import { describe, expect, it } from "vitest";
import { findFault, isForeignCharset } from "./json-text.ts";

describe("findFault", () => {
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
  ])("accepts %s", (json) => {
    JSON.parse(json);
    expect(findFault(json)).toBeNull();
  });

  it.each([
    ['{"a":1,"a":1}', "the same property name twice"],
    ['{"a":1,"b":{"c":[]},"a":2}', "the same property name twice"],
    ['{"x":[1,{"a":1,"\\u0061" : 2}]}', "the same property name twice"],
    ['{"":1,"":2}', "the same property name twice"],
    ['{"\\"":1,"\\u0022":2}', "the same property name twice"],
    ['{"a":"\\u0000"}', "an invalid character"],
    ['{"\\u0000":1}', "an invalid character"],
    ['["\\ud83c"]', "an invalid character"],
    ['["\\udf88\\ud83c"]', "an invalid character"],
    ["[".repeat(17) + "]".repeat(17), "nested too deeply"],
    ['{"a":'.repeat(17) + "1" + "}".repeat(17), "nested too deeply"],
  ])("refuses %s because of %s", (json, fault) => {
    JSON.parse(json);
    expect(findFault(json)).toContain(fault);
  });

  it.each([
    "0",
    "-0",
    "0.1",
    "-1.50",
    "4900.0",
    "49e2",
    "4.9E+3",
    "1e-7",
    "1e300",
    "9007199254740992",
    "1.7976931348623157e308",
    "5e-324",
  ])("accepts the number %s, which keeps its value", (number) => {
    expect(findFault(`{"a":[${number}]}`)).toBeNull();
  });

  it.each([
    "99.99999999999999999",
    "1.0000000000000001",
    "9007199254740993",
    "-0.30000000000000001",
    "1e309",
    "1e-400",
    "1e99999999999999999999",
    `1${"0".repeat(64)}`,
  ])("refuses the number %s, which would change its value", (number) => {
    JSON.parse(number);
    expect(findFault(`{"a":[${number}]}`)).toContain("number");
    expect(findFault(`{"a":"${number}"}`)).toBeNull();
  });

  // The largest body is 64 KiB. At this larger size, code that takes quadratic time exceeds the test's time limit.
  it.each<[string, (size: number) => string]>([
    ["one string", (size) => `"${"x".repeat(size)}"`],
    ["escapes", (size) => `"${"\\\\".repeat(size / 2)}"`],
    ["lists", (size) => `[${"[],".repeat(size / 3)}1]`],
    ["strings", (size) => `[${'"",'.repeat(size / 3)}1]`],
    ["numbers", (size) => `[${"1,".repeat(size / 2 - 1)}1]`],
  ])("takes linear time for a large body of %s", { timeout: 20_000 }, (_name, jsonOf) => {
    expect(findFault(jsonOf(512 * 1024))).toBeNull();
  });
});

describe("isForeignCharset", () => {
  it.each([
    undefined,
    "application/json",
    "application/json; charset=utf-8",
    'application/json;CHARSET = "UTF-8"',
    "a/b; xcharset=latin1",
  ])("returns false for %s", (type) => {
    expect(isForeignCharset(type)).toBe(false);
  });

  it.each([
    "a/b; charset=latin1",
    "a/b;charset=utf-16",
    "a/b; charset=utf-8; charset=x",
    "a/b; charset=",
    'a/b; charset="utf-8 "',
  ])("returns true for %s", (type) => {
    expect(isForeignCharset(type)).toBe(true);
  });
});
