/**
 * How the loader is built for a script tag: one minified file, `dist/embed/oriel.js`; and what it must never become.
 *
 * The limits are part of the build, not of a review: it fails when the file is heavier than the budget, when it holds a word that only
 * card code would use (the loader runs in the merchant's page, where no card data may ever be), or when it could post to any origin.
 */
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { EnvironmentOptions, Plugin } from "vite";

export const embedEnvironment: EnvironmentOptions = {
  consumer: "client",
  build: {
    outDir: join(import.meta.dirname, "../../dist/embed"),
    emptyOutDir: true,
    copyPublicDir: false,
    minify: true,
    lib: {
      entry: join(import.meta.dirname, "src/script.ts"),
      // Required for this format, and unused: the entry exports nothing and sets its global itself.
      name: "OrielLoader",
      formats: ["iife"],
      fileName: () => "oriel.js",
    },
  },
};

/** Compressed size the loader may have, in bytes. */
const maxBrotliBytes = 9_500;

/** Fails the build of the loader where it breaks a limit, and prints its size where it does not. */
export function loaderLimits(): Plugin {
  return {
    name: "oriel-loader-limits",
    applyToEnvironment: (environment) => environment.name === "embed",
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).filter((file) => file.type === "chunk");
      const [file] = files;
      if (!file || files.length !== 1) this.error(`The loader must be one file; it became ${files.length}.`);
      const problems = loaderProblems(file.code);
      if (problems.length > 0) this.error(`The loader is not fit for a merchant's page:\n- ${problems.join("\n- ")}`);
      console.log(`loader: ${file.fileName} ${Buffer.byteLength(file.code)} bytes, ${brotliBytes(file.code)} with brotli`);
    },
  };
}

/** What is wrong with a built loader, one sentence each. */
export function loaderProblems(code: string): string[] {
  const problems = cardWords
    .filter((word) => code.toLowerCase().includes(word.toLowerCase()))
    .map((word) => `it contains "${word}", which only card code needs`);
  if (/(["'`])input\1/.test(code)) problems.push("it can create an input element");
  if (/postMessage\([^;]{0,200}?(["'`])\*\1/.test(code) || /targetOrigin/.test(code)) {
    problems.push('it can post a message to "*" (or takes the target from an options object, where that cannot be seen)');
  }
  if (/\.innerHTML|\beval\(|new Function\b|createElement\((["'`])(?:style|script)\1/.test(code)) {
    problems.push("it writes markup, style elements or code");
  }
  const size = brotliBytes(code);
  if (size > maxBrotliBytes) problems.push(`it weighs ${size} bytes with brotli; the budget is ${maxBrotliBytes}`);
  return problems;
}

const cardWords = ["luhn", "cc-number", "cc-csc", "cc-exp", "A256GCM", "creq", "threeDSMethodData"];

function brotliBytes(code: string): number {
  return brotliCompressSync(code).byteLength;
}
