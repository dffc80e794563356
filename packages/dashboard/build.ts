/**
 * Builds the dashboard's pages into `dist/dashboard`: one `index.html` for every address, and under `static/` its
 * scripts, split by page, and styles. What is under `static/` carries its hash in its name and never changes.
 *
 * Beside each file stand its compressed forms, `.br` and `.gz`: to make them takes a second of a processor, which must
 * not be one of the service's while payments wait.
 *
 * `index.html` has no script and no style inside: the policy allows none. Where its one nonce belongs stands
 * `nonceMark`, which the service replaces in each answer; it lets Mantine add the style element that holds the theme's
 * variables.
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
    // Weighed by page, not by file: the charts come only with the page that has some.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: { main: source("main.tsx") },
      checks: { moduleLevelDirective: false }, // each file of Mantine says "use client", which means nothing here
    },
  },
};

/** Writes `index.html` around the entry's script and styles. */
export function dashboardPage(): Plugin {
  return {
    name: "dashboard-page",
    apply: "build",
    applyToEnvironment: (environment) => environment.name === "dashboard",
    async generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find((file) => file.type === "chunk" && file.isEntry);
      if (entry?.type !== "chunk") throw new Error("Bug: the dashboard's build made no entry");
      const styles = [...(entry.viteMetadata?.importedCss ?? [])].map(
        (file) => `<link rel="stylesheet" href="/${file}" />`,
      );
      const ahead = entry.imports.map((file) => `<link rel="modulepreload" href="/${file}" />`);
      const script = `<script type="module" src="/${entry.fileName}"></script>`;
      const template = await readFile(source("index.html"), "utf8");
      const html = template.replace("<!-- styles and script -->", [...styles, ...ahead, script].join("\n    "));
      this.emitFile({ type: "asset", fileName: "index.html", source: html });
    },
    // Of what stands on the disk: Vite writes the names of a chunk's files into it later than a plugin sees it.
    async writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error("Bug: the dashboard's build goes nowhere");
      for (const fileName of Object.keys(bundle).filter((name) => name.startsWith("static/"))) {
        const path = join(dir, fileName);
        const bytes = await readFile(path);
        // Of quality 9: a tenth of the time of 11, and hardly more bytes.
        const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
        await writeFile(`${path}.br`, brotli);
        await writeFile(`${path}.gz`, gzipSync(bytes));
      }
    },
  };
}
