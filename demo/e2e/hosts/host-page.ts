/**
 * Adds a page to the host server from a test: its markup and its response headers. The page gets a URL under
 * `addresses.hosts`, and the same path works under `addresses.other`.
 */
import { addresses } from "../urls.ts";

export interface HostPage {
  /** Inserted into `<head>`. */
  head?: string;
  /** Inserted into `<body>`. */
  body?: string;
  /** Response headers, such as `content-security-policy`. */
  headers?: Record<string, string>;
}

/** The bundles made from hosts/apps, by name. */
export type HostApp = "esm" | "element" | "loader" | "react" | "vue" | "svelte";

/** @returns the page's path */
export async function servePage({ head = "", body = "", headers = {} }: HostPage): Promise<string> {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>A host page</title>
${head}
</head>
<body>
${body}
</body>
</html>`;
  const response = await fetch(`${addresses.hostsApi}/pages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ headers, html }),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`The host server returned ${response.status}: ${await response.text()}`);
  const { path } = (await response.json()) as { path: string }; // written by host-server.ts
  return path;
}

/** @returns the full URL of a page under `addresses.hosts` */
export async function pageAddress(page: HostPage): Promise<string> {
  return addresses.hosts + (await servePage(page));
}

/** A page that runs one of the bundles. The app finds its `options` and a container `#app` in the page. */
export function appPage(app: HostApp, options: object = {}, more: HostPage = {}): HostPage {
  return {
    ...more,
    head: `${more.head ?? ""}
<script type="application/json" id="options">${json(options)}</script>
<script type="module" src="/apps/${app}.js"></script>`,
    body: `${more.body ?? ""}<div id="app"></div>`,
  };
}

/** The script tag as in the docs. */
export const scriptTag = `<script src="${addresses.checkout}/embed/v1/oriel.js" async></script>`;

/** The snippet's element. Further attributes are passed without the prefix `data-oriel-`. */
export function markup(embedUrl: string, attributes: Record<string, string> = {}): string {
  const all = Object.entries({ "embed-url": embedUrl, ...attributes });
  return `<div id="checkout" data-oriel-checkout ${all.map(([name, value]) => `data-oriel-${name}="${attribute(value)}"`).join(" ")}></div>`;
}

export function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** JSON that is safe in a script element. */
function json(value: object): string {
  return JSON.stringify(value).replaceAll("<", String.raw`\u003c`);
}
