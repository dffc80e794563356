/**
 * Fetched in test mode only: a list of the sandbox bank's cards, grouped by what they do, that fills in the form. The
 * host page's `testScenario` does the same by name. It's for developers, so everything below its title is in English.
 * Test numbers are public, and nothing the customer typed passes through here.
 *
 * The list scrolls in a box of limited height, so that a narrow iframe doesn't become a long one, and can be searched
 * by words or digits.
 */
import type { FrameSession } from "@oriel/protocol/frame";
import { addStyles } from "../page/add-styles.ts";
import type { Page } from "../page/page.ts";
import { testCardsTitles } from "../texts/test-cards-titles.ts";
import type { CardFields } from "./card-fields.ts";
import type { FormSettings } from "./form-settings.ts";
import { scenarios, testCardGroups, testExpiry } from "./test-cards.ts";
import css from "./test-panel.css?inline";

export interface TestMode {
  page: Page;
  fields: Pick<CardFields, "fill">;
  settings: Pick<FormSettings, "current" | "onChange">;
  /** The latest known session. */
  session(): FrameSession["session"] | null;
  now(): number;
  /** Called after the customer has chosen a card from the list and it is filled in. */
  filled(): void;
}

/** Call this once per page. */
export function startTestMode({ page, fields, settings, session, now, filled }: TestMode): void {
  const fill = (number: string) => fields.fill(number, testExpiry(now()), isAmex(number) ? "1234" : "123");
  showPanel(page, (number) => {
    if (page.number.readOnly) return;
    fill(number);
    filled();
  });

  let isFilledIn = false;
  const fillScenario = () => {
    const { testScenario = "" } = settings.current();
    const number = Object.hasOwn(scenarios, testScenario) && scenarios[testScenario];
    // Fill in only once, so that a form the customer has emptied stays empty, and never overwrite existing input.
    if (isFilledIn || !number || session()?.status !== "open" || page.number.value !== "" || page.number.readOnly)
      return;
    isFilledIn = true;
    fill(number);
  };
  settings.onChange(fillScenario);
  fillScenario();
}

function showPanel({ document, test, words }: Page, choose: (number: string) => void): void {
  addStyles(document, css);
  const make = <K extends keyof HTMLElementTagNameMap>(name: K, text = "") => {
    const element = document.createElement(name);
    element.textContent = text;
    return element;
  };

  const box = make("div");
  box.className = "cards";
  for (const [name, cards] of testCardGroups) {
    const title = make("h2", name);
    const list = make("ul");
    title.id = `test-${box.childElementCount}`;
    list.setAttribute("aria-labelledby", title.id);
    for (const { does, number } of cards) {
      const item = make("li");
      const button = make("button");
      const digits = make("bdi", grouped(number));
      button.type = "button";
      digits.dir = "ltr";
      button.append(make("span", does), " ", digits);
      button.addEventListener("click", () => choose(number));
      item.append(button);
      list.append(item);
    }
    const group = make("section");
    group.append(title, list);
    box.append(group);
  }

  const search = make("input");
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search the test cards");
  search.setAttribute("form", ""); // not a field of the form, so pressing Enter in it doesn't pay
  search.autocomplete = "off";
  const plain = (text: string) => text.toLowerCase().replaceAll(" ", "");
  const count = make("p");
  count.setAttribute("role", "status");
  search.addEventListener("input", () => {
    const wanted = plain(search.value);
    for (const item of box.querySelectorAll("li")) item.hidden = !plain(item.textContent).includes(wanted);
    for (const group of box.querySelectorAll("section")) group.hidden = !group.querySelector("li:not([hidden])");
    count.textContent = `Cards found: ${box.querySelectorAll("li:not([hidden])").length}`;
  });
  const [summary] = test.children;
  words.write("testCards", ({ language }) => {
    if (summary) summary.textContent = testCardsTitles[language] ?? "";
  });
  test.append(make("p", "No money moves. Choose a card to fill in the form."), search, count, box);
  test.hidden = false;
}

/** Of these cards, only American Express has fifteen digits. */
function isAmex(number: string): boolean {
  return number.length === 15;
}

function grouped(number: string): string {
  return isAmex(number) ? number.replace(/(.{4})(.{6})/, "$1 $2 ") : number.replace(/.{4}(?=.)/g, "$& ");
}
