/** Svelte's browser build and compiled components, for tests that run outside a bundle. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Svelte from "svelte";
import { compile } from "svelte/compiler";

/** Loads files by path, because outside a bundle the package's main entry is Svelte's server build. */
const fileUrl = (file: string): string =>
  pathToFileURL(join(import.meta.dirname, "../../../node_modules/svelte/src", file)).href;

export const svelte = (await import(/* @vite-ignore */ fileUrl("index-client.js"))) as typeof Svelte; // the file behind that name

/** Compiles a component from its source. */
export async function componentOf(source: string): Promise<Parameters<typeof Svelte.mount>[0]> {
  const { code } = compile(source, { generate: "client", name: "Page" }).js;
  const linked = code
    .replace(/^import 'svelte\/internal\/disclose-version';$/m, "")
    .replace("'svelte/internal/client'", JSON.stringify(fileUrl("internal/client/index.js")));
  const module: unknown = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(linked)}`);
  return (module as { default: Parameters<typeof Svelte.mount>[0] }).default; // a component is the default export
}
