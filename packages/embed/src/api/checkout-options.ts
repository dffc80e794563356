/**
 * Reads and validates the merchant's options. They are copied once, and only the copy is used. Only own properties
 * count, so a polluted `Object.prototype` has no effect. Unknown names are refused, so that developers notice a
 * misspelled option before their customers do.
 *
 * The iframe validates the form's settings (tokens of `appearance`, `fields`, `defaultValues`). It skips invalid ones,
 * and the loader names them in the console and in the error of `update`.
 */
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import { type CheckoutCallbacks, callbackNames } from "./checkout-events.ts";
import { type EmbedUrl, findEmbedUrl, readEmbedUrl } from "./embed-url.ts";

/** The form's appearance. It consists of tokens instead of CSS, so that styles can't load or cover anything. */
export interface Appearance extends Omit<FrameAppearance, "theme" | "style" | "transparent"> {
  /**
   * `auto` (default) follows the lightness of this page behind the form, and its changes. `flat`: no shadows and square corners. `none`:
   * no default colors.
   */
  theme?: "auto" | "light" | "dark" | "flat" | "none";
  /**
   * Uses the font, text size, colors and corner radius of the container's computed style. `variables` take precedence.
   */
  inherit?: boolean;
}

export interface CheckoutOptions extends CheckoutCallbacks {
  /** The complete `embed_url` of the session. Either this or `fetchEmbedUrl` is required. */
  embedUrl?: string;
  /**
   * Gets a session's `embed_url` from your server. Called if there is no `embedUrl` (`initial`), when the session
   * expires (`expired`), and when the checkout is mounted again after an error (`retry`). `signal` is aborted after
   * `timeout`.
   */
  fetchEmbedUrl?: (context: { reason: "initial" | "expired" | "retry"; signal: AbortSignal }) => Promise<string>;
  /**
   * Where the form is shown. `inline` (default): in the container. `modal`: in a dialog. `redirect`: on the full page,
   * to which this window navigates. `auto`: inline if the container is wide enough, otherwise in a dialog.
   */
  presentation?: "inline" | "modal" | "redirect" | "auto";
  /**
   * What happens if the iframe can't run: show a link to the full page (default), navigate there, or only emit the
   * `error` event.
   */
  fallback?: "link" | "redirect" | "error";
  /**
   * After success, stay on this page (`if_required`, the default, and `never`) or go to the `return_url` (`always`).
   */
  redirect?: "if_required" | "always" | "never";
  /** The form's language as a BCP 47 tag. `auto` (default) follows the session or the browser. */
  locale?: string;
  appearance?: Appearance;
  /**
   * `merchant` hides the form's Pay button, and your page calls `submit`. Only for sessions created with
   * `submit_button: "merchant"`.
   */
  submitButton?: "built-in" | "merchant";
  /** Which fields to show in addition to the card fields. `auto` (default) currently means `never`. */
  fields?: NonNullable<FrameSettings["fields"]>;
  /** Initial values of fields that the customer hasn't edited. Never card data. */
  defaultValues?: NonNullable<FrameSettings["defaultValues"]>;
  /** Makes the form read-only and disables Pay. */
  disabled?: boolean;
  /** Where the issuer's challenge is shown. `auto` (default): inline if it fits, otherwise over the page. */
  threeDS?: { presentation?: "auto" | "inline" | "overlay" | "redirect" };
  /**
   * The loading skeleton: behind the iframe until it paints (`auto`, default), in front of it until the form is ready
   * (`always`), or none (`never`).
   */
  loader?: "auto" | "always" | "never";
  /**
   * The iframe's title for screen readers. By default it's in the customer's language, and "Secure card payment" until
   * the form is ready.
   */
  title?: string;
  /** How long the form may take to become ready, in milliseconds, 1 to 600,000. Default 15,000. */
  timeout?: number;
  /** Destroys the checkout when aborted. */
  signal?: AbortSignal;
  /** Records a redacted timeline for `getDebugReport`. */
  debug?: boolean;
  /** Test mode only: fills in the sandbox card with this name, such as `challenge`. */
  testScenario?: string;
}

