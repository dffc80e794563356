import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { version } from "./version.ts";

it("is the version in package.json", () => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(manifest)).toMatchObject({ version });
});
