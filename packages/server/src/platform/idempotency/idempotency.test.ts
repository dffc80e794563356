import { describe, expect, it } from "vitest";
import { checkKeyFormat } from "./idempotency.ts";
import { canonicalJson, fingerprintOf } from "./request-fingerprint.ts";

describe("a request's fingerprint", () => {
  const of = (body: unknown, method = "POST", path = "/api/v1/charges") =>
    fingerprintOf(method, path, body).hash.toString("hex");

  it("is the same whatever the order of the names", () => {
    expect(of({ a: 1, b: { c: [1, 2], d: null } })).toBe(of({ b: { d: null, c: [1, 2] }, a: 1 }));
  });

  it("differs for every other method, path and body", () => {
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

  // A fingerprint is kept for a day: another order would refuse what is sent again after an update.
  it("is made of JSON with its names sorted, and of nothing where there is no body", () => {
    expect(canonicalJson({ b: [2, 1], a: { d: null, c: "x" } })).toBe('{"a":{"c":"x","d":null},"b":[2,1]}');
    expect(canonicalJson(undefined)).toBe("");
  });

  it("is JSON that says the same", () => {
    const value = { b: [1, { z: "ü", a: null }], a: "\u2028", "": true };
    expect(JSON.parse(canonicalJson(value))).toEqual(value);
  });
});

describe("a key", () => {
  it.each(["", " ", "a b", "a\tb", "a\n", "é", "k".repeat(256), "\u0000"])("may not be %j", (key) => {
    expect(() => checkKeyFormat(key)).toThrow("1 to 255 visible ASCII characters");
  });
  it("may not hold a card number, for it is kept in clear", () => {
    const refusal = { code: "idempotency_key_invalid", details: { param: "Idempotency-Key" } };
    expect(() => checkKeyFormat("order-4242424242424242")).toThrow(expect.objectContaining(refusal));
  });
  it.each(["k", "~", "!", "k".repeat(255), "e7c5b8f6-55a1-4f0e"])("may be %j", (key) => {
    expect(() => checkKeyFormat(key)).not.toThrow();
  });
});
