import { getByRole, getByText, queryByRole } from "@testing-library/dom";
import { beforeEach, describe, expect, it } from "vitest";
import { loadPage } from "../test/load-page.ts";
import { bindCardFields } from "./card-fields.ts";
import type { Page } from "./page.ts";
import { createScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";
import * as text from "./text.ts";

const session = {
  id: "cs_1",
  livemode: false,
  status: "open",
  payment_status: "unpaid",
  amount: 4900,
  currency: "eur",
  merchant_name: "Fernweh <b>",
  description: "Coffee",
  allowed_origins: [],
  return_url: "https://shop.example/done",
  cancel_url: "https://shop.example/cart",
  expires_at: 2_000_000_000,
  attempts_left: 5,
} as const;

let page: Page;
const show = (isFullPage: boolean): Screen => {
  page = loadPage();
  // In a frame the parent is another window; which one does not matter here.
  const view = isFullPage ? window : (Object.create(window, { parent: { value: {} } }) as typeof window);
  const screen = createScreen(page, bindCardFields(page), view);
  screen.introduce({ ...session, allowed_origins: [] });
  return screen;
};

describe("the screen", () => {
  let screen: Screen;
  beforeEach(() => {
    screen = show(true);
  });

  it("keeps Pay disabled until the form can be used", () => {
    expect(page.pay.disabled).toBe(true);
    screen.form();
    expect(getByRole(document.body, "button", { name: "Pay €49.00" })).toBe(page.pay);
    expect(page.pay.disabled).toBe(false);
  });

  it("shows merchant, description, amount and the test badge as text", () => {
    expect(page.merchant.textContent).toBe("Fernweh <b>");
    expect(page.merchant.children.length).toBe(0);
    expect(page.description.textContent).toBe("Coffee");
    expect(page.amount.textContent).toBe("€49.00");
    expect(page.badge.hidden).toBe(false);
    screen.introduce({ ...session, allowed_origins: [], livemode: true });
    expect(page.badge.hidden).toBe(true);
  });

  it("leads back to the shop only from a page of its own, and only by http(s)", () => {
    expect(page.back.hidden).toBe(false);
    expect(page.back.href).toBe("https://shop.example/cart");
    show(false);
    expect(page.back.hidden).toBe(true);
    page = loadPage();
    const other = createScreen(page, bindCardFields(page), window);
    other.introduce({ ...session, allowed_origins: [], cancel_url: "javascript:alert(1)" });
    expect(page.back.hidden).toBe(true);
  });

  it("keeps the focus on Pay while it works, and the fields as they are", () => {
    screen.form();
    page.pay.focus();
    screen.busy("submitting");
    expect(document.activeElement).toBe(page.pay);
    expect(page.pay.getAttribute("aria-disabled")).toBe("true");
    expect(page.payLabel.textContent).toBe(text.steps.submitting);
    expect(page.number.readOnly).toBe(true);
  });

  it("says why a card was declined, with the bank's own sentence as text, and moves the focus there", () => {
    screen.declined("insufficient_funds", "Call <i>us</i>.");
    expect(page.notice.textContent).toBe(`${text.declined.insufficient_funds} Call <i>us</i>.`);
    expect(page.notice.children.length).toBe(0);
    expect(document.activeElement).toBe(page.notice);
    expect(page.pay.disabled).toBe(false);
    expect(page.number.readOnly).toBe(false);
  });

  it.each(["processing", "expired", "canceled", "ended", "invalid", "unknown"] as const)(
    "shows the result %s in its place",
    (name) => {
      screen.result(name);
      expect(page.main.dataset["view"]).toBe("result");
      expect(getByText(page.result, text.results[name][0])).toBeTruthy();
      expect(document.activeElement).toBe(page.result);
    },
  );

  it("offers what can be done", () => {
    let pressed = 0;
    screen.result("unreachable", { label: text.retry, press: () => pressed++ });
    getByRole(page.result, "button", { name: text.retry }).click();
    getByRole(page.result, "button", { name: text.retry }).click();
    expect(pressed).toBe(1);
  });

  it("links a finished full page to the shop with the session's id, and a frame to nothing", () => {
    screen.finished("succeeded");
    const link = getByRole<HTMLAnchorElement>(page.result, "link", { name: "Continue to Fernweh <b>" });
    expect(link.href).toBe("https://shop.example/done?session_id=cs_1");
    show(false).finished("succeeded");
    expect(queryByRole(page.result, "link")).toBeNull();
  });
});
