/**
 * What each way to bring the embed into a page weighs, with brotli, as the merchant's own build would make it: minified and tree-shaken.
 * A wrapper's weight is what it adds to `@oriel/embed`: the framework and the embed itself are not counted.
 */
import { join } from "node:path";
import type { Plugin } from "vite";
import { brotliBytes } from "./loader-problems.ts";
import { buildModules, embedFolder } from "./modules.ts";

/** Brotli bytes. */
export const limits = { script: 9_500, import: 8_000, wrapper: 1_000 } as const;

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
  const embed = await buildModules({ merchant: join(embedFolder, "build/merchant-whole.ts") }, { minify: true });
  const embedModules = new Set(embed.flatMap(({ moduleIds }) => moduleIds));
  const weights = [await weighImport()];
  for (const [name, source] of Object.entries(entries)) {
    if (name === "index") continue;
    const chunks = await buildModules({ [name]: source }, { minify: true, plugins: [leaveOut(embedModules)] });
    weights.push(wrapperWeight(name, chunks.map(({ code }) => code).join("\n")));
  }
  return weights;
}

/** @param code of the wrapper alone, minified. */
export function wrapperWeight(name: string, code: string): Weight {
  return {
    name: `@oriel/embed/${name}`,
    brotliBytes: brotliBytes(code),
    limit: wrappers.includes(name) ? limits.wrapper : null,
  };
}

/** `import { mountCheckout } from "@oriel/embed"`, and nothing else of it used. */
async function weighImport(): Promise<Weight> {
  const chunks = await buildModules({ merchant: join(embedFolder, "build/merchant-import.ts") }, { minify: true });
  return {
    name: "@oriel/embed { mountCheckout }",
    brotliBytes: brotliBytes(chunks.map(({ code }) => code).join("\n")),
    limit: limits.import,
  };
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
