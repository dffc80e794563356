/**
 * Builds the loader for a script tag as one minified file, `dist/embed/oriel.js`, along with `dist/embed/sri.json`, and
 * enforces its limits.
 *
 * The build fails if the file, `import { mountCheckout }` or a wrapper exceeds its size budget; if code for a
 * merchant's page contains a word that only card code uses, or could write markup, make a request or post to any
 * origin; or if the version was already released with different bytes.
 */
import { join } from "node:path";
import type { EnvironmentOptions, Plugin } from "vite";
import { brotliBytes, loaderProblems } from "./build/loader-problems.ts";
import { buildModules, chunksOf, readEntries, readManifest } from "./build/modules.ts";
import { readReleases, type Releases, sriFile, versionProblem } from "./build/releases.ts";
import { limits, overweight, weighModules, type Weight } from "./build/weights.ts";
import { version } from "./src/version.ts";

export const embedEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir: join(import.meta.dirname, "../../dist/embed"),
    emptyOutDir: true,
    copyPublicDir: false,
    minify: true,
    lib: {
      entry: join(import.meta.dirname, "src/script.ts"),
      // Required for this format but unused, because the entry exports nothing and sets its global itself.
      name: "OrielLoader",
      formats: ["iife"],
      fileName: () => "oriel.js",
    },
    rolldownOptions: {
      // Inlines constants, also across modules.
      optimization: { inlineConst: { mode: "all", pass: 3 } },
      // With V8's explicit compile hints, Chromium compiles the script on a background thread while it loads. Lazy
      // compilation took a slow phone 15 ms between `mount` and the iframe's request.
      output: { postBanner: "//# allFunctionsCalledOnLoad" },
    },
  },
};

/** Prints all sizes, fails the build if a limit is exceeded, and writes sri.json. */
export function loaderLimits(releases: Releases = readReleases()): Plugin {
  return {
    name: "oriel-loader-limits",
    applyToEnvironment: (environment) => environment.name === "embed",
    async generateBundle(_options, bundle) {
      const files = Object.values(bundle).filter((file) => file.type === "chunk");
      const [file] = files;
      if (!file || files.length !== 1) this.error(`The loader must be one file, but the build made ${files.length}.`);

      const { weights, problems } = await judgeModules();
      weights.unshift({ name: "oriel.js", brotliBytes: brotliBytes(file.code), limit: limits.script });
      problems.unshift(...loaderProblems(file.code, limits.script).map((problem) => `oriel.js: ${problem}`));
      const { version: declared } = readManifest();
      if (declared !== version)
        problems.push(`package.json has version ${declared}, but src/version.ts has ${version}`);
      const collision = versionProblem(version, file.code, releases);
      if (collision !== null) problems.push(collision);

      for (const { name, brotliBytes, limit } of weights) {
        console.log(`embed: ${name} ${brotliBytes}${limit === null ? "" : ` of ${limit}`} bytes with brotli`);
      }
      if (problems.length > 0) this.error(`The loader breaks its limits:\n- ${problems.join("\n- ")}`);
      this.emitFile({
        type: "asset",
        fileName: "sri.json",
        source: `${JSON.stringify(sriFile(releases, version, file.code), null, 2)}\n`,
      });
    },
  };
}

/**
 * Returns the sizes of the ES modules and their problems. The testing kit may name card fields, because it's only for
 * tests and no other entry imports it.
 */
async function judgeModules(): Promise<{ weights: Weight[]; problems: string[] }> {
  const entries = readEntries();
  const chunks = await buildModules(entries, { minify: true });
  const weights = await weighModules(entries);
  const forPages = new Set(
    Object.keys(entries)
      .filter((entry) => entry !== "testing")
      .flatMap((entry) => [...chunksOf(entry, chunks)]),
  );
  const problems = [...forPages].flatMap(({ fileName, code }) =>
    loaderProblems(code, limits.script).map((problem) => `${fileName}: ${problem}`),
  );
  return { weights, problems: [...problems, ...overweight(weights)] };
}
