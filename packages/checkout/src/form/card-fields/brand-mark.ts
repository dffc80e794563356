/**
 * The mark of a brand or network, in a box that has its size from the first paint on. Marks are fetched one by one when
 * they are needed, from our own origin. Until one is there, the box shows a card without a brand. Where a brand has no
 * mark, or it can't be loaded, the box shows its name, whose styles come with `pay/on-demand.ts`.
 */
import type { CardBrand } from "@oriel/protocol/card";
import type { CardNetwork } from "@oriel/protocol/card-networks";
import { markAddresses } from "./mark-addresses.ts";

/** As their owners write them. */
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
 * @param name as its owner writes it
 * @param loadStyles called when a word is shown; left out where its styles are there already
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
  const address = markAddresses[brand];
  if (!address) return drawWord();
  const image = box.ownerDocument.createElement("img");
  image.alt = "";
  image.hidden = true;
  image.addEventListener("load", () => {
    image.hidden = false;
  });
  image.addEventListener("error", () => {
    if (box.contains(image)) drawWord(); // else the box shows another brand by now
  });
  image.src = address;
  box.append(image);
}
