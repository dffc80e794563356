/**
 * The texts on the page, in one language at a time, and switching between languages.
 *
 * Code that puts text on the page registers a writer: `write("pay", (texts) => ...)`. It runs at once, and again
 * whenever the language changes, so nothing stays in the old language. A later writer for the same place replaces the
 * earlier one. Writers only write text; input, focus and errors stay as they are.
 */
import type { Choice } from "./choose-language.ts";
import { directionOf } from "./page-texts.ts";
import type { FetchTexts } from "./page-texts.ts";
import type { Texts } from "./texts.ts";

export type Writer = (texts: Texts) => void;

export interface Words {
  /** The current texts, for texts that are shown only once, such as those of the bank's page. */
  readonly texts: Texts;
  /** Registers a writer for a place; null removes it. */
  write(place: string, writer: Writer | null): void;
  /**
   * Switches to a locale that the host page requests. Settles when the page has switched, or if the language can't be
   * loaded and the page stays unchanged.
   */
  speak(locale: string): Promise<void>;
}

export interface WordSource {
  /** See `chooseLanguage`. */
  choose(locale: string): Choice;
  fetch: FetchTexts;
}

/** @param texts what the page shows initially */
export function createWords(root: HTMLElement, { choose, fetch }: WordSource, texts: Texts): Words {
  const writers = new Map<string, Writer>();
  let wanted: Choice = texts;
  const apply = (next: Texts) => {
    root.lang = next.language;
    root.dir = directionOf(next.language);
    // Writing the same texts again would remove what is being announced.
    if (next.language === texts.language && next.locale === texts.locale) return;
    texts = next;
    for (const writer of writers.values()) writer(texts);
  };
  return {
    get texts() {
      return texts;
    },
    write(place, writer) {
      if (writer) {
        writers.set(place, writer);
        writer(texts);
      } else writers.delete(place);
    },
    async speak(locale) {
      const choice = choose(locale);
      wanted = choice;
      const { language } = choice;
      if (language === texts.language) apply({ ...texts, ...choice });
      else {
        const found = await fetch(language);
        if (wanted !== choice) return; // another language was requested meanwhile
        apply(found ? { ...found, ...choice } : texts);
      }
      delete root.dataset["words"]; // see page/initial-settings.ts
    },
  };
}
