/**
 * The words on the page, in one language at a time, and the switch from one to another.
 *
 * Whoever puts words on the page says where and how: `write("pay", (texts) => ...)`. It is done at once, and again
 * whenever another language holds. So nothing is left behind in the old one; a later writer of the same place takes the
 * earlier one's part. A writer writes words and nothing else: what is typed, where the keyboard is and what is wrong
 * stay as they are.
 */
import type { Choice } from "./choose-language.ts";
import { directionOf } from "./page-texts.ts";
import type { FetchTexts } from "./page-texts.ts";
import type { Texts } from "./texts.ts";

export type Writer = (texts: Texts) => void;

export interface Words {
  /** What holds now. For words that are shown once, such as those of the bank's page. */
  readonly texts: Texts;
  /** Null: this place has no words any more. */
  write(place: string, writer: Writer | null): void;
  /**
   * For a locale of the host page's. Settles when the page speaks it, or goes on as it was because the language cannot
   * be had.
   */
  speak(locale: string): Promise<void>;
}

export interface WordSource {
  /** See `chooseLanguage`. */
  choose(locale: string): Choice;
  fetch: FetchTexts;
}

/** @param texts what the page says to begin with, which stands on it already */
export function createWords(root: HTMLElement, { choose, fetch }: WordSource, texts: Texts): Words {
  const writers = new Map<string, Writer>();
  let wanted: Choice = texts;
  const hold = (held: Texts) => {
    texts = held;
    root.lang = texts.language;
    root.dir = directionOf(texts.language);
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
      if (language === texts.language) hold({ ...texts, ...choice });
      else {
        const [first, later] = await Promise.all([fetch(language, "first"), fetch(language, "later")]);
        if (wanted !== choice) return; // another one was asked for meanwhile
        hold(first && later ? { ...first, ...later, ...choice } : texts);
      }
      delete root.dataset["words"]; // see page/first-look.ts
    },
  };
}
