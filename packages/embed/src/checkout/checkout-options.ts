/**
 * Reads the options a merchant passes. They come from outside, so they are copied once and checked, and only the copy
 * is used. Only own properties count: what someone put on `Object.prototype` supplies nothing. An unknown name is
 * refused, because a misspelt option that is silently dropped is found out by a customer.
 *
 * What is for the form (tokens of `appearance`, `fields`, `defaultValues`) is checked by the frame, which alone knows
 * what it can show: it leaves out what it cannot read, and the loader names those on the console and in what `update`
 * rejects with.
 */
import type { FrameAppearance } from "@oriel/protocol/frame-looks";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import { type CheckoutCallbacks, callbackNames } from "./checkout-events.ts";
import { type EmbedUrl, readEmbedUrl } from "./embed-url.ts";

/** How the form looks: tokens, never CSS, so that nothing can be loaded or covered by a style. */
export interface Appearance extends Omit<FrameAppearance, "theme" | "style"> {
  /**
   * `auto` (default): light or dark as this page is, also when it changes. `flat`: no shadows, square corners. `none`:
   * no colours of ours.
   */
  theme?: "auto" | "light" | "dark" | "flat" | "none";
  /**
   * Takes font, text size, colours and corner radius from the container's computed style; `variables` win over them.
   */
  inherit?: boolean;
}

export interface CheckoutOptions extends CheckoutCallbacks {
  /** The `embed_url` that creating the session answered, whole. This or `fetchEmbedUrl` is required. */
  embedUrl?: string;
  /**
   * Asks your server for a session: the first when there is no `embedUrl`, a new one when time ran out (`expired`), and
   * when mounting again after an error (`retry`). `signal` is aborted when `timeout` is over.
   */
  fetchEmbedUrl?: (context: { reason: "initial" | "expired" | "retry"; signal: AbortSignal }) => Promise<string>;
  /**
   * Where the form stands. `modal`: in a dialog of its own. `redirect`: this window goes to the full page. `auto`:
   * inline where that works.
   */
  presentation?: "inline" | "modal" | "redirect" | "auto";
  /**
   * What stands in for a frame that cannot run: a link to the full page (default), going there, or nothing but the
   * `error` event.
   */
  fallback?: "link" | "redirect" | "error";
  /** After success: stay (`if_required`, default, and `never`), or go to the session's `return_url` (`always`). */
  redirect?: "if_required" | "always" | "never";
  /** The language, BCP 47; `auto` (default) is the browser's. */
  locale?: string;
  appearance?: Appearance;
  /**
   * `merchant`: no Pay button in the form; call `submit`. Only for a session created with `submit_button: "merchant"`.
   */
  submitButton?: "built-in" | "merchant";
  /** What to ask for beside the card. `auto` (default): what the session needs. */
  fields?: NonNullable<FrameSettings["fields"]>;
  /** Put into fields that the customer has not touched. Never card data. */
  defaultValues?: NonNullable<FrameSettings["defaultValues"]>;
  /** Nothing can be typed or paid. */
  disabled?: boolean;
  /** Where the bank's challenge is shown. `auto` (default): in place where it fits, else over the page. */
  threeDS?: { presentation?: "auto" | "inline" | "overlay" | "redirect" };
  /**
   * The skeleton: behind the frame until that has painted (`auto`), in front of it until it is ready (`always`), none
   * (`never`).
   */
  loader?: "auto" | "always" | "never";
  /** What a screen reader calls the frame. Default "Secure card payment". */
  title?: string;
  /** How long the frame may take until its form can be used, in milliseconds, 1 to 600 000. Default 15 000. */
  timeout?: number;
  /** Aborting it destroys the checkout. */
  signal?: AbortSignal;
  /** Keeps a redacted timeline for `getDebugReport`. */
  debug?: boolean;
  /** Test mode only: fills in the sandbox card of this name, such as `challenge`. */
  testScenario?: string;
}

/** The options after reading. What may be absent for the frame may be absent here. */
export interface CheckoutSettings extends Omit<CheckoutOptions, keyof CheckoutCallbacks | "embedUrl" | "timeout"> {
  url: EmbedUrl | null;
  title: string;
  timeoutMs: number;
  callbacks: readonly (readonly [event: string, callback: (detail: never) => void])[];
}

/** @throws TypeError that names the option and says what to pass. */
export function readOptions(options: unknown): CheckoutSettings {
  const given = ownCopy(options, optionNames, "option");
  for (const [name, value] of Object.entries(given)) {
    const kind = optionKinds[name]!; // a name that has none was refused
    if (!isOfKind(kind, value)) throw new TypeError(`Oriel: ${name} must be ${kind.replaceAll(" ", ", ")}.`);
  }
  if (given["appearance"]) given["appearance"] = ownCopy(given["appearance"], appearanceNames, "token in appearance");
  if (given["threeDS"]) given["threeDS"] = ownCopy(given["threeDS"], ["presentation"], "option threeDS.");
  const { embedUrl, fetchEmbedUrl, title = "Secure card payment", timeout = 15_000 } = given;
  return Object.assign(given, {
    title,
    timeoutMs: timeout,
    url: embedUrl === undefined && fetchEmbedUrl ? null : readEmbedUrl(embedUrl),
    callbacks: callbackNames.flatMap((name) => {
      const callback = given[`on${name}`];
      return callback ? [[name.toLowerCase(), callback]] : [];
    }),
  }) as unknown as CheckoutSettings; // each was just checked by its name
}

/** What of the settings the frame is told. `appearance` is resolved for the page first; see page-looks.ts. */
export function frameSettings(settings: CheckoutSettings, appearance: FrameAppearance): FrameSettings {
  const { locale, submitButton, fields, defaultValues, disabled, threeDS, testScenario } = settings;
  const told = {
    locale,
    appearance,
    submitButton,
    fields,
    defaultValues,
    disabled,
    challenge: threeDS?.presentation,
    testScenario,
  };
  return JSON.parse(JSON.stringify(told)) as FrameSettings; // the copy leaves out what is undefined, and is plain data
}

/**
 * The own properties of a record, without those that are undefined, on no prototype.
 * @throws TypeError for a name that is not in the list.
 */
export function ownCopy(value: unknown, names: readonly string[], what: string): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, one] of Object.entries(Object(value))) {
    if (!names.includes(name)) throw new TypeError(`Oriel: there is no ${what} "${name}".`);
    if (one !== undefined) copy[name] = one;
  }
  return copy;
}

/** What each option must be: of a type, an AbortSignal, milliseconds up to a number, or one of several words. */
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

function isOfKind(kind: string, value: unknown): boolean {
  if (kind.includes(" ")) return kind.split(" ").some((word) => word === value);
  if (kind === "AbortSignal") return value instanceof AbortSignal;
  if (kind.startsWith("1")) return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 600_000;
  return typeof value === kind && value !== null && value !== "";
}

/** Tokens only: rules and fonts would be CSS. */
const appearanceNames = ["theme", "inherit", "labels", "disableAnimations", "variables"];

/**
 * What can change while the form stands, with what holds when it is taken back. A title cannot be taken back, only
 * changed.
 */
export const changeable = {
  locale: "auto",
  appearance: {},
  title: undefined,
  defaultValues: {},
  fields: {},
  submitButton: "built-in",
  disabled: false,
} as const;
