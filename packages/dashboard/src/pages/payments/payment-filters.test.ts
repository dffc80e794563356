import { createElement } from "react";
import { expect, it, vi } from "vitest";
import { useSearchParams } from "wouter";
import { buttonOf, fieldOf, fill } from "../../testing/fields.ts";
import { closePage, showPage } from "../../testing/show-page.ts";
import { PaymentFilters, readFilters } from "./payment-filters.tsx";

function Page() {
  const [params] = useSearchParams();
  return createElement("div", {}, createElement(PaymentFilters, { filters: readFilters(params) }), params.toString());
}

it("the last day is the one on which the range ends, in the browser's time zone", async () => {
  const noon = new Date(2026, 10, 25, 12).getTime() / 1000;
  const midnight = new Date(2026, 10, 26).getTime() / 1000;
  for (const to of [noon, midnight]) {
    showPage(Page, { path: `payments?to=${to}`, at: "payments" });
    await vi.waitFor(() => expect(document.body.textContent).toContain(`to=${to}`));
    expect(fieldOf("To").value).toBe("2026-11-25");
    closePage();
  }
});

it("a search keeps the exact time that a link has set, unless another day is chosen", async () => {
  showPage(Page, { path: "payments?from=1795503600&to=1795590000", at: "payments" });
  await vi.waitFor(() => expect(fieldOf("From").value).toMatch(/^2026-11-2\d$/));
  fill("Search", "1234");
  buttonOf("Search").click();
  await vi.waitFor(() => expect(document.body.textContent).toContain("search=1234&from=1795503600&to=1795590000"));
  fill("From", "2026-11-20");
  buttonOf("Search").click();
  const from = new Date(2026, 10, 20).getTime() / 1000;
  await vi.waitFor(() => expect(document.body.textContent).toContain(`search=1234&from=${from}&to=1795590000`));
});
