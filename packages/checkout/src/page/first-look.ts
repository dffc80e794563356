/**
 * What has to be right in the first paint: the looks and the language that the host page asked for.
 *
 * The page comes in a language that the service chose, and in the looks that the session was created with, and stands
 * in both at once. A host page that wants others puts them into the frame's `name` as JSON. A stranger may have put
 * something else there: it is read piece by piece, and what cannot be read does not count; nor does any other setting,
 * which only a connected host page may choose. On a page of its own the name is somebody else's and is not looked at.
 */
import { lookReaders, readByPath } from "@oriel/protocol/frame-looks";
import type { FrameAppearance, SettingReaders } from "@oriel/protocol/frame-looks";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import { directionOf } from "../texts/page-texts.ts";

/** Reading and wearing settings is what the later code does, too; it gets both from here rather than once more. */
export interface FirstLook {
  /** Reads looks and language, and what else there are readers for. See `readByPath`. */
  read(value: unknown, others?: SettingReaders): { settings: FrameSettings; refused: string[] };
  /** Answers with the paths of what this browser cannot use. */
  apply(appearance: FrameAppearance): string[];
  /** What could be read of the frame's name: looks and language, and nothing else. */
  settings: FrameSettings;
}

/**
 * The words of the form are not shown in a language that nobody asked for, unless the right one takes as long as this.
 */
const patienceMs = 4_000;
const longestLook = 4_096;

export function firstLook(window: Window): FirstLook {
  const { document, name } = window;
  const root = document.documentElement;
  const isFullPage = window.parent === window;
  if (isFullPage) root.className = "full";
  const settings = isFullPage ? {} : readLook(name);
  // Tokens of the session's that the service wrote into this page; the host page's count more, one by one.
  const given = document.querySelector("meta[name=appearance]")?.getAttribute("content");
  const { appearance: ofSession = {} } = given ? readLook(`{"appearance":${given}}`) : {};
  const apply = (looks: FrameAppearance) =>
    applyAppearance(root, { ...ofSession, ...looks, variables: { ...ofSession.variables, ...looks.variables } });
  apply(settings.appearance ?? {});
  const { locale = "auto" } = settings;
  if (locale !== "auto" && !locale.startsWith(root.lang)) {
    root.dir = directionOf(locale);
    root.dataset["words"] = "coming";
    setTimeout(() => delete root.dataset["words"], patienceMs);
  }
  return { read, apply, settings };
}

function read(value: unknown, others: SettingReaders = {}) {
  return readByPath(value, { ...lookReaders, ...others });
}

function readLook(text: string): FrameSettings {
  try {
    return read(JSON.parse(text.slice(0, longestLook))).settings;
  } catch {
    return {};
  }
}

/**
 * Puts the looks on the page's root: tokens as custom properties of the same name, by CSSOM, the rest as attributes
 * that checkout.css knows. No style is ever made of text. What is no color or font to this browser (`banana`, or
 * `inherit`, which has no value of its own) is left out: a property that does not compute would take Pay's background
 * away.
 *
 * @param appearance as `lookReaders` read it
 * @returns the paths of what this browser cannot use, such as `appearance.variables.colorPrimary`
 */
function applyAppearance(root: HTMLElement, appearance: FrameAppearance): string[] {
  const { theme, style, labels, disableAnimations, variables = {} } = appearance;
  const refused: string[] = [];
  mark(root, "theme", theme === "auto" ? undefined : theme);
  mark(root, "style", style);
  mark(root, "labels", labels === "above" ? undefined : labels);
  mark(root, "still", disableAnimations ? "" : undefined);
  for (const [name, value] of Object.entries(variables)) {
    if (isUsable(name, value)) root.style.setProperty(`--${name}`, value);
    else refused.push(`appearance.variables.${name}`);
  }
  return refused;
}

/** By attribute: `dataset` is an object that the browser would have to make first. */
function mark(root: HTMLElement, name: string, value: string | undefined): void {
  if (value === undefined) root.removeAttribute(`data-${name}`);
  else root.setAttribute(`data-${name}`, value);
}

function isUsable(name: string, value: string): boolean {
  if (name === "fontFamily") return CSS.supports("font-family", value);
  // Inside a function, so that `inherit` and its like do not pass. A length was read as one already.
  return !/color|focus/.test(name) || CSS.supports("color", `color-mix(in srgb,${value},red)`);
}
