/**
 * The pages that describe error codes, with an anchor for each code: one for the loader, linked from an error's
 * `docUrl`, and one for the API, linked from the `Link` header of error responses. They run no scripts, and their CSP
 * allows their only stylesheet by its hash.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyReply } from "fastify";
import { loadErrors } from "@oriel/protocol/load-errors";

export interface HelpPage {
  html: string;
  policy: string;
}

/** Explains the loader's error codes. */
export function loadErrorsPage(): HelpPage {
  const codes = Object.entries(loadErrors);
  const links = codes.map(([code]) => `<li><a href="#${code}"><code>${code}</code></a></li>`);
  const sections = codes.map(
    ([code, { what, doThis }]) =>
      `<section id="${code}"><h2><code>${code}</code></h2><p>${inline(what)}</p><p><b>What to do.</b> ${inline(doThis)}</p></section>`,
  );
  return helpPage(
    "Why the checkout doesn't appear",
    `<p>For developers who embed the checkout. Each loader error has one of these codes.</p>
<nav><ul>${links.join("")}</ul></nav>
${sections.join("\n")}`,
  );
}

const errorsGuide = new URL("../../../../../docs/api/errors.md", import.meta.url);

/** Renders `docs/api/errors.md` as a page, so that the guide and the page can't differ. */
export function apiErrorsPage(): HelpPage {
  const [, ...blocks] = readFileSync(errorsGuide, "utf8")
    .trim()
    .split(/\n{2,}/);
  return helpPage("Errors", blocks.map(blockToHtml).join("\n"));
}

/** Converts the Markdown that the guide uses: headings, tables, lists, code blocks and paragraphs. */
function blockToHtml(block: string): string {
  const lines = block.split("\n");
  const [, rank, heading] = /^(##+) (.*)$/.exec(block) ?? [];
  if (rank !== undefined && heading !== undefined) {
    const id = heading.toLowerCase().replaceAll(/[^a-z]+/g, "-");
    return `<h${rank.length} id="${id}">${inline(heading)}</h${rank.length}>`;
  }
  if (block.startsWith("```")) return `<pre>${escape(lines.slice(1, -1).join("\n"))}</pre>`;
  if (block.startsWith("- ")) return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join("")}</ul>`;
  if (!block.startsWith("|")) return `<p>${inline(lines.join(" "))}</p>`;
  const [names = [], , ...rows] = lines.map(cellsOf);
  return rows.map((cells) => rowToHtml(names, cells)).join("\n");
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

/** A table row whose first cell is a code becomes a section with that code as its anchor. */
function rowToHtml(names: string[], [first = "", ...cells]: string[]): string {
  const terms = cells.map((cell, i) => `<dt>${inline(names[i + 1] ?? "")}</dt><dd>${inline(cell)}</dd>`);
  const code = first.replaceAll("`", "");
  return `<section id="${escape(code)}"><h4>${inline(first)}</h4><dl>${terms.join("")}</dl></section>`;
}

export function sendHelpPage(reply: FastifyReply, { html, policy }: HelpPage, cacheControl: string): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy)
    .header("cross-origin-opener-policy", "same-origin")
    .header("referrer-policy", "no-referrer")
    .header("x-content-type-options", "nosniff")
    .header("cache-control", cacheControl)
    .send(html);
}

function helpPage(title: string, body: string): HelpPage {
  const hash = createHash("sha256").update(style).digest("base64");
  return {
    html: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Oriel: ${title}</title>
<style>${style}</style>
<h1>${title}</h1>
${body}
</html>
`,
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

/** Converts Markdown within a line: code, bold and links. Links to other guides become plain text. */
function inline(text: string): string {
  return escape(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll(/\*\*([^*]+)\*\*/g, "<b>$1</b>")
    .replaceAll(/\[([^[\]]+)\]\((#[a-z-]+)\)/g, '<a href="$2">$1</a>')
    .replaceAll(/\[([^[\]]+)\]\([^)]+\)/g, "$1");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const style = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
nav ul { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
h1 { line-height: 1.2; }
h2, h3, h4 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
h4 { font-size: 1rem; margin: 1rem 0 0.5rem; }
section { scroll-margin-top: 1rem; padding: 0 0.75rem; border-inline-start: 3px solid transparent; }
section:target { border-color: LinkText; }
p, dl { margin: 0.5rem 0; }
dt { font-weight: 600; }
pre { overflow-x: auto; }
`;
