import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { version } from "./version.ts";

it.each(["cli", "server"])("is the version in package.json of %s", (name) => {
  const manifest = readFileSync(new URL(`../../${name}/package.json`, import.meta.url), "utf8");
  expect(JSON.parse(manifest)).toMatchObject({ version });
});
