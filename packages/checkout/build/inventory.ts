/**
 * Makes the inventory of code in the iframe's pages (`inventory.json`) from the built bytes. It parses the pages as a
 * browser would, so it finds a script however it got in. A script without a documented purpose fails the build.
 *
 * It trusts only those bytes, and refuses markup that runs code other than script and style elements.
 */
import { createHash } from "node:crypto";
import { codeOf, readImportMap } from "@oriel/protocol/page-code";
import { pageHeaders, type PageName } from "@oriel/protocol/page-headers";
import type { InventoryCode, InventoryPage, ScriptInventory } from "@oriel/protocol/script-inventory";
import { codePurposes, pagePurposes } from "./purposes.ts";

/** As in `pages.json`: a page's file, or its files by language. */
export type PageFiles = Readonly<Record<string, { html: string | Readonly<Record<string, string>> }>>;

/**
 * @param files - Every built file, by its path on the checkout origin.
 * @throws Error that names what has no purpose or isn't allowed.
 */
export function scriptInventory(pageFiles: PageFiles, files: ReadonlyMap<string, string>): ScriptInventory {
  const named = new Set<string>();
  const pages = Object.entries(pageFiles).map(([name, { html }]): InventoryPage => {
    if (!isPageName(name))
      throw new Error(`The page "${name}" has no purpose. Write it in packages/checkout/build/purposes.ts.`);
    const documents = (typeof html === "string" ? [[null, html] as const] : Object.entries(html)).map(
      ([language, file]) => {
        const content = files.get(`/${file}`);
        if (content === undefined) throw new Error(`Bug: ${file} wasn't built`);
        named.add(`/${file}`);
        return { file, language, content };
      },
    );
    const found = documents.map(({ content, file }) => codeIn(name, content, file, files));
    const scripts = withoutRepeats(found.flatMap((code) => code.scripts));
    const styles = withoutRepeats(found.flatMap((code) => code.styles));
    for (const { url } of scripts) if (url !== null) named.add(url);
    return {
      page: name,
      purpose: pagePurposes[name],
      documents: documents.map(({ file, language, content }) => ({ file, language, ...hashed(content) })),
      scripts,
      styles,
      ...expectedHeaders(name, scripts, styles),
    };
  });
  const data = [...files].filter(([url]) => !named.has(url)).map(([url, text]) => ({ url, ...hashed(text) }));
  const code = data.find(({ url }) => !/\.(?:json|svg)$/.test(url));
  if (code !== undefined)
    throw new Error(`Bug: ${code.url} is built, but is neither text nor an image nor named by a page`);
  return { inventory: 1, pages, data };
}

function isPageName(name: string): name is PageName {
  return Object.hasOwn(pagePurposes, name);
}

function codeIn(page: PageName, html: string, file: string, files: ReadonlyMap<string, string>) {
  const { scripts, styles, others } = codeOf(html);
  // The last script is the page's main script.
  const last = scripts.findLast(({ type, src }) => type !== "importmap" && src === null);
  if (others.length > 0)
    throw new Error(`Bug: ${file} contains ${others.join(", ")}, which the inventory doesn't support`);
  return {
    scripts: scripts.flatMap((script): InventoryCode[] => {
      const { type, src, text } = script;
      if (src !== null) throw new Error(`Bug: ${file} loads ${src} from its HTML, which would delay the page`);
      if (type !== "importmap") return [describe(script === last ? page : `${page} fields`, "inline", null, text)];
      const map = readImportMap(text);
      if (map === null) throw new Error(`Bug: the import map of ${file} is unreadable`);
      const later = map.map(([name, url]) => {
        const code = files.get(url);
        if (code === undefined) throw new Error(`Bug: ${file} imports ${url}, which wasn't built`);
        return describe(name, "imported", url, code);
      });
      return [describe("import map", "import map", null, text), ...later];
    }),
    styles: styles.map((text) => describe(`${page} style`, "inline", null, text)),
  };
}

function describe(name: string, kind: InventoryCode["kind"], url: string | null, text: string): InventoryCode {
  const why = codePurposes[name];
  if (why === undefined) {
    throw new Error(
      `The script "${name}" has no purpose. Write in packages/checkout/build/purposes.ts what it is for and why it has to be there.`,
    );
  }
  return { name, kind, url, ...hashed(text), purpose: why[0], justification: why[1] };
}

/** Every language has the same script, listed once. */
function withoutRepeats(code: InventoryCode[]): InventoryCode[] {
  return [...new Map(code.map((one) => [`${one.name} ${one.sha256}`, one])).values()];
}

/** The headers that the service sends, without session data. */
function expectedHeaders(
  page: PageName,
  scripts: InventoryCode[],
  styles: InventoryCode[],
): Pick<InventoryPage, "headers" | "held_by"> {
  const quoted = (code: InventoryCode[]) => code.map(({ sha256 }) => `'${sha256}'`);
  const placeholder = "https://the-session.example";
  const headers = pageHeaders(
    page,
    { scripts: quoted(scripts), styles: quoted(styles) },
    { ancestors: placeholder, coep: false },
  );
  const policy = headers["content-security-policy"] ?? "";
  const own = `; frame-ancestors ${placeholder}`;
  return {
    headers: { ...headers, "content-security-policy": policy.replace(own, "") },
    held_by: policy.includes(own) ? "allowed_origins" : "anyone",
  };
}

function hashed(text: string): { bytes: number; sha256: string; sha384: string } {
  const hash = (algorithm: "sha256" | "sha384") =>
    `${algorithm}-${createHash(algorithm).update(text).digest("base64")}`;
  return { bytes: Buffer.byteLength(text), sha256: hash("sha256"), sha384: hash("sha384") };
}
