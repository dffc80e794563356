/**
 * The settings that the host page can choose for the form: locale and appearance (`appearance-settings.ts`), the fields and
 * their default values. It can never set a card field, an amount, a merchant or a return URL.
 *
 * The loader passes locale and appearance in the iframe's `name`, for the first paint, and all settings through
 * `update` once it's connected to the iframe.
 */
import { type FrameAppearance, appearanceReaders, readByPath, type SettingReaders } from "./appearance-settings.ts";
import { flag, matching, oneOf, text } from "./readers.ts";

/** The form's fields as events name them, in display order. */
export const fieldNames = ["number", "expiry", "cvc", "name", "email", "postalCode"] as const;
export type FieldName = (typeof fieldNames)[number];

type Presence = "auto" | "required" | "never";

export interface FrameSettings {
  /** A BCP 47 tag, or `auto` for the browser's language. Underscores are read as hyphens. */
  locale?: string;
  appearance?: FrameAppearance;
  /** `merchant` hides the Pay button. Only for sessions created with `submit_button: "merchant"`. */
  submitButton?: "built-in" | "merchant";
  fields?: Partial<Record<"name" | "email" | "postalCode", Presence>>;
  /** Fills fields that the customer hasn't edited. Never card data. `country` is ISO 3166-1 alpha-2. */
  defaultValues?: Partial<Record<"name" | "email" | "postalCode" | "country", string>>;
  disabled?: boolean;
  /** Where the issuer's challenge is shown. */
  challenge?: "auto" | "inline" | "overlay" | "redirect";
  /** Test mode only: fills in the sandbox card with this name. */
  testScenario?: string;
}

const presence = oneOf("auto", "required", "never");

/** Readers of all settings except {@link appearanceReaders}. */
export const formReaders: SettingReaders = {
  submitButton: oneOf("built-in", "merchant"),
  fields: { name: presence, email: presence, postalCode: presence },
  defaultValues: {
    name: text(100),
    email: text(200),
    postalCode: text(20),
    country: matching(/^[A-Z]{2}$/),
  },
  disabled: flag,
  challenge: oneOf("auto", "inline", "overlay", "redirect"),
  testScenario: text(40),
};

/**
 * Validates settings from the host page.
 *
 * @returns the valid settings, and the paths of invalid or unknown ones, such as `appearance.variables.colorPrimary`
 * @example
 * readSettings({ locale: "fr", appearance: { theme: "neon" } });
 * // { settings: { locale: "fr" }, refused: ["appearance.theme"] }
 */
export function readSettings(value: unknown): { settings: FrameSettings; refused: string[] } {
  return readByPath(value, { ...appearanceReaders, ...formReaders });
}
