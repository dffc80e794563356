/** Test mode only: a list of the sandbox bank's cards that fills the form in. Test numbers are public; nothing typed passes through here. */
import type { CardFields } from "./card-fields.ts";
import { formatNumber } from "./format-number.ts";
import type { Page } from "./page.ts";
import { isTestScenario, testCards, testCvc, testExpiry } from "./test-cards.ts";

export function showTestPanel(page: Page, fields: CardFields, nowMs: number, filled: () => void): void {
  if (!page.test.hidden) return;
  const { document, words } = page;
  page.testCards.replaceChildren(
    ...Object.entries(testCards).map(([scenario, number]) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      const what = document.createElement("span");
      words.write(`test ${scenario}`, (texts) => {
        what.textContent = isTestScenario(scenario) ? texts.testCardOutcomes[scenario] : "";
      });
      const digits = document.createElement("bdi");
      digits.dir = "ltr";
      digits.textContent = formatNumber(number, 0).value;
      button.append(digits, " ", what);
      button.addEventListener("click", () => {
        fields.fill(number, testExpiry(nowMs), testCvc);
        filled();
      });
      item.append(button);
      return item;
    }),
  );
  page.test.hidden = false;
}
