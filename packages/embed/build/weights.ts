/**
 * Measures the Brotli size of each integration in a merchant's own build, minified and tree-shaken. A wrapper's size is
 * what it adds to `@oriel/embed`, without the framework.
 */
import { join } from "node:path";
import type { Plugin, Rolldown } from "vite";
import { brotliBytes } from "./loader-problems.ts";
import { buildModules, embedFolder } from "./modules.ts";

/** Brotli bytes. */
export const limits = { script: 12_500, import: 10_100, wrapper: 1_100 } as const;

/** Subpaths to which the wrapper limit applies. `element` and `testing` are measured without a limit. */
const wrappers = ["react", "vue", "svelte", "loader"];

export interface Weight {
  name: string;
  brotliBytes: number;
  /** Null if there's no limit. */
  limit: number | null;
}

/** Returns a sentence for each size above its limit. */
export function overweight(weights: readonly Weight[]): string[] {
  return weights
    .filter(({ brotliBytes, limit }) => limit !== null && brotliBytes > limit)
    .map(({ name, brotliBytes, limit }) => `${name} weighs ${brotliBytes} bytes with brotli; the budget is ${limit}`);
}

/** Measures every integration. @param entries - From `readEntries`. */
export async function weighModules(entries: Readonly<Record<string, string>>): Promise<Weight[]> {
  const waysIn = await buildWaysIn(entries);
  return waysIn.map(({ name, limit, chunks }) => ({ name, brotliBytes: brotliBytes(joinCode(chunks)), limit }));
}

/** Measures one subpath as a merchant's own build would make it. */
export interface WayIn extends Pick<Weight, "name" | "limit"> {
  chunks: Rolldown.OutputChunk[];
}

/** @param entries - From `readEntries`. */
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

/** @param name - Name of the subpath. */
export function wrapperLimit(name: string): number | null {
  return wrappers.includes(name) ? limits.wrapper : null;
}

export function joinCode(chunks: readonly Rolldown.OutputChunk[]): string {
  return chunks.map(({ code }) => code).join("\n");
}

/** `import { mountCheckout } from "@oriel/embed"` and nothing else. */
async function buildImport(): Promise<WayIn> {
  const chunks = await buildModules({ merchant: join(embedFolder, "build/merchant-import.ts") }, { minify: true });
  return { name: "@oriel/embed { mountCheckout }", limit: limits.import, chunks };
}

/** Turns modules of the embed into imports of it, as in a merchant's bundle that contains both. */
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
