import { getAllByRole, getByRole, queryByRole } from "@testing-library/dom";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage, loadOnDemand } from "../../../test/load-page.ts";
import type { Page } from "../../page/page.ts";
import { bindCardFields } from "../card-fields.ts";
import type { CardFields } from "../card-fields.ts";

const shared = "4000002500001001";
let page: Page;
let fields: CardFields;

// Import it now, so that compiling doesn't count toward a test's time limit.
beforeAll(loadOnDemand);
beforeEach(() => {
  page = loadPage();
  fields = bindCardFields(page, loadOnDemand);
});

const type = (value: string) => {
  page.number.value = value;
  page.number.dispatchEvent(new Event("input", { bubbles: true }));
};
const radios = () => getAllByRole<HTMLInputElement>(page.form, "radio");
const offered = () => vi.waitFor(() => expect(radios()).toHaveLength(2));

describe("the choice between two networks", () => {
  it("appears with the eighth digit: both networks by name, neither selected", async () => {
    type(shared.slice(0, 7));
    expect(fields.network.offered()).toEqual([]);
    expect(queryByRole(page.form, "radiogroup")).toBeNull();
    type(shared.slice(0, 8));
    await offered();
    expect(radios().map((radio) => [radio.getAttribute("aria-label"), radio.checked])).toEqual([
      ["Visa", false],
      ["CB", false],
    ]);
    expect(getByRole(page.form, "radiogroup", { name: "Pay with: Visa or CB" })).toBeTruthy();
    expect(fields.network.offered()).toEqual(["visa", "cartes_bancaires"]);
    expect(fields.network.chosen()).toBeNull();
  });

  it("is announced once, and not repeated for the digits that follow", async () => {
    type(shared.slice(0, 8));
    await offered();
    expect(page.live.textContent).toBe("Pay with: Visa or CB");
    page.live.textContent = "";
    type(shared);
    expect(page.live.textContent).toBe("");
  });

  it("keeps the customer's choice while the number is completed", async () => {
    type(shared.slice(0, 10));
    await offered();
    radios()[1]?.click();
    expect(fields.network.chosen()).toBe("cartes_bancaires");
    expect(getByRole(page.form, "radiogroup", { name: "Pay with: CB" })).toBeTruthy();
    type(shared);
    expect(fields.network.chosen()).toBe("cartes_bancaires");
    expect(radios()[1]?.checked).toBe(true);
  });

  it.each([
    ["another card", () => type("4242424242424242")],
    ["shortening the number", () => type(shared.slice(0, 7))],
    ["wiping", () => fields.wipe()],
  ])("is removed by %s, together with what was chosen", async (_what, change) => {
    type(shared);
    await offered();
    radios()[0]?.click();
    change();
    expect(fields.network.offered()).toEqual([]);
    expect(fields.network.chosen()).toBeNull();
    expect(queryByRole(page.form, "radio")).toBeNull();
    type(shared);
    expect(radios().some((radio) => radio.checked)).toBe(false);
  });

  it("resets for a card of two other networks", async () => {
    type(shared);
    await offered();
    radios()[1]?.click();
    type("5555552500001001");
    expect(radios().map((radio) => radio.getAttribute("aria-label"))).toEqual(["Mastercard", "CB"]);
    expect(fields.network.chosen()).toBeNull();
  });

  it("can't be changed while a payment is in progress", async () => {
    type(shared);
    await offered();
    fields.lock(true);
    expect(radios().every((radio) => radio.disabled)).toBe(true);
    fields.lock(false);
    expect(radios().every((radio) => radio.disabled)).toBe(false);
  });

  it("switches to the page's new language", async () => {
    type(shared);
    await offered();
    await page.words.speak("de");
    expect(getByRole(page.form, "radiogroup").getAttribute("aria-labelledby")).toBe("networks");
    expect(document.getElementById("networks")?.textContent).toMatch(/: Visa oder CB$/);
  });
});
