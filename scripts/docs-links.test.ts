/** Checks that every link between the repository's documents points to an existing file and heading. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const documents = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  encoding: "utf8",
})
  .split("\n")
  .filter(existsSync);

test("every link in the docs points to an existing file and heading", () => {
  expect(documents.length).toBeGreaterThan(20);
  const broken = documents.flatMap((document) =>
    [...withoutCode(readFileSync(document, "utf8")).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path, anchor]) => !leads(document, path ?? "", anchor))
      .map(([link]) => `${document}: ${link}`),
  );
  expect(broken).toEqual([]);
});

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
