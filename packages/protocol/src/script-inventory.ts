/**
 * The script inventory of the iframe's pages: every script and style with its hashes, purpose and justification, and
 * each page's headers. The build writes it (`dist/checkout/inventory.json`), and `oriel monitor` compares it with what
 * a browser receives. It's also evidence for auditors.
 *
 * Source: PCI DSS v4.0.1, 6.4.3 (an inventory of all payment page scripts, with written justification and assured
 * integrity) and 11.6.1 (detection of changes to scripts and security headers as received by the customer's browser).
 */
import Type, { type Static } from "typebox";
import { closed, nullable, words } from "./shapes.ts";

const Sha256 = Type.String({
  pattern: "^sha256-[A-Za-z0-9+/]{43}=$",
  description: "A hash in the format of CSP and the `integrity` attribute.",
});
const Sha384 = Type.String({ pattern: "^sha384-[A-Za-z0-9+/]{64}$" });
const hashed = { bytes: Type.Integer({ minimum: 0 }), sha256: Sha256, sha384: Sha384 };

const Code = closed({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  /** In the page's HTML, or imported from this origin. */
  kind: words(["inline", "import map", "imported"]),
  url: nullable(
    Type.String({
      pattern: "^/",
      maxLength: 500,
      description: "The code's path on the checkout origin. Null for inline code.",
    }),
  ),
  ...hashed,
  purpose: Type.String({ minLength: 1, maxLength: 2000 }),
  justification: Type.String({ minLength: 1, maxLength: 2000 }),
});

const Document = closed({
  file: Type.String({ maxLength: 200 }),
  language: nullable(
    Type.String({
      maxLength: 35,
      description: "The language of the document's text. Null if the document has no text.",
    }),
  ),
  ...hashed,
});

const Page = closed({
  page: words(["checkout", "runner", "landing", "why"]),
  purpose: Type.String({ minLength: 1, maxLength: 2000 }),
  /** The variants of the page, one per language. */
  documents: Type.Array(Document, { minItems: 1, maxItems: 200 }),
  scripts: Type.Array(Code, { maxItems: 100 }),
  styles: Type.Array(Code, { maxItems: 100 }),
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      "The page's headers, with lowercase names. The Content-Security-Policy omits `frame-ancestors`, which differs for each session.",
  }),
  held_by: words(["allowed_origins", "anyone"], {
    description:
      "Who can embed the page. With `allowed_origins`, the `frame-ancestors` directive lists the session's allowed origins.",
  }),
});

export const ScriptInventory = closed({
  inventory: Type.Literal(1),
  pages: Type.Array(Page, { minItems: 1, maxItems: 10 }),
  /** Data that the pages fetch: translations and card brand images. */
  data: Type.Array(closed({ url: Type.String({ pattern: "^/", maxLength: 500 }), ...hashed }), { maxItems: 500 }),
});

export type ScriptInventory = Static<typeof ScriptInventory>;
export type InventoryPage = ScriptInventory["pages"][number];
export type InventoryCode = InventoryPage["scripts"][number];
