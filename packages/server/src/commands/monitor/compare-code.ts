/**
 * Compares a page's bytes with the inventory, and says which script or style is another one. The whole page has to be
 * one of those that were built, byte for byte, but for the one tag with a session's looks that the service may have put
 * in; what is said about its parts only explains where it is not.
 */
import { createHash } from "node:crypto";
import { codeOf } from "@oriel/protocol/page-code";
import type { InventoryCode, InventoryPage } from "@oriel/protocol/script-inventory";
import type { Difference } from "./difference.ts";

/** As `http/routes/page-appearance.ts` writes it. It runs nothing: no quote and no bracket can be in it. */
const looks = /<meta name="appearance" content="[^"<>]*">/;

export function compareCode({ documents, scripts, styles }: InventoryPage, html: Buffer): Difference[] {
  const hash = sha256(Buffer.from(html.toString("latin1").replace(looks, ""), "latin1"));
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
    says: `The page's HTML is none that was built: ${html.length} bytes, ${hash}. Built were: ${expected.slice(0, 300)}.`,
  });
  return differences;
}

/** One that was fetched on its own. @param body null: it could not be had */
export function compareFile(
  what: string,
  { bytes, sha256: expected }: Pick<InventoryCode, "bytes" | "sha256">,
  body: Buffer | null,
): Difference[] {
  if (body === null) return [missing(what, expected)];
  const found = sha256(body);
  return found === expected ? [] : [changed(what, expected, bytes, found, body.length)];
}

/** What is there and known is taken out first; what is left over on both sides belongs together in its order. */
function compareTexts(
  kind: "script" | "style",
  known: readonly InventoryCode[],
  texts: readonly string[],
): Difference[] {
  const unseen = [...known];
  const strange: string[] = [];
  for (const text of texts) {
    const at = unseen.findIndex((code) => code.sha256 === sha256(text));
    if (at === -1) strange.push(text);
    else unseen.splice(at, 1);
  }
  const differences = strange.map((text) => {
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
    says: `The ${what} was changed: ${bytes} bytes, ${found}; built were ${expectedBytes} bytes, ${expected}.`,
  };
}

function added(what: string, which: string, found: string | null): Difference {
  return { what, expected: null, found: found ?? which, says: `There is ${what} that was not built: ${which}.` };
}

function missing(what: string, expected: string): Difference {
  return { what, expected, found: null, says: `The ${what} is missing.` };
}

function sha256(content: string | Buffer): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}
