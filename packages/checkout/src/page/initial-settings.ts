/**
 * Applies what must be right in the first paint: the appearance and the language that the host page requested.
 *
 * The service renders the page in the language it chose and with the session's appearance. A host page that wants
 * something else puts it into the iframe's `name` as JSON. Anyone can set that name, so it is read field by field:
 * invalid values are skipped, and so is every other setting, which only a connected host page may choose. On a full
 * page, the name belongs to someone else and isn't read.
 */
import { appearanceReaders, readByPath } from "@oriel/protocol/appearance-settings";
import type { FrameAppearance, SettingReaders } from "@oriel/protocol/appearance-settings";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import { directionOf } from "../texts/page-texts.ts";

/** The later code also reads and applies settings, and reuses these functions. */
export interface InitialSettings {
  /** Reads appearance and locale, and any settings that `others` has readers for. See `readByPath`. */
  read(value: unknown, others?: SettingReaders): { settings: FrameSettings; refused: string[] };
  /** Applies an appearance, and returns the paths of what this browser can't use. */
  apply(appearance: FrameAppearance): string[];
  /** The appearance and locale that could be read from the iframe's name. */
  settings: FrameSettings;
}

/** How long the texts stay hidden while the requested language loads, before the page's own language is shown. */
const patienceMs = 4_000;
const maxLength = 4_096;

export function initialSettings(window: Window): InitialSettings {
  const { document, name } = window;
  const root = document.documentElement;
  const isFullPage = window.parent === window;
  if (isFullPage) root.className = "full";
  const settings = isFullPage ? {} : readAppearance(name);
  // The session's tokens, which the service wrote into this page. Each one can be overridden by the host page.
  const given = document.querySelector<HTMLMetaElement>("meta[name=appearance]")?.content ?? null;
  const { appearance: ofSession = {} } = readAppearance(`{"appearance":${given}}`);
  const apply = (appearance: FrameAppearance) =>
    applyAppearance(root, {
      ...ofSession,
      ...appearance,
      variables: { ...ofSession.variables, ...appearance.variables },
    });
  apply(settings.appearance ?? {});
  const { locale = "auto" } = settings;
  // `de-AT` is shown on a page in `de`, but neither `fil` on one in `fi` nor `pt-BR` on one in `pt`.
  if (locale !== "auto" && !RegExp(`^${root.lang}(?![a-z]|.br)`, "i").test(locale)) {
    root.dir = directionOf(locale);
    root.dataset["words"] = "coming";
    setTimeout(() => {
      delete root.dataset["words"];
      root.dir = directionOf(root.lang);
    }, patienceMs);
  }
  return { read, apply, settings };
}

function read(value: unknown, others: SettingReaders = {}) {
  return readByPath(value, { ...appearanceReaders, ...others });
}

function readAppearance(text: string): FrameSettings {
  try {
    return read(JSON.parse(text.slice(0, maxLength))).settings;
  } catch {
    return {};
  }
}

/**
 * Applies an appearance to the root element: tokens as custom properties of the same name, set through CSSOM, and the
 * rest as attributes that checkout.css knows. No style is ever built from text. Values that aren't a valid color or
 * font in this browser (`banana`, or `inherit`, which isn't a value by itself) are skipped, because an invalid custom
 * property would remove Pay's background.
 *
 * @param appearance as read by `appearanceReaders`
 * @returns the paths of what this browser can't use, such as `appearance.variables.colorPrimary`
 */
function applyAppearance(root: HTMLElement, appearance: FrameAppearance): string[] {
  const { theme, style, labels, disableAnimations, transparent, variables = {} } = appearance;
  const refused: string[] = [];
  const attributes = {
    theme: theme !== "auto" && theme,
    style,
    labels: labels !== "above" && labels,
    still: disableAnimations && "",
    transparent: transparent && !variables.colorBackground && "",
  };
  for (const [name, value] of Object.entries(attributes)) {
    // Sets the attribute directly, because the browser would have to create a `dataset` object first.
    if (typeof value === "string") root.setAttribute(`data-${name}`, value);
    else root.removeAttribute(`data-${name}`);
  }
  for (const [name, value] of Object.entries(variables)) {
    if (isUsable(name, value)) root.style.setProperty(`--${name}`, value);
    else refused.push(`appearance.variables.${name}`);
  }
  return refused;
}

function isUsable(name: string, value: string): boolean {
  if (name === "fontFamily") return CSS.supports("font-family", value);
  // Wrapped in a function so that `inherit` and similar keywords don't pass. Lengths were validated when they were
  // read.
  return !/color|focus/.test(name) || CSS.supports("color", `color-mix(in srgb,${value},red)`);
}
