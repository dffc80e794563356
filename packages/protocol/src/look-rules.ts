/**
 * What the colors of an appearance have to keep to, so that a customer always sees what a click on Pay does: the part
 * that the iframe and the service share. The service computes the colors itself (`look-contrast.ts`); in the iframe,
 * the browser does.
 */

/** Red, green and blue of linear sRGB, 0 to 1 within its gamut; alpha from 0 to 1. */
export type LinearColor = readonly [red: number, green: number, blue: number, alpha: number];

/** WCAG 2.2, 1.4.3: what text needs. */
export const leastContrast = 4.5;

/** Pay, and what is written in the card fields. */
export const opaqueTokens = ["colorPrimary", "colorText", "colorTextPlaceholder"] as const;

/** A color that is another one on each element, and fonts that draw pictures in place of letters. */
export const unreadable = /^currentcolor$|ding[sb]/i;

/**
 * Contrast of two opaque colors by WCAG 2.x, from 1 to 21, cut to two decimals. What lies outside sRGB is clipped, as
 * most screens do.
 */
export function contrastOf(one: LinearColor, other: LinearColor): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return Math.floor(((lighter + 0.05) / (darker + 0.05)) * 100) / 100;
}

function luminanceOf([red, green, blue]: LinearColor): number {
  const clip = (part: number) => Math.min(1, Math.max(0, part));
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue);
}
