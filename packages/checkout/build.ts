/**
 * Builds the iframe's pages into `dist/checkout`.
 *
 * Each page is one HTML file with inline styles and scripts. The checkout page has one file for each language, with the
 * same scripts and styles. It fetches more code after its `load` event and when some of it is needed. Each script is
 * bundled separately and shares no code with the others. The service's CSP names every script and style by hash, so
 * this build writes the hashes to `pages.json`. The hash of a script that loads later appears twice: in the `integrity`
 * of the inline import map and in the CSP. If either is missing, browsers block the script. Everyone gets the same
 * bytes, and the pages never contain session data.
 *
 * Texts are data, not code. Those for the first view are in the page: in its markup, and in a JSON block, which
 * browsers don't run, those for a page that can't load anything else. Each language is also two JSON files: one for
 * every session, and one for sessions that let the customer choose something. The files' URLs contain one hash over all
 * of them, so that a page and its texts come from the same build.
 *
 * The build fails if one of these exceeds its limit: the first response in any language, everything that loads before
 * Pay can be pressed, the steps with the bank, or the test panel.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";
import type { EnvironmentOptions, Plugin } from "vite";
import { license } from "../protocol/build/licenses.ts";
import { minifyAgain } from "../protocol/build/minify-again.ts";
import { languages } from "../protocol/src/languages.ts";
import { brandMarkAddresses, brandMarkFiles } from "./build/brand-marks.ts";
import { scriptInventory } from "./build/inventory.ts";
import { slimPenpal } from "./build/slim-penpal.ts";
import en from "./src/texts/en.ts";
import { directionOf, textFileOf } from "./src/texts/page-texts.ts";
import type { PageTexts } from "./src/texts/page-texts.ts";
import type { Language } from "./src/texts/texts.ts";

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));
const outDir = fileURLToPath(new URL("../../dist/checkout", import.meta.url));

/** Browsers that support `integrity` in import maps, the newest feature that this page needs. */
const browsers = ["chrome127", "safari18", "firefox138"];
/**
 * Brotli bytes of the checkout page's first response in any language, of everything that loads before Pay can be
 * pressed, in English, of the steps with the bank, and of what only test mode fetches.
 */
export const limits = { firstResponse: 6_700, whole: 29_600, bank: 4_000, testPanel: 3_220 };
/**
 * The pages that show nothing of ours, by the name of their script. All use the same HTML template. `page` is the file
 * name that the service uses.
 */
const shells = {
  runner: { page: "runner", title: en.after.bankTitle },
  landing: { page: "landing", title: en.after.bankConfirming },
  "silent-frame": { page: "why", title: en.first.title },
};
/** Code that loads later: import names and source files. */
export const later: Readonly<Record<string, string>> = {
  pay: "pay/pay.ts",
  bank: "threeds/bank.ts",
  "on-demand": "pay/on-demand.ts",
  test: "form/test-panel.ts",
};

/** Vite requires an entry. Only the output of {@link checkoutPages} is kept. */
export const checkoutEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir,
    emptyOutDir: true,
    target: browsers,
    rolldownOptions: { input: source("landing.ts") },
  },
};

/** An entry in `pages.json`. */
export interface PagePolicy {
  /** Its file, or for the checkout page one file for each language. */
  html: string | Record<string, string>;
  /** Source expressions for `script-src` and `style-src`, quoted. */
  scripts: string[];
  styles: string[];
}

