import { getByRole, getByText, queryByRole } from "@testing-library/dom";
import { beforeEach, describe, expect, it } from "vitest";
import { setup } from "../test/fake-service.ts";
import { loadPage } from "../test/load-page.ts";
import type { FrameSession } from "@oriel/protocol/frame";
import { bindCardFields } from "./card-fields.ts";
import type { Page } from "./page.ts";
import { createScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { early } from "./texts/early.ts";
import text from "./texts/en.ts";

const session: FrameSession["session"] = {
  id: "cs_1",
  livemode: false,
  mode: "payment",
  status: "open",
  payment_status: "unpaid",
  amount: 4900,
  currency: "eur",
  save_payment_method: false,
  submit_button: "built-in",
  merchant_name: "Fernweh <b>",
  description: "Coffee",
  allowed_origins: [],
  return_url: "https://shop.example/done",
  cancel_url: "https://shop.example/cart",
  expires_at: 2_000_000_000,
  attempts_left: 5,
};

let page: Page;
const show = (isFullPage: boolean, changes: Partial<FrameSession["session"]> = {}): Screen => {
  page = loadPage();
  // In a frame the parent is another window; which one does not matter here.
  const view = isFullPage ? window : (Object.create(window, { parent: { value: {} } }) as typeof window);
  const screen = createScreen(page, bindCardFields(page), view);
  screen.introduce({ ...session, ...changes });
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
    screen.introduce({ ...session, livemode: true });
    expect(page.badge.hidden).toBe(true);
  });

  it("leads back to the shop only from a page of its own, and only by http(s)", () => {
    expect(page.back.hidden).toBe(false);
    expect(page.back.href).toBe("https://shop.example/cart");
    show(false);
    expect(page.back.hidden).toBe(true);
    page = loadPage();
    const other = createScreen(page, bindCardFields(page), window);
    other.introduce({ ...session, cancel_url: "javascript:alert(1)" });
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
    expect(page.notice.textContent).toBe(`${text.paying.declined.insufficient_funds} Call <i>us</i>.`);
    expect(page.notice.children.length).toBe(0);
    expect(document.activeElement).toBe(page.notice);
    expect(page.pay.disabled).toBe(false);
    expect(page.number.readOnly).toBe(false);
  });

  it.each(["processing", "expired", "canceled", "ended", "unknown"] as const)("shows the result %s in its place", (name) => {
    screen.result(name);
    expect(page.main.dataset["view"]).toBe("result");
    expect(getByText(page.result, text.paying.results[name][0])).toBeTruthy();
    expect(document.activeElement).toBe(page.result);
  });

  it("offers what can be done", () => {
    let pressed = 0;
    screen.result("unreachable", { label: "retry", press: () => pressed++ });
    getByRole(page.result, "button", { name: early.retry }).click();
    getByRole(page.result, "button", { name: early.retry }).click();
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

describe("the screen of a payment that keeps the card", () => {
  it("says below the button who keeps it, as text, and lets the button be described by that", () => {
    show(true, { save_payment_method: true }).form();
    expect(getByRole(document.body, "button", { name: "Pay €49.00" })).toBe(page.pay);
    expect(page.kept.hidden).toBe(false);
    expect(page.kept.textContent).toBe("Fernweh <b> keeps this card for later payments.");
    expect(page.kept.children.length).toBe(0);
    expect(page.pay.nextElementSibling).toBe(page.kept);
    expect(page.pay.getAttribute("aria-describedby")).toBe(page.kept.id);
  });

  it("says nothing of it where the card is not kept", () => {
    const screen = show(true);
    expect(page.kept.hidden).toBe(true);
    expect(page.kept.textContent).toBe("");
    screen.introduce({ ...session, save_payment_method: true });
    screen.introduce(session);
    expect(page.kept.hidden).toBe(true);
  });

  it("ends like any payment", () => {
    show(true, { save_payment_method: true }).finished("succeeded");
    expect(getByText(page.result, "Payment complete")).toBeTruthy();
  });
});

describe("the screen of a card that is only saved", () => {
  let screen: Screen;
  beforeEach(() => {
    screen = show(true, setup);
  });

  it("shows no total, not even the place of one", () => {
    expect(page.amount.hidden).toBe(true);
    expect(page.amount.textContent).toBe("");
    expect(page.merchant.textContent).toBe("Fernweh <b>");
    expect(document.title).toBe("Fernweh <b> · Save a card");
  });

  it("has a button that saves, also after it was busy", () => {
    screen.form();
    expect(getByRole(document.body, "button", { name: "Save card" })).toBe(page.pay);
    screen.busy("submitting");
    expect(page.payLabel.textContent).toBe(text.steps.submitting);
    screen.declined("expired_card", null);
    expect(page.payLabel.textContent).toBe("Save card");
  });

  it.each([false, true])(
    "says that nothing is charged and who keeps the card, whether or not it is asked to save (%s)",
    (asked) => {
      screen.introduce({ ...session, ...setup, save_payment_method: asked });
      expect(page.kept.hidden).toBe(false);
      expect(page.kept.textContent).toBe("Nothing is charged now. Fernweh <b> keeps this card for later payments.");
    },
  );

  it("shows no total even if the service sent one", () => {
    screen.introduce({ ...session, mode: "setup" });
    expect(page.amount.hidden).toBe(true);
    expect(page.main.textContent).not.toContain("49");
    expect(page.payLabel.textContent).toBe("Save card");
  });

  it("ends with the card saved and leads on to the shop", () => {
    screen.finished("succeeded");
    expect(getByText(page.result, "Card saved")).toBeTruthy();
    expect(page.result.textContent).toContain("Nothing was charged. Taking you back to Fernweh <b>…");
    expect(getByRole<HTMLAnchorElement>(page.result, "link").href).toBe("https://shop.example/done?session_id=cs_1");
  });

  it("never speaks of a payment or a charge of the customer's when it comes to nothing", () => {
    const { declined, notices, results } = text.saving;
    const cameToNothing = [
      ...Object.values(declined),
      ...Object.values(notices),
      ...[results.processing, results.expired, results.canceled, results.ended, results.unknown].flat(),
    ];
    expect(cameToNothing.filter((sentence) => /\b(pay|payment|paying|charged)\b/i.test(sentence))).toEqual([]);
  });
});

it("the screen asks nobody to pay a sum that is not named", () => {
  expect(() => show(true, { amount: null })).toThrow("without an amount");
  expect(page.pay.disabled).toBe(true);
});
