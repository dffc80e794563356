/**
 * `npm run bench -- size`: transfer size and contents of everything that a browser fetches from us, freshly built.
 *
 * The figures are the same on every machine, so it fails if a budget is missed, like the build. The floor is the bare
 * form of the mount benchmark.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, createBuilder, type Rolldown } from "vite";
import { table } from "@oriel/commands";
import {
  bundleLater,
  checkoutEnvironment,
  checkoutPages,
  later,
  limits as checkoutLimits,
} from "../packages/checkout/build.ts";
import { embedEnvironment } from "../packages/embed/build.ts";
import { readEntries } from "../packages/embed/build/modules.ts";
import { buildWaysIn, joinCode, limits as embedLimits } from "../packages/embed/build/weights.ts";
import { codeOf } from "../packages/protocol/src/page-code.ts";
import { writeResults } from "./measurement.ts";
import { bareForm, bareLoader } from "./mount/bare-form.ts";

export const sizeParts = ["embed", "checkout"];

/** Files that are fetched together, each compressed separately. */
interface Bundle {
  name: string;
  files: string[];
  /** In Brotli bytes. Null: reported without a limit. */
  budget: number | null;
  /** The same figure without Oriel. */
  floor?: string;
  /**
   * Contents in bytes before compression, by purpose or by source. Sizes by source are estimated from their share
   * before minification.
   */
  parts: Record<string, number>;
}

/** Bytes. */
interface Sizes {
  raw: number;
  gzip: number;
  brotli: number;
}

const repository = join(import.meta.dirname, "..");
const pages = join(repository, "dist/checkout");

/** @param only - Runs only this part and writes nothing to disk. @throws Error if a budget is missed */
export async function benchSize(only: string | null): Promise<void> {
  const bundles = [
    ...(only === "checkout" ? [] : await embedBundles()),
    ...(only === "embed" ? [] : await checkoutBundles()),
  ];
  const measured = bundles.map(({ files, floor, parts, ...bundle }) => ({
    ...bundle,
    ...measureSizes(files),
    floor: floor === undefined ? null : measureSizes([floor]).brotli,
    parts: Object.fromEntries(Object.entries(parts).toSorted(([, a], [, b]) => b - a)),
  }));
  const heading = ["bundle", "raw", "gzip", "brotli", "budget", "brotli/budget", "floor", "brotli/floor"];
  const rows = measured.map(({ name, raw, gzip, brotli, budget, floor }) => {
    const [sizes, [most, ofBudget], beneath] = [
      [raw, gzip, brotli].map(String),
      compared(brotli, budget),
      compared(brotli, floor),
    ];
    return [name, ...sizes, most, isOverBudget({ brotli, budget }) ? `${ofBudget} MISSED` : ofBudget, ...beneath];
  });
  console.log(`\n${table([heading, ...rows])}\n\nContents before compression:`);
  for (const { name, parts } of measured) console.log(`  ${name}: ${describeParts(parts)}`);
  if (only === null) writeResults("size", { bundles: measured });
  const missed = measured.filter(isOverBudget);
  if (missed.length > 0) throw new Error(`Over budget: ${missed.map(({ name }) => name).join(", ")}.`);
}

function isOverBudget({ brotli, budget }: { brotli: number; budget: number | null }): boolean {
  return budget !== null && brotli > budget;
}

async function embedBundles(): Promise<Bundle[]> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    build: { ...embedEnvironment.build, write: false },
  });
  const [script] = [built].flat().flatMap((result) => ("output" in result ? result.output : []));
  if (script?.type !== "chunk") throw new Error("Bug: the loader isn't one script");
  const waysIn = await buildWaysIn(readEntries());
  return [
    {
      name: "oriel.js, the script tag",
      files: [script.code],
      budget: embedLimits.script,
      floor: bareLoader,
      parts: partsOf([script]),
    },
    ...waysIn.map(({ name, limit, chunks }) => ({
      name,
      files: [joinCode(chunks)],
      budget: limit,
      parts: partsOf(chunks),
    })),
  ];
}

