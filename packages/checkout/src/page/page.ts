/**
 * The page's elements by name, and which of its three views stands in front: the form, the bank's page, a result.
 * Everything is written as text or through CSSOM; under `trusted-types 'none'` there is no other way in.
 *
 * The first script has a {@link FirstPage}: the fields, and what to say when nothing more can be had. The later code
 * makes a {@link Page} of it (`finish-page.ts`), which can speak every language.
 */
import type { FieldName } from "@oriel/protocol/frame-settings";
import { readKept } from "../service/client-secret.ts";
import type { FirstLook } from "./first-look.ts";
import type { FrameCall } from "../service/frame-call.ts";
import { fetchTextsBy } from "../texts/page-texts.ts";
import type { FetchTexts, PageTexts } from "../texts/page-texts.ts";
import type { EarlyResultName, ResultName, Said } from "../texts/texts.ts";
import type { Words } from "../texts/words.ts";

/** What is in the fields, including what was filled in without an event. */
export interface TypedCard {
  /** Digits. */
  number: string;
  /** `04 / 29`, or as far as it was typed. */
  expiry: string;
  /** Digits. */
  cvc: string;
}

/** What formats the fields while the customer types. */
export interface Typing {
  /**
   * How many digits are kept of a number that begins with these, and of its code. To be replaced by who knows the
   * brands.
   */
  longest(digits: string): { number: number; cvc: number };
  read(): TypedCard;
}

/** What the script behind the fields leaves to the one at the page's end. Nobody else's script runs in this page. */
export interface Prepared {
  typing: Typing;
  look: FirstLook;
}

export interface FirstPage extends FirstLook {
  document: Document;
  /** The words that stand in the page. */
  own: PageTexts;
  fetchTexts: FetchTexts;
  /** By the id in checkout.html. */
  find<E extends HTMLElement>(id: string): E;
  main: HTMLElement;
  form: HTMLFormElement;
  number: HTMLInputElement;
  expiry: HTMLInputElement;
  cvc: HTMLInputElement;
  typing: Typing;
  show(view: "form" | "bank" | "result"): void;
  /** Shows a result and moves the focus to it. Below it stands what can be done next. */
  showResult(name: ResultName, words: ResultWords, action?: HTMLElement | null, icon?: string): void;
  /** A button to be pressed once. */
  pressOnce(press: () => void): HTMLElement;
  /** Writes other words on the result that is shown. */
  sayResult(words: ResultWords): void;
  /** Shows a result in the page's own language, as soon as there are words for it; `next` tries again. */
  showEarlyResult(name: EarlyResultName, next?: () => void): void;
}

export interface Page extends FirstPage {
  merchant: HTMLElement;
  description: HTMLElement;
  amount: HTMLElement;
  badge: HTMLElement;
  back: HTMLAnchorElement;
  notice: HTMLElement;
  brand: HTMLElement;
  pay: HTMLButtonElement;
  payLabel: HTMLElement;
  /** Says who keeps the card, where somebody does. */
  kept: HTMLElement;
  test: HTMLDetailsElement;
  bank: HTMLElement;
  result: HTMLElement;
  /** Polite live region: what happens where the focus is not. */
  live: HTMLElement;
  words: Words;
  /** The fields that the customer is asked for, by name. */
  inputs: Partial<Record<FieldName, HTMLInputElement>>;
}

export interface ResultWords {
  title: string;
  text: string;
  /** On what can be done next. */
  next?: string;
}

const attention = "M12 7v6m0 3.6v.1";

export function findPage(document: Document, { look, typing }: Prepared, call: FrameCall): FirstPage {
  // The ids and their elements are both ours: checkout.html.
  const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as HTMLElement as E;
  const main = find("main");
  // Written by our build, in every page.
  const own = JSON.parse(find("texts").textContent) as PageTexts;
  const fetchTexts = fetchTextsBy(call, own);
  const page: FirstPage = {
    ...look,
    document,
    own,
    fetchTexts,
    find,
    main,
    form: find<HTMLFormElement>("form"),
    number: find<HTMLInputElement>("number"),
    expiry: find<HTMLInputElement>("expiry"),
    cvc: find<HTMLInputElement>("cvc"),
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
      find("result").focus();
    },
    sayResult({ title, text, next = "" }) {
      find("result-title").textContent = title;
      find("result-text").textContent = text;
      const [action] = find("result-actions").children;
      if (action) action.textContent = next;
    },
    showEarlyResult(name, next) {
      const { language, first } = own;
      const show = ([title, text]: Said) => {
        page.showResult(name, { title, text, next: first.retry }, next && page.pressOnce(next));
        delete document.documentElement.dataset["words"];
      };
      // After a reload, something may have been sent: then only the title is true.
      if (name === "unreachable") show(readKept(history)?.lost ? [first.unreachable[0], ""] : first.unreachable);
      else void fetchTexts(language, "later").then((texts) => show(texts?.[name] ?? first.unreachable));
    },
  };
  return page;
}
