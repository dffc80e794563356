/**
 * Builds the dashboard into `dist/dashboard`: one `index.html` for every URL, and styles and scripts, split by page, in
 * `static/`. Files in `static/` have their hash in the name and never change.
 *
 * Each file has compressed versions next to it, `.br` and `.gz`. Compressing takes a second of CPU time, which the
 * service must not spend while payments wait.
 *
 * `index.html` has no inline script or style, because the CSP allows none. The service replaces `nonceMark` in each
 * response with the CSP nonce, which lets Mantine add the style element with the theme's variables.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { EnvironmentOptions, Plugin } from "vite";

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

export const dashboardEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir: fileURLToPath(new URL("../../dist/dashboard", import.meta.url)),
    emptyOutDir: true,
    target: ["chrome127", "safari18", "firefox138"],
    assetsDir: "static",
    cssCodeSplit: true,
    minify: true,
    // Sizes are checked by page, not by file, because the charts load only with pages that have some.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: { main: source("main.tsx") },
      checks: { moduleLevelDirective: false }, // every Mantine file has "use client", which means nothing here
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
    // Uses the files on disk, because Vite writes the names of a chunk's files into it after plugins have seen it.
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
