/**
 * Formats and validates the card's three fields by brand: how many digits a number and its code may have, the brand
 * beside the number, or the two networks of a card that has two; and wiping and locking all fields of the form,
 * whichever there are. How typing is formatted is in `card-fields/follow-typing.ts`.
 *
 * Card data lives in the inputs' values and nowhere else until Pay is pressed. It is wiped when the page goes away
 * (`pagehide`), when it comes back out of the browser's memory (`pageshow` after bfcache), and whenever a caller says
 * so. All the same a browser notes from time to time what is typed, with the entry in its history and on disk too, and
 * fills it in after Back. It does not for a field whose `autocomplete` is `off` (HTML's section on autofill), and so is
 * each field's while something stands in it.
 */
import { cardBrand, cardLengths, cvcLength } from "@oriel/protocol/card";
import { brandNames, showMark } from "./card-fields/brand-mark.ts";
import { createNetworkChoice } from "./card-fields/network-choice.ts";
import type { LoadNetworkRadios, NetworkChoice } from "./card-fields/network-choice.ts";
import type { Page } from "../page/page.ts";

export interface CardFields {
  network: NetworkChoice;
  fill(number: string, expiry: string, cvc: string): void;
  wipe(): void;
  wipeCvc(): void;
  /** While a payment is under way nothing can be changed. Read-only keeps the focus, `disabled` would lose it. */
  lock(locked: boolean): void;
}

/** @param loadRadios brings the styles of a brand without a mark as well */
export function bindCardFields(page: Page, loadRadios: LoadNetworkRadios): CardFields {
  const { number, expiry, cvc, brand, form, typing } = page;
  const view = page.document.defaultView;
  const network = createNetworkChoice(page, loadRadios);

  typing.longest = (digits) => ({
    number: Math.max(...cardLengths(digits)),
    cvc: cardBrand(digits) === "unknown" ? 4 : cvcLength(digits),
  });
  const showBrand = () => {
    const { number: digits } = typing.read();
    const shown = cardBrand(digits);
    // Without its styles, a card of no brand will do.
    showMark(brand, shown, brandNames[shown], () => loadRadios().catch(() => {}));
    network.look(digits);
    cvc.placeholder = cvcLength(digits) === 4 ? "1234" : "123";
  };
  for (const type of ["input", "change"]) number.addEventListener(type, showBrand);
  const keepOutOfHistory = [number, expiry, cvc].map((input) => {
    const token = input.getAttribute("autocomplete") ?? "";
    const keepOut = () => input.setAttribute("autocomplete", input.value === "" ? token : "off");
    for (const type of ["input", "change"]) input.addEventListener(type, keepOut);
    return keepOut;
  });
  /** As if it had been typed. */
  const look = (bubbles: boolean) => {
    for (const input of [number, expiry, cvc]) input.dispatchEvent(new Event("change", { bubbles }));
  };

  const fields: CardFields = {
    network,
    fill(numberText, expiryText, cvcText) {
      number.value = numberText;
      expiry.value = expiryText;
      cvc.value = cvcText;
      look(true);
    },
    wipe() {
      for (const input of form.querySelectorAll("input")) if (input.type !== "radio") input.value = "";
      showBrand();
      for (const keepOut of keepOutOfHistory) keepOut();
    },
    wipeCvc() {
      cvc.value = "";
      for (const keepOut of keepOutOfHistory) keepOut();
    },
    lock(locked) {
      for (const input of form.querySelectorAll("input")) {
        input.readOnly = locked;
        // Read-only means nothing to a radio button.
        if (input.type === "radio") input.disabled = locked;
      }
    },
  };

  view?.addEventListener("pagehide", () => fields.wipe());
  view?.addEventListener("pageshow", (event) => {
    if (event.persisted) fields.wipe();
  });
  // Something may have been typed, filled in or restored before this code came.
  look(false);
  return fields;
}
