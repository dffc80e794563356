/**
 * What is paid for, where the merchant listed it: closed beside a form that has little room, open where a page of its
 * own shows the order beside the form. It takes the description's line, so that the form stays where it is, and has the
 * description inside. All of it is the merchant's text and the service's amounts, written as text.
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
      what.dir = "auto"; // in the merchant's language, whatever ours is
      money.textContent = formatAmount(sum, currency, locale);
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
