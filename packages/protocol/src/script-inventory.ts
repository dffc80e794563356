/**
 * The inventory of what runs in the frame's pages: every script and every style with its hashes, what it is for, why it
 * has to be there, and the headers that the page is served with. The build writes it (`dist/checkout/inventory.json`),
 * `oriel monitor` compares what a browser receives with it, and an auditor reads it.
 *
 * Source: PCI DSS v4.0.1, 6.4.3 (an inventory of all payment page scripts, with written justification and assured
 * integrity) and 11.6.1 (changes of scripts and security headers as received by the customer's browser are noticed).
 */
import Type, { type Static } from "typebox";
import { closed, nullable, words } from "./shapes.ts";

const Sha256 = Type.String({
  pattern: "^sha256-[A-Za-z0-9+/]{43}=$",
  description: "As policies and `integrity` write it.",
});
const Sha384 = Type.String({ pattern: "^sha384-[A-Za-z0-9+/]{64}$" });
const hashed = { bytes: Type.Integer({ minimum: 0 }), sha256: Sha256, sha384: Sha384 };

const Code = closed({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  /** Within the page's HTML, or imported from this origin. */
  kind: words(["inline", "import map", "imported"]),
  url: nullable(
    Type.String({
      pattern: "^/",
      maxLength: 500,
      description: "A path on the checkout origin; null for what is inline.",
    }),
  ),
  ...hashed,
  purpose: Type.String({ minLength: 1, maxLength: 2000 }),
  justification: Type.String({ minLength: 1, maxLength: 2000 }),
});

const Document = closed({
  file: Type.String({ maxLength: 200 }),
  language: nullable(Type.String({ maxLength: 35, description: "Of its words. Null: it has none." })),
  ...hashed,
});

const Page = closed({
  page: words(["checkout", "runner", "landing", "why"]),
  purpose: Type.String({ minLength: 1, maxLength: 2000 }),
  /** Any of these is the page; which one is a matter of the customer's language. */
  documents: Type.Array(Document, { minItems: 1, maxItems: 200 }),
  scripts: Type.Array(Code, { maxItems: 100 }),
  styles: Type.Array(Code, { maxItems: 100 }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: "By lower-case name. In the policy `frame-ancestors` is left out: it is the session's own.",
  }),
  held_by: words(["allowed_origins", "anyone"], {
    description: "`allowed_origins`: the policy has a `frame-ancestors` that names the session's allowed origins.",
  }),
});

export const ScriptInventory = closed({
  inventory: Type.Literal(1),
  pages: Type.Array(Page, { minItems: 1, maxItems: 10 }),
  /** What the pages fetch that is no code: their words, and drawings of brands. */
  data: Type.Array(closed({ url: Type.String({ pattern: "^/", maxLength: 500 }), ...hashed }), { maxItems: 500 }),
});

export type ScriptInventory = Static<typeof ScriptInventory>;
export type InventoryPage = ScriptInventory["pages"][number];
export type InventoryCode = InventoryPage["scripts"][number];
