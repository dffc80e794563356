/** Checks that the loader, its help page and the troubleshooting guide have the same error codes. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadErrors, type LoadError } from "@oriel/protocol/load-errors";
import type { CheckoutErrorCode } from "../../../../embed/src/api/checkout-error.ts";

// Doesn't compile unless the record has exactly the loader's codes.
const ofEachCode: Readonly<Record<CheckoutErrorCode, LoadError>> = loadErrors;
const known = Object.keys(ofEachCode);

describe("loadErrors", () => {
  it("says for each code what happened and what to do, in complete sentences with balanced backticks", () => {
    expect(known.length).toBeGreaterThan(10);
    for (const [code, { what, doThis }] of Object.entries(loadErrors)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      for (const text of [what, doThis]) {
        expect(text).toMatch(/^[A-Z][^]{20,}[.)]$/);
        expect(text.split("`").length % 2).toBe(1);
      }
    }
  });
});

describe("docs/embed/troubleshooting.md", () => {
  const text = readFileSync(new URL("../../../../../docs/embed/troubleshooting.md", import.meta.url), "utf8");

  it("has a table row and a section for each code and no others", () => {
    const codesAfter = (mark: string) =>
      text
        .split(`\n${mark} \``)
        .slice(1)
        .map((rest) => rest.slice(0, rest.indexOf("`")));
    expect(codesAfter("|").toSorted()).toEqual(known.toSorted());
    expect(codesAfter("##").toSorted()).toEqual(known.toSorted());
  });

  it("says the same about each code as the service's help page", () => {
    for (const [code, { what, doThis }] of Object.entries(loadErrors)) {
      const [section = ""] = (text.split(`\n## \`${code}\`\n`)[1] ?? "").split("\n## ");
      const words = section.replaceAll(/\s+/g, " ");
      expect(words).toContain(what);
      expect(words).toContain(`**What to do.** ${doThis}`);
    }
  });
});
