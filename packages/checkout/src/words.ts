/**
 * The words on the page, in one language at a time, and the switch from one to another.
 *
 * Whoever puts words on the page says where and how: `write("pay", (texts) => ...)`. It is done at once, and again whenever the language changes, so
 * that nothing is left behind in the old one; a later writer of the same place takes the earlier one's part. A writer writes words and nothing
 * else: what is typed, where the keyboard is and what is wrong stay as they are.
 */
import type { Speech } from "./texts/languages.ts";
import type { Texts } from "./texts/texts.ts";

export type Writer = (texts: Texts) => void;

export interface Words {
  /** What holds now. For words that are shown once, such as those of the bank's page. */
  readonly texts: Texts;
  /** Null: this place has no words any more. */
  write(place: string, writer: Writer | null): void;
  /** Settles when the page is in that language, or stays as it was because the language cannot be had. */
  speak(language: string): Promise<void>;
}

export function createWords(root: HTMLElement, speech: Pick<Speech, "fetch">, english: Texts): Words {
  const writers = new Map<string, Writer>();
  let texts = english;
  let wanted = english.language;
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
    async speak(language) {
      wanted = language;
      const fetched = language === english.language ? english : await speech.fetch(language);
      if (wanted !== language) return; // another one was asked for meanwhile
      const before = texts;
      texts = fetched ?? texts;
      root.lang = texts.language;
      root.dir = texts.direction;
      if (texts !== before) for (const writer of writers.values()) writer(texts);
      delete root.dataset["words"]; // they are here; see first-look.ts
    },
  };
}
