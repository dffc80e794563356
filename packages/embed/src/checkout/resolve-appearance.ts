/**
 * Converts the host page's appearance to tokens for the iframe, which can't see the page around it.
 *
 * `theme: "auto"` follows the lightness of the page behind the container, not the device, so a shop without a dark theme
 * gets no dark form. If that lightness suits the theme, the page shows through the form. `inherit` uses the container's
 * computed style.
 */
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import { darkBelow, lightAbove, mediumLightness } from "@oriel/protocol/contrast-rules";
import type { Appearance } from "../api/checkout-options.ts";
import { levelsOf, onDocument } from "../page/host-document.ts";

export const resolveAppearance = (
  { theme = "auto", inherit = false, ...given }: Appearance,
  container: Element,
): FrameAppearance => {
  const computed = getComputedStyle(container);
  const lightness = lightnessBehind(container);
  const isDark =
    theme === "light" || theme === "dark"
      ? theme === "dark"
      : lightness < mediumLightness || (Number.isNaN(lightness) && isDarkScheme(computed));
  return {
    ...given,
    theme: isDark ? "dark" : "light",
    transparent: isDark ? lightness < darkBelow : lightness > lightAbove,
    ...((theme === "flat" || theme === "none") && { style: theme }),
    ...(inherit && { variables: { ...variablesOf(computed), ...given.variables } }),
  };
};

/**
 * Calls `changed` when the page's appearance may have changed, at most ten times a second, because some pages write to
 * attributes on every scroll.
 * @returns a function that stops watching
 */
export const watchAppearance = (container: Element, changed: () => void): (() => void) => {
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
  for (const node of levelsOf(container)) attributes.observe(node, { attributes: true });
  return () => {
    clearTimeout(timer);
    device.removeEventListener("change", later);
    stopTransitions();
    attributes.disconnect();
  };
};

const prefersDark = "(prefers-color-scheme: dark)";

const isDarkScheme = ({ colorScheme }: CSSStyleDeclaration): boolean =>
  /dark/.test(colorScheme) && (!/light/.test(colorScheme) || matchMedia(prefersDark).matches);

/**
 * The lightness behind the container, from 0 to 1, from the background colors of the container and its ancestors on the
 * browser's canvas. NaN behind a gradient or picture, which can have any color.
 */
const lightnessBehind = (container: Element): number => {
  const styles = [...levelsOf(container)].map((node) => getComputedStyle(node)).reverse();
  let behind = isDarkScheme(styles[0]!) ? 0 : 1; // the container itself is always a level
  for (const { backgroundColor, backgroundImage } of styles) {
    const [lightness, alpha] = readColor(backgroundColor);
    behind = alpha < 1 ? behind + (lightness - behind) * alpha : lightness;
    if (backgroundImage.includes("(")) behind = Number.NaN;
  }
  return behind;
};

/**
 * Parses a computed color. The lightness is about that of a gray with the same luminance, and never closer to the
 * theme's text than that gray.
 */
const readColor = (computed: string): [lightness: number, alpha: number] => {
  // Computed colors are `rgb(…)`, `lab(…)`, `oklch(…)` and the like, or `color(…)` with the name of a color space.
  const kind = computed[0];
  const parts = computed.split(/[ (,/]+/).slice(kind === "c" ? 2 : 1);
  const [one = Number.NaN, two = 0, three = 0, alpha = 1] = parts.map(Number.parseFloat);
  const lightness =
    kind === "o" // oklab, oklch
      ? one ** 1.36
      : kind === "l" // lab, lch
        ? one / 100
        : Math.hypot(0.46 * one, 0.84 * two, 0.3 * three) / (kind === "r" ? 255 : 1);
  return [lightness, alpha];
};

const variablesOf = (computed: CSSStyleDeclaration): NonNullable<FrameAppearance["variables"]> => ({
  colorText: computed.color,
  colorBackground: computed.backgroundColor,
  fontFamily: computed.fontFamily,
  fontSizeBase: computed.fontSize,
  borderRadius: computed.borderTopLeftRadius,
  ...(computed.accentColor !== "auto" && { colorPrimary: computed.accentColor }),
});
