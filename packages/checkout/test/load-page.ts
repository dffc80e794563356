/** The checkout page's own HTML in a test's document, so that no test has a page of its own invention. */
import { readFileSync } from "node:fs";
import { finishPage } from "../src/finish-page.ts";
import { firstLook } from "../src/first-look.ts";
import { findPage } from "../src/page.ts";
import type { Page } from "../src/page.ts";
import en from "../src/texts/en.ts";

const html = readFileSync(`${import.meta.dirname}/../src/checkout.html`, "utf8");

/** The page in English, as after the later code has come. */
export function loadPage(): Page {
  const body = /<body>([^]*)<\/body>/.exec(html)?.[1];
  if (!body) throw new Error("Bug: checkout.html has no body");
  const texts: Record<string, unknown> = { ...en };
  document.body.innerHTML = body.replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => String(texts[name]));
  return finishPage(findPage(document, firstLook(window)));
}
