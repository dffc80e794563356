/**
 * The shop's HTML pages: files with `{{names}}`, read once and filled for each request. Every value is escaped for text
 * and for double-quoted attributes, the only two places where a name may occur.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const pagesDir = join(import.meta.dirname, "../pages");

const pageNames = ["index", "script", "redirect", "app", "order", "message"] as const;

export type PageName = (typeof pageNames)[number];

const templates = new Map(pageNames.map((name) => [name, readFileSync(join(pagesDir, `${name}.html`), "utf8")]));

export function fillPage(name: PageName, values: Readonly<Record<string, string>>): string {
  const template = templates.get(name) ?? "";
  return template.replace(/\{\{(\w+)\}\}/g, (_match, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`Bug: the page ${name} needs a value named ${key}`);
    return escape(value);
  });
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
