/**
 * The receipt, shown on a full page that has no URL to continue to: the amount, the date, and the reference by which
 * the shop finds the payment. The merchant's name is already above it. Values come from the service and are inserted as
 * text. The receipt contains no card data.
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { FrameSession } from "@oriel/protocol/frame";
import type { Page } from "./page.ts";

type Paid = Pick<FrameSession["session"], "id" | "amount" | "currency">;

/** @param endedAtMs null if the payment finished before this document was opened; then no date is shown */
export function showReceipt({ document, words }: Page, { id, amount, currency }: Paid, endedAtMs: number | null): void {
  document.querySelector(".receipt")?.remove();
  const list = document.createElement("dl");
  list.className = "receipt";
  document.getElementById("result-text")?.after(list);
  words.write("receipt", ({ after, locale }) => {
    if (amount === null || currency === null) return;
    const date = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short" });
    const rows: [name: string, value: string | null][] = [
      [after.receiptAmount, formatAmount(amount, currency, locale)],
      [after.receiptDate, endedAtMs === null ? null : date.format(endedAtMs)],
      [after.receiptReference, id],
    ];
    list.replaceChildren(
      ...rows.flatMap(([name, value]) => {
        if (value === null) return [];
        const [term, text] = [document.createElement("dt"), document.createElement("dd")];
        term.textContent = name;
        text.textContent = value;
        text.setAttribute("translate", "no");
        return [term, text];
      }),
    );
  });
}
