/**
 * What the host page may choose about the form: language and looks (`frame-looks.ts`), which fields, what stands in
 * them already. Never a card field, an amount, a merchant or an address to return to.
 *
 * The loader passes locale and appearance in the frame's `name`, so that the first paint is right, and everything by
 * the verb `update` once the two are connected.
 */
import { type FrameAppearance, lookReaders, readByPath, type SettingReaders } from "./frame-looks.ts";
import { flag, oneOf, text } from "./readers.ts";

/** Fields of the form, by the names that events use, in the order in which they stand. */
export const fieldNames = ["number", "expiry", "cvc", "name", "email", "postalCode"] as const;
export type FieldName = (typeof fieldNames)[number];

type Wish = "auto" | "required" | "never";

export interface FrameSettings {
  /** BCP 47, or `auto`: what the browser asks for. */
  locale?: string;
  appearance?: FrameAppearance;
  /** `merchant` hides Pay; it holds only for a session created with `submit_button: "merchant"`. */
  submitButton?: "built-in" | "merchant";
  fields?: Partial<Record<"name" | "email" | "postalCode", Wish>>;
  /** Put into fields that the customer has not touched. Never card data. `country`: ISO 3166-1 alpha-2. */
  defaultValues?: Partial<Record<"name" | "email" | "postalCode" | "country", string>>;
  disabled?: boolean;
  /** Where the bank's challenge is shown. */
  challenge?: "auto" | "inline" | "overlay" | "redirect";
  /** Test mode only: fills in the sandbox card of this name. */
  testScenario?: string;
}

const wish = oneOf("auto", "required", "never");

/** What is read beside {@link lookReaders}. */
export const formReaders: SettingReaders = {
  submitButton: oneOf("built-in", "merchant"),
  "fields.name": wish,
  "fields.email": wish,
  "fields.postalCode": wish,
  "defaultValues.name": text(100),
  "defaultValues.email": text(200),
  "defaultValues.postalCode": text(20),
  "defaultValues.country": (value) => (typeof value === "string" && /^[A-Z]{2}$/.test(value) ? value : undefined),
  disabled: flag,
  challenge: oneOf("auto", "inline", "overlay", "redirect"),
  testScenario: text(40),
};

/**
 * Reads settings from the host page.
 *
 * @returns what could be read, and the paths of what could not, such as `appearance.variables.colorPrimary`; unknown
 *   names are among them.
 * @example readSettings({ locale: "fr", appearance: { theme: "neon" } }) // { settings: { locale: "fr" }, refused: ["appearance.theme"] }
 */
export function readSettings(value: unknown): { settings: FrameSettings; refused: string[] } {
  return readByPath(value, { ...lookReaders, ...formReaders });
}
