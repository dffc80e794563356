/**
 * Builds the dashboard into `dist/dashboard`: one `index.html` for all URLs, and scripts (split by page) and styles in
 * `static/`. Names of files in `static/` contain their hash, so the files never change.
 *
 * Each file is also stored compressed, as `.br` and `.gz`. Compression takes about a second of CPU time, which the
 * service shouldn't spend while it handles payments.
 *
 * `index.html` has no inline scripts or styles because the Content-Security-Policy allows none. Its `{{nonce}}`
 * placeholder is replaced in each response. The nonce lets Mantine add the style element with the theme's variables.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { EnvironmentOptions, Plugin } from "vite";
import { license } from "../protocol/build/licenses.ts";

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export const dashboardEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir: fileURLToPath(new URL("../../dist/dashboard", import.meta.url)),
    emptyOutDir: true,
    license,
    target: ["chrome127", "safari18", "firefox138"],
    assetsDir: "static",
    cssCodeSplit: true,
    minify: true,
    // The charts are a large chunk, but load only on pages that have charts.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: { main: source("main.tsx") },
      checks: { moduleLevelDirective: false }, // every Mantine file contains "use client", which has no effect here
    },
  },
};

/** Writes `index.html` with the entry's script and styles. */
export function dashboardPage(): Plugin {
  return {
    name: "dashboard-page",
    apply: "build",
    applyToEnvironment: (environment) => environment.name === "dashboard",
    async generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find((file) => file.type === "chunk" && file.isEntry);
      if (entry?.type !== "chunk") throw new Error("Bug: the dashboard's build has no entry");
      const styles = [...(entry.viteMetadata?.importedCss ?? [])].map(
        (file) => `<link rel="stylesheet" href="/${file}" />`,
      );
      const ahead = entry.imports.map((file) => `<link rel="modulepreload" href="/${file}" />`);
      const script = `<script type="module" src="/${entry.fileName}"></script>`;
      const template = await readFile(source("index.html"), "utf8");
      const html = template.replace("<!-- styles and script -->", [...styles, ...ahead, script].join("\n    "));
      this.emitFile({ type: "asset", fileName: "index.html", source: html });
    },
    // Reads the files from disk because Vite still changes chunks after plugins have seen them in the bundle.
    async writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error("Bug: the dashboard's build has no output directory");
      for (const fileName of Object.keys(bundle).filter((name) => name.startsWith("static/"))) {
        const path = join(dir, fileName);
        const bytes = await readFile(path);
        // Quality 9 takes a tenth of the time of 11 and is hardly larger.
        const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
        await writeFile(`${path}.br`, brotli);
        await writeFile(`${path}.gz`, gzipSync(bytes));
      }
    },
  };
}