/** @param options - With `isJudged: false` the build doesn't fail on size. */
export function checkoutPages({ isJudged = true } = {}): Plugin {
  return {
    name: "checkout-pages",
    apply: "build",
    applyToEnvironment: (environment) => environment.name === "checkout",
    async generateBundle(_options, bundle) {
      for (const file of Object.keys(bundle)) delete bundle[file];
      const sizes = new Map<string, number>();
      /** Every built file, by path. */
      const written = new Map<string, string>();
      const emit = (fileName: string, source: string, name = fileName) => {
        this.emitFile({ type: "asset", fileName, source });
        written.set(`/${fileName}`, source);
        sizes.set(name, brotliBytes(source));
      };

      const chunks: { name: string; url: string; code: string }[] = [];
      const notices = new Set<string>();
      for (const name of Object.keys(later)) {
        const { script: code, licenses } = await bundleLater(name);
        notices.add(licenses);
        const fileName = `assets/${name}-${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`;
        emit(fileName, code, name);
        chunks.push({ name, url: `/${fileName}`, code });
      }
      for (const [fileName, mark] of Object.entries(brandMarkFiles)) emit(fileName, mark);
      const importMap = JSON.stringify({
        imports: Object.fromEntries(chunks.map(({ name, url }) => [name, url])),
        integrity: Object.fromEntries(chunks.map(({ url, code }) => [url, sha256(code)])),
      });
      const codePath = chunks.find(({ name }) => name === "pay")?.url;
      const spoken = await readLanguages();
      const files = spoken.flatMap(({ tag, texts }) => [
        { name: `${tag}.json`, json: JSON.stringify(textFileOf(texts)) },
        { name: `${tag}.choices.json`, json: JSON.stringify(texts.choices) },
      ]);
      const hash = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 8);
      for (const { name, json } of files) emit(`assets/texts/${hash}/${name}`, json, name);

      const manifest: Record<string, PagePolicy> = {};
      const { script: module, style, licenses } = await bundleScript("checkout", bothOf("checkout"));
      notices.add(licenses);
      const fields = atOnce((await bundleScript("fields", { fields: source("prepare-fields.ts") })).script);
      const page = atOnce((await bundleScript("page", { page: source("prepare-page.ts") })).script);
      const script = atOnce(module);
      manifest["checkout"] = {
        html: Object.fromEntries(spoken.map(({ tag }) => [tag, `checkout.${tag}.html`])),
        ...policyOf([fields, page, script, importMap, ...chunks.map(({ code }) => code)], style),
      };
      const template = await readFile(source("checkout.html"), "utf8");
      for (const { tag, texts } of spoken) {
        const { unreachable, retry } = texts.first;
        const own: PageTexts = { unreachable, retry };
        const html = fillPage(
          template,
          { ...texts.first, language: tag, direction: directionOf(tag), textsPath: `/assets/texts/${hash}/`, codePath },
          {
            styles: `<style>${style}</style>`,
            "fields script, import map, page script": [
              `<script>${fields}</script>`,
              `<script type="importmap">${importMap}</script>`,
              `<script>${page}</script>`,
            ].join(""),
            "texts, script": [
              `<script type="application/json" id="texts">${JSON.stringify(own).replaceAll("<", "\\u003c")}</script>`,
              `<script>${script}</script>`,
            ].join(""),
          },
        );
        emit(`checkout.${tag}.html`, html);
      }
      const shell = await readFile(source("shell.html"), "utf8");
      for (const [name, { page, title }] of Object.entries(shells)) {
        const { script, style } = await bundleScript(name, bothOf(name));
        manifest[page] = { html: `${page}.html`, ...policyOf([script], style) };
        const parts = { styles: `<style>${style}</style>`, script: `<script type="module">${script}</script>` };
        emit(`${page}.html`, fillPage(shell, { title }, parts));
      }
      this.emitFile({ type: "asset", fileName: license.fileName, source: [...notices].join("") });
      this.emitFile({ type: "asset", fileName: "pages.json", source: JSON.stringify(manifest, null, 2) });
      const inventory = scriptInventory(manifest, written);
      this.emitFile({ type: "asset", fileName: "inventory.json", source: JSON.stringify(inventory, null, 2) });

      const of = (name: string) => sizes.get(name) ?? 0;
      const weights: typeof limits = {
        firstResponse: Math.max(...languages.map((tag) => of(`checkout.${tag}.html`))),
        whole: of("checkout.en.html") + of("pay") + of("en.json"),
        bank: of("bank"),
        testPanel: of("test"),
      };
      for (const [name, bytes] of sizes) this.info(`${name}: ${bytes} bytes in brotli`);
      const names = Object.keys(limits) as (keyof typeof limits)[]; // `Object.keys` returns plain strings
      const compared = names.map((name) => ({ name, limit: limits[name], bytes: weights[name] }));
      this.info(
        `checkout: ${compared.map(({ name, limit, bytes }) => `${name} ${bytes} of ${limit} bytes`).join(", ")}`,
      );
      if (isJudged && compared.some(({ limit, bytes }) => bytes > limit)) {
        this.error(
          `The checkout page is too heavy: ${JSON.stringify({ weights, limits })}. Load code later or remove it.`,
        );
      }
    },
  };
}

async function readLanguages(): Promise<{ tag: string; texts: Language }[]> {
  return Promise.all(
    languages.map(async (tag) => {
      // The compiler checks this type in each file.
      const file = (await import(pathToFileURL(source(`texts/${tag}.ts`)).href)) as { default: Language };
      return { tag, texts: file.default };
    }),
  );
}

