/**
 * Locale and appearance, the settings that the first paint needs, and the reader for all settings. The other settings
 * are in `frame-settings.ts`.
 *
 * The appearance consists of tokens instead of CSS, because a color, a length or a font name can't load anything or
 * affect another property. Each setting is read on its own: an invalid one is skipped and reported, and the rest
 * applies.
 */
import { flag, oneOf, own, type Reader } from "./readers.ts";

/**
 * Accepts `#0c5c4c`, `rgb(12 92 76 / 80%)`, `hsl(...)`, `oklch(...)`, `transparent` and CSS color names. Rejects `none`
 * and relative colors.
 */
const color: Reader<string> = (value) =>
  typeof value === "string" &&
  /^(#[\da-f]{3,8}|(rgb|hsl|oklch|oklab|lab|lch)a?\([\d\s.,%/degratun-]{1,60}\)|[a-z]{3,24})$/i.test(value)
    ? value
    : undefined;

/** `16px`, `1.25rem`, `0`; at most three digits before the point. */
const lengthToken: Reader<string> = (value) =>
  typeof value === "string" && /^(0|\d{1,3}(\.\d{1,3})?(px|rem|em))$/.test(value) ? value : undefined;

/** Font families installed on the customer's device. Fonts are never downloaded. */
const font: Reader<string> = (value) =>
  typeof value === "string" && /^[\w\s"',-]{1,200}$/.test(value) ? value : undefined;

/** Validates each token of `appearance.variables`. */
const variableReaders = {
  /** Buttons, links and the border of the focused field. */
  colorPrimary: color,
  /** The form's background. `transparent` lets the host page show through. */
  colorBackground: color,
  colorText: color,
  /** Error messages. */
  colorDanger: color,
  colorTextPlaceholder: color,
  /** The outline of the focused element. */
  focusRing: color,
  fontFamily: font,
  fontSizeBase: lengthToken,
  /** The base unit of all spacing. Default `4px`. */
  spacingUnit: lengthToken,
  borderRadius: lengthToken,
} as const;

export type AppearanceVariable = keyof typeof variableReaders;

export const appearanceVariables = Object.keys(variableReaders) as AppearanceVariable[]; // the keys of the constant

export interface FrameAppearance {
  /** `auto` follows the device. The loader replaces the host page's `auto` with the page's own color scheme. */
  theme?: "auto" | "light" | "dark";
  /** `flat`: no shadows and square corners. `none`: no default colors either. */
  style?: "flat" | "none";
  labels?: "above" | "floating" | "hidden";
  disableAnimations?: boolean;
  /**
   * Set by the loader, not by merchants: the page behind the iframe suits the theme, so it shows through the form if
   * there is no `colorBackground`.
   */
  transparent?: boolean;
  variables?: Partial<Record<AppearanceVariable, string>>;
}

/** A reader for each setting, by path, such as `appearance.theme`. */
export type SettingReaders = Readonly<Record<string, Reader<unknown>>>;

export const lookReaders: SettingReaders = {
  locale: (value) =>
    typeof value === "string" && /^(auto|[a-z]{2,3}(-[a-z\d]{2,8}){0,3})$/i.test(value) ? value : undefined,
  "appearance.theme": oneOf("auto", "light", "dark"),
  "appearance.style": oneOf("flat", "none"),
  "appearance.labels": oneOf("above", "floating", "hidden"),
  "appearance.disableAnimations": flag,
  "appearance.transparent": flag,
  ...Object.fromEntries(Object.entries(variableReaders).map(([name, read]) => [`appearance.variables.${name}`, read])),
};

/**
 * @returns the valid settings, and the paths of invalid or unknown ones, such as `appearance.variables.colorPrimary`
 */
export function readByPath(
  value: unknown,
  readers: SettingReaders,
): { settings: Record<string, unknown>; refused: string[] } {
  const settings: Record<string, unknown> = {};
  const refused: string[] = [];
  const read = (from: unknown, into: Record<string, unknown>, path: string): void => {
    if (typeof from !== "object" || from === null) return void refused.push(path);
    for (const name of Object.keys(from).slice(0, 32)) {
      const here = path + name;
      const given = own(from, name);
      if (given === undefined) continue;
      const reader = Object.hasOwn(readers, here) ? readers[here] : undefined;
      if (reader) {
        const got = reader(given);
        if (got === undefined) refused.push(here);
        else into[name] = got;
      } else if (Object.keys(readers).some((known) => known.startsWith(`${here}.`))) {
        const inner: Record<string, unknown> = {};
        read(given, inner, `${here}.`);
        into[name] = inner;
      } else refused.push(here.slice(0, 80));
    }
  };
  read(value, settings, "");
  return { settings, refused };
}
