/**
 * Builds demo/e2e/hosts/apps as merchants would: one ES module for each framework, from `@oriel/embed` and its
 * subpaths. Frameworks use their development mode, in which React's StrictMode mounts twice.
 */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { compile } from "svelte/compiler";
import { build, type Plugin } from "vite";

const sources = join(import.meta.dirname, "apps");

/** @param outDir - An own folder for each run, because runs may overlap. */
export async function buildApps(outDir: string): Promise<string> {
  const entries = readdirSync(sources).filter((name) => name.endsWith("-app.ts"));
  await build({
    configFile: false,
    root: sources,
    mode: "development",
    logLevel: "error",
    publicDir: false,
    define: {
      "process.env.NODE_ENV": '"development"',
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    plugins: [svelte()],
    build: {
      outDir,
      emptyOutDir: true,
      minify: false,
      modulePreload: false,
      rolldownOptions: {
        input: Object.fromEntries(entries.map((name) => [basename(name, "-app.ts"), join(sources, name)])),
        output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "[name]-chunk.js" },
      },
    },
  });
  return outDir;
}

/** A minimal plugin for a Svelte component without styles. */
function svelte(): Plugin {
  return {
    name: "svelte-components",
    transform: {
      filter: { id: /\.svelte$/ },
      handler: (code, filename) => ({
        code: compile(code, { filename, generate: "client", dev: false }).js.code,
        map: null,
      }),
    },
  };
}
