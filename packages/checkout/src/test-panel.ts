/** Test mode only: a list of the sandbox bank's cards that fills the form in. Test numbers are public; nothing typed passes through here. */
import type { CardFields } from "./card-fields.ts";
import { formatNumber } from "./format-number.ts";
import type { Page } from "./page.ts";
import { testCardOutcomes } from "./text.ts";

export function showTestPanel(page: Page, fields: CardFields, nowMs: number, filled: () => void): void {
  if (!page.test.hidden) return;
  const expiry = `12 / ${String((new Date(nowMs).getUTCFullYear() + 3) % 100).padStart(2, "0")}`;
  page.testCards.replaceChildren(
    ...testCardOutcomes.map(([number, outcome]) => {
      const item = page.document.createElement("li");
      const button = page.document.createElement("button");
      button.type = "button";
      const what = page.document.createElement("span");
      what.textContent = outcome;
      button.append(formatNumber(number, 0).value, " ", what);
      button.addEventListener("click", () => {
        fields.fill(number, expiry, "123");
        filled();
      });
      item.append(button);
      return item;
    }),
  );
  page.test.hidden = false;
}
