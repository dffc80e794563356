/**
 * Formats the three card fields while the customer types: digit groups, the slash and the caret position. It runs as
 * soon as the fields exist, so that even the first digits are formatted. Anything that depends on the brand comes later
 * (`card-fields.ts`).
 *
 * It listens in the capturing phase, before any other listener, and stores nothing: the inputs' values are the only
 * copy.
 */
import type { TypedCard, Typing } from "../../page/page.ts";
import { formatExpiry } from "./format-expiry.ts";
import { formatNumber, onlyDigits } from "./format-number.ts";
import type { Formatted } from "./format-number.ts";

/** The maximum across all brands: ISO/IEC 7812-1 for the number, American Express for the code. */
const anyBrand = { number: 19, cvc: 4 };

/** @param root contains the fields */
export function followTyping(root: ParentNode): Typing {
  // All three exist in checkout.html.
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
      // Only a space was deleted, which we had inserted. The customer wants to delete the digit next to it.
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
    const input = event.target as HTMLInputElement;
    if (!Object.hasOwn(format, input.id)) return;
    // Such as `deleteContentForward` (Input Events Level 2). A `change` event has no type.
    const kind = event instanceof InputEvent ? event.inputType : "";
    // The later code's own events don't bubble.
    if (event.bubbles)
      typing.isScripted =
        typing.isScripted !== false && event.isTrusted && /^(insertText|change)$/.test(kind || event.type);
    // Writing into a field while an input method is composing would end the composition or double the text. A `change`
    // can arrive in the middle of it, when the later code checks what is already there.
    if (event instanceof InputEvent) ({ isComposing } = event);
    if (event.type === "compositionend") isComposing = false;
    if (isComposing) return;
    write(input, format[input.id as keyof TypedCard](input.value, input.selectionStart ?? input.value.length, kind));
  };
  // Some password managers set the value and dispatch only `change`.
  for (const type of ["input", "change", "compositionend"]) root.addEventListener(type, typed, true);
  root.addEventListener("keydown", () => (typing.isScripted = false), true);
  return typing;
}

/**
 * Writes only if the value differs, and moves the caret only in the focused field (Safari would focus the field
 * otherwise).
 */
function write(input: HTMLInputElement, { value, caret }: Formatted): void {
  if (input.value === value) return;
  input.value = value;
  if (input.ownerDocument.activeElement === input) input.setSelectionRange(caret, caret);
}
