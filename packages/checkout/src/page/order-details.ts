/**
 * The order details, if the merchant listed line items. They are collapsed next to a form with little space, and open
 * where a full page shows the order next to the form. They replace the description's line, so that the form doesn't
 * move, and contain the description. Everything shown is the merchant's text and the service's amounts, inserted as
 * text.
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { FrameSession } from "@oriel/protocol/frame";
import type { Page } from "./page.ts";

type Ordered = Pick<
  FrameSession["session"],
  "line_items" | "shipping_options" | "shipping_option" | "discounts" | "tax_amount" | "amount" | "currency"
>;

/** Shows the latest order: creates the details, updates them, or removes them if there are no line items anymore. */
export function showOrderDetails(page: Page, order: Ordered, window: Window): void {
  const { document, words, description } = page;
  const { amount, currency } = order;
  const earlier = document.getElementById("order-details");
  if (order.line_items.length === 0 || amount === null || currency === null) {
    words.write("order details", () => {});
    earlier?.replaceWith(description);
    return;
  }
  const { summary, list } = earlier ? partsOf(earlier) : createDetails(page, window);
  words.write("order details", ({ orderDetails, total, after, locale }) => {
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
    const shipping = order.shipping_options.filter(({ id }) => id === order.shipping_option);
    summary.textContent = orderDetails;
    list.replaceChildren(
      ...order.line_items.map(({ name, amount: each, quantity }) =>
        row(quantity > 1 ? `${name} × ${count.format(quantity)}` : name, each * quantity),
      ),
      ...shipping.map((option) => row(option.name, option.amount)),
      ...order.discounts.map((discount) => row(discount.name, -discount.amount)),
      ...(order.tax_amount === null ? [] : [row(after.tax, order.tax_amount)]),
      row(total, amount),
    );
  });
}

function partsOf(details: Element) {
  const summary = details.querySelector("summary");
  const list = details.querySelector("ul");
  if (!summary || !list) throw new Error("Bug: the order details are incomplete");
  return { summary, list };
}

function createDetails({ document, description }: Page, window: Window) {
  const details = document.createElement("details");
  details.id = "order-details";
  details.className = "details";
  description.before(details);
  details.append(document.createElement("summary"), description, document.createElement("ul"));
  const isWide = window.matchMedia("(min-width: 46rem)");
  const fit = () => {
    details.open = window.parent === window && isWide.matches;
  };
  isWide.addEventListener("change", fit);
  fit();
  return partsOf(details);
}
