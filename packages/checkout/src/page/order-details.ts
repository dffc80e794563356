/**
 * The order details, if the merchant listed line items. They are collapsed next to a form with little space, and open
 * where a full page shows the order next to the form. They replace the description's line, so that the form doesn't
 * move, and contain the description. Everything shown is the merchant's text and the service's amounts, inserted as
 * text.
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { FrameSession } from "@oriel/protocol/frame";
import type { Page } from "./page.ts";

type Ordered = Pick<FrameSession["session"], "line_items" | "amount" | "currency">;

export function showOrderDetails(page: Page, { line_items, amount, currency }: Ordered, window: Window): void {
  const { document, words, description } = page;
  if (line_items.length === 0 || amount === null || currency === null || document.getElementById("order-details"))
    return;
  const details = document.createElement("details");
  details.id = "order-details";
  details.className = "details";
  const summary = document.createElement("summary");
  const list = document.createElement("ul");
  description.before(details);
  details.append(summary, description, list);

  const isWide = window.matchMedia("(min-width: 46rem)");
  const fit = () => {
    details.open = window.parent === window && isWide.matches;
  };
  isWide.addEventListener("change", fit);
  fit();

  words.write("order details", ({ orderDetails, total, locale }) => {
    const row = (name: string, sum: number) => {
      const item = document.createElement("li");
      const [what, money] = [document.createElement("span"), document.createElement("span")];
      what.textContent = name;
      what.dir = "auto"; // the merchant's language may differ from the page's
      money.textContent = formatAmount(sum, currency, locale);
      money.setAttribute("translate", "no");
      item.append(what, " ", money);
      return item;
    };
    const count = new Intl.NumberFormat(locale);
    summary.textContent = orderDetails;
    list.replaceChildren(
      ...line_items.map(({ name, amount: each, quantity }) =>
        row(quantity > 1 ? `${name} × ${count.format(quantity)}` : name, each * quantity),
      ),
      row(total, amount),
    );
  });
}
