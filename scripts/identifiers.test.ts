/**
 * Keeps words that only this project used out of its identifiers and file names, so that each thing has one name. The
 * check reads what a file declares: variables, parameters, functions, types and properties. It doesn't read strings or
 * comments.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";

/**
 * Patterns for an identifier's words, in lowercase and separated by spaces, what to write instead, and the files that
 * may use the words.
 */
const replacements: readonly [words: RegExp, instead: string, except?: RegExp][] = [
  [/\b(tells?|telling|told)\b/, "notify (a person), emit (an event) or report (an outcome)"],
  [/\bask(s|ed|ing)?\b/, "request (HTTP), call (the acquirer) or query (the database)"],
  [/\b(hears?|heard|hearing)\b/, "receive"],
  [/\b(keep(s|ing)?|kept)\b(?! alive)/, "store, save, retain or remain"],
  [/\blook(s|ed|ing)?\b(?! up)/, "appearance (of the form), check, find or refresh"],
  [/\b(stands?|standing|stood)\b/, "show, state or current"],
  [/\bdesks?\b/, "workspace"],
  [/\bbesides?\b/, "billing, alongside, or what it is"],
  [/(?<!\b(taken?|fail|hand|left) )\bover$/, "ended"],
  [/\bwhy not\b/, "refusalReason"],
  [/\banew\b/, "again"],
  [/\b(errands?|trifles?|doors?|rooms?|roads?|walk(s|ed|ing)?|wears?|worn)\b/, "the thing's own name"],
  // The browser code, which isn't renamed yet, uses the bounds of contrasts.
  [/^(most|least) /, "max or min", /^packages\/(embed|checkout)\/|\/contrast-rules\.ts$/],
  [
    /\b(un)?answer(s|ed|ing)?\b/,
    "response (over HTTP or of the acquirer), reply (to a message), result or outcome",
    // The option `--answers`, and the browser code, which isn't renamed yet.
    /^(packages\/(embed|checkout)|demo\/pages)\/|^trials\/chaos\/options\.ts$/,
  ],
];

/**
 * Names in the SDK, the CLI's output and the audit log, a call between the embed and the checkout, test scenarios, and
 * a column and a field that processes of two versions share during an upgrade.
 */
const publicName =
  /^(walk|walkAll|walk-all|EventWalk\w*|looked(_at)?|asked_by|room|answered_at|(webhook|challenge)_answer(ed)?(_\w+)?)$/;

/** Built files, which never change. */
const unchecked = /\/fixtures\//;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path) && !unchecked.test(path) && existsSync(path));

it("identifiers and file names don't contain words that only this project used", () => {
  expect(files.length).toBeGreaterThan(1_500);
  expect(files.flatMap((path) => faultsIn(path, readFileSync(path, "utf8")))).toEqual([]);
});

describe("the check", () => {
  it.each([
    ["a variable", "const askedAt = 1;"],
    ["a parameter", "function find(desk: string) {}"],
    ["a destructured variable", "const { state: { told = 1 }, ...kept } = source, [heard] = list;"],
    ["a property", "const row = { times_asked: 1 };"],
    ["a property of a type", "interface Row { next_ask_at: Date; lookOf(): void }"],
    ["a private member", "class Session { #isOver = false; stand() {} }"],
    ["a type and its parameter", "type Desk<Kept> = Kept;"],
    ["an import under another name", 'import { request as ask } from "node:http";'],
  ])("refuses %s", (_what, source) => {
    expect(faultsIn("file.ts", source)).not.toEqual([]);
  });

  it("says what to write instead", () => {
    expect(faultsIn("src/desk.ts", "")).toEqual(["src/desk.ts: `desk` (workspace)"]);
  });

  it.each([
    [
      "English compounds",
      "const lookUpCard = { lookup: 1, keepAlive: true, bookkeeping: 1, takeOver() {}, failOver() {} };",
    ],
    ["words that contain one", "const askar = { overlap: 1, standard: 1, outlook: 1, roommate: 1, showOverPage: 1 };"],
    ["another module's names", 'import { kept } from "./other.ts"; const state = kept.told(kept.desk);'],
    ["strings and comments", 'const text = "kept"; // told'],
  ])("accepts %s", (_what, source) => {
    expect(faultsIn("file.ts", source)).toEqual([]);
  });
});

interface Node {
  type: string;
  name?: string;
  computed?: boolean;
  [key: string]: unknown;
}

/** Where a node declares an identifier: the node's type and the property that has the identifier. */
const declaring =
  /^\w+\.(id|params?|parameters?|key)$|^\w+Pattern\.(elements|left|value)$|^RestElement\.argument$|^Import\w*\.local$|^TSTypeParameter\.name$/;

function faultsIn(path: string, source: string): string[] {
  const names = new Set([basename(path).replace(/\..*$/, "")]);
  collectNames(parseSync(path, source).program as unknown as Node, names); // every ESTree node has these properties
  return [...names].flatMap((name) => {
    if (publicName.test(name)) return [];
    const words = name
      .split(/[^A-Za-z]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
      .join(" ")
      .toLowerCase();
    const found = replacements.find(([pattern, , except]) => pattern.test(words.trim()) && !except?.test(path));
    return found === undefined ? [] : [`${path}: \`${name}\` (${found[1]})`];
  });
}

function collectNames(node: Node, names: Set<string>): void {
  for (const [key, value] of Object.entries(node)) {
    if (key === "key" && node.computed === true) continue;
    for (const child of [value].flat()) {
      if (!isNode(child)) continue;
      if (child.type === "ImportSpecifier" && nameOf(child["imported"]) === nameOf(child["local"])) continue;
      // The keys of a pattern are another object's names.
      if (node.type === "ObjectPattern" && child.type === "Property")
        collectNames({ type: "ObjectPattern", value: child["value"] }, names);
      else {
        if (declaring.test(`${node.type}.${key}`) && nameOf(child) !== undefined) names.add(nameOf(child) ?? "");
        collectNames(child, names);
      }
    }
  }
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && /^(Private)?Identifier$/.test(node.type) ? node.name : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
