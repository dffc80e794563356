/** Checks that links between the repository's documents, and the paths and names that they mention, exist. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter(existsSync);
const documents = tracked.filter((path) => path.endsWith(".md"));

test("every link in the docs points to an existing file and heading", () => {
  expect(documents.length).toBeGreaterThan(20);
  const broken = documents.flatMap((document) =>
    [...withoutCode(readFileSync(document, "utf8")).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path, anchor]) => !leads(document, path ?? "", anchor))
      .map(([link]) => `${document}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test("every path in the docs exists", () => {
  const paths = documents
    .flatMap((document) => quoted(document).map((text) => [document, text] as const))
    .filter(isPath);
  expect(paths.length).toBeGreaterThan(150);
  const known = `\n${tracked.join("\n")}\n`;
  expect(paths.filter(([, path]) => !patternOf(path).test(known)).map((missing) => missing.join(": "))).toEqual([]);
});

test("every name of code in the docs exists", () => {
  // Those of other services, and of a connector that the reader writes.
  const foreign = /migrate-from|write-a-connector/;
  const names = documents
    .filter((document) => !foreign.test(document))
    .flatMap(quoted)
    .map((text) => text.replace(/\(\)$/, ""))
    // Names of callbacks are made from names of events.
    .filter((text) => /^(?!on[A-Z])[a-z]+[A-Z]\w*$/.test(text));
  expect(names.length).toBeGreaterThan(150);
  const sources = tracked.filter((path) =>
    /^(packages|scripts|trials|deploy|demo)\/.*\.(ts|tsx|ya?ml|sql)$/.test(path),
  );
  const code = sources.map((path) => readFileSync(path, "utf8")).join("\n");
  expect(names.filter((name) => !code.includes(name))).toEqual([]);
});

/** Code in a sentence. */
function quoted(document: string): string[] {
  return [...withoutCode(readFileSync(document, "utf8")).matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? "");
}

/** Names of packages, MIME types, rates and dates also have slashes, and built or downloaded files aren't tracked. */
function isPath([, text]: readonly [document: string, text: string]): boolean {
  return (
    /^[\w.-]+(\/[\w.<>*-]+)*\/?$/.test(text) &&
    /\.(ts|tsx|md|ya?ml|sql|css|html)$|^(packages|scripts|trials|demo|docs|deploy|bench)\//.test(text) &&
    !/^(dist|node_modules|test-results|\.oriel|bench\/results)\/|^[a-z-]+\.ts$/.test(text)
  );
}

/**
 * Matches the end of a tracked path or of its folder. `server/webhooks/deliver.ts` is short for a path in `src` of the
 * package, and `<name>` and `*` stand for any name.
 */
function patternOf(path: string): RegExp {
  const escaped = path
    .replace(/\/$/, "")
    .replaceAll(/[.+]/g, "\\$&")
    .replaceAll(/<\w+>|\*/g, "[^/\\n]+");
  const [first = "", ...rest] = escaped.split("/");
  return new RegExp(`[\\n/](${escaped}|packages/${first}/src/${rest.join("/")})[\\n/]`);
}

function leads(from: string, path: string, anchor: string | undefined): boolean {
  const target = path === "" ? from : join(dirname(from), path);
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(withoutCode(readFileSync(target, "utf8"))).includes(anchor);
}

/** The anchors of headings, as GitHub generates them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? "");
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, "");
}
