/**
 * Formats the three card fields by brand: the number of digits in the number and the code, and the brand's mark or the
 * choice between two networks. A whole card that is pasted or dropped into the number's field fills all three. Also
 * wipes and locks all fields of the form. Formatting while typing is in `card-fields/follow-typing.ts`.
 *
 * Card data lives only in the inputs' values until Pay is pressed. It is wiped when the page is hidden (`pagehide`),
 * when it comes back from the back/forward cache (`pageshow`), and whenever a caller asks. Browsers also save what was
 * typed with the history entry, on disk too, and restore it after Back. They don't for fields with `autocomplete="off"`
 * (HTML's section on autofill), so each field has that while it isn't empty.
 */
import { cardBrand, cardLengths, cvcLength, isCardNumber, mayLackCvc } from "@oriel/protocol/card";
import type { Page } from "../page/page.ts";
import { brandNames, showMark } from "./card-fields/brand-mark.ts";
import { createNetworkChoice } from "./card-fields/network-choice.ts";
import type { LoadNetworkRadios, NetworkChoice } from "./card-fields/network-choice.ts";

export interface CardFields {
  network: NetworkChoice;
  fill(number: string, expiry: string, cvc: string): void;
  wipe(): void;
  wipeCvc(): void;
  /** Prevents changes while a payment is in progress. Read-only fields keep the focus; `disabled` would lose it. */
  lock(locked: boolean): void;
}

/** A number, an expiry date and perhaps a code, as people copy them from a note. */
const wholeCard = /^ ?(\d[\d ]{11,30}?) (0?[1-9]|1[0-2])( | ?\/ ?)(20\d\d|\d\d)( \d{3,4})? ?$/;

/** @param loadRadios also loads the styles for brands without a mark */
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
    // If the styles don't load, the generic card will do.
    showMark(brand, shown, brandNames[shown], () => loadRadios().catch(() => {}));
    network.update(digits);
    cvc.placeholder = cvcLength(digits) === 4 ? "1234" : "123";
    cvc.required = !mayLackCvc(digits);
  };
  for (const type of ["input", "change"]) number.addEventListener(type, showBrand);
  const fillWhole = (event: Event, data: DataTransfer | null) => {
    const text = data?.getData("text").replace(/[^\d/]+/g, " ") ?? "";
    const [, digits = "", month, separator, year, code = cvc.value] = wholeCard.exec(text) ?? [];
    // Without a slash, the date could be part of the number.
    const isWhole = separator?.includes("/") || isCardNumber(digits.replaceAll(" ", ""));
    if (!isWhole || number.readOnly) return;
    event.preventDefault();
    fields.fill(digits, `${month}/${year}`, code);
  };
  number.addEventListener("paste", (event) => fillWhole(event, event.clipboardData));
  number.addEventListener("drop", (event) => fillWhole(event, event.dataTransfer));
  const historyGuards = [number, expiry, cvc].map((input) => {
    const token = input.getAttribute("autocomplete") ?? "";
    const hideFromHistory = () => input.setAttribute("autocomplete", input.value === "" ? token : "off");
    for (const type of ["input", "change"]) input.addEventListener(type, hideFromHistory);
    return hideFromHistory;
  });
  /** Dispatches the events that typing would. */
  const changed = (bubbles: boolean) => {
    for (const input of [number, expiry, cvc]) input.dispatchEvent(new Event("input", { bubbles }));
  };

  const fields: CardFields = {
    network,
    fill(numberText, expiryText, cvcText) {
      number.value = numberText;
      expiry.value = expiryText;
      cvc.value = cvcText;
      changed(true);
    },
    wipe() {
      // Also the field for a promotion code, because a card number may have been typed there by mistake.
      for (const input of page.main.querySelectorAll("input")) if (input.type !== "radio") input.value = "";
      showBrand();
      for (const hideFromHistory of historyGuards) hideFromHistory();
    },
    wipeCvc() {
      cvc.value = "";
      for (const hideFromHistory of historyGuards) hideFromHistory();
    },
    lock(locked) {
      for (const input of form.querySelectorAll("input")) {
        input.readOnly = locked;
        // Read-only has no effect on radio buttons.
        if (input.type === "radio") input.disabled = locked;
      }
    },
  };

  view?.addEventListener("pagehide", () => fields.wipe());
  view?.addEventListener("pageshow", (event) => {
    if (event.persisted) fields.wipe();
  });
  // Something may have been typed, autofilled or restored before this code arrived.
  changed(false);
  return fields;
}
