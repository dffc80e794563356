/** Importing the package on a server must have no side effects. */
import { expect, test } from "vitest";

const entries = {
  index: () => import("./index.ts"),
  element: () => import("./element.ts"),
  react: () => import("./react.ts"),
  vue: () => import("./vue.ts"),
  svelte: () => import("./svelte.ts"),
  loader: () => import("./loader.ts"),
  testing: () => import("./testing.ts"),
};

test.each(Object.entries(entries))("importing %s on a server has no side effects", async (_name, load) => {
  await expect(load()).resolves.toBeTypeOf("object");
  expect(typeof document).toBe("undefined");
  expect(Object.getOwnPropertyNames(globalThis).filter((name) => /oriel/i.test(name))).toEqual([]);
});

test("the loader returns null on a server", async () => {
  const { loadOriel } = await entries.loader();
  await expect(loadOriel({ origin: "https://pay.example.com" })).resolves.toBe(null);
});
