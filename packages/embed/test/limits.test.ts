/** Checks that builds pass within each limit and fail above it. */
import { randomBytes } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBuilder, type Rolldown } from "vite";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { embedEnvironment, loaderLimits } from "../build.ts";
import { innerNames } from "../build/inner-names.ts";
import { chunksOf, readEntries, readManifest } from "../build/modules.ts";
import { describeBuild, type Releases } from "../build/releases.ts";
import { limits, overweight, weighModules, wrapperLimit } from "../build/weights.ts";
import { version } from "../src/api/version.ts";

/** The parts of a chunk that the build uses. */
function chunk(fileName: string, imports: string[] = [], dynamicImports: string[] = []): Rolldown.OutputChunk {
  return { type: "chunk", fileName, imports, dynamicImports } as unknown as Rolldown.OutputChunk; // the rest isn't used
}

/**
 * Code with about the given brotli size. Brotli compresses hexadecimal digits to half as many bytes.
 */
const incompressible = (bytes: number) => randomBytes(bytes).toString("hex");

describe("a name that the minifier may shorten", () => {
  const packages = join(import.meta.dirname, "../..");
  const sources = globSync("{embed,protocol}/src/**/*.ts", { cwd: packages })
    .filter((path) => !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join(packages, path), "utf8"));

  it.each(innerNames)("is used in the sources, but never quoted or part of the public API: %s", (name) => {
    const code = sources.join("\n").replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "");
    expect(code).toMatch(new RegExp(`\\b${name}\\b`));
    expect(code).not.toMatch(new RegExp(`["'\`]${name}["'\`]`));
    const shown = ["api/checkout-handle", "api/checkout-options", "api/checkout-events", "markup/find-global"];
    for (const path of shown) {
      const [publicTypes] = readFileSync(join(packages, `embed/src/${path}.ts`), "utf8").split(
        "/** The validated options",
      );
      expect(publicTypes).not.toContain(name);
    }
  });
});

describe("weights", () => {
  it("may equal their limit but not exceed it", () => {
    const at = { name: "at", brotliBytes: 8_000, limit: 8_000 };
    const above = { name: "above", brotliBytes: 8_001, limit: 8_000 };
    const unlimited = { name: "unlimited", brotliBytes: 99_999, limit: null };
    expect(overweight([at, above, unlimited])).toEqual(["above weighs 8001 bytes with brotli; the budget is 8000"]);
  });

  it("are limited for the script, an import and a wrapper", () => {
    expect(limits).toEqual({ script: 12_500, import: 10_100, wrapper: 1_100 });
  });

  it.each(["react", "vue", "svelte", "loader"])("are limited for the %s wrapper", (name) => {
    expect(wrapperLimit(name)).toBe(limits.wrapper);
  });

  it.each(["element", "testing"])("are only reported for %s", (name) => {
    expect(wrapperLimit(name)).toBeNull();
  });

  it("count only what a wrapper adds to the embed", async () => {
    const { index, svelte } = readEntries();
    const weights = await weighModules({ index: index ?? "", svelte: svelte ?? "" });
    const of = (name: string) => weights.find((weight) => weight.name.includes(name))?.brotliBytes ?? 0;
    expect(weights).toHaveLength(2);
    expect(of("mountCheckout")).toBeGreaterThan(2_000);
    expect(of("svelte")).toBeGreaterThan(100);
    expect(of("svelte")).toBeLessThan(of("mountCheckout") / 4);
  });

  it("include chunks that are imported directly, indirectly or dynamically", () => {
    const chunks = [
      chunk("react.js", ["react", "chunks/held.js"], ["chunks/late.js"]),
      chunk("chunks/held.js", ["chunks/core.js"]),
      chunk("chunks/core.js"),
      chunk("chunks/late.js"),
      chunk("chunks/other.js"),
    ];
    expect([...chunksOf("react", chunks)].map(({ fileName }) => fileName)).toEqual([
      "react.js",
      "chunks/held.js",
      "chunks/core.js",
      "chunks/late.js",
    ]);
  });
});

describe("the build", () => {
  const folder = temporaryDirectory(afterAll);

  /** Builds another script like the loader. */
  async function buildScript(code: string, releases: Releases): Promise<unknown> {
    const entry = join(folder, "script.js");
    writeFileSync(entry, code);
    const { build: options = {} } = embedEnvironment;
    const lib = { entry, name: "OrielLoader", formats: ["iife" as const], fileName: () => "oriel.js" };
    const builder = await createBuilder({
      configFile: false,
      logLevel: "silent",
      plugins: [loaderLimits(releases)],
      environments: { embed: { ...embedEnvironment, build: { ...options, outDir: join(folder, "dist"), lib } } },
    });
    const { embed } = builder.environments;
    if (!embed) throw new Error("Bug: the embed environment is missing");
    return builder.build(embed);
  }

  it("fails if the script is too large", async () => {
    await expect(buildScript(`self.x = "${incompressible(13_200)}";`, {})).rejects.toThrow(
      /oriel\.js: it weighs \d+ bytes/,
    );
  });

  it("fails if the script could be card code", async () => {
    await expect(buildScript("self.x = document.createElement('in' + 'put');", {})).rejects.toThrow(
      /oriel\.js: it can create an input/,
    );
  });

  it.each([
    "Promise.withResolvers()",
    "URL.canParse('')",
    "Map.groupBy([], String)",
    "[].toSorted()",
    "AbortSignal.any([])",
  ])("fails if the script calls an API that older browsers lack: %s", async (call) => {
    await expect(buildScript(`self.x = ${call};`, {})).rejects.toThrow(
      /oriel\.js: it calls an API that old browsers don.t have/,
    );
  });

  it("fails with advice to raise the version if it was released with different bytes", async () => {
    await expect(buildScript("self.x = 1;", { [version]: describeBuild("self.x = 2;") })).rejects.toThrow(
      /Raise the version/,
    );
  });
});

describe("the version", () => {
  it("is the same in package.json and in the code", () => {
    expect(version).toBe(readManifest().version);
  });
});
