/**
 * Builds the frame's pages into `dist/checkout`.
 *
 * Each page is one HTML file with its styles and its script inside. The checkout page fetches one more file after its `load`, one if the customer
 * reads no English, and one when Pay is pressed, which speaks with the bank. Each is made by itself and shares nothing. The policy that the service
 * sends names every script and style by its hash, so this build writes the hashes beside the pages (`pages.json`). A script that comes later is
 * named twice: in the inline import map's `integrity`, and in the policy; without either, browsers refuse it. The pages are the same bytes for
 * everyone: nothing of a session is ever in them.
 *
 * The build fails when the first response, all that comes before Pay, or what comes after it weighs more than it may.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";
import type { EnvironmentOptions, Plugin } from "vite";
import { needsScript } from "./src/texts/early.ts";
import enBank from "./src/texts/en-bank.ts";
import en from "./src/texts/en.ts";
import { languages } from "./src/texts/languages.ts";

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const outDir = fileURLToPath(new URL("../../dist/checkout", import.meta.url));

/** Browsers that have `integrity` in import maps, the youngest thing that this page needs. */
const browsers = ["chrome127", "safari18", "firefox138"];
/** Brotli bytes: the checkout page's first response; that with all that comes before the customer submits, in English; what is fetched after that. */
const limits = { firstResponse: 7_000, whole: 22_000, afterSubmit: 3_500 };
const pages = ["checkout", "runner", "landing", "why"] as const;
/** What comes later, by the name under which it is imported. */
const later: Readonly<Record<string, string>> = {
  pay: "pay.ts",
  bank: "threeds/bank.ts",
  ...Object.fromEntries(Object.keys(languages).map((language) => [language, `texts/${language}.ts`])),
};

/** An environment wants an entry; all that is kept is what {@link checkoutPages} makes. */
export const checkoutEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir,
    emptyOutDir: true,
    target: browsers,
    rolldownOptions: { input: source("landing.ts") },
  },
};

export interface PagePolicy {
  html: string;
  /** Source expressions for `script-src` and `style-src`, quoted. */
  scripts: string[];
  styles: string[];
}

export function checkoutPages(): Plugin {
  return {
    name: "checkout-pages",
    apply: "build",
    applyToEnvironment: (environment) => environment.name === "checkout",
    async generateBundle(_options, bundle) {
      for (const file of Object.keys(bundle)) delete bundle[file];
      const chunks: { name: string; url: string; code: string }[] = [];
      for (const [name, path] of Object.entries(later)) {
        const { script: code } = await bundleScript(name, { [name]: source(path) });
        const fileName = `assets/${name}-${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`;
        this.emitFile({ type: "asset", fileName, source: code });
        chunks.push({ name, url: `/${fileName}`, code });
      }
      const importMap = JSON.stringify({
        imports: Object.fromEntries(chunks.map(({ name, url }) => [name, url])),
        integrity: Object.fromEntries(chunks.map(({ url, code }) => [url, sha256(code)])),
      });
      const manifest: Record<string, PagePolicy> = {};
      const sizes: [name: string, bytes: number][] = chunks.map(({ name, code }) => [name, brotliBytes(code)]);

      for (const page of pages) {
        const isCheckout = page === "checkout";
        const { script, style } = await bundleScript(page, {
          [page]: source(`${page}.ts`),
          [`${page}-style`]: source(`${page}.css`),
        });
        const html = fillPage(await readFile(source(`${page}.html`), "utf8"), {
          "styles, import map": `<style>${style}</style>${isCheckout ? `<script type="importmap">${importMap}</script>` : ""}`,
          script: `<script type="module">${script}</script>`,
        });
        const scripts = isCheckout ? [script, importMap, ...chunks.map(({ code }) => code)] : [script];
        manifest[page] = {
          html: `${page}.html`,
          scripts: scripts.map((code) => `'${sha256(code)}'`),
          styles: [`'${sha256(style)}'`],
        };
        this.emitFile({ type: "asset", fileName: `${page}.html`, source: html });
        sizes.push([`${page}.html`, brotliBytes(html)]);
      }
      this.emitFile({ type: "asset", fileName: "pages.json", source: JSON.stringify(manifest, null, 2) });

      const of = (name: string) => sizes.find(([file]) => file === name)?.[1] ?? 0;
      const firstResponse = of("checkout.html");
      const weights = { firstResponse, whole: firstResponse + of("pay"), afterSubmit: of("bank") };
      for (const [name, bytes] of sizes) this.info(`${name}: ${bytes} bytes in brotli`);
      this.info(
        `checkout: first response ${firstResponse} of ${limits.firstResponse} bytes, whole ${weights.whole} of ${limits.whole}, ` +
          `after submit ${weights.afterSubmit} of ${limits.afterSubmit}`,
      );
      if (firstResponse > limits.firstResponse || weights.whole > limits.whole || weights.afterSubmit > limits.afterSubmit) {
        this.error(`The checkout page is too heavy: ${JSON.stringify({ weights, limits })}. Move code later or remove it.`);
      }
    },
  };
}

