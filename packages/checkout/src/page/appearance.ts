/**
 * Puts the looks that the host page chose on the page's root: tokens as custom properties of the same name, by CSSOM, the rest as attributes that
 * checkout.css knows. No style is ever made of text.
 *
 * The tokens were read by `lookReaders`. What is no colour or font to this browser (`banana`, or `inherit`, which has no value of its own) is
 * left out as well: a property that does not compute would take Pay's background away.
 */
import type { FrameAppearance } from "@oriel/protocol/frame-looks";

/** @returns the paths of what this browser cannot use, such as `appearance.variables.colorPrimary` */
export function applyAppearance(root: HTMLElement, appearance: FrameAppearance): string[] {
  const { theme, style, labels, disableAnimations, variables = {} } = appearance;
  const refused: string[] = [];
  mark(root, "theme", theme === "auto" ? undefined : theme);
  mark(root, "style", style);
  mark(root, "labels", labels === "above" ? undefined : labels);
  mark(root, "still", disableAnimations ? "" : undefined);
  for (const [name, value] of Object.entries(variables)) {
    if (isUsable(name, value)) root.style.setProperty(`--${name}`, value);
    else refused.push(`appearance.variables.${name}`);
  }
  return refused;
}

/** By attribute: `dataset` is an object that the browser would have to make first. */
function mark(root: HTMLElement, name: string, value: string | undefined): void {
  if (value === undefined) root.removeAttribute(`data-${name}`);
  else root.setAttribute(`data-${name}`, value);
}

function isUsable(name: string, value: string): boolean {
  if (name === "fontFamily") return CSS.supports("font-family", value);
  // Inside a function, so that `inherit` and its like do not pass. A length was read as one already.
  return !/color|focus/.test(name) || CSS.supports("color", `color-mix(in srgb,${value},red)`);
}
