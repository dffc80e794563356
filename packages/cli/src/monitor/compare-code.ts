/**
 * Compares a page's bytes with the inventory. The whole page must match a built document byte for byte, except for what
 * the service may insert: one tag with a session's appearance, and two attributes with the form's shape. If it doesn't
 * match, the scripts and styles are compared one by one to describe why.
 */
import { createHash } from "node:crypto";
import { codeOf } from "@oriel/protocol/page-code";
import type { InventoryCode, InventoryPage } from "@oriel/protocol/script-inventory";
import { missing, type Difference } from "./difference.ts";

/**
 * As written by `http/routes/page-variants.ts`. The tag can't run code, because its content has no quotes or angle
 * brackets. The attributes have fixed values.
 */
const appearanceTag = /<meta name="appearance" content="[^"<>]*">/;
const shapeAttributes = /(?<=^<!doctype html><html)( data-no-card)?( data-choices="[12]")?/;

export function compareCode({ documents, scripts, styles }: InventoryPage, html: Buffer): Difference[] {
  const hash = sha256(Buffer.from(withoutInsertions(html.toString("latin1")), "latin1"));
  if (documents.some(({ sha256 }) => sha256 === hash)) return [];
  const found = codeOf(html.toString("utf8"));
  const external = found.scripts.filter(({ src }) => src !== null);
  const inlineScripts = found.scripts.filter(({ src }) => src === null).map(({ text }) => text);
  const differences = [
    ...compareTexts(
      "script",
      scripts.filter(({ kind }) => kind !== "imported"),
      inlineScripts,
    ),
    ...external.map(({ src }) => added("script", `from ${JSON.stringify((src ?? "").slice(0, 300))}`, null)),
    ...compareTexts("style", styles, found.styles),
    ...found.others.map((tag) => added("markup", JSON.stringify(tag), null)),
  ];
  const expected = documents.map(({ file }) => file).join(", ");
  differences.push({
    what: "html",
    expected: documents[0]?.sha256 ?? null,
    found: hash,
    says: `The page's HTML doesn't match the build: ${html.length} bytes, ${hash}. Expected one of: ${expected.slice(0, 300)}.`,
  });
  return differences;
}

function withoutInsertions(html: string): string {
  return html.replace(appearanceTag, "").replace(shapeAttributes, "");
}

/** Compares a file that was fetched separately. */
export function compareFile(
  what: string,
  { bytes, sha256: expected }: Pick<InventoryCode, "bytes" | "sha256">,
  body: Buffer,
): Difference[] {
  const found = sha256(body);
  return found === expected ? [] : [changed(what, expected, bytes, found, body.length)];
}

/** Removes matching texts, then pairs what's left on both sides in order. */
function compareTexts(
  kind: "script" | "style",
  known: readonly InventoryCode[],
  texts: readonly string[],
): Difference[] {
  const unseen = [...known];
  const unmatched: string[] = [];
  for (const text of texts) {
    const at = unseen.findIndex((code) => code.sha256 === sha256(text));
    if (at === -1) unmatched.push(text);
    else unseen.splice(at, 1);
  }
  const differences = unmatched.map((text) => {
    const instead = unseen.shift();
    const [hash, bytes] = [sha256(text), Buffer.byteLength(text)];
    const what = `${kind} ${instead?.name ?? ""}`;
    return instead
      ? changed(what, instead.sha256, instead.bytes, hash, bytes)
      : added(kind, `of ${bytes} bytes, ${hash}`, hash);
  });
  return [...differences, ...unseen.map(({ name, sha256 }) => missing(`${kind} ${name}`, sha256))];
}

function changed(what: string, expected: string, expectedBytes: number, found: string, bytes: number): Difference {
  return {
    what,
    expected,
    found,
    says: `The ${what} was changed: ${bytes} bytes, ${found}. Expected ${expectedBytes} bytes, ${expected}.`,
  };
}

function added(what: string, which: string, found: string | null): Difference {
  return { what, expected: null, found: found ?? which, says: `Unexpected ${what}: ${which}.` };
}

function sha256(content: string | Buffer): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}
