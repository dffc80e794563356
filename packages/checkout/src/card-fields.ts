/**
 * The card's three fields while they are being typed in: grouping with a caret that stays, the brand beside the number; and wiping and locking
 * all fields of the form, whichever there are.
 *
 * Card data lives in the inputs' values and nowhere else until Pay is pressed. It is wiped when the page goes away (`pagehide`), when it
 * comes back out of the browser's memory (`pageshow` after bfcache), and whenever a caller says so.
 */
import { cardBrand, cvcLength } from "@oriel/protocol/card";
import { formatExpiry } from "./format-expiry.ts";
import { formatNumber, onlyDigits } from "./format-number.ts";
import type { Page } from "./page.ts";

export interface CardFields {
  fill(number: string, expiry: string, cvc: string): void;
  wipe(): void;
  wipeCvc(): void;
  /** While a payment is under way nothing can be changed. Read-only keeps the focus, `disabled` would lose it. */
  lock(locked: boolean): void;
}

export function bindCardFields(page: Page): CardFields {
  const { number, expiry, cvc, brand, form } = page;
  const view = page.document.defaultView;
  let digitsBefore = "";

  const showBrand = () => {
    const digits = onlyDigits(number.value);
    brand.dataset["brand"] = cardBrand(digits);
    cvc.placeholder = cvcLength(digits) === 4 ? "1234" : "123";
  };
  const typedNumber = (event?: Event) => {
    let raw = number.value;
    let caret = number.selectionStart ?? raw.length;
    // Deleting a space deletes the digit beyond it: the space is ours, the customer means the digit.
    const kind = inputType(event);
    if (onlyDigits(raw) === digitsBefore && kind === "deleteContentBackward") {
      raw = raw.slice(0, Math.max(0, caret - 1)) + raw.slice(caret);
      caret = Math.max(0, caret - 1);
    } else if (onlyDigits(raw) === digitsBefore && kind === "deleteContentForward") {
      raw = raw.slice(0, caret) + raw.slice(caret + 1);
    }
    write(number, formatNumber(raw, caret));
    digitsBefore = onlyDigits(number.value);
    showBrand();
  };
  const typedExpiry = (event?: Event) => {
    const deleting = inputType(event).startsWith("delete");
    write(expiry, formatExpiry(expiry.value, expiry.selectionStart ?? expiry.value.length, deleting));
  };
  const typedCvc = () => {
    const digits = onlyDigits(cvc.value).slice(0, 4);
    if (digits !== cvc.value) cvc.value = digits;
  };

  // Some password managers set the value and dispatch `change` alone.
  for (const type of ["input", "change"]) {
    number.addEventListener(type, typedNumber);
    expiry.addEventListener(type, typedExpiry);
    cvc.addEventListener(type, typedCvc);
  }

  const fields: CardFields = {
    fill(numberText, expiryText, cvcText) {
      number.value = numberText;
      expiry.value = expiryText;
      cvc.value = cvcText;
      for (const input of [number, expiry, cvc]) input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    wipe() {
      for (const input of form.querySelectorAll("input")) input.value = "";
      digitsBefore = "";
      showBrand();
    },
    wipeCvc() {
      cvc.value = "";
    },
    lock(locked) {
      for (const input of form.querySelectorAll("input")) input.readOnly = locked;
    },
  };

  view?.addEventListener("pagehide", () => fields.wipe());
  view?.addEventListener("pageshow", (event) => {
    if (event.persisted) fields.wipe();
  });
  // Something may have been typed, filled in or restored before this code came.
  typedNumber();
  typedExpiry();
  return fields;
}

function inputType(event: Event | undefined): string {
  return event && "inputType" in event && typeof event.inputType === "string" ? event.inputType : "";
}

/** Writes only what differs, and moves the caret only in the field that has the focus (Safari would focus it otherwise). */
function write(input: HTMLInputElement, { value, caret }: { value: string; caret: number }): void {
  if (input.value === value) return;
  input.value = value;
  if (input.ownerDocument.activeElement === input) input.setSelectionRange(caret, caret);
}
