/** Types into a field as in a browser: the value has already changed when `input` fires. */
export function enter(input: HTMLInputElement, value: string, inputType = "insertText", caret = value.length): void {
  input.focus();
  input.value = value;
  input.setSelectionRange(caret, caret);
  input.dispatchEvent(new InputEvent("input", { inputType, bubbles: true }));
}
