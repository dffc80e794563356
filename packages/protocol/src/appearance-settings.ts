/**
 * Locale and appearance, the settings that the first paint needs, and the reader for all settings. The other settings
 * are in `frame-settings.ts`.
 *
 * The appearance consists of tokens instead of CSS, because a color, a length or a font name can't load anything or
 * affect another property. Each setting is read on its own: an invalid one is skipped and reported, and the rest
 * applies.
 */
import { flag, matching, oneOf, type Reader } from "./readers.ts";

/**
 * Accepts `#0c5c4c`, `rgb(12 92 76 / 80%)`, `hsl(...)`, `oklch(...)`, `transparent` and CSS color names. Rejects `none`
 * and relative colors.
 */
const color = matching(/^(#[\da-f]{3,8}|(rgb|hsl|(ok)?l(ab|ch))a?\([\d\s.,%/degratun-]{1,60}\)|[a-z]{3,24})$/i);

/** `16px`, `1.25rem`, `0`; at most three digits before the point. */
const lengthToken = matching(/^(0|\d{1,3}(\.\d{1,3})?(px|rem|em))$/);

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
  /** Font families installed on the customer's device. Fonts are never downloaded. */
  fontFamily: matching(/^[\w\s"',-]{1,200}$/),
  fontSizeBase: lengthToken,
  /** The base unit of all spacing. Default `4px`. */
  spacingUnit: lengthToken,
  borderRadius: lengthToken,
} as const;

export type AppearanceVariable = keyof typeof variableReaders;

export const appearanceVariables = /* @__PURE__ */ Object.keys(variableReaders) as AppearanceVariable[]; // the keys of the constant

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

/** A reader for each setting, nested like the settings. */
export interface SettingReaders {
  readonly [name: string]: Reader<unknown> | SettingReaders;
}

export const appearanceReaders: SettingReaders = {
  // See `localeTag`.
  locale: matching(/^(auto|[a-z]{2,3}([-_][a-z\d]{1,8})*)$/i),
  appearance: {
    theme: oneOf("auto", "light", "dark"),
    style: oneOf("flat", "none"),
    labels: oneOf("above", "floating", "hidden"),
    disableAnimations: flag,
    transparent: flag,
    variables: variableReaders,
  },
};

/**
 * @returns the valid settings, and the paths of invalid or unknown ones, such as `appearance.variables.colorPrimary`
 */
export function readByPath(
  value: unknown,
  readers: SettingReaders,
): { settings: Record<string, unknown>; refused: string[] } {
  const refused: string[] = [];
  const read = (from: unknown, known: SettingReaders, path: string): Record<string, unknown> => {
    const settings: Record<string, unknown> = {};
    if (typeof from !== "object" || from === null) {
      refused.push(path);
      return settings;
    }
    const entries: [string, unknown][] = Object.entries(from);
    for (const [name, given] of entries.slice(0, 32)) {
      if (given === undefined) continue;
      const here = path + name;
      const reader = Object.hasOwn(known, name) ? known[name] : undefined;
      const got = typeof reader === "object" ? read(given, reader, `${here}.`) : reader?.(given);
      if (got === undefined) refused.push(here.slice(0, 80));
      else settings[name] = got;
    }
    return settings;
  };
  return { settings: read(value, readers, ""), refused };
}
