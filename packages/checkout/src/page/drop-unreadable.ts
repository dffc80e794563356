/**
 * Takes back colors with which Pay or the card fields could not be read: a host page that turned bad must not hide what
 * a click does.
 *
 * The same rules as the service's (`look-contrast.ts` of the protocol), but for what is really on the page: the
 * session's tokens, the host page's and the style sheet's come together only here. The browser computes the colors, so
 * that nothing it can read is read differently. Whatever cannot be measured is taken back.
 */
import { contrastOf, leastContrast, opaqueTokens, unreadable, type LinearColor } from "@oriel/protocol/look-rules";
import type { FirstPage } from "./page.ts";

/**
 * @returns what was taken back and why, such as `appearance.variables.colorText (contrast 1.07:1, at least 4.5:1
 *   needed)`
 */
export function dropUnreadable(
  { document, main }: Pick<FirstPage, "document" | "main">,
  compute = computeColor,
): string[] {
  const { style } = document.documentElement;
  const refused: string[] = [];
  const isSet = (name: string) => style.getPropertyValue(`--${name}`) !== "";
  const read = (name: string) => readLinear(compute(main, `color(from var(--${name}) srgb-linear r g b)`));
  const drop = (why: string, ...names: string[]) => {
    for (const name of names.filter(isSet)) {
      style.removeProperty(`--${name}`);
      refused.push(`appearance.variables.${name} (${why})`);
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
  // What shows through is the host page's, which nobody here can see.
  if (read("colorBackground")[3] === 1) check("colorText", "colorBackground", "colorText", "colorBackground");
  check("colorText", "field", "colorText", "colorBackground");
  if (isSet("colorTextPlaceholder")) check("colorTextPlaceholder", "field", "colorTextPlaceholder");
  return refused;
}

/** In a property that paints nothing here. */
function computeColor(main: HTMLElement, color: string): string {
  main.style.setProperty("flood-color", color);
  return getComputedStyle(main).floodColor;
}

/**
 * `color(srgb-linear 0.1 0.2 0.3 / 0.5)`; without the last two where it is opaque. What is not there is not a number.
 */
function readLinear(computed: string): LinearColor {
  const [, red = "", green = "", blue = "", , alpha = "1"] = computed.split(" ");
  return [Number.parseFloat(red), Number.parseFloat(green), Number.parseFloat(blue), Number.parseFloat(alpha)];
}
