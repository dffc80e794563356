/**
 * The mark of a brand or network, in a box whose size is fixed from the first paint. Marks are fetched one at a time
 * from our own origin when they are needed. Until then, the box shows a generic card. If a brand has no mark or it
 * can't be loaded, the box shows its name, whose styles come with `pay/on-demand.ts`.
 */
import type { CardBrand } from "@oriel/protocol/card";
import type { CardNetwork } from "@oriel/protocol/card-networks";
import { markUrls } from "./mark-urls.ts";

/** Spelled as the card networks write them. */
export const brandNames: Readonly<Record<CardBrand, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
  maestro: "Maestro",
  unknown: "",
};

/**
 * @param name spelled as the network writes it
 * @param loadStyles called when a name is shown; leave it out where the styles are already loaded
 */
export function showMark(
  box: HTMLElement,
  brand: CardBrand | CardNetwork,
  name: string,
  loadStyles?: () => unknown,
): void {
  if (box.dataset["brand"] === brand) return;
  box.dataset["brand"] = brand;
  delete box.dataset["word"];
  box.replaceChildren();
  if (brand === "unknown") return box.setAttribute("aria-hidden", "true");
  box.removeAttribute("aria-hidden");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", name);
  const drawWord = () => {
    box.dataset["word"] = brand === "maestro" ? "" : name;
    loadStyles?.();
  };
  const address = markUrls[brand];
  if (!address) return drawWord();
  const image = box.ownerDocument.createElement("img");
  image.alt = "";
  image.hidden = true;
  image.addEventListener("load", () => {
    image.hidden = false;
  });
  image.addEventListener("error", () => {
    if (box.contains(image)) drawWord(); // otherwise the box already shows another brand
  });
  image.src = address;
  box.append(image);
}