async function checkoutBundles(): Promise<Bundle[]> {
  await buildPages();
  const ofLanguages = htmlFiles(/^checkout\./).map((name) => pageBundle(name));
  const english = ofLanguages.find(({ name }) => name === "checkout.en.html");
  const measured = ofLanguages.map((page) => ({ page, brotli: measureSizes(page.files).brotli }));
  const { page: largest } = measured.reduce((most, one) => (one.brotli > most.brotli ? one : most));
  const scripts = await Promise.all(Object.keys(later).map(laterBundle));
  const { pay, bank, "on-demand": onDemand, test } = Object.fromEntries(scripts.map((bundle) => [bundle.name, bundle]));
  if (!english || !pay || !bank || !onDemand || !test)
    throw new Error("Bug: the names of the pages' contents have changed");
  return [
    {
      ...largest,
      name: `first response, largest of ${ofLanguages.length}: ${largest.name}`,
      budget: checkoutLimits.firstResponse,
      floor: bareForm("https://shop.example", "atOnce"),
    },
    together("everything that loads before Pay can be pressed, English", checkoutLimits.whole, [
      english,
      pay,
      wordsBundle("en.json"),
    ]),
    { ...bank, name: "the steps with the bank", budget: checkoutLimits.bank },
    { ...test, name: "test mode's panel", budget: checkoutLimits.testPanel },
    { ...onDemand, name: "code that only some payments need" },
    ...htmlFiles(/^(?!checkout\.)/).map(pageBundle),
  ];
}

/** Builds into `dist/checkout` without size limits. */
async function buildPages(): Promise<void> {
  const builder = await createBuilder({
    configFile: false,
    root: repository,
    logLevel: "error",
    publicDir: false,
    environments: { checkout: checkoutEnvironment },
    plugins: [checkoutPages({ isJudged: false })],
  });
  const { checkout } = builder.environments;
  if (checkout === undefined) throw new Error("Bug: no environment named checkout");
  await builder.build(checkout);
}

async function laterBundle(name: string): Promise<Bundle> {
  const { script, sources } = await bundleLater(name);
  return { name, files: [script], budget: null, parts: estimate(sources, bytes(script)) };
}

function together(name: string, budget: number, bundles: readonly Bundle[]): Bundle {
  return {
    name,
    budget,
    files: bundles.flatMap(({ files }) => files),
    parts: Object.assign({}, ...bundles.map(({ parts }) => parts)) as Bundle["parts"], // names are unique
  };
}

function htmlFiles(pattern: RegExp): string[] {
  return readdirSync(pages).filter((name) => name.endsWith(".html") && pattern.test(name));
}

/** Splits a page by its contents. */
function pageBundle(name: string): Bundle {
  const html = readFileSync(join(pages, name), "utf8");
  const { scripts, styles } = codeOf(html);
  const running = scripts.filter(({ type }) => type !== "importmap").map(({ text }) => text);
  const texts = {
    script: running.pop() ?? "", // the last script is the page's main one
    "scripts in the form": running.join(""),
    styles: styles.join(""),
    "import map": scripts.find(({ type }) => type === "importmap")?.text ?? "",
    words: /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(html)?.[1] ?? "",
  };
  const parts = Object.fromEntries(Object.entries(texts).map(([part, text]) => [part, bytes(text)]));
  const markup = bytes(html) - sum(Object.values(parts));
  return { name, files: [html], budget: null, parts: { ...parts, markup } };
}

function wordsBundle(name: string): Bundle {
  const folder = join(pages, "assets/texts");
  const [hash = ""] = readdirSync(folder);
  const text = readFileSync(join(folder, hash, name), "utf8");
  return { name, files: [text], budget: null, parts: { [name]: bytes(text) } };
}

function partsOf(chunks: Rolldown.OutputChunk[]): Record<string, number> {
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules));
  const sources = Object.fromEntries(modules.map(([path, { renderedLength }]) => [path, renderedLength]));
  return estimate(sources, bytes(joinCode(chunks)));
}

/**
 * @param sources - Length of each source before minification, by path.
 * @param minified - Their total bytes after minification.
 * @returns sizes by repository path, or by name for a third-party package
 */
function estimate(sources: Readonly<Record<string, number>>, minified: number): Record<string, number> {
  const all = sum(Object.values(sources));
  const parts: Record<string, number> = {};
  for (const [path, length] of Object.entries(sources)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? relative(repository, path);
    parts[name] = (parts[name] ?? 0) + Math.round((minified * length) / all);
  }
  return parts;
}

/** The eight largest sources. */
function describeParts(parts: Readonly<Record<string, number>>): string {
  const some = Object.entries(parts).filter(([, part]) => part > 0);
  const all = sum(some.map(([, part]) => part));
  const named = some
    .slice(0, 8)
    .map(([name, part]) => `${name.replace(/^packages\/(\w+)\/src\//, "$1/")} ${Math.round((100 * part) / all)}%`);
  const others = some.length - named.length;
  return [...named, ...(others > 0 ? [`${others} others`] : [])].join(", ");
}

function measureSizes(files: readonly string[]): Sizes {
  return {
    raw: sum(files.map(bytes)),
    gzip: sum(files.map((file) => gzipSync(file, { level: 9 }).byteLength)),
    brotli: sum(files.map((file) => brotliCompressSync(file).byteLength)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function compared(value: number, other: number | null): [string, string] {
  return other === null ? ["", ""] : [String(other), (value / other).toFixed(2)];
}
