/**
 * Checks that Pay and the card fields are readable with an appearance's colors. The service refuses appearances that
 * make them unreadable, because a page could use them to hide what a click on Pay does. The iframe checks the final
 * combination of settings again, with the same rules (`contrast-rules.ts`).
 *
 * - `colorPrimary`, `colorText` and `colorTextPlaceholder` must be opaque. Pay's label is black or white, whichever
 *   contrasts more with `colorPrimary`.
 * - `colorText` needs a contrast of 4.5:1 on the card fields, and on `colorBackground` if that is opaque.
 *   `colorTextPlaceholder` needs 4.5:1 on the card fields.
 * - The card fields are always opaque: three parts `colorBackground` and one part black or white, whichever contrasts
 *   more with `colorText`.
 * - A translucent background shows the host page, whose colors are unknown. Labels and the amount above the form aren't
 *   checked against it. Pay and the card fields never show it.
 */
import type { AppearanceVariable, FrameAppearance } from "./appearance-settings.ts";
import { contrastOf, leastContrast, opaqueTokens, unreadable, type LinearColor } from "./contrast-rules.ts";
import { decode, encode, readCssColor } from "./css-color.ts";

export type Scheme = "light" | "dark";

/** The defaults of checkout.css for tokens that aren't set. */
export const defaultColors = {
  light: { colorPrimary: "#0c5c4c", colorBackground: "#ffffff", colorText: "#15201d" },
  dark: { colorPrimary: "#86dcc4", colorBackground: "#141a19", colorText: "#edf2f0" },
} as const satisfies Record<Scheme, Partial<Record<AppearanceVariable, string>>>;

export interface AppearanceFault {
  /** The tokens to change, at least one. */
  variables: AppearanceVariable[];
  /** Says what is wrong and what is required. */
  message: string;
}

/**
 * @param appearance validated with `appearanceReaders`
 * @returns the faults in every theme that the appearance allows; empty if all text is readable
 */
export function faultsOfAppearance({ theme = "auto", style, variables = {} }: FrameAppearance): AppearanceFault[] {
  const faults: AppearanceFault[] = [];
  for (const [name, value] of Object.entries(variables) as [AppearanceVariable, string][]) {
    const message = isColor(name)
      ? faultOfColor(name, value)
      : unreadable.test(value) && `\`${name}\` is set to an icon font. Use a font that has letters.`;
    if (message) faults.push({ variables: [name], message });
  }
  if (faults.length > 0) return faults;
  const schemes: Scheme[] = theme === "auto" ? ["light", "dark"] : [theme];
  return schemes.flatMap((scheme) => faultsIn(scheme, style, variables));
}

const isColor = (name: string) => /^color|^focus/.test(name);

function faultOfColor(name: AppearanceVariable, value: string): string | null {
  const color = readCssColor(value);
  if (color === null) {
    return `\`${name}\` isn't a valid color. Use a hex, rgb(), hsl(), lab(), lch(), oklab() or oklch() color, or a color name.`;
  }
  const mustBeOpaque = (opaqueTokens as readonly string[]).includes(name);
  if (mustBeOpaque && color[3] < 1)
    return `\`${name}\` must be opaque, but its alpha is ${Number(color[3].toFixed(2))}.`;
  return null;
}

function faultsIn(
  scheme: Scheme,
  style: FrameAppearance["style"],
  set: NonNullable<FrameAppearance["variables"]>,
): AppearanceFault[] {
  const own = style === "none" ? bareColors(scheme, set) : defaultColors[scheme];
  const { colorPrimary, colorBackground, colorText } = { ...own, ...set };
  const [primary, background, text] = [read(colorPrimary), read(colorBackground), read(colorText)];
  const field = fieldOf(background, text);
  const faults: AppearanceFault[] = [];
  const check = (words: LinearColor, behind: LinearColor, what: string, ...names: AppearanceVariable[]) => {
    const ratio = contrastOf(words, behind);
    const variables = names.filter((name) => set[name] !== undefined);
    if (ratio >= leastContrast || variables.length === 0) return;
    const message = `${what} has a contrast ratio of ${ratio.toFixed(2)}:1 in the ${scheme} theme. The ratio must be at least ${leastContrast}:1.`;
    faults.push({ variables, message });
  };
  check(farFrom(primary), primary, `The Pay button's label on \`colorPrimary\` (${colorPrimary})`, "colorPrimary");
  const named = `\`colorText\` (${colorText})`;
  if (background[3] === 1) {
    check(text, background, `${named} on \`colorBackground\` (${colorBackground})`, "colorText", "colorBackground");
  }
  if (faults.length === 0) {
    const namedField = `the card fields (derived from \`colorBackground\`, ${colorBackground})`;
    check(text, field, `${named} on ${namedField}`, "colorText", "colorBackground");
    const { colorTextPlaceholder } = set;
    if (colorTextPlaceholder !== undefined) {
      check(
        read(colorTextPlaceholder),
        field,
        `\`colorTextPlaceholder\` (${colorTextPlaceholder}) on ${namedField}`,
        "colorTextPlaceholder",
      );
    }
  }
  return faults;
}

/** The colors of `style: "none"` in checkout.css. */
function bareColors(scheme: Scheme, { colorText }: { colorText?: string }) {
  const text = scheme === "light" ? "#000000" : "#ffffff";
  return { colorPrimary: colorText ?? text, colorBackground: "transparent", colorText: text };
}

/** The color was validated before or is one of the defaults. */
function read(color: string): LinearColor {
  const found = readCssColor(color);
  if (found === null) throw new Error(`Bug: ${color} is not a color`);
  return found;
}

/** Black or white, whichever contrasts more. Like the stylesheet, it uses the unclipped luminance. */
function farFrom([red, green, blue]: LinearColor): LinearColor {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179 ? [1, 1, 1, 1] : [0, 0, 0, 1];
}

/** `color-mix(in srgb, background, black or white 25%)`, made opaque. */
function fieldOf([red, green, blue, alpha]: LinearColor, text: LinearColor): LinearColor {
  const [far] = farFrom(text);
  const weight = 0.75 * alpha;
  const mix = (part: number) => decode((encode(part) * weight + far * 0.25) / (weight + 0.25));
  return [mix(red), mix(green), mix(blue), 1];
}