/** A page's script and styles, which have the same name. */
function bothOf(name: string): Record<string, string> {
  return { [name]: source(`${name}.ts`), [`${name}-style`]: source(`${name}.css`) };
}

function policyOf(scripts: string[], style: string): Pick<PagePolicy, "scripts" | "styles"> {
  return { scripts: scripts.map((code) => `'${sha256(code)}'`), styles: [`'${sha256(style)}'`] };
}

export interface BundledScript {
  script: string;
  style: string;
  /** Length of each source before minification, by path. */
  sources: Record<string, number>;
  /** The licenses of the bundled libraries, in Markdown. Empty if there are none. */
  licenses: string;
}

/** Code that loads later under that name. See {@link later}. */
export async function bundleLater(name: string): Promise<BundledScript> {
  return await bundleScript(name, { [name]: source(later[name] ?? "") });
}

/** Bundles a script with all its dependencies into one text, and builds its styles. */
async function bundleScript(name: string, entry: Record<string, string>): Promise<BundledScript> {
  const result = await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [
      brandMarkAddresses,
      {
        name: "comes-later",
        enforce: "pre",
        resolveId(id, importer) {
          const requested = importer && resolve(dirname(importer), id);
          const found = Object.entries(later).find(([, path]) => source(path) === requested);
          return found ? { id: found[0], external: true } : null;
        },
      },
      slimPenpal,
    ],
    build: {
      write: false,
      license,
      target: browsers,
      cssMinify: true,
      cssCodeSplit: true,
      // Built as a library, because otherwise Vite wraps `import()` in a helper that makes <link> elements, which the
      // CSP doesn't allow.
      lib: { entry, formats: ["es"] },
      // Vite turns every `const` into `var`, whose value the minifier can't inline.
      rolldownOptions: {
        optimization: { inlineConst: { mode: "all", pass: 3 } },
        output: { minify: true, topLevelVar: false },
      },
    },
  });
  const output = Array.isArray(result) ? result.flatMap((one) => one.output) : "output" in result ? result.output : [];
  const script = output.find((file) => file.type === "chunk" && file.name === name);
  const style = output.find((file) => file.type === "asset" && file.fileName.endsWith(".css"));
  if (script?.type !== "chunk") throw new Error(`Bug: ${name} has no script`);
  const shared = [...script.imports, ...script.dynamicImports].filter((imported) => !Object.hasOwn(later, imported));
  if (shared.length > 0) throw new Error(`Bug: ${name} isn't one file: ${shared.join(", ")}`);
  const sources = Object.fromEntries(
    Object.entries(script.modules).map(([path, { renderedLength }]) => [path, renderedLength]),
  );
  const notice = output.find((file) => file.type === "asset" && file.fileName === license.fileName);
  const licenses = notice?.type === "asset" && /^## /m.test(String(notice.source)) ? String(notice.source) : "";
  return {
    script: inline(await minifyAgain(script.code)),
    style: style?.type === "asset" ? inline(String(style.source)) : "",
    sources,
    licenses,
  };
}

/**
 * Browsers run a module only after parsing the whole page. Wrapped in a function, the code runs as soon as it is
 * parsed.
 */
function atOnce(module: string): string {
  return `(()=>{${module}})()`;
}

/** Inline code must not contain its own closing tag. It is trimmed here because the hash covers its exact bytes. */
function inline(code: string): string {
  const trimmed = code.trim();
  if (/<\/(script|style)|<!--/i.test(trimmed)) throw new Error("Bug: inlined code would end its own element");
  return trimmed;
}

/** Inserts texts and built parts into a page, and removes indentation and the slashes of void elements. */
function fillPage(html: string, words: Readonly<Record<string, unknown>>, parts: Record<string, string>): string {
  return html
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("> <", "><")
    .replaceAll(/(<(?:meta|link|input)\b[^>]*?) \/>/g, "$1>")
    .replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => {
      const found = words[name];
      if (typeof found !== "string" || /[<>&"]/.test(found))
        throw new Error(`No text named ${name} that is safe in HTML`);
      return found;
    })
    .replaceAll(/<!-- build: (.+?) -->/g, (_match, name: string) => {
      const found = parts[name];
      if (found === undefined) throw new Error(`Bug: a page needs the part "${name}"`);
      return found;
    });
}

function sha256(code: string): string {
  return `sha256-${createHash("sha256").update(code).digest("base64")}`;
}

function brotliBytes(code: string): number {
  return brotliCompressSync(code).length;
}
