/**
 * Removes colors that would make Pay or the card fields unreadable: a compromised host page must not hide what a click
 * does.
 *
 * It applies the same rules as the service (`color-contrast.ts` in @oriel/protocol), but to the actual page, because the
 * tokens of the session, the host page and the style sheet are combined only here. The browser computes the colors, so
 * the check can't parse them differently. A color that can't be measured is removed.
 */
import {
  contrastOf,
  leastContrast,
  leastLuminanceBehind,
  opaqueTokens,
  unreadable,
  type LinearColor,
} from "@oriel/protocol/contrast-rules";
import type { FirstPage } from "./page.ts";

/**
 * @returns what was removed and why, such as `appearance.variables.colorText (contrast 1.07:1, at least 4.5:1 needed)`
 */
export function dropUnreadableColors(
  { document, main }: Pick<FirstPage, "document" | "main">,
  compute = computeColor,
): string[] {
  const { style, dataset } = document.documentElement;
  const refused: string[] = [];
  const isSet = (name: string) => style.getPropertyValue(`--${name}`) !== "";
  const read = (name: string) => readLinear(compute(main, `color(from var(--${name}) srgb-linear r g b)`));
  const drop = (reason: string, ...names: string[]) => {
    for (const name of names.filter(isSet)) {
      style.removeProperty(`--${name}`);
      refused.push(`appearance.variables.${name} (${reason})`);
    }
  };
  const check = (text: string, ground: string, ...names: string[]) => {
    const ratio = contrastOf(read(text), read(ground));
    if (!(ratio >= leastContrast)) drop(`contrast ${ratio.toFixed(2)}:1, at least ${leastContrast}:1 needed`, ...names);
  };

  for (const property of Array.from(style)) {
    if (unreadable.test(style.getPropertyValue(property))) drop("can't be read", property.slice(2));
  }
  for (const name of opaqueTokens) if (isSet(name) && read(name)[3] !== 1) drop("must be opaque", name);
  check("onPrimary", "colorPrimary", "colorPrimary");
  // Behind a translucent background is the host page, which can't be measured from here.
  if (read("colorBackground")[3] === 1) check("colorText", "colorBackground", "colorText", "colorBackground");
  check("colorText", "field", "colorText", "colorBackground");
  if (isSet("colorTextPlaceholder")) check("colorTextPlaceholder", "field", "colorTextPlaceholder");
  // The host page may only show through if text is readable on the least favorable page of the theme.
  const behind = leastLuminanceBehind[dataset["theme"] === "dark" ? "dark" : "light"];
  if (!(contrastOf(read("colorText"), [behind, behind, behind, 1]) >= leastContrast)) delete dataset["transparent"];
  return refused;
}

/** Uses a property that paints nothing here. */
function computeColor(main: HTMLElement, color: string): string {
  main.style.setProperty("flood-color", color);
  return getComputedStyle(main).floodColor;
}

/**
 * Parses `color(srgb-linear 0.1 0.2 0.3 / 0.5)`, without the alpha part for an opaque color. Missing parts become NaN.
 */
function readLinear(computed: string): LinearColor {
  const [, red = "", green = "", blue = "", , alpha = "1"] = computed.split(" ");
  return [Number.parseFloat(red), Number.parseFloat(green), Number.parseFloat(blue), Number.parseFloat(alpha)];
}
