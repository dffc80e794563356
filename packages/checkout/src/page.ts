/**
 * The page's elements by name, and which of its three views stands in front: the form, the bank's page, a result.
 * Everything is written as text or through CSSOM; under `trusted-types 'none'` there is no other way in.
 *
 * The first script has a {@link FirstPage}. The later code makes a {@link Page} of it (`finish-page.ts`), which can speak every language.
 */
import type { FieldName } from "@oriel/protocol/frame-settings";
import type { FirstLook } from "./first-look.ts";
import type { EarlyResultName, EarlyTexts, ResultName } from "./texts/texts.ts";
import { early } from "./texts/early.ts";
import type { Words } from "./words.ts";

export interface FirstPage extends FirstLook {
  document: Document;
  /** What of English is here already. */
  english: EarlyTexts;
  main: HTMLElement;
  merchant: HTMLElement;
  description: HTMLElement;
  amount: HTMLElement;
  badge: HTMLElement;
  back: HTMLAnchorElement;
  form: HTMLFormElement;
  notice: HTMLElement;
  number: HTMLInputElement;
  expiry: HTMLInputElement;
  cvc: HTMLInputElement;
  brand: HTMLElement;
  pay: HTMLButtonElement;
  payLabel: HTMLElement;
  /** Says who keeps the card, where somebody does. */
  kept: HTMLElement;
  test: HTMLDetailsElement;
  testCards: HTMLElement;
  bank: HTMLElement;
  result: HTMLElement;
  /** Polite live region: what happens where the focus is not. */
  live: HTMLElement;
  show(view: "form" | "bank" | "result"): void;
  /** Shows a result and moves the focus to it. Below it stands what can be done next: an address to go to, or something to call once. */
  showResult(name: ResultName, words: ResultWords, next?: string | (() => void)): void;
  /** Writes other words on the result that is shown. */
  sayResult(words: ResultWords): void;
  /** Shows a result in the language that was asked for, as soon as it is here; `next` tries again. */
  showEarlyResult(name: EarlyResultName, next?: () => void): void;
}

export interface Page extends FirstPage {
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

const icons: Partial<Record<ResultName, string>> = {
  succeeded: "M7 12.5l3.5 3.5L17 9",
  requires_confirmation: "M7 12.5l3.5 3.5L17 9",
  processing: "M12 7v5.2l3.2 2",
};
const attention = "M12 7v6m0 3.6v.1";

export function findPage(document: Document, look: FirstLook): FirstPage {
  const find = <E extends HTMLElement>(id: string): E => {
    const element = document.getElementById(id);
    if (!element) throw new Error(`Bug: the page has no #${id}`);
    // The ids and their elements are both ours: checkout.html.
    return element as E;
  };
  const main = find("main");
  const result = find("result");
  const actions = find("result-actions");

  const page: FirstPage = {
    ...look,
    document,
    english: early,
    main,
    merchant: find("merchant"),
    description: find("description"),
    amount: find("amount"),
    badge: find("badge"),
    back: find<HTMLAnchorElement>("back"),
    form: find<HTMLFormElement>("form"),
    notice: find("notice"),
    number: find<HTMLInputElement>("number"),
    expiry: find<HTMLInputElement>("expiry"),
    cvc: find<HTMLInputElement>("cvc"),
    brand: find("brand"),
    pay: find<HTMLButtonElement>("pay"),
    payLabel: find("pay-label"),
    kept: find("kept"),
    test: find<HTMLDetailsElement>("test"),
    testCards: find("test-cards"),
    bank: find("bank"),
    result,
    live: find("live"),
    show(view) {
      main.dataset["view"] = view;
    },
    showResult(name, words, next) {
      main.dataset["result"] = name;
      delete main.dataset["loading"];
      find("result-mark").setAttribute("d", icons[name] ?? attention);
      actions.replaceChildren();
      if (next !== undefined) {
        const element = document.createElement(typeof next === "string" ? "a" : "button");
        element.className = "action";
        if (typeof next === "string") {
          element.setAttribute("href", next);
          element.setAttribute("target", "_top");
        } else element.addEventListener("click", next, { once: true });
        actions.append(element);
      }
      page.sayResult(words);
      page.show("result");
      result.focus();
    },
    sayResult({ title, text, next = "" }) {
      find("result-title").textContent = title;
      find("result-text").textContent = text;
      if (actions.firstChild) actions.firstChild.textContent = next;
    },
    showEarlyResult(name, next) {
      const show = async ({ speech }: FirstLook) => {
        const { early: results, retry } = (await speech.fetch(speech.first)) ?? early;
        const [title, text] = results[name];
        page.showResult(name, { title, text, next: retry }, next);
        delete document.documentElement.dataset["words"];
      };
      void show(look);
    },
  };
  return page;
}
