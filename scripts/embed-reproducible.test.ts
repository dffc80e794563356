/**
 * Checks that anyone can verify that the served script and the npm package come from these sources: two clean copies at
 * paths of different depths, built from different working directories, produce the same bytes.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { temporaryDirectory } from "./test/temporary-directory.ts";

const root = join(import.meta.dirname, "..");
const folder = temporaryDirectory(afterAll);

it("two clean builds of the embed in different directories are identical, byte for byte", () => {
  const one = cleanCopy(join(folder, "one"));
  const two = cleanCopy(join(folder, "two/much/deeper in/the tree"));
  const built = [buildIn(one, one), buildIn(two, tmpdir())];
  expect(Object.keys(built[0] ?? {})).toEqual(
    expect.arrayContaining([
      "embed/oriel.js",
      "embed/sri.json",
      "npm/embed/index.js",
      "npm/embed/package.json",
      "npm/embed/types/index.d.ts",
    ]),
  );
  expect(Object.keys(built[0] ?? {}).filter((name) => name.endsWith(".tgz"))).toHaveLength(1);
  expect(built[1]).toEqual(built[0]);
}, 180_000);

/** Copies the embed, the protocol and their build tools. `node_modules` contains only links. */
function cleanCopy(to: string): string {
  for (const name of [
    "packages/embed",
    "packages/protocol",
    "scripts/pack.ts",
    "scripts/pack",
    "tsconfig.json",
    "tsconfig.tests.json",
    "package.json",
    "LICENSE",
  ]) {
    cpSync(join(root, name), join(to, name), { recursive: true });
  }
  const modules = join(to, "node_modules");
  mkdirSync(join(modules, "@oriel"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (!["@oriel", ".vite", ".vite-temp"].includes(name))
      symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  for (const name of ["embed", "protocol"]) symlinkSync(`../../packages/${name}`, join(modules, "@oriel", name));
  writeFileSync(join(to, "vite.config.ts"), viteConfig);
  return to;
}

/** The embed's part of the repository's build configuration. */
const viteConfig = `
import { defineConfig } from "vite";
import { embedEnvironment, loaderLimits } from "./packages/embed/build.ts";
export default defineConfig({
  appType: "custom",
  publicDir: false,
  environments: { embed: embedEnvironment },
  plugins: [loaderLimits()],
  builder: { buildApp: async (builder) => void (await builder.build(builder.environments.embed)) },
});
`;

/** SHA-256 of every built file, by name. */
function buildIn(copy: string, cwd: string): Record<string, string> {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd, encoding: "utf8", stdio: "pipe", timeout: 120_000 });
  run(join(copy, "node_modules/vite/bin/vite.js"), "build", "--app", "--config", join(copy, "vite.config.ts"));
  run(join(copy, "scripts/pack.ts"), "embed");
  const dist = join(copy, "dist");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(dist, name)).isFile())
    .sort();
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dist, name)))
        .digest("hex"),
    ]),
  );
}
