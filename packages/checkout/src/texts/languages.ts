/**
 * The languages that there are, and which of them a customer gets. English is built into the page; every other is a file of its own, fetched
 * when somebody needs it. The build takes its list of files from here, too.
 */
import type { Texts, WholeTexts } from "./texts.ts";

/** One line per language beside its file. */
export const languages: Readonly<Record<string, () => Promise<{ default: WholeTexts }>>> = {
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  ar: () => import("./ar.ts"),
};

export interface Speech {
  /** The language to begin with. */
  readonly first: string;
  /** The language for a locale that the host page names; `auto`, or none, is what the browser asks for, and an unknown one is English. */
  choose(locale: string | undefined): string;
  /** A language's texts; null if they cannot be had. English is built in and not fetched: null, too. */
  fetch(language: string): Promise<Texts | null>;
}

/** @param asked what the browser asks for, the dearest first */
export function createSpeech(asked: readonly string[], locale: string | undefined): Speech {
  const choose = (locale = "auto"): string => {
    for (const tag of locale === "auto" ? asked : [locale]) {
      const language = tag.split("-", 1).join("").toLowerCase();
      if (language === "en" || Object.hasOwn(languages, language)) return language;
    }
    return "en";
  };
  return {
    first: choose(locale),
    choose,
    fetch: async (language) => {
      try {
        return (await languages[language]?.())?.default ?? null;
      } catch {
        return null; // offline, most likely; the page goes on in the language it has
      }
    },
  };
}

/** The way a language is written, known before its file is there. */
export function directionOf(language: string): "ltr" | "rtl" {
  return /^(ar|fa|he|ur)$/.test(language) ? "rtl" : "ltr";
}
