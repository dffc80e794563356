/**
 * Builds the loader for script tags: one minified file, `dist/embed/oriel.js`, and `dist/embed/sri.json`. It also
 * enforces the loader's limits.
 *
 * The build fails if the file, `import { mountCheckout }` or a wrapper exceeds its size budget. It fails if code for a
 * merchant's page contains a word that only card code needs, or could write markup, send a request or post to any
 * origin. It also fails if the version was already released with different bytes.
 */
import { join } from "node:path";
import type { EnvironmentOptions, Plugin } from "vite";
import { minifyAgain } from "../protocol/build/minify-again.ts";
import { innerNames } from "./build/inner-names.ts";
import { brotliBytes, loaderProblems } from "./build/loader-problems.ts";
import { buildModules, chunksOf, readEntries, readManifest } from "./build/modules.ts";
import { readReleases, type Releases, sriFile, versionProblem } from "./build/releases.ts";
import { limits, overweight, weighModules, type Weight } from "./build/weights.ts";
import { version } from "./src/api/version.ts";

/**
 * Makes Chromium compile the whole script off the main thread while it downloads (V8's explicit compile hints). Compiling
 * each function on its first call delayed the iframe's request by 15 ms on a slow phone.
 */
const compileHint = "//# allFunctionsCalledOnLoad\n";

const minifyScriptAgain: Plugin = {
  name: "oriel-minify-script-again",
  generateBundle: {
    order: "pre", // before its size is judged
    async handler(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === "chunk") file.code = compileHint + (await minifyAgain(file.code));
    },
  },
};

export const embedEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir: join(import.meta.dirname, "../../dist/embed"),
    emptyOutDir: true,
    copyPublicDir: false,
    minify: true,
    lib: {
      entry: join(import.meta.dirname, "src/script.ts"),
      // Required for this format but unused: the entry exports nothing and sets its global itself.
      name: "OrielLoader",
      formats: ["iife"],
      fileName: () => "oriel.js",
    },
    rolldownOptions: {
      plugins: [minifyScriptAgain],
      // Inlines constants, including those from other modules.
      optimization: { inlineConst: { mode: "all", pass: 3 } },
      output: {
        // Otherwise Vite turns every `const` into a `var`, whose value the minifier can't inline.
        topLevelVar: false,
        minify: { mangleProps: { include: new RegExp(`^(?:${innerNames.join("|")})$`) } },
      },
    },
  },
};

/** Fails the build if the loader breaks a limit, prints all sizes and writes sri.json. */
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
        problems.push(`package.json has version ${declared}, but src/api/version.ts has ${version}`);
      const collision = versionProblem(version, file.code, releases);
      if (collision !== null) problems.push(collision);

      for (const { name, brotliBytes, limit } of weights) {
        console.log(`embed: ${name} ${brotliBytes}${limit === null ? "" : ` of ${limit}`} bytes with brotli`);
      }
      if (problems.length > 0) this.error(`The loader isn't safe for a merchant's page:\n- ${problems.join("\n- ")}`);
      this.emitFile({
        type: "asset",
        fileName: "sri.json",
        source: `${JSON.stringify(sriFile(releases, version, file.code), null, 2)}\n`,
      });
    },
  };
}

/**
 * Sizes of the ES modules, and their problems. The testing kit may name fields, because it's only for tests and no
 * other entry loads it.
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
