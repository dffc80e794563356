/**
 * `npm run bench -- size`: what everything that a browser fetches from us weighs, as it is sent, and what it is made of. Built anew.
 *
 * The figures are the same on every machine, so this one fails where a budget is missed, as the build does. The floor is the bare form of the mount bench.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, createBuilder } from "vite";
import { bundleLater, later, limits as checkoutLimits } from "../packages/checkout/build.ts";
import { embedEnvironment } from "../packages/embed/build.ts";
import { readEntries } from "../packages/embed/build/modules.ts";
import { buildWaysIn, codeOf, limits as embedLimits } from "../packages/embed/build/weights.ts";
import { codeOf as codeInPage } from "../packages/protocol/src/page-code.ts";
import { table } from "../packages/server/src/commands/command.ts";
import { writeResults } from "./measurement.ts";
import { bareForm, bareLoader } from "./mount/bare-form.ts";

export const sizeParts = ["embed", "checkout"];

/** What is fetched together. Each file is compressed by itself. */
interface Bundle {
  name: string;
  files: string[];
  /** Bytes of brotli; null: told, not judged. */
  budget: number | null;
  /** The same without us. */
  floor?: string;
  /** What it is made of: bytes before compression, by source or by what it is for. */
  parts: Record<string, number>;
}

/** Bytes. */
interface Weight {
  raw: number;
  gzip: number;
  brotli: number;
}

const repository = join(import.meta.dirname, "..");
const pages = join(repository, "dist/checkout");

/** @param only one of its parts; then nothing is written down @throws Error when a budget is missed */
export async function benchSize(only: string | null): Promise<void> {
  const bundles = [...(only === "checkout" ? [] : await embedBundles()), ...(only === "embed" ? [] : await checkoutBundles())];
  const weighed = bundles.map(({ files, floor, parts, ...bundle }) => ({
    ...bundle,
    ...weigh(files),
    floor: floor === undefined ? null : weigh([floor]).brotli,
    parts: Object.fromEntries(Object.entries(parts).toSorted(([, a], [, b]) => b - a)),
  }));
  const heading = ["bundle", "raw", "gzip", "brotli", "budget", "brotli/budget", "floor", "brotli/floor"];
  const rows = weighed.map(({ name, raw, gzip, brotli, budget, floor }) => [
    name,
    ...[raw, gzip, brotli].map(String),
    ...beside(brotli, budget),
    ...beside(brotli, floor),
  ]);
  console.log(`\n${table([heading, ...rows])}\n\nMade of, before compression:`);
  for (const { name, parts } of weighed) console.log(`  ${name}: ${describeParts(parts)}`);
  if (only === null) writeResults("size", { bundles: weighed });
  const missed = weighed.filter(({ brotli, budget }) => budget !== null && brotli > budget);
  if (missed.length > 0) throw new Error(`Too heavy: ${missed.map(({ name }) => name).join(", ")}.`);
}

async function embedBundles(): Promise<Bundle[]> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    build: { ...embedEnvironment.build, write: false },
  });
  const [script] = [built].flat().flatMap((result) => ("output" in result ? result.output : []));
  if (script?.type !== "chunk") throw new Error("Bug: the loader is not one script");
  const waysIn = await buildWaysIn(readEntries());
  return [
    {
      name: "oriel.js, the script tag",
      files: [script.code],
      budget: embedLimits.script,
      floor: bareLoader,
      parts: renderedLengths([script]),
    },
    ...waysIn.map(({ name, limit, chunks }) => ({
      name,
      files: [codeOf(chunks)],
      budget: limit,
      parts: renderedLengths(chunks),
    })),
  ];
}

