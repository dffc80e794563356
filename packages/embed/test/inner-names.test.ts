/** Checks how the names of inner properties are shortened in the npm package. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { buildModules } from "../build/modules.ts";

const folder = temporaryDirectory(afterAll);

async function built(code: string): Promise<string> {
  const entry = join(folder, "entry.js");
  writeFileSync(entry, code);
  const [chunk] = await buildModules({ entry }, { minify: false });
  return chunk?.code ?? "";
}

test.each([
  ["a property", "export const f = (frame) => frame.isSent;", /frame\.\w{1,2};/],
  ["an optional one", "export const f = (frame) => frame?.isSent;", /frame\?\.\w{1,2};/],
  ["a key", "export const f = (value) => ({ isSent: value });", /\{ \w{1,2}: value \}/],
  ["a method", "export const f = () => ({ isSent() {} });", /\{ \w{1,2}\(\) \{/],
  ["a key named after a variable", "export const f = (isSent) => ({ isSent });", /\{ \w{1,2}: isSent \}/],
  ["a pattern", "export const f = ({ isSent = 1 }) => isSent;", /\{ \w{1,2}: isSent = 1 \}/],
])("shortens the name of %s", async (_what, code, expected) => {
  expect((await built(code)).replaceAll(/\s+/g, " ")).toMatch(expected);
});

test("shortens the same name in the same way, and no others", async () => {
  const code = await built(
    "export const f = (frame, isSent) => [frame.isSent, frame[isSent], frame.title, 'isSent', { isSent: 1 }];",
  );
  const [, short] = /frame\.(\w{1,2}),/.exec(code) ?? [];
  expect(code.replaceAll(/\s+/g, " ")).toContain(
    `[ frame.${short}, frame[isSent], frame.title, "isSent", { ${short}: 1 } ]`,
  );
});

test("refuses code in which another property has a short name", async () => {
  await expect(built("export const f = (frame) => frame.a;")).rejects.toThrow("inner-names.ts uses the name a");
});
