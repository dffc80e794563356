import { describe, expect, it } from "vitest";
import { checkKeyFormat } from "./idempotency.ts";
import { canonicalJson, fingerprintOf } from "./request-fingerprint.ts";

describe("fingerprintOf", () => {
  const of = (body: unknown, method = "POST", path = "/api/v1/charges") =>
    fingerprintOf(method, path, body).hash.toString("hex");

  it("ignores the order of names", () => {
    expect(of({ a: 1, b: { c: [1, 2], d: null } })).toBe(of({ b: { d: null, c: [1, 2] }, a: 1 }));
  });

  it("changes with the method, the path and the body", () => {
    const bodies: unknown[] = [
      {},
      [],
      "",
      null,
      undefined,
      0,
      "0",
      false,
      "false",
      "null",
      "{}",
      "[]",
      { a: 1 },
      { a: "1" },
      { a: [1] },
      { a: { 0: 1 } },
      { a: null },
      { A: 1 },
      { a: 1, b: 2 },
      { "a:1,b": 2 },
      [1, 2],
      [2, 1],
      [[1], 2],
      [1, [2]],
      ["1,2"],
      { a: "b\nc" },
      { a: "b", c: 1 },
      { 'a":1,"b': 2 },
    ];
    const fingerprints = bodies.map((body) => of(body));
    expect(new Set([...fingerprints, of({}, "GET"), of({}, "POST", "/api/v1/refunds")]).size).toBe(bodies.length + 2);
  });

  // Fingerprints are stored for a day. Changing the format would reject retries after an update.
  it("hashes JSON with sorted names, or an empty string if there is no body", () => {
    expect(canonicalJson({ b: [2, 1], a: { d: null, c: "x" } })).toBe('{"a":{"c":"x","d":null},"b":[2,1]}');
    expect(canonicalJson(undefined)).toBe("");
  });

  it("hashes JSON that parses to the same value", () => {
    const value = { b: [1, { z: "ü", a: null }], a: "\u2028", "": true };
    expect(JSON.parse(canonicalJson(value))).toEqual(value);
  });
});

describe("checkKeyFormat", () => {
  it.each(["", " ", "a b", "a\tb", "a\n", "é", "k".repeat(256), "\u0000"])("rejects %j", (key) => {
    expect(() => checkKeyFormat(key)).toThrow("1 to 255 visible ASCII characters");
  });
  it("rejects a card number, because keys are stored unencrypted", () => {
    const refusal = { code: "idempotency_key_invalid", details: { param: "Idempotency-Key" } };
    expect(() => checkKeyFormat("order-4242424242424242")).toThrow(expect.objectContaining(refusal));
  });
  it.each(["k", "~", "!", "k".repeat(255), "e7c5b8f6-55a1-4f0e"])("accepts %j", (key) => {
    expect(() => checkKeyFormat(key)).not.toThrow();
  });
});