/** A script with all that it needs in one file, and the styles that are built with it; each as the one text that will stand there. */
async function bundleScript(name: string, entry: Record<string, string>): Promise<{ script: string; style: string }> {
  const result = await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [
      {
        name: "comes-later",
        enforce: "pre",
        resolveId(id, importer) {
          const found = Object.entries(later).find(
            ([, path]) => importer && id.startsWith("./") && `/${path}`.endsWith(id.slice(1)),
          );
          return found ? { id: found[0], external: true } : null;
        },
      },
    ],
    build: {
      write: false,
      target: browsers,
      cssMinify: true,
      cssCodeSplit: true,
      // As a library: otherwise Vite wraps `import()` in a helper that makes <link> elements, which the policy has no use for.
      lib: { entry, formats: ["es"] },
      rolldownOptions: { optimization: { inlineConst: { mode: "all", pass: 3 } }, output: { minify: true } },
    },
  });
  const output = Array.isArray(result) ? result.flatMap((one) => one.output) : "output" in result ? result.output : [];
  const script = output.find((file) => file.type === "chunk" && file.name === name);
  const style = output.find((file) => file.type === "asset" && file.fileName.endsWith(".css"));
  if (script?.type !== "chunk") throw new Error(`Bug: ${name} has no script`);
  const shared = [...script.imports, ...script.dynamicImports].filter((imported) => !Object.hasOwn(later, imported));
  if (shared.length > 0) throw new Error(`Bug: ${name} is not one file: ${shared.join(", ")}`);
  return { script: inline(script.code), style: style?.type === "asset" ? inline(String(style.source)) : "" };
}

/** What stands between tags must not close them, and is hashed as it stands. */
function inline(code: string): string {
  const trimmed = code.trim();
  if (/<\/(script|style)|<!--/i.test(trimmed)) throw new Error("Bug: inlined code would end its own element");
  return trimmed;
}

/** Puts the texts and the built parts into a page, and takes the source's indentation out. */
function fillPage(html: string, parts: Record<string, string>): string {
  const texts: Record<string, unknown> = { ...en, ...enBank, title: en.paying.title, needsScript };
  return html
    .replaceAll(/\s*\n\s*/g, "\n")
    .replaceAll(/>\n+</g, "><")
    .replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => {
      const found = texts[name];
      if (typeof found !== "string" || /[<>&"]/.test(found)) throw new Error(`No text named ${name} that can stand in HTML`);
      return found;
    })
    .replaceAll(/<!-- build: (.+?) -->/g, (_match, name: string) => {
      const found = parts[name];
      if (found === undefined) throw new Error(`Bug: a page asks for the part "${name}"`);
      return found;
    });
}

function sha256(code: string): string {
  return `sha256-${createHash("sha256").update(code).digest("base64")}`;
}

function brotliBytes(code: string): number {
  return brotliCompressSync(code).length;
}
