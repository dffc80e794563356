/**
 * What has to be right in the first paint: the looks and the language that the host page asked for.
 *
 * The loader puts them into the frame's `name` as JSON. A stranger may have put something else there: it is read piece by piece, and what
 * cannot be read does not count; nor does any other setting, which only a connected host page may choose. On a page of its own the name is
 * somebody else's and is not looked at.
 */
import { readSettings } from "@oriel/protocol/frame-settings";
import type { FrameAppearance, FrameSettings } from "@oriel/protocol/frame-settings";
import { applyAppearance } from "./appearance.ts";
import { createSpeech, directionOf } from "./texts/languages.ts";
import type { Speech } from "./texts/languages.ts";

/** Reading and wearing settings is what the later code does, too; it gets both from here rather than once more. */
export interface FirstLook {
  /** See `readSettings`. */
  read(value: unknown): { settings: FrameSettings; refused: string[] };
  /** Answers with the paths of what this browser cannot use. */
  wear(appearance: FrameAppearance): string[];
  /** What could be read of the frame's name: looks and language, and nothing else. */
  settings: FrameSettings;
  speech: Speech;
}

/** The words of the form are not shown in a language that nobody asked for, unless the right one takes as long as this. */
const patienceMs = 4_000;
const longestName = 4_096;

export function firstLook(window: Window): FirstLook {
  const { document, navigator, name } = window;
  const root = document.documentElement;
  const settings = window.parent === window ? {} : readName(name);
  const wear = (appearance: FrameAppearance) => applyAppearance(root, appearance);
  wear(settings.appearance ?? {});
  const speech = createSpeech(navigator.languages, settings.locale);
  if (speech.first !== "en") {
    root.lang = speech.first;
    root.dir = directionOf(speech.first);
    root.dataset["words"] = "coming";
    setTimeout(() => delete root.dataset["words"], patienceMs);
  }
  return { read: readSettings, wear, settings, speech };
}

function readName(name: string): FrameSettings {
  try {
    const { locale, appearance } = readSettings(JSON.parse(name.slice(0, longestName))).settings;
    return { ...(locale && { locale }), ...(appearance && { appearance }) };
  } catch {
    return {};
  }
}
