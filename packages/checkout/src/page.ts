/**
 * The page's elements by name, and which of its three views stands in front: the form, the bank's page, a result.
 * Everything is written as text or through CSSOM; under `trusted-types 'none'` there is no other way in.
 */
import type { ResultName } from "./text.ts";

export interface Page {
  document: Document;
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
  /** Shows a result and moves the focus to it. A button or link below it is what can be done next. */
  showResult(name: ResultName, words: readonly [title: string, text: string], next?: ResultNext): void;
}

export interface ResultNext {
  /** Stands below the result's own sentence. */
  hint?: string;
  link?: { label: string; href: string };
  button?: { label: string; press: () => void };
}

const icons: Partial<Record<ResultName, string>> = {
  succeeded: "M7 12.5l3.5 3.5L17 9",
  requires_confirmation: "M7 12.5l3.5 3.5L17 9",
  processing: "M12 7v5.2l3.2 2",
};
const attention = "M12 7v6m0 3.6v.1";

export function findPage(document: Document): Page {
  const find = <E extends HTMLElement>(id: string): E => {
    const element = document.getElementById(id);
    if (!element) throw new Error(`Bug: the page has no #${id}`);
    // The ids and their elements are both ours: checkout.html.
    return element as E;
  };
  const main = find("main");
  const result = find("result");

  const page: Page = {
    document,
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
    showResult(name, [heading, text], { hint, link, button } = {}) {
      main.dataset["result"] = name;
      delete main.dataset["loading"];
      find("result-mark").setAttribute("d", icons[name] ?? attention);
      find("result-title").textContent = heading;
      find("result-text").textContent = hint ? `${text} ${hint}` : text;
      const actions: HTMLElement[] = [];
      if (link) {
        const anchor = document.createElement("a");
        anchor.className = "action";
        anchor.href = link.href;
        anchor.target = "_top";
        anchor.textContent = link.label;
        actions.push(anchor);
      }
      if (button) {
        const element = document.createElement("button");
        element.type = "button";
        element.className = "action";
        element.textContent = button.label;
        element.addEventListener("click", button.press, { once: true });
        actions.push(element);
      }
      find("result-actions").replaceChildren(...actions);
      page.show("result");
      result.focus();
    },
  };
  return page;
}