/** The validated options. Settings that the iframe doesn't require may be absent. */
export interface CheckoutSettings extends Omit<CheckoutOptions, "timeout"> {
  /** Null until it has been fetched, or if it's malformed. */
  sessionUrl: EmbedUrl | null;
  title: string;
  timeoutMs: number;
}

/** @throws TypeError that names the invalid option and its allowed values */
export const readOptions = (options: unknown): CheckoutSettings => {
  const given = ownCopy(options, optionNames, "option");
  for (const [name, value] of Object.entries(given)) {
    const kind = optionKinds[name]!; // unknown names were refused above
    if (!isOfKind(kind, value)) throw new TypeError(`Oriel: ${name} must be ${kind.replaceAll(" ", ", ")}.`);
  }
  if (given["appearance"]) given["appearance"] = ownCopy(given["appearance"], appearanceNames, "appearance option");
  if (given["threeDS"]) given["threeDS"] = ownCopy(given["threeDS"], ["presentation"], "threeDS option");
  const { embedUrl, fetchEmbedUrl, title = changeable.title, timeout = 15_000 } = given;
  return Object.assign(given, {
    title,
    timeoutMs: timeout,
    sessionUrl: embedUrl || fetchEmbedUrl ? findEmbedUrl(embedUrl) : readEmbedUrl(embedUrl),
  }) as unknown as CheckoutSettings; // every option was checked above
};

/** The settings to send to the iframe. resolve-appearance.ts resolves `appearance` for the page first. */
export const frameSettings = (settings: CheckoutSettings, appearance: FrameAppearance): FrameSettings => {
  const sent = {
    locale: settings.locale,
    appearance,
    submitButton: settings.submitButton,
    fields: settings.fields,
    defaultValues: settings.defaultValues,
    disabled: settings.disabled,
    challenge: settings.threeDS?.presentation,
    testScenario: settings.testScenario,
  };
  return JSON.parse(JSON.stringify(sent)) as FrameSettings; // copies plain data and drops undefined values
};

/**
 * Copies an object's own properties, without undefined ones, to an object without a prototype.
 * @throws TypeError for a name that isn't in the list
 */
export const ownCopy = (value: unknown, names: readonly string[], what: string): Record<string, unknown> => {
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, one] of Object.entries(Object(value))) {
    if (!names.includes(name)) throw new TypeError(`Oriel: unknown ${what} "${name}".`);
    if (one !== undefined) copy[name] = one;
  }
  return copy;
};

/** Each option's allowed values: a type, an AbortSignal, a range of milliseconds or a list of words. */
const optionKinds: Readonly<Record<string, string>> = {
  embedUrl: "string",
  fetchEmbedUrl: "function",
  presentation: "inline modal redirect auto",
  fallback: "link redirect error",
  redirect: "if_required always never",
  locale: "string",
  appearance: "object",
  submitButton: "built-in merchant",
  fields: "object",
  defaultValues: "object",
  disabled: "boolean",
  threeDS: "object",
  loader: "auto always never",
  title: "string",
  timeout: "1...600000",
  signal: "AbortSignal",
  debug: "boolean",
  testScenario: "string",
  ...Object.fromEntries(callbackNames.map((name) => [`on${name}`, "function"])),
};

const optionNames = Object.keys(optionKinds);

const isOfKind = (kind: string, value: unknown): boolean => {
  if (kind.includes(" ")) return kind.split(" ").some((word) => word === value);
  if (kind === "AbortSignal") return value instanceof AbortSignal;
  if (kind.startsWith("1")) return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 600_000;
  return typeof value === kind && value !== null && value !== "";
};

/** The names of the appearance options. CSS rules and font files aren't supported. */
const appearanceNames = ["theme", "inherit", "labels", "disableAnimations", "variables"];

/** The options that can change while the form is open, with their defaults. */
export const changeable = {
  locale: "auto",
  appearance: {},
  title: "Secure card payment",
  defaultValues: {},
  fields: {},
  submitButton: "built-in",
  disabled: false,
} as const;
