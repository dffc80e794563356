/**
 * Checks that no regular expression in shipped code takes more than linear time. Strangers choose much of the text that
 * the service and the checkout read, and JavaScript's engine backtracks: 15,000 spaces can cost it a tenth of a second.
 *
 * The check reads the expressions and runs none of them, so the result doesn't depend on the machine. scslre finds the
 * texts that repeat one character. It doesn't find those that repeat several, such as `abab`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { analyse } from "scslre";
import { parseSync, Visitor, type ESTree } from "vite";
import { describe, expect, it } from "vitest";

/** Expressions that may take longer, and why their text is short. */
const exceptions: Readonly<Record<string, string>> = {};

/** Files that build an expression from parts that the test can't read, and why it takes linear time. */
const builtFromParts: Readonly<Record<string, string>> = {
  "packages/server/src/merchants/underwriting/pdf-problem.ts": "names of the PDF format, without quantifiers",
};

/** Stand for a part of an expression that isn't a constant, in `{${count}}` and elsewhere. */
const someCount = "1";
const someText = "x";

interface Expression {
  path: string;
  source: string;
  flags: string;
}

const files = new Map(
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "packages/*/src/**"], {
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => [path, readFile(path)]),
);

describe("regular expressions in shipped code", () => {
  const unread: string[] = [];
  const expressions = [...files.keys()].flatMap((path) => expressionsIn(path, unread));

  it("take linear time", () => {
    expect(expressions.length).toBeGreaterThan(450);
    const slow = expressions.filter(({ source, flags }) => isSlow(source, flags));
    expect(slow.filter(({ source }) => exceptions[source] === undefined)).toEqual([]);
    expect(Object.keys(exceptions).filter((source) => slow.every((found) => found.source !== source))).toEqual([]);
  });

  it("can be read here, except in the files that are listed", () => {
    expect([...new Set(unread)]).toEqual(Object.keys(builtFromParts));
  });
});

describe("the check", () => {
  it.each([
    ["a long start", String.raw`\.[^/]*$`, ""],
    ["neighbors that share a character", String.raw`^\s*(.*?)\s*$`, ""],
    ["nested quantifiers", "^(a+)+$", ""],
    ["looking back from every character", String.raw`(?<=;\s*)=`, ""],
  ])("finds %s", (_name, source, flags) => {
    expect(isSlow(source, flags)).toBe(true);
  });

  it.each([
    ["a fixed start", String.raw`^\.[^/]*$`, ""],
    ["neighbors that share no character", String.raw`^\s*(\S+)\s*$`, ""],
    ["looking back from one character", String.raw`=(?<=;\s*=)`, ""],
  ])("accepts %s", (_name, source, flags) => {
    expect(isSlow(source, flags)).toBe(false);
  });
});

function isSlow(source: string, flags: string): boolean {
  return analyse(new RegExp(source, flags)).reports.length > 0;
}

/**
 * The literals, the arguments of `new RegExp`, and every string that starts with `^`, which is a pattern in a JSON
 * schema.
 *
 * @param unread gets the paths of expressions that can't be read
 */
function expressionsIn(path: string, unread: string[]): Expression[] {
  const found: Expression[] = [];
  const addPattern = (node: ESTree.Expression) => {
    const source = textOf(node, path);
    if (source?.startsWith("^")) found.push({ path, source, flags: "u" });
  };
  new Visitor({
    Literal(node) {
      if ("regex" in node) found.push({ path, source: node.regex.pattern, flags: node.regex.flags });
      else addPattern(node);
    },
    TemplateLiteral: addPattern,
    NewExpression({ callee, arguments: [pattern, flags] }) {
      if (callee.type !== "Identifier" || callee.name !== "RegExp" || pattern === undefined) return;
      const source = textOf(pattern, path);
      if (source === null) unread.push(path);
      else found.push({ path, source, flags: flags === undefined ? "" : (textOf(flags, path) ?? "") });
    },
  }).visit(fileAt(path).program);
  return found;
}

/** The text of a string or of a regular expression. Null if it isn't a constant. */
function textOf(node: ESTree.Node, path: string): string | null {
  if (node.type === "Literal") {
    if ("regex" in node) return node.regex.pattern;
    return typeof node.value === "string" ? node.value : null;
  }
  if (node.type === "TemplateLiteral") return joined(node, (quasi) => quasi.value.cooked ?? "", path);
  // String.raw
  if (node.type === "TaggedTemplateExpression") return joined(node.quasi, (quasi) => quasi.value.raw, path);
  if (node.type === "Identifier") return constantNamed(node.name, path);
  const isSource =
    node.type === "MemberExpression" && node.property.type === "Identifier" && node.property.name === "source";
  return isSource ? textOf(node.object, path) : null;
}

function joined(
  { quasis, expressions }: ESTree.TemplateLiteral,
  read: (quasi: ESTree.TemplateElement) => string,
  path: string,
): string {
  return quasis
    .map((quasi, i) => {
      const [text, expression] = [read(quasi), expressions[i]];
      if (expression === undefined) return text;
      return text + (textOf(expression, path) ?? (text.endsWith("{") ? someCount : someText));
    })
    .join("");
}

/** The value of a constant of this file, or of one that it imports, whose name is assumed to be unique. */
function constantNamed(name: string, path: string): string | null {
  const { constants, imports } = fileAt(path);
  const own = constants.get(name);
  if (own !== undefined) return textOf(own, path);
  if (!imports.has(name)) return null;
  for (const [other, { constants: theirs }] of files) {
    const value = theirs.get(name);
    if (value !== undefined) return textOf(value, other);
  }
  return null;
}

interface SourceFile {
  program: ESTree.Program;
  constants: Map<string, ESTree.Expression>;
  /** The imported names. */
  imports: Set<string>;
}

function readFile(path: string): SourceFile {
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  const constants = new Map<string, ESTree.Expression>();
  const imports = new Set<string>();
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init !== null) constants.set(id.name, init);
    },
    ImportSpecifier({ local }) {
      imports.add(local.name);
    },
  }).visit(program);
  return { program, constants, imports };
}

function fileAt(path: string): SourceFile {
  const file = files.get(path);
  if (file === undefined) throw new Error(`Bug: ${path} wasn't read`);
  return file;
}
