/**
 * Checks that a merchant's compiler, bundler and server can use the npm package: the packed tarball, unpacked as npm
 * would install it.
 */
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loaderProblems } from "../../packages/embed/build/loader-problems.ts";
import { limits } from "../../packages/embed/build/weights.ts";
import { install, type Installed, publintProblems, typeProblems } from "./check-tarball.ts";
import { packEmbed } from "./embed.ts";

const root = join(import.meta.dirname, "../..");
const entries = ["element", "index", "loader", "react", "svelte", "testing", "vue"];
let shop: string;
let installed: Installed;

beforeAll(async () => {
  installed = await install("embed", packEmbed, [
    "react",
    "react-dom",
    "scheduler",
    "vue",
    "@vue",
    "csstype",
    "@types",
    "undici-types",
  ]);
  shop = installed.project;
}, 120_000);
afterAll(() => installed.remove());

const read = (name: string) => installed.read(name);

describe("the tarball", () => {
  it("passes publint", async () => {
    expect(await publintProblems(installed.tarball)).toEqual([]);
  });

  it("has correct types for every ES module entry and isn't declared as CommonJS", async () => {
    const names = entries.map((name) => (name === "index" ? "." : `./${name}`));
    expect(await typeProblems(installed.tarball)).toEqual({ typed: names.sort(), problems: [] });
  }, 60_000);

  it("contains only built code, declarations and licenses", () => {
    const others = installed.files.filter(
      (name) => !/^([a-z]+\.js|chunks\/[\w-]+\.js|types\/([a-z]+\/)?[\w-]+\.d\.ts)$/.test(name),
    );
    expect(others.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
    expect(installed.files.filter((name) => /^[a-z]+\.js$/.test(name)).sort()).toEqual(
      entries.map((name) => `${name}.js`),
    );
  });

  it("states the minimum version of Node", () => {
    expect(JSON.parse(read("package.json"))).toMatchObject({ engines: { node: ">=22.12" } });
  });

  it("contains no sources of other packages, and only the protocol declarations that public types mention", () => {
    const protocol = installed.files
      .filter((name) => name.startsWith("types/protocol/"))
      .map((name) => name.slice("types/protocol/".length));
    expect(protocol).toContain("windows.d.ts");
    const internal = /^api\/|^(acquirer|frame|test-payment-methods)\.d\.ts$/;
    expect(protocol.filter((name) => internal.test(name))).toEqual([]);
  });

  it("contains no paths of the build machine and names no package that isn't on npm", () => {
    const places = [root, shop, homedir(), tmpdir()].map((folder) => `${folder}/`);
    expect(installed.files.length).toBeGreaterThan(20);
    for (const name of installed.files) {
      const text = read(name);
      const found = [...places, "file://", "node_modules", "@oriel/protocol", "sourceMappingURL", "//#region"]
        .filter((word) => text.includes(word))
        .map((word) => `${name}: ${word}`);
      expect(found).toEqual([]);
    }
  });

  it("has declarations whose imports don't end in .ts", () => {
    const declarations = installed.files.filter((name) => name.endsWith(".d.ts"));
    expect(declarations.length).toBeGreaterThan(15);
    expect(declarations.filter((name) => /^[^*\n]*from "[^"]*\.ts"/m.test(read(name)))).toEqual([]);
  });

  it("imports only itself and, in the wrappers, their frameworks", () => {
    const imported = installed.files
      .filter((name) => name.endsWith(".js"))
      .flatMap((name) =>
        [...read(name).matchAll(/^(?:import|export)\b[^;]*?from\s*"([^".][^"]*)"/gm)].map(([, from = ""]) => from),
      );
    expect([...new Set(imported)].sort()).toEqual(["@oriel/embed", "react", "vue"]);
    const {
      dependencies,
      peerDependencies,
      peerDependenciesMeta,
      private: isPrivate,
    } = JSON.parse(read("package.json")) as Record<string, object>; // our own file
    expect(dependencies).toBeUndefined();
    expect(isPrivate).toBeUndefined();
    expect(Object.keys(peerDependencies ?? {})).toEqual(["react", "vue"]);
    expect(peerDependenciesMeta).toEqual({ react: { optional: true }, vue: { optional: true } });
  });

  it("tells bundlers not to resolve the loader's import", () => {
    const call = /import\(\s*((?:\/\*[^*]*\*\/\s*)*)url\s*\)/.exec(read("loader.js"))?.[1];
    expect(call).toContain("@vite-ignore");
    expect(call).toContain("webpackIgnore: true");
  });

  it("marks the React wrapper as a client component", () => {
    expect(read("react.js")).toMatch(/^"use client";/);
  });
});

describe("a merchant's compiler", () => {
  const merchant = ["merchant-types.ts", "merchant-wrappers.ts"];
  beforeAll(() => {
    for (const name of merchant) cpSync(join(root, "packages/embed/test", name), join(shop, name));
  });

  it.each([
    ["bundler", "esnext"],
    ["nodenext", "nodenext"],
  ])(
    "accepts correct code and rejects incorrect code with %s resolution",
    (moduleResolution, module) => {
      expect(compile({ moduleResolution, module, files: merchant })).toBe("");
    },
    60_000,
  );

  it("needs only `strict` and doesn't need skipLibCheck", () => {
    expect(
      compile({ moduleResolution: "bundler", module: "esnext", skipLibCheck: false, types: [], files: merchant }),
    ).toBe("");
  }, 60_000);

  it("reports an unknown export (control)", () => {
    writeFileSync(join(shop, "control.ts"), 'import { noSuchThing } from "@oriel/embed";\nnoSuchThing();\n');
    expect(compile({ moduleResolution: "bundler", module: "esnext", files: ["control.ts"] })).toContain("TS2305");
  }, 60_000);
});

/** The compiler's output. Empty if there are no errors. */
function compile({ files: sources, ...options }: { files: string[]; [option: string]: unknown }): string {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
    ...options,
  };
  writeFileSync(join(shop, "tsconfig.json"), JSON.stringify({ compilerOptions, files: sources }));
  try {
    return execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", shop], { encoding: "utf8", timeout: 60_000 });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return String(error.stdout);
    throw error;
  }
}

describe("on a server", () => {
  it.each(entries)("importing %s has no side effects: no global, no timer, no output", (name) => {
    const subpath = name === "index" ? "@oriel/embed" : `@oriel/embed/${name}`;
    expect(
      node(`
        ${["react", "vue"].includes(name) ? `await import("${name}"); // Vue has its own globals` : ""}
        const before = Reflect.ownKeys(globalThis).length;
        const module = await import("${subpath}");
        const left = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout" || kind === "MessagePort");
        console.log(JSON.stringify([Reflect.ownKeys(globalThis).length - before, left, typeof module]));`),
    ).toBe('[0,[],"object"]');
  });

  it("a checkout can be created, and mounting it fails with a message that it needs a browser", () => {
    expect(
      node(`
        import { createCheckout, mountCheckout } from "@oriel/embed";
        const options = { embedUrl: "https://pay.example.com/c/cs_test_1#cs_secret_1" };
        const states = [createCheckout(options).state];
        try { mountCheckout("#checkout", options); } catch (error) { states.push(error.message); }
        console.log(states.join(" | "));`),
    ).toMatch(/^idle \| Oriel: .*needs a browser/);
  });

  it("the loader resolves to null", () => {
    expect(
      node(
        'import { loadOriel } from "@oriel/embed/loader"; console.log(await loadOriel({ origin: "https://pay.example.com" }));',
      ),
    ).toBe("null");
  });

  it("React and Vue render an empty container", () => {
    expect(
      node(`
        import { createElement } from "react";
        import { renderToString } from "react-dom/server";
        import { Checkout } from "@oriel/embed/react";
        console.log(renderToString(createElement(Checkout, { embedUrl: "https://pay.example.com/c/cs_test_1#cs_secret_1", id: "pay" })));`),
    ).toBe('<div id="pay"></div>');
    expect(
      node(`
        import { createSSRApp, h } from "vue";
        import { renderToString } from "vue/server-renderer";
        import { OrielCheckout } from "@oriel/embed/vue";
        console.log(await renderToString(createSSRApp({ render: () => h(OrielCheckout, { embedUrl: "https://pay.example.com/c/cs_test_1#cs_secret_1" }) })));`),
    ).toMatch(/^<div[^>]*><\/div>$/);
  });
});

/** Runs a module in the merchant's folder in plain Node, without a DOM, and returns its output. */
function node(code: string): string {
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: shop,
    encoding: "utf8",
    timeout: 30_000,
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

describe("a merchant's bundle", () => {
  it("of one import stays within its budget and contains nothing that a page's CSP would block", async () => {
    expect(loaderProblems(await bundle('export { mountCheckout } from "@oriel/embed";'), limits.import)).toEqual([]);
  });

  it("is empty if it uses nothing", async () => {
    expect(
      await bundle(
        'import "@oriel/embed"; import "@oriel/embed/react"; import "@oriel/embed/loader"; export const one = 1;',
      ),
    ).toMatch(/^.{0,60}$/s);
  });

  it.each(["element", "react", "svelte", "vue"])("of %s contains the mock instead, if it's replaced", async (name) => {
    const code = `import * as wrapper from "@oriel/embed/${name}"; console.log(wrapper);`;
    const createsIframe = (bundled: string) => bundled.includes("contentWindow");
    expect(createsIframe(await bundle(code))).toBe(true);
    expect(createsIframe(await bundle(code, { "@oriel/embed": "@oriel/embed/testing" }))).toBe(false);
  });

  it("keeps the element if it's imported for its side effect", async () => {
    expect(await bundle('import "@oriel/embed/element";')).toContain("oriel-checkout");
  });
});

/**
 * Builds a minified bundle, as a merchant's own Vite would.
 *
 * @param replaced modules to import instead of others
 */
async function bundle(code: string, replaced: Record<string, string> = {}): Promise<string> {
  const entry = join(shop, "entry.js");
  writeFileSync(entry, code);
  const built = await build({
    configFile: false,
    root: shop,
    logLevel: "silent",
    publicDir: false,
    resolve: {
      alias: Object.entries(replaced).map(([name, replacement]) => ({ find: new RegExp(`^${name}$`), replacement })),
    },
    build: {
      write: false,
      lib: { entry, formats: ["es"] },
      rolldownOptions: { external: ["react", "vue"], output: { minify: true } },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !("output" in result)) throw new Error("Bug: Vite is watching instead of building");
  return result.output.map((file) => (file.type === "chunk" ? file.code : "")).join("\n");
}
