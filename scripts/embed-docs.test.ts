/**
 * Checks the embed's docs against the code. Every `ts` and `tsx` block is type-checked as its own module. Vue and
 * Svelte blocks are compiled and their scripts type-checked too. The guide to errors must contain the sentences that
 * the service's error page shows. Names that samples take for granted (`embedUrl`, `showThanks`, ...) are declared
 * below, so that a misspelled name is an error.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "svelte/compiler";
import { expect, test } from "vitest";
import { parse } from "vue/compiler-sfc";
import { loadErrors } from "@oriel/protocol/load-errors";

const folder = "docs/embed";
const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const blocks = pages.flatMap(({ name, text }) =>
  [...text.matchAll(/^```(ts|tsx|vue|svelte)\n(.*?)^```$/gms)].map((found) => {
    const line = text.slice(0, found.index).split("\n").length + 1;
    return { at: `${name}-${line}`, language: found[1] ?? "", code: found[2] ?? "" };
  }),
);

const takenForGranted = `
import type { Express } from "express";
import type { Oriel } from "@oriel/sdk";
import type { CheckoutError, CheckoutHandle, CheckoutOptions } from "@oriel/embed";
import type { Page } from "@playwright/test";
import type * as testing from "@oriel/embed/testing";
declare global {
  const cy: Parameters<typeof testing.cypress.pay>[0] & { visit(path: string): void };
  const embedUrl: string, page: Page, app: Express, oriel: Oriel, payButton: HTMLButtonElement, voucherForm: HTMLFormElement, checkout: CheckoutHandle;
  const express: typeof import("express"), response: { json(body: object): void };
  const fetchEmbedUrl: NonNullable<CheckoutOptions["fetchEmbedUrl"]>;
  function showThanks(sessionId: string): void;
  function showMessage(text: string): void;
  function showOrder(sessionId: string): Promise<void>;
  function report(error: CheckoutError): void;
  function confirmOnServer(sessionId: string, paymentMethodId: string, decisionId: string): void;
  function newEmbedUrl(): Promise<string>;
  function markPaid(orderId: string | undefined): Promise<void>;
  function release(orderId: string | undefined): Promise<void>;
  function cartIsDirty(): boolean;
  function orderOf(request: object): Promise<{ sessionId: string }>;
  function saveCart(): Promise<void>;
  function $props<T>(): T;
}`;

test("every sample in the embed docs compiles against the packages", { timeout: 60_000 }, () => {
  expect(blocks.length).toBeGreaterThan(20);
  const work = "node_modules/.cache/embed-docs";
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const files = blocks.map(({ at, language, code }) => {
    const script = language.startsWith("ts") ? code : (/<script[^>]*>(.*?)<\/script>/s.exec(code)?.[1] ?? "");
    const file = `${at}.${language === "tsx" ? "tsx" : "ts"}`;
    writeFileSync(join(work, file), `${script}\nexport {};\n`);
    return file;
  });
  writeFileSync(join(work, "granted.ts"), takenForGranted);
  const compilerOptions = {
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node"],
    jsx: "react-jsx",
    noUnusedLocals: false,
  };
  writeFileSync(
    join(work, "tsconfig.json"),
    JSON.stringify({ extends: "../../../tsconfig.json", compilerOptions, files: ["granted.ts", ...files] }),
  );
  expect(mistakesIn(work)).toEqual([]);
});

test("the guide to errors matches the service's error page", () => {
  const guide = pages.find(({ name }) => name === "troubleshooting.md")?.text ?? "";
  const sections = Object.entries(loadErrors).map(
    ([code, words]) => `## \`${code}\`\n\n${words.what}\n\n**What to do.** ${words.doThis}\n`,
  );
  expect(sections.filter((section) => !guide.includes(section))).toEqual([]);
});

test("every Vue and Svelte sample compiles", () => {
  const written = (wanted: string) => blocks.filter(({ language }) => language === wanted);
  expect([written("svelte").length, written("vue").length]).not.toContain(0);
  for (const { code } of written("svelte")) expect(compile(code, {}).warnings).toEqual([]);
  for (const { code } of written("vue")) expect(parse(code).errors).toEqual([]);
});

/** Errors that `tsc` finds in the samples. Errors in the packages are covered by their own tests. */
function mistakesIn(work: string): string[] {
  const { status, stdout } = spawnSync("node_modules/.bin/tsc", ["-p", work, "--pretty", "false"], {
    encoding: "utf8",
    timeout: 50_000,
  });
  if (status === null) return ["tsc didn't finish"];
  return stdout.split("\n").filter((line) => line.startsWith(work) || line.startsWith("error"));
}
