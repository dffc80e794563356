/**
 * The card's three fields while they are being typed in: groups, slash and digits, with a caret that stays. It runs as
 * soon as there are fields, so that the first key is treated like the last; what must know the brands comes later
 * (`card-fields.ts`).
 *
 * It hears what is typed on its way down to the fields, before anybody else does, and keeps nothing of it: the inputs'
 * values are all there is.
 */
import type { TypedCard, Typing } from "../../page/page.ts";
import { formatExpiry } from "./format-expiry.ts";
import { formatNumber, onlyDigits } from "./format-number.ts";
import type { Formatted } from "./format-number.ts";

/** The longest of any brand: ISO/IEC 7812-1, and American Express' code. */
const anyBrand = { number: 19, cvc: 4 };

/** @param root in which the fields are */
export function followTyping(root: ParentNode): Typing {
  // All three are in checkout.html, and somebody has typed in one of them.
  const field = (name: keyof TypedCard) => root.querySelector(`#${name}`) as HTMLInputElement;
  const typing: Typing = {
    longest: () => anyBrand,
    read: () => ({
      number: onlyDigits(field("number").value),
      expiry: formatExpiry(field("expiry").value, 0, false).value,
      cvc: onlyDigits(field("cvc").value),
    }),
  };
  const format: Record<keyof TypedCard, (raw: string, caret: number, kind: string) => Formatted> = {
    number(raw, caret, kind) {
      const { number: longest } = typing.longest(onlyDigits(raw));
      const formatted = formatNumber(raw, caret, longest);
      // Nothing is gone but a space. The space is ours; the customer means the digit beyond it.
      if (!kind.startsWith("delete") || formatted.value !== `${raw.slice(0, caret)} ${raw.slice(caret)}`)
        return formatted;
      const from = kind.endsWith("Forward") ? caret : caret - 1;
      return formatNumber(raw.slice(0, from) + raw.slice(from + 1), from, longest);
    },
    expiry: (raw, caret, kind) => formatExpiry(raw, caret, kind.startsWith("delete")),
    cvc(raw, caret) {
      const value = onlyDigits(raw).slice(0, typing.longest(typing.read().number).cvc);
      return { value, caret: onlyDigits(raw.slice(0, caret)).length };
    },
  };
  let isComposing = false;
  const typed = (event: Event) => {
    // What an input method is composing is its own until it ends; to write into it would end it, or double it. A
    // `change` may come in the middle, when the later code looks at what is there already.
    if (event instanceof InputEvent) ({ isComposing } = event);
    if (event.type === "compositionend") isComposing = false;
    if (isComposing) return;
    const input = event.target as HTMLInputElement;
    if (!Object.hasOwn(format, input.id)) return;
    // Such as `deleteContentForward` (Input Events Level 2); a `change` is of no kind.
    const kind = event instanceof InputEvent ? event.inputType : "";
    write(input, format[input.id as keyof TypedCard](input.value, input.selectionStart ?? input.value.length, kind));
  };
  // Some password managers set the value and dispatch `change` alone.
  for (const type of ["input", "change", "compositionend"]) root.addEventListener(type, typed, true);
  return typing;
}

/**
 * Writes only what differs, and moves the caret only in the field that has the focus (Safari would focus it otherwise).
 */
function write(input: HTMLInputElement, { value, caret }: Formatted): void {
  if (input.value === value) return;
  input.value = value;
  if (input.ownerDocument.activeElement === input) input.setSelectionRange(caret, caret);
}
