/** What the page gets from the later code: the styles that the first paint does not need, and words in every language. */
import css from "./later.css?inline";
import type { FirstPage, Page } from "./page.ts";
import en from "./texts/en.ts";
import type { Texts } from "./texts/texts.ts";
import { createWords } from "./words.ts";

export function finishPage(first: FirstPage): Page {
  const { document, speech, number, expiry, cvc } = first;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const words = createWords(document.documentElement, speech, { ...en, ...first.english });
  const page: Page = { ...first, words, inputs: { number, expiry, cvc } };
  words.write("labels", (texts) => label(page, texts));
  void words.speak(speech.first);
  return page;
}

/** What checkout.html says in English. What a session adds to it is the screen's. */
function label({ document, expiry, badge, live }: Page, texts: Texts): void {
  const write = (selector: string, text: string) => {
    const element = document.querySelector(selector);
    if (element) element.textContent = text;
  };
  write("label[for=number]", texts.cardNumber);
  write("label[for=expiry]", texts.expiry);
  write("label[for=cvc]", texts.cvc);
  write("#encrypted", texts.encrypted);
  write("#test summary", texts.testCards);
  write("#test p", texts.testCardsHint);
  expiry.placeholder = texts.expiryPlaceholder;
  badge.textContent = texts.test;
  // What was announced was heard; in another language it would be announced again.
  live.textContent = "";
}
