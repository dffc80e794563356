/**
 * Builds the frame's pages into `dist/checkout`.
 *
 * Each page is one HTML file with its styles and its script inside; the checkout page fetches one more file after its `load`. The policy
 * the service sends names every script and style by its hash, so this build writes the hashes beside the pages (`pages.json`). A script
 * that comes later is named twice: in the inline import map's `integrity`, and in the policy; without either, browsers refuse it.
 * The pages are the same bytes for everyone: nothing of a session is ever in them.
 *
 * The build fails when the first response or the whole weighs more than it may.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";
import type { EnvironmentOptions, Plugin } from "vite";
import * as text from "./src/text.ts";

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const outDir = fileURLToPath(new URL("../../dist/checkout", import.meta.url));

/** Browsers that have `integrity` in import maps, the youngest thing that this page needs. */
const browsers = ["chrome127", "safari18", "firefox138"];
/** Brotli bytes: the checkout page's first response, and that with everything that comes later. */
const limits = { firstResponse: 7_000, whole: 22_000 };
const pages = ["checkout", "runner", "landing"] as const;
/** What the first script imports by this name comes later. */
const later = "pay";

/** The later code. The pages themselves are made by {@link checkoutPages}, so that nothing is shared between their scripts. */
export const checkoutEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir,
    emptyOutDir: true,
    target: browsers,
    modulePreload: false,
    rollupOptions: {
      input: { [later]: source("pay.ts") },
      preserveEntrySignatures: "strict",
      output: { format: "es", entryFileNames: "assets/[name]-[hash].js" },
    },
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
      const chunk = Object.values(bundle).find((file) => file.type === "chunk" && file.isEntry);
      if (chunk?.type !== "chunk") throw new Error("Bug: the later code was not built");
      const manifest: Record<string, PagePolicy> = {};
      const sizes: [name: string, bytes: number][] = [[chunk.fileName, brotliBytes(chunk.code)]];

      for (const page of pages) {
        const isCheckout = page === "checkout";
        const { script, style } = await bundlePage(page);
        const url = `/${chunk.fileName}`;
        const importMap = JSON.stringify({ imports: { [later]: url }, integrity: { [url]: sha256(chunk.code) } });
        const html = fillPage(await readFile(source(`${page}.html`), "utf8"), {
          "styles, import map": `<style>${style}</style>${isCheckout ? `<script type="importmap">${importMap}</script>` : ""}`,
          script: `<script type="module">${script}</script>`,
        });
        const scripts = isCheckout ? [script, importMap, chunk.code] : [script];
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
      const whole = firstResponse + of(chunk.fileName);
      for (const [name, bytes] of sizes) this.info(`${name}: ${bytes} bytes in brotli`);
      this.info(`checkout: first response ${firstResponse} of ${limits.firstResponse}, whole ${whole} of ${limits.whole}`);
      if (firstResponse > limits.firstResponse || whole > limits.whole) {
        this.error(
          `The checkout page is too heavy: ${JSON.stringify({ firstResponse, whole, limits })}. Move code later or remove it.`,
        );
      }
    },
  };
}

/** A page's script and styles, each as the one text that will stand in the HTML. */
async function bundlePage(page: string): Promise<{ script: string; style: string }> {
  const result = await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [
      {
        name: "comes-later",
        enforce: "pre",
        resolveId: (id) => (id.endsWith(`/${later}.ts`) ? { id: later, external: true } : null),
      },
    ],
    build: {
      write: false,
      target: browsers,
      cssMinify: true,
      cssCodeSplit: true,
      // As a library: otherwise Vite wraps `import()` in a helper that makes <link> elements, which the policy has no use for.
      lib: { entry: { [page]: source(`${page}.ts`), [`${page}-style`]: source(`${page}.css`) }, formats: ["es"] },
      rollupOptions: { output: { minify: true } },
    },
  });
  const output = Array.isArray(result) ? result.flatMap((one) => one.output) : "output" in result ? result.output : [];
  const script = output.find((file) => file.type === "chunk" && file.name === page);
  const style = output.find((file) => file.type === "asset" && file.fileName.endsWith(".css"));
  if (script?.type !== "chunk" || style?.type !== "asset") throw new Error(`Bug: ${page} has no script or no styles`);
  const shared = script.imports.filter((name) => name !== later);
  if (shared.length > 0) throw new Error(`Bug: the script of ${page} is not one file: ${shared.join(", ")}`);
  return { script: inline(script.code), style: inline(String(style.source)) };
}

/** What stands between tags must not close them, and is hashed as it stands. */
function inline(code: string): string {
  const trimmed = code.trim();
  if (/<\/(script|style)|<!--/i.test(trimmed)) throw new Error("Bug: inlined code would end its own element");
  return trimmed;
}

/** Puts the texts and the built parts into a page, and takes the source's indentation out. */
function fillPage(html: string, parts: Record<string, string>): string {
  const texts: Record<string, unknown> = text;
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
