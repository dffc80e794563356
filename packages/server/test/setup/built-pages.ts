/**
 * Placeholders for the build's pages and loader, for tests of the headers and routes around them. The pages themselves
 * are tested in a browser.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { languages } from "@oriel/protocol/languages";

export const builtVersion = "1.7.0";
/** The name of the directory that contains the texts. */
export const builtTexts = "0123abcd";
/** The path of a card brand's logo. */
export const builtMark = "/assets/visa-0123abcd.svg";
export const markDrawing = '<svg xmlns="http://www.w3.org/2000/svg"/>';
export const builtLoader = "// the loader that was built just now\n";

/** What the dashboard's page loads. */
export const builtDashboardScript = "/static/main-0123abcd.js";

export interface Built {
  dist: string;
  /** A directory that contains releases 1.0.0 and 1.6.10. */
  releases: string;
  remove(): void;
}

export function writeBuiltPages(): Built {
  const root = mkdtempSync(join(tmpdir(), "oriel-built-"));
  const [dist, releases] = [join(root, "dist"), join(root, "releases")];
  mkdirSync(join(dist, "checkout", "assets", "texts", builtTexts), { recursive: true });
  writeFileSync(join(dist, "checkout", "assets", "texts", builtTexts, "de.json"), '{"save":"Karte speichern"}');
  writeFileSync(join(dist, "checkout", builtMark), markDrawing);
  const write = (name: string) => {
    writeFileSync(
      join(dist, "checkout", `${name}.html`),
      `<!doctype html><html><head><meta charset="utf-8"/><title>${name}</title></head></html>\n`,
    );
    return `${name}.html`;
  };
  const checkout = Object.fromEntries(languages.map((tag) => [tag, write(`checkout.${tag}`)]));
  const files = { checkout, runner: write("runner"), landing: write("landing"), why: write("why") };
  const pages = Object.entries(files).map(
    ([name, html]) => [name, { html, scripts: ["'sha256-x'"], styles: [] }] as const,
  );
  writeFileSync(join(dist, "checkout", "pages.json"), JSON.stringify(Object.fromEntries(pages)));
  mkdirSync(join(dist, "dashboard", "static"), { recursive: true });
  const nonce = '<meta property="csp-nonce" nonce="{{nonce}}" />';
  writeFileSync(
    join(dist, "dashboard", "index.html"),
    `<!doctype html><html><head>${nonce}<title>Oriel</title></head></html>\n`,
  );
  const script = Buffer.from("// the dashboard\n");
  writeFileSync(join(dist, "dashboard", builtDashboardScript), script);
  writeFileSync(join(dist, "dashboard", `${builtDashboardScript}.br`), brotliCompressSync(script));
  writeFileSync(join(dist, "dashboard", `${builtDashboardScript}.gz`), gzipSync(script));
  writeLoader(dist, builtVersion, builtLoader);
  for (const version of ["1.0.0", "1.6.10"]) writeRelease(releases, version, `// the loader ${version}\n`);
  return { dist, releases, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Writes the loader's files as the build does. */
export function writeLoader(dist: string, version: string, script: string): void {
  mkdirSync(join(dist, "embed"), { recursive: true });
  writeFileSync(join(dist, "embed", "oriel.js"), script);
  const entry = { url: `/embed/v${version}/oriel.js`, integrity: sha384(script), bytes: script.length };
  writeFileSync(join(dist, "embed", "sri.json"), JSON.stringify({ versions: { [version]: entry } }));
}

/** Writes a release's files as `npm run release:embed` does. */
export function writeRelease(releases: string, version: string, script: string): void {
  mkdirSync(join(releases, version), { recursive: true });
  writeFileSync(join(releases, version, "oriel.js"), script);
  const list = join(releases, "releases.json");
  const known = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as object) : {}; // written by this function
  const entry = { integrity: sha384(script), bytes: script.length };
  writeFileSync(list, JSON.stringify({ ...known, [version]: entry }));
}

function sha384(script: string): string {
  return `sha384-${createHash("sha384").update(script).digest("base64")}`;
}
