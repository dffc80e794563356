/**
 * The brand logos, each a separate SVG that the page fetches when someone enters a card of that brand.
 *
 * Shapes and colors come from `simple-icons` (CC0), and the logos remain their owners' trademarks. We drew the card
 * behind them. The file names share one hash, so that the page needs only one.
 */
import { createHash } from "node:crypto";
import {
  siAmericanexpress,
  siDinersclub,
  siDiscover,
  siJcb,
  siMastercard,
  siVisa,
  type SimpleIcon,
} from "simple-icons";

/** The card's size in SVG units. Its aspect ratio is that of the box that the page reserves. */
const card = { width: 38, height: 24 };

/** Centers a logo of the given width on the card. An icon is 24 by 24. */
function drawing({ path, hex }: SimpleIcon, width: number, background = "#fff", draw = one): string {
  const at = `translate(${(card.width - width) / 2} ${(card.height - width) / 2})scale(${width / 24})`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${card.width} ${card.height}">` +
    `<clipPath id="c"><rect width="38" height="24" rx="4"/></clipPath><g clip-path="url(#c)"><path fill="${background}" d="M0 0h38v24H0z"/>` +
    `<g transform="${at}">${draw(path, hex)}</g></g><rect x=".5" y=".5" width="37" height="23" rx="3.5" fill="none" stroke="#8886"/></svg>`
  );
}

const one = (path: string, hex: string) => `<path fill="#${hex}" d="${path}"/>`;

/** The icon has one color. Mastercard's discs have two, and a third where they overlap. */
const discs = (path: string, hex: string) =>
  `<clipPath id="r"><circle cx="16.6" cy="12" r="7.5"/></clipPath><clipPath id="m"><circle cx="7.4" cy="12" r="7.5" clip-path="url(#r)"/></clipPath>` +
  `${one(path, hex)}<g clip-path="url(#r)">${one(path, "F79E1B")}</g><g clip-path="url(#m)">${one(path, "FF5F00")}</g>`;

/** The icon has one color. In Discover's name only the O is orange. */
const orangeO = (path: string, hex: string) =>
  `<clipPath id="o"><circle cx="12.5" cy="12" r="2.2"/></clipPath>${one(path, "231F20")}<g clip-path="url(#o)">${one(path, hex)}</g>`;

/** The letters are holes in a blue square. */
const whiteLetters = (path: string, hex: string) => `<path fill="#fff" d="M.2 6h23.6v12H.2z"/>${one(path, hex)}`;

const drawings: Readonly<Record<string, string>> = {
  visa: drawing(siVisa, 26),
  mastercard: drawing(siMastercard, 26, "#fff", discs),
  amex: drawing(siAmericanexpress, 26, `#${siAmericanexpress.hex}`, whiteLetters),
  discover: drawing(siDiscover, 31, "#fff", orangeO),
  diners: drawing(siDinersclub, 20),
  jcb: drawing(siJcb, 25),
};

const hash = createHash("sha256").update(JSON.stringify(drawings)).digest("hex").slice(0, 8);

/** The files, by name. */
export const brandMarkFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(drawings).map(([brand, source]) => [`assets/${brand}-${hash}.svg`, source]),
);

/** Writes the files' URLs to `src/form/card-fields/mark-urls.ts`. */
export const brandMarkAddresses = {
  name: "brand-mark-addresses",
  load(id: string) {
    if (!id.endsWith("/src/form/card-fields/mark-urls.ts")) return null;
    const addresses = Object.keys(drawings).map((brand) => [brand, `/assets/${brand}-${hash}.svg`]);
    return `export const markUrls = ${JSON.stringify(Object.fromEntries(addresses))};`;
  },
};
