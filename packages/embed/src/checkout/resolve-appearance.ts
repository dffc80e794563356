/**
 * Converts the host page's appearance to tokens for the iframe, which can't see the page around it.
 *
 * `theme: "auto"` follows the lightness of the page behind the container, not the device, so a shop without a dark theme
 * gets no dark form. If that lightness suits the theme, the page shows through the form. `inherit` uses the container's
 * computed style.
 */
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import { darkBelow, lightAbove, mediumLightness } from "@oriel/protocol/contrast-rules";
import type { Appearance } from "./checkout-options.ts";
import { levelsOf, onDocument } from "../host-document.ts";

export function resolveAppearance(
  { theme = "auto", inherit = false, ...given }: Appearance,
  container: Element,
): FrameAppearance {
  const computed = getComputedStyle(container);
  const [darkest, lightest] = lightnessBehind(container);
  const isDark =
    theme === "light" || theme === "dark"
      ? theme === "dark"
      : lightest < mediumLightness || (!(darkest >= mediumLightness) && isDarkScheme(computed));
  return {
    ...given,
    theme: isDark ? "dark" : "light",
    transparent: isDark ? lightest < darkBelow : darkest > lightAbove,
    ...((theme === "flat" || theme === "none") && { style: theme }),
    ...(inherit && { variables: { ...variablesOf(computed), ...given.variables } }),
  };
}

/**
 * Calls `changed` when the page's appearance may have changed, at most ten times a second, because some pages write to
 * attributes on every scroll.
 * @returns a function that stops watching
 */
export function watchLooks(container: Element, changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      changed();
    }, 100);
  };
  const device = matchMedia(prefersDark);
  device.addEventListener("change", later);
  const stopTransitions = onDocument("transitionend", later); // backgrounds may change gradually
  const attributes = new MutationObserver(later);
  for (const [node] of levelsOf(container)) attributes.observe(node, { attributes: true });
  return () => {
    clearTimeout(timer);
    device.removeEventListener("change", later);
    stopTransitions();
    attributes.disconnect();
  };
}

const prefersDark = "(prefers-color-scheme: dark)";

function isDarkScheme({ colorScheme }: CSSStyleDeclaration): boolean {
  return /dark/.test(colorScheme) && (!/light/.test(colorScheme) || matchMedia(prefersDark).matches);
}

/**
 * The lightness of the darkest and the lightest color behind the container, from the backgrounds of the container and
 * its ancestors on the browser's canvas. NaN if there is a picture, which can have any color.
 */
function lightnessBehind(container: Element): [darkest: number, lightest: number] {
  const styles = Array.from(levelsOf(container), ([node]) => getComputedStyle(node)).reverse();
  const canvas = isDarkScheme(styles[0]!) ? 0 : 1; // the container itself is always a level
  let behind: [number, number] = [canvas, canvas];
  for (const { backgroundColor, backgroundImage } of styles) {
    for (const layer of [backgroundColor, backgroundImage]) {
      const colors = readColors(layer.replace(/url.*/, "x()"));
      const over = (below: number) =>
        colors.map(([lightness, alpha]) => (alpha < 1 ? below + (lightness - below) * alpha : lightness));
      if (colors.length > 0) behind = [Math.min(...over(behind[0])), Math.max(...over(behind[1]))];
    }
  }
  return behind;
}

/**
 * Parses a computed color, or the colors of gradients. The lightness is that of a gray with the same luminance, from 0 to
 * 1. It's NaN for a picture.
 */
function readColors(computed: string): [lightness: number, alpha: number][] {
  // The first letter of the function, and its numbers without a color space's name. Both are part of every match.
  return Array.from(computed.matchAll(/(\w)\w*\((?:[a-z][^ (]+ )?([^()]*)\)/g), ([, kind, parts]) => {
    const [one, two, three, alpha = 1] = parts!.split(/[ ,/]+/).map(Number.parseFloat) as [
      number,
      number,
      number,
      number?,
    ];
    const luminance = 0.2126 * one ** 2.2 + 0.7152 * two ** 2.2 + 0.0722 * three ** 2.2;
    const lightness =
      kind === "o" // oklab, oklch
        ? one ** 1.36
        : kind === "l" // lab, lch
          ? one / 100
          : luminance ** (1 / 2.2) / (kind === "r" ? 255 : 1);
    return [lightness, alpha];
  });
}

function variablesOf(computed: CSSStyleDeclaration): NonNullable<FrameAppearance["variables"]> {
  return {
    colorText: computed.color,
    colorBackground: computed.backgroundColor,
    fontFamily: computed.fontFamily,
    fontSizeBase: computed.fontSize,
    borderRadius: computed.borderTopLeftRadius,
    ...(computed.accentColor !== "auto" && { colorPrimary: computed.accentColor }),
  };
}
