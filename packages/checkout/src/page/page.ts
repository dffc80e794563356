/**
 * The page's elements by name, and which of its three views is shown: the form, the bank's page or a result. Everything
 * is written as text or through CSSOM; `trusted-types 'none'` allows nothing else.
 *
 * `checkout.ts` has a {@link FirstPage}: the form, and what to say if nothing else can be loaded. The later code
 * turns it into a {@link Page} (`finish-page.ts`), which can speak every language.
 */
import type { FieldName } from "@oriel/protocol/frame-settings";
import { readEntry } from "../service/client-secret.ts";
import type { FetchTexts, PageTexts } from "../texts/page-texts.ts";
import type { EarlyResultName, ResultName, Said } from "../texts/texts.ts";
import type { Words } from "../texts/words.ts";
import type { InitialSettings } from "./initial-settings.ts";

/** The contents of the fields, including values that were filled in without an event. */
export interface TypedCard {
  /** Digits. */
  number: string;
  /** `04 / 29`, or as much of it as was typed. */
  expiry: string;
  /** Digits. */
  cvc: string;
}

/** Formats the fields while the customer types. */
export interface Typing {
  /**
   * Whether everything in the card fields was inserted without a key press, as browser automation does (`fill` in
   * Playwright). Keyboards, input methods, paste, drop and autofill make it false, but dictation and some extensions don't.
   * Undefined until there is input.
   */
  isScripted?: boolean;
  /**
   * The maximum number of digits for a card number with this prefix, and for its security code. The later code, which
   * knows the brands, replaces this function.
   */
  longest(digits: string): { number: number; cvc: number };
  read(): TypedCard;
}

/**
 * Passed as global variables from `prepare-fields.ts` and `prepare-page.ts` to `checkout.ts`. This is safe because no
 * third-party script runs in this page.
 */
export interface Prepared {
  typing: Typing;
  initialSettings: InitialSettings;
}

declare global {
  interface Window extends Prepared {}
}

export interface FirstPage extends InitialSettings {
  document: Document;
  /** The page's own language. */
  language: string;
  fetchTexts: FetchTexts;
  /** Finds an element by its ID in checkout.html. */
  find<E extends HTMLElement>(id: string): E;
  main: HTMLElement;
  form: HTMLFormElement;
  typing: Typing;
  show(view: "form" | "bank" | "result"): void;
  /** Shows a result, with `action` below it. The caller moves the focus or announces it. */
  showResult(name: ResultName, words: ResultWords, action?: HTMLElement | null, icon?: string): void;
  /** A button that can be pressed once. */
  pressOnce(press: () => void): HTMLElement;
  /** Changes the text of the result that is shown. */
  sayResult(words: ResultWords): void;
  /**
   * Shows a result in the page's own language as soon as its texts are available; `next` retries. It's announced, because
   * the customer may be anywhere.
   */
  showEarlyResult(name: EarlyResultName, next?: () => void): void;
}

export interface Page extends FirstPage {
  number: HTMLInputElement;
  expiry: HTMLInputElement;
  cvc: HTMLInputElement;
  merchant: HTMLElement;
  description: HTMLElement;
  amount: HTMLElement;
  badge: HTMLElement;
  back: HTMLAnchorElement;
  notice: HTMLElement;
  brand: HTMLElement;
  pay: HTMLButtonElement;
  payLabel: HTMLElement;
  /** Says that the merchant saves the card, if it does. */
  saveNotice: HTMLElement;
  test: HTMLDetailsElement;
  bank: HTMLElement;
  result: HTMLElement;
  /** The polite live region, for announcements away from the focus. */
  live: HTMLElement;
  words: Words;
  /**
   * Moves the focus to what has appeared. If the customer may be typing in the page around the iframe, `said` is
   * announced instead. That page never scrolls.
   */
  moveFocus(to: HTMLElement, said: string): void;
  /** Null until the session is known, and in mode `setup`. */
  total: number | null;
  /** False if the total is 0 and no card is saved. Then the fields are hidden, and the order is placed without them. */
  needsCard: boolean;
  /** The fields of the form, by name. */
  inputs: Partial<Record<FieldName, HTMLInputElement>>;
  /**
   * The billing field that the service refused, until the customer or the host page changes one of them: the service
   * judges them together. Not its value, which may be a card number in the wrong field.
   */
  refused: "name" | "email" | "postalCode" | null;
}

export interface ResultWords {
  title: string;
  text: string;
  /** The label of the action below the result. */
  next?: string;
}

const attention = "M12 7v6m0 3.6v.1";

export function findPage(document: Document, { initialSettings, typing }: Prepared, fetchTexts: FetchTexts): FirstPage {
  // The IDs and their elements are both ours, in checkout.html.
  const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as HTMLElement as E;
  const main = find("main");
  // Our build writes this into every page.
  const own = JSON.parse(find("texts").textContent) as PageTexts;
  const language = document.documentElement.lang;
  const page: FirstPage = {
    ...initialSettings,
    document,
    language,
    fetchTexts,
    find,
    main,
    form: find<HTMLFormElement>("form"),
    typing,
    show(view) {
      main.dataset["view"] = view;
    },
    pressOnce(press) {
      const button = document.createElement("button");
      button.className = "action";
      button.addEventListener("click", press, { once: true });
      return button;
    },
    showResult(name, words, action, icon = attention) {
      main.dataset["result"] = name;
      delete main.dataset["loading"];
      find("result-mark").setAttribute("d", icon);
      find("result-actions").replaceChildren(action ?? "");
      page.sayResult(words);
      page.show("result");
    },
    sayResult({ title, text, next = "" }) {
      find("result-title").textContent = title;
      find("result-text").textContent = text;
      const [action] = find("result-actions").children;
      if (action) action.textContent = next;
    },
    showEarlyResult(name, next) {
      const { unreachable, retry } = own;
      const show = ([title, text]: Said) => {
        find("result").role = "alert"; // announces it
        page.showResult(name, { title, text, next: retry }, next && page.pressOnce(next));
        delete document.documentElement.dataset["words"];
      };
      // If a payment request may have been sent before a reload, only the title is still true, so the text is left out.
      if (name === "unreachable") show(readEntry(history)?.lost ? [unreachable[0], ""] : unreachable);
      else void fetchTexts(language).then((texts) => show(texts?.[name] ?? unreachable));
    },
  };
  return page;
}
