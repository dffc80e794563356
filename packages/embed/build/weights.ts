/**
 * What each way to bring the embed into a page weighs, with brotli, as the merchant's own build would make it: minified
 * and tree-shaken. A wrapper's weight is what it adds to `@oriel/embed`: the framework and the embed itself are not
 * counted.
 */
import { join } from "node:path";
import type { Plugin, Rolldown } from "vite";
import { brotliBytes } from "./loader-problems.ts";
import { buildModules, embedFolder } from "./modules.ts";

/** Brotli bytes. */
export const limits = { script: 12_000, import: 10_000, wrapper: 1_000 } as const;

/** Subpaths that hold to the limit of a wrapper. `element` and `testing` are weighed and have none. */
const wrappers = ["react", "vue", "svelte", "loader"];

export interface Weight {
  name: string;
  brotliBytes: number;
  /** null: told, not judged. */
  limit: number | null;
}

/** One sentence for each weight above its limit. */
export function overweight(weights: readonly Weight[]): string[] {
  return weights
    .filter(({ brotliBytes, limit }) => limit !== null && brotliBytes > limit)
    .map(({ name, brotliBytes, limit }) => `${name} weighs ${brotliBytes} bytes with brotli; the budget is ${limit}`);
}

/** Weighs every way in. @param entries of `readEntries`. */
export async function weighModules(entries: Readonly<Record<string, string>>): Promise<Weight[]> {
  const waysIn = await buildWaysIn(entries);
  return waysIn.map(({ name, limit, chunks }) => ({ name, brotliBytes: brotliBytes(joinCode(chunks)), limit }));
}

/** What a merchant's own build would make of one subpath. */
export interface WayIn extends Pick<Weight, "name" | "limit"> {
  chunks: Rolldown.OutputChunk[];
}

/** @param entries of `readEntries`. */
export async function buildWaysIn(entries: Readonly<Record<string, string>>): Promise<WayIn[]> {
  const embed = await buildModules({ merchant: join(embedFolder, "build/merchant-whole.ts") }, { minify: true });
  const embedModules = new Set(embed.flatMap(({ moduleIds }) => moduleIds));
  const waysIn = [await buildImport()];
  for (const [name, source] of Object.entries(entries)) {
    if (name === "index") continue;
    const chunks = await buildModules({ [name]: source }, { minify: true, plugins: [leaveOut(embedModules)] });
    waysIn.push({ name: `@oriel/embed/${name}`, limit: wrapperLimit(name), chunks });
  }
  return waysIn;
}

/** @param name of the subpath. */
export function wrapperLimit(name: string): number | null {
  return wrappers.includes(name) ? limits.wrapper : null;
}

export function joinCode(chunks: readonly Rolldown.OutputChunk[]): string {
  return chunks.map(({ code }) => code).join("\n");
}

/** `import { mountCheckout } from "@oriel/embed"`, and nothing else of it used. */
async function buildImport(): Promise<WayIn> {
  const chunks = await buildModules({ merchant: join(embedFolder, "build/merchant-import.ts") }, { minify: true });
  return { name: "@oriel/embed { mountCheckout }", limit: limits.import, chunks };
}

/** Makes modules of the embed an import of it, as they are where a merchant has both. */
function leaveOut(modules: ReadonlySet<string>): Plugin {
  return {
    name: "oriel-leave-out",
    enforce: "pre",
    async resolveId(id, importer) {
      const resolved = importer === undefined ? null : await this.resolve(id, importer);
      return resolved && modules.has(resolved.id) ? { id: "@oriel/embed", external: true } : null;
    },
  };
}
