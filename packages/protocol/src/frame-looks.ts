/**
 * Language and looks: the part of the settings that the first paint needs (`frame-settings.ts` has the rest), and how
 * all settings are read.
 *
 * Looks are tokens, not CSS: a colour, a length or a font from a list can neither load anything nor reach outside the
 * property it is for. Settings are read piece by piece: a piece that cannot be read is left out and named in the
 * answer, and the rest holds.
 */
import { flag, oneOf, own, type Reader } from "./readers.ts";

/**
 * Tokens that look like these: `#0c5c4c`, `rgb(12 92 76 / 80%)`, `hsl(...)`, `oklch(...)`, `transparent`, and the
 * colour names of CSS. No `none` and no relative colors.
 */
const colour: Reader<string> = (value) =>
  typeof value === "string" &&
  /^(#[\da-f]{3,8}|(rgb|hsl|oklch|oklab|lab|lch)a?\([\d\s.,%/degratun-]{1,60}\)|[a-z]{3,24})$/i.test(value)
    ? value
    : undefined;

/** `16px`, `1.25rem`, `0`; at most three digits before the point. */
const lengthToken: Reader<string> = (value) =>
  typeof value === "string" && /^(0|\d{1,3}(\.\d{1,3})?(px|rem|em))$/.test(value) ? value : undefined;

/** Font families that are on the customer's device: nothing is ever fetched. */
const font: Reader<string> = (value) =>
  typeof value === "string" && /^[\w\s"',-]{1,200}$/.test(value) ? value : undefined;

/** What each token of `appearance.variables` may be. */
const variableReaders = {
  /** Buttons, links, the focused field's edge. */
  colorPrimary: colour,
  /** The form's surface. `transparent` shows the host page through. */
  colorBackground: colour,
  colorText: colour,
  /** Errors. */
  colorDanger: colour,
  colorTextPlaceholder: colour,
  /** The shine around what has the keyboard. */
  focusRing: colour,
  fontFamily: font,
  fontSizeBase: lengthToken,
  /** The unit of all distances; default `4px`. */
  spacingUnit: lengthToken,
  borderRadius: lengthToken,
} as const;

export type AppearanceVariable = keyof typeof variableReaders;

/** The names of all tokens. */
export const appearanceVariables = Object.keys(variableReaders) as AppearanceVariable[]; // its own keys

export interface FrameAppearance {
  /** `auto` follows the device. (For the host page's own `auto` the loader looks at the page and says which it is.) */
  theme?: "auto" | "light" | "dark";
  /** `flat`: no shadows, square corners. `none`: no colours of ours either. */
  style?: "flat" | "none";
  labels?: "above" | "floating" | "hidden";
  disableAnimations?: boolean;
  variables?: Partial<Record<AppearanceVariable, string>>;
}

/** By the path of what each reads, such as `appearance.theme`. */
export type SettingReaders = Readonly<Record<string, Reader<unknown>>>;

export const lookReaders: SettingReaders = {
  locale: (value) =>
    typeof value === "string" && /^(auto|[a-z]{2,3}(-[a-z\d]{2,8}){0,3})$/i.test(value) ? value : undefined,
  "appearance.theme": oneOf("auto", "light", "dark"),
  "appearance.style": oneOf("flat", "none"),
  "appearance.labels": oneOf("above", "floating", "hidden"),
  "appearance.disableAnimations": flag,
  ...Object.fromEntries(Object.entries(variableReaders).map(([name, read]) => [`appearance.variables.${name}`, read])),
};

/**
 * @returns what could be read, and the paths of what could not, such as `appearance.variables.colorPrimary`; unknown
 *   names are among them
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
