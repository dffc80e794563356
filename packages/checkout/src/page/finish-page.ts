/**
 * Completes the page with what comes with the later code: the other elements, the styles that the first paint doesn't
 * need, and texts in every language.
 */
import { chooseLanguage } from "../texts/choose-language.ts";
import type { TextFile, Texts } from "../texts/texts.ts";
import { createWords } from "../texts/words.ts";
import { addStyles } from "./add-styles.ts";
import css from "./later.css?inline";
import type { FirstPage, Page } from "./page.ts";

export function finishPage(first: FirstPage, ownTexts: TextFile): Page {
  const { document, find, language, settings } = first;
  const number = find<HTMLInputElement>("number");
  const expiry = find<HTMLInputElement>("expiry");
  const cvc = find<HTMLInputElement>("cvc");
  addStyles(document, css);
  const choose = (locale: string) => chooseLanguage(locale, language, navigator.languages);
  const texts = { ...choose("auto"), ...ownTexts };
  const words = createWords(document.documentElement, { choose, fetch: first.fetchTexts }, texts);
  const page: Page = {
    ...first,
    number,
    expiry,
    cvc,
    merchant: find("merchant"),
    description: find("description"),
    amount: find("amount"),
    badge: find("badge"),
    back: find("back"),
    notice: find("notice"),
    brand: find("brand"),
    pay: find("pay"),
    payLabel: find("pay-label"),
    saveNotice: find("kept"),
    test: find("test"),
    bank: find("bank"),
    result: find("result"),
    live: find("live"),
    words,
    moveFocus(to, said) {
      // On a full page, and while the iframe covers the page around it, there is nothing else to type in.
      const isAlone = /full|grown/.test(document.documentElement.className);
      if (isAlone || document.hasFocus()) to.focus({ preventScroll: !isAlone });
      else page.live.textContent = said;
    },
    total: null,
    needsCard: true,
    inputs: { number, expiry, cvc },
    refused: null,
  };
  page.result.setAttribute("aria-describedby", "result-text");
  page.result.tabIndex = page.notice.tabIndex = -1; // for `moveFocus`
  words.write("labels", (texts) => label(page, texts));
  if (settings.locale) void words.speak(settings.locale);
  return page;
}

/** Writes the labels in checkout.html. What depends on the session is up to the screen. */
function label({ find, number, expiry, cvc, badge, live }: Page, texts: Texts): void {
  for (const [input, text] of [
    [number, texts.cardNumber],
    [expiry, texts.expiry],
    [cvc, texts.cvc],
  ] as const) {
    for (const label of input.labels ?? []) label.textContent = text;
  }
  find("encrypted").textContent = texts.encrypted;
  expiry.placeholder = texts.expiryPlaceholder;
  badge.textContent = texts.test;
  // Otherwise the last announcement would be repeated in the new language.
  live.textContent = "";
}
