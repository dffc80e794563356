/**
 * Rules for an appearance's colors, shared by the iframe and the service, so that customers can always see what a click
 * on Pay does. The service computes colors in `color-contrast.ts`; in the iframe, the browser does.
 */

/** Linear sRGB. Components are 0 to 1 within the gamut; alpha is 0 to 1. */
export type LinearColor = readonly [red: number, green: number, blue: number, alpha: number];

/** The minimum contrast of text (WCAG 2.2, 1.4.3). */
export const leastContrast = 4.5;

/** Tokens for Pay and the text in the card fields. */
export const opaqueTokens = ["colorPrimary", "colorText", "colorTextPlaceholder"] as const;

/** Matches `currentcolor`, which differs per element, and fonts that have symbols instead of letters. */
export const unreadable = /^currentcolor$|ding[sb]/i;

/**
 * The WCAG 2.x contrast of two opaque colors, from 1 to 21, truncated to two decimals. Colors outside sRGB are clipped,
 * as on most screens.
 */
export function contrastOf(one: LinearColor, other: LinearColor): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return Math.floor(((lighter + 0.05) / (darker + 0.05)) * 100) / 100;
}

function luminanceOf([red, green, blue]: LinearColor): number {
  const clip = (part: number) => Math.min(1, Math.max(0, part));
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue);
}
