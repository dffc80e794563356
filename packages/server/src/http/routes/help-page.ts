/**
 * The page that a load error's `docUrl` leads to: each code with what happened and what to do. No script; its one style
 * is allowed by its hash.
 */
import { createHash } from "node:crypto";
import { loadErrors } from "@oriel/protocol/load-errors";

export function helpPage(): { html: string; policy: string } {
  const hash = createHash("sha256").update(style).digest("base64");
  return {
    html: html(),
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function html(): string {
  const codes = Object.entries(loadErrors);
  const links = codes.map(([code]) => `<li><a href="#${code}"><code>${code}</code></a></li>`);
  const sections = codes.map(
    ([code, { what, doThis }]) =>
      `<section id="${code}"><h2><code>${code}</code></h2><p>${inHtml(what)}</p><p><b>What to do.</b> ${inHtml(doThis)}</p></section>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Oriel: why the checkout does not appear</title>
<style>${style}</style>
<h1>Why the checkout does not appear</h1>
<p>For whoever builds the page that holds the checkout. Each error of the loader has one of these codes.</p>
<nav><ul>${links.join("")}</ul></nav>
${sections.join("\n")}
</html>
`;
}

/** Text with code between backticks. */
function inHtml(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return escaped.replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

const style = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
ul { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
h1 { line-height: 1.2; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
section { scroll-margin-top: 1rem; padding: 0 0.75rem; border-inline-start: 3px solid transparent; }
section:target { border-color: LinkText; }
p { margin: 0.5rem 0; }
`;
