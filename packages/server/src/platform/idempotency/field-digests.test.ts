import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { differingFields, digestFields } from "./field-digests.ts";

/** Unkeyed, because these tests only check which fields are reported. */
const keys = { sign: (text: string) => createHash("sha256").update(text).digest("hex") };

const bodyOf = (fields: number, value: string) => ({
  metadata: Object.fromEntries(Array.from({ length: fields }, (_, i) => [`k${i}`, value])),
});

describe("field digests of a body", () => {
  it.each([
    [199, 199],
    [200, 200],
    [201, 200],
    [5_000, 200],
  ])("with %d fields cover %d of them", (fields, covered) => {
    const paths = Object.keys(digestFields(keys, bodyOf(fields, "a")));
    expect(paths).toEqual(Array.from({ length: covered }, (_, i) => `metadata.k${i}`));
  });

  it("are the first 16 digits of a signature over the field's path and value", () => {
    const echo = { sign: (text: string) => `0123456789abcdef${text}` };
    expect(digestFields(echo, { a: 1 })).toEqual({ a: "0123456789abcdef" });
    const signed: string[] = [];
    digestFields({ sign: (text) => `${signed.push(text)}` }, { a: [{ b: "c" }] });
    expect(signed).toEqual(['idempotency field a[0].b "c"']);
  });

  it("report no field after the 200th when all fields differ", () => {
    const [first, second] = [digestFields(keys, bodyOf(201, "a")), digestFields(keys, bodyOf(201, "b"))];
    const differed = differingFields(first, second);
    expect(differed).toHaveLength(200);
    expect(differed).toContain("metadata.k199");
    expect(differed).not.toContain("metadata.k200");
  });
});
