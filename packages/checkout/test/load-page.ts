/** The checkout page's own HTML in a test's document, so that no test has a page of its own invention. */
import { readFileSync } from "node:fs";
import { findPage } from "../src/page.ts";
import type { Page } from "../src/page.ts";
import * as text from "../src/text.ts";

const html = readFileSync(`${import.meta.dirname}/../src/checkout.html`, "utf8");

export function loadPage(): Page {
  const body = /<body>([^]*)<\/body>/.exec(html)?.[1];
  if (!body) throw new Error("Bug: checkout.html has no body");
  const texts: Record<string, unknown> = text;
  document.body.innerHTML = body.replaceAll(/\{\{(\w+)\}\}/g, (_match, name: string) => String(texts[name]));
  return findPage(document);
}
