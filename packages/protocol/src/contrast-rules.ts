/**
 * Rules for an appearance's colors, shared by the iframe and the service, so that customers can always see what a click
 * on Pay does. The service computes colors in `color-contrast.ts`; in the iframe, the browser does.
 */

/** Linear sRGB. Components are 0 to 1 within the gamut; alpha is 0 to 1. */
export type LinearColor = readonly [red: number, green: number, blue: number, alpha: number];

/** The minimum contrast of text (WCAG 2.2, 1.4.3). */
export const leastContrast = 4.5;

/**
 * The host page may show through the form if everything behind the form is lighter or darker than this, depending on the
 * theme. On such a page, all of the theme's own text has a contrast of at least 4.5:1. The lightness is that of a gray,
 * as a share of white's components.
 */
export const lightAbove = 0.88;
export const darkBelow = 0.27;
/** The luminance of grays of that lightness: the least favorable pages that may show through. */
export const leastLuminanceBehind = { light: 0.74, dark: 0.06 } as const;
/** Black and white text contrast equally on a gray of this lightness. */
export const mediumLightness = 0.46;

/** Tokens for Pay and the text in the card fields. */
export const opaqueTokens = ["colorPrimary", "colorText", "colorTextPlaceholder"] as const;

/** Matches `currentcolor`, which differs per element, and fonts that have symbols instead of letters. */
export const unreadable = /^currentcolor$|ding[sb]/i;

/**
 * The WCAG 2.x contrast of two opaque colors, from 1 to 21, truncated to two decimals. Colors outside sRGB are clipped,
 * as on most screens.
 */
export function contrastOf(one: LinearColor, other: LinearColor): number {
  const ratio = (luminanceOf(one) + 0.05) / (luminanceOf(other) + 0.05);
  return Math.floor(Math.max(ratio, 1 / ratio) * 100) / 100;
}

function luminanceOf([red, green, blue]: LinearColor): number {
  const clip = (part: number) => Math.min(1, Math.max(0, part));
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue);
}
