import { describe, expect, it } from "vitest";
import { applyEdit, mutantsOf } from "./mutants.ts";

const textsOf = (source: string) => mutantsOf("example.ts", source).map((mutant) => applyEdit(source, mutant));

describe("the mutants of a file", () => {
  it.each<[string, string[]]>([
    ["f = a < b;", ["f = a <= b;", "f = a >= b;"]],
    ["f = a >= b;", ["f = a > b;", "f = a < b;"]],
    ["f = a === b;", ["f = a !== b;"]],
    ["f = (a) === b;", ["f = (a) !== b;"]],
    ["f = a && b;", ["f = a || b;"]],
    ["f = a || b;", ["f = a && b;"]],
    ["f = a ?? b;", ["f = a;"]],
    ["f = !a;", ["f = a;"]],
    ["f = a + b;", ["f = a - b;"]],
    ["f = a % b;", ["f = a * b;"]],
    ["f += a;", ["f -= a;"]],
    ["f++;", ["f--;"]],
    ["--f;", ["++f;"]],
    ["f = a ? b : c;", ["f = true ? b : c;", "f = false ? b : c;"]],
    ["if (a) b = c;", ["if (true) b = c;", "if (false) b = c;"]],
    ["f = true;", ["f = false;"]],
    ["f = 7;", ["f = 8;"]],
    ["f = 1_000;", ["f = 1001;"]],
    ["f = 1n;", ["f = 2n;"]],
    ["const waitMs = 7;", ["const waitMs = 14;"]],
    ['f = "eur";', ['f = "";']],
    ["f = `${a}b`;", ['f = "";']],
    ["f = /^a$/i;", ["f = /a$/i;", "f = /^a/i;"]],
    ["f = /a\\$/;", []],
    ["f = a?.b;", ["f = a.b;"]],
    ["f = a?.[b];", ["f = a[b];"]],
    ["f = a?.();", ["f = a();"]],
    ["f();", [";"]],
    ["await f();", [";"]],
    ["void f();", [";"]],
    ["f = await a;", []],
    ["throw a;", [";"]],
    ["function f() { return; }", ["function f() { ; }"]],
    ["f = a.filter(b);", ["f = a;"]],
  ])("include every mutation of %s", (source, mutated) => {
    expect(textsOf(source)).toEqual(mutated);
  });

  it("invert or drop the conditions of a query", () => {
    const source = 'q = db.selectFrom("t").where("at", "<=", now).where("status", "=", "open");';
    expect(textsOf(source)).toEqual([
      'q = db.selectFrom("t").where("status", "=", "open");',
      'q = db.selectFrom("t").where("at", "<", now).where("status", "=", "open");',
      'q = db.selectFrom("t").where("at", ">", now).where("status", "=", "open");',
      'q = db.selectFrom("t").where("at", "<=", now);',
      'q = db.selectFrom("t").where("at", "<=", now).where("status", "!=", "open");',
      'q = db.selectFrom("t").where("at", "<=", now).where("status", "=", "");',
    ]);
  });

  it("change SQL operators in strings", () => {
    expect(textsOf("q = sql`a - ${b} <= c`;")).toEqual(["q = sql`a + ${b} <= c`;", "q = sql`a - ${b} < c`;"]);
    expect(textsOf('q = "update t set a = 1 where b > 2 and c";')).toEqual([
      'q = "update t set a <> 1 where b > 2 and c";',
      'q = "update t set a = 1 where b >= 2 and c";',
      'q = "update t set a = 1 where b > 2 or c";',
    ]);
  });

  it.each([
    'import { a } from "./a.ts";',
    'export * from "./a.ts";',
    'type A = "a" | 1 | true;',
    'const a: "b" = c as "d";',
    "f = { 'a-b': c };",
    'f = new ApiError(code, "Send it again.");',
    "f = new ApiError(code, `Send ${a} again.`);",
    'f = a + "";',
    'f = "";',
    "f = a``;",
    'q = t.$asTuple("a", "b", "c").select(["a", "b", "c"]);',
  ])("don't include changes to %s", (source) => {
    expect(textsOf(source)).toEqual([]);
  });

  it("show their line, their function, and the line before and after", () => {
    const source = "// é 🎈\nexport function f(a: number) {\n  const isLess = () => a < 1;\n  return isLess;\n}\n";
    expect(mutantsOf("example.ts", source)[0]).toMatchObject({
      file: "example.ts",
      line: 3,
      within: "isLess",
      operator: "comparison",
      before: "const isLess = () => a < 1;",
      after: "const isLess = () => a <= 1;",
    });
  });

  it("show the line of a dropped condition, wherever the query starts", () => {
    const [mutant] = mutantsOf("example.ts", "q = a\n  .where(b)\n  .all();");
    expect(mutant).toMatchObject({ line: 2, operator: "link dropped", before: ".where(b)", after: "" });
  });

  it("are deterministic, and all of them parse", () => {
    const source = "async function f() { if (await a()) throw b; return c?.d ?? 1; }";
    const mutants = mutantsOf("example.ts", source);
    expect(mutants.length).toBeGreaterThan(5);
    expect(mutantsOf("example.ts", source)).toEqual(mutants);
    for (const mutant of mutants) expect(() => mutantsOf("example.ts", applyEdit(source, mutant))).not.toThrow();
  });
});
