/** Stands where the build's pages stand, for tests of what the service says around them: the pages themselves are tested in a browser. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function writeBuiltPages(): { dist: string; remove(): void } {
  const dist = mkdtempSync(join(tmpdir(), "oriel-dist-"));
  mkdirSync(join(dist, "checkout", "assets"), { recursive: true });
  mkdirSync(join(dist, "embed"));
  writeFileSync(join(dist, "embed", "oriel.js"), "// the loader\n");
  const pages = ["checkout", "runner", "landing"].map((name) => {
    writeFileSync(join(dist, "checkout", `${name}.html`), `<!doctype html><title>${name}</title>\n`);
    return [name, { html: `${name}.html`, scripts: ["'sha256-x'"], styles: [] }] as const;
  });
  writeFileSync(join(dist, "checkout", "pages.json"), JSON.stringify(Object.fromEntries(pages)));
  return { dist, remove: () => rmSync(dist, { recursive: true, force: true }) };
}
