import { getAllByRole, getByRole, queryByRole } from "@testing-library/dom";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage, loadOnDemand } from "../../../test/load-page.ts";
import { bindCardFields } from "../card-fields.ts";
import type { CardFields } from "../card-fields.ts";
import type { Page } from "../../page/page.ts";

const shared = "4000002500001001";
let page: Page;
let fields: CardFields;

// Compiled before anyone waits for it.
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
  it("comes with the eighth digit: both, by name, and neither of them chosen", async () => {
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

  it("is announced once, and not again by the digits that follow", async () => {
    type(shared.slice(0, 8));
    await offered();
    expect(page.live.textContent).toBe("Pay with: Visa or CB");
    page.live.textContent = "";
    type(shared);
    expect(page.live.textContent).toBe("");
  });

  it("is the customer's, and stays while the number is finished", async () => {
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
    ["a number that is shortened", () => type(shared.slice(0, 7))],
    ["wiping", () => fields.wipe()],
  ])("is taken away by %s, and what was chosen with it", async (_what, change) => {
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

  it("begins anew with a card of two other networks", async () => {
    type(shared);
    await offered();
    radios()[1]?.click();
    type("5555552500001001");
    expect(radios().map((radio) => radio.getAttribute("aria-label"))).toEqual(["Mastercard", "CB"]);
    expect(fields.network.chosen()).toBeNull();
  });

  it("cannot be changed while a payment is under way", async () => {
    type(shared);
    await offered();
    fields.lock(true);
    expect(radios().every((radio) => radio.disabled)).toBe(true);
    fields.lock(false);
    expect(radios().every((radio) => radio.disabled)).toBe(false);
  });

  it("is said in the language that the page turns to", async () => {
    type(shared);
    await offered();
    await page.words.speak("de");
    expect(getByRole(page.form, "radiogroup").getAttribute("aria-labelledby")).toBe("networks");
    expect(document.getElementById("networks")?.textContent).toMatch(/: Visa oder CB$/);
  });
});
