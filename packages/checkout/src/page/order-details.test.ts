import { beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import { showOrderDetails } from "./order-details.ts";
import type { Page } from "./page.ts";

const order = {
  amount: 4900,
  currency: "eur",
  shipping_options: [],
  shipping_option: null,
  discounts: [],
  tax_amount: null,
  line_items: [
    { name: "Cup <b>", amount: 3900, quantity: 1 },
    { name: "Saucer", amount: 500, quantity: 2 },
  ],
};
let page: Page;
beforeEach(() => {
  page = loadPage();
});
const details = () => document.querySelector<HTMLDetailsElement>("#order-details");
/** A window of that width; in an iframe, its parent is another window. */
const view = (isWide: boolean, isFrame = false) => {
  const matchMedia = () => ({ matches: isWide, addEventListener: () => {} });
  const properties = { matchMedia: { value: matchMedia }, ...(isFrame && { parent: { value: {} } }) };
  const made = Object.create(window, properties) as typeof window; // with two properties replaced
  if (!isFrame) Object.defineProperty(made, "parent", { value: made });
  return made;
};

describe("the order details", () => {
  it("list the items with their amounts and the total, as text", () => {
    showOrderDetails(page, order, view(false));
    expect([...(details()?.querySelectorAll("li") ?? [])].map((line) => line.textContent)).toEqual([
      "Cup <b> €39.00",
      "Saucer × 2 €10.00",
      "Total €49.00",
    ]);
    expect(details()?.querySelector("summary")?.textContent).toBe("Order details");
    expect(details()?.contains(page.description)).toBe(true);
  });

  it("write each name in its own direction, independent of the page's", () => {
    showOrderDetails(page, order, view(false));
    expect(details()?.querySelector<HTMLElement>("li span")?.dir).toBe("auto");
  });

  it("keep the amounts as they are when a browser translates the page", () => {
    showOrderDetails(page, order, view(false));
    const untranslated = [...(details()?.querySelectorAll("[translate=no]") ?? [])].map((money) => money.textContent);
    expect(untranslated).toEqual(["€39.00", "€10.00", "€49.00"]);
  });

  it("are open next to the form on a wide full page, and closed elsewhere", () => {
    showOrderDetails(page, order, view(true));
    expect(details()?.open).toBe(true);
    for (const other of [view(false), view(true, true)]) {
      page = loadPage();
      showOrderDetails(page, order, other);
      expect(details()?.open).toBe(false);
    }
  });

  it("are created only once, and only if there is something to list", () => {
    showOrderDetails(page, { ...order, line_items: [] }, view(false));
    expect(details()).toBeNull();
    showOrderDetails(page, order, view(false));
    const made = details();
    showOrderDetails(page, order, view(false));
    expect(document.querySelectorAll("#order-details")).toHaveLength(1);
    expect(details()).toBe(made);
  });

  it("follow the order with shipping, discounts and tax, and disappear with its last item", () => {
    showOrderDetails(page, order, view(false));
    const changed = {
      ...order,
      amount: 4990,
      shipping_options: [
        { id: "pickup", name: "Pickup", amount: 0 },
        { id: "post", name: "Post", amount: 490 },
      ],
      shipping_option: "post",
      discounts: [{ name: "SPRING", amount: 800 }],
      tax_amount: 400,
    };
    showOrderDetails(page, changed, view(false));
    expect([...(details()?.querySelectorAll("li") ?? [])].map((line) => line.textContent)).toEqual([
      "Cup <b> €39.00",
      "Saucer × 2 €10.00",
      "Post €4.90",
      "SPRING -€8.00",
      "Tax €4.00",
      "Total €49.90",
    ]);
    showOrderDetails(page, { ...order, line_items: [] }, view(false));
    expect(details()).toBeNull();
    expect(page.description.isConnected).toBe(true);
  });

  it("switch to the page's new language", async () => {
    showOrderDetails(page, order, view(false));
    await page.words.speak("de");
    await vi.waitFor(() => expect(details()?.textContent).toContain("49,00"));
    expect(details()?.textContent).not.toContain("Total €");
  });
});