async function checkoutBundles(): Promise<Bundle[]> {
  await (await createBuilder({ root: repository, logLevel: "error" })).buildApp();
  const scripts = await Promise.all(
    Object.keys(later).map(async (name): Promise<[string, Bundle]> => {
      const { script, sources } = await bundleLater(name);
      return [name, { name: `${name}.js`, files: [script], budget: null, parts: shortened(sources) }];
    }),
  );
  const { pay, extras, after, test } = Object.fromEntries(scripts);
  if (!pay || !extras || !after || !test) throw new Error("Bug: what comes later is called something else");
  const ofLanguage = new Map(htmlFiles(/^checkout\./).map((name) => [name, pageBundle(name)]));
  const english = ofLanguage.get("checkout.en.html");
  if (english === undefined) throw new Error("Bug: there is no page in English");
  const byWeight = [...ofLanguage.values()].toSorted((a, b) => weigh(b.files).brotli - weigh(a.files).brotli);
  const heaviest = byWeight[0] ?? english;
  return [
    {
      ...heaviest,
      name: `first response, heaviest of ${ofLanguage.size}: ${heaviest.name}`,
      budget: checkoutLimits.firstResponse,
      floor: bareForm("https://shop.example"),
    },
    together("all before Pay, English", checkoutLimits.whole, [english, pay, words("en.form.json")]),
    together("after Pay, English", checkoutLimits.afterSubmit, [after, words("en.after.json")]),
    { ...test, name: "test mode's panel", budget: checkoutLimits.testPanel },
    { ...extras, name: "for some payments alone" },
    ...htmlFiles(/^(?!checkout\.)/).map(pageBundle),
  ];
}

function together(name: string, budget: number, bundles: readonly Bundle[]): Bundle {
  return {
    name,
    budget,
    files: bundles.flatMap(({ files }) => files),
    parts: Object.assign({}, ...bundles.map(({ parts }) => parts)) as Bundle["parts"], // no two share a name
  };
}

function htmlFiles(pattern: RegExp): string[] {
  return readdirSync(pages).filter((name) => name.endsWith(".html") && pattern.test(name));
}

/** A page, by what stands in it. */
function pageBundle(name: string): Bundle {
  const html = readFileSync(join(pages, name), "utf8");
  const { scripts, styles } = codeInPage(html);
  const running = scripts.filter(({ type }) => type !== "importmap");
  const texts = {
    ...Object.fromEntries(running.map(({ text }, at) => [at < running.length - 1 ? "script behind the fields" : "script", text])),
    styles: styles.join(""),
    "import map": scripts.find(({ type }) => type === "importmap")?.text ?? "",
    words: /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(html)?.[1] ?? "",
  };
  const parts = Object.fromEntries(Object.entries(texts).map(([part, text]) => [part, bytes(text)]));
  const markup = bytes(html) - Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { name, files: [html], budget: null, parts: { ...parts, markup } };
}

function words(name: string): Bundle {
  const folder = join(pages, "assets/texts");
  const [hash = ""] = readdirSync(folder);
  const text = readFileSync(join(folder, hash, name), "utf8");
  return { name, files: [text], budget: null, parts: { [name]: bytes(text) } };
}

function renderedLengths(chunks: readonly { modules: Readonly<Record<string, { renderedLength: number }>> }[]) {
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules));
  return shortened(Object.fromEntries(modules.map(([path, { renderedLength }]) => [path, renderedLength])));
}

/** Sources by their path in the repository, a package of somebody else's by its name. */
function shortened(sources: Readonly<Record<string, number>>): Record<string, number> {
  const short: Record<string, number> = {};
  for (const [path, length] of Object.entries(sources)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? relative(repository, path);
    short[name] = (short[name] ?? 0) + length;
  }
  return short;
}

/** The eight heaviest. */
function describeParts(parts: Readonly<Record<string, number>>): string {
  const some = Object.entries(parts).filter(([, part]) => part > 0);
  const all = some.reduce((sum, [, part]) => sum + part, 0);
  const named = some
    .slice(0, 8)
    .map(([name, part]) => `${name.replace(/^packages\/(\w+)\/src\//, "$1/")} ${Math.round((100 * part) / all)} %`);
  const others = some.length - named.length;
  return [...named, ...(others > 0 ? [`${others} others`] : [])].join(", ");
}

function weigh(files: readonly string[]): Weight {
  const sum = (of: (file: string) => number) => files.reduce((total, file) => total + of(file), 0);
  return {
    raw: sum(bytes),
    gzip: sum((file) => gzipSync(file, { level: 9 }).byteLength),
    brotli: sum((file) => brotliCompressSync(file).byteLength),
  };
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

function beside(value: number, other: number | null): [string, string] {
  return other === null ? ["", ""] : [String(other), (value / other).toFixed(2)];
}
