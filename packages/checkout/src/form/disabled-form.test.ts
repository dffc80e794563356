import { beforeEach, describe, expect, it } from "vitest";
import { sessionWith } from "../../test/fake-service.ts";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import { createScreen } from "../page/screen.ts";
import { bindCardFields } from "./card-fields.ts";
import { createDisabledForm } from "./disabled-form.ts";
import type { DisabledForm } from "./disabled-form.ts";

let page: Page;
let disabled: DisabledForm;
let isIdle: boolean;
const state = () => ({
  pay: page.pay.disabled,
  locked: [page.number, page.expiry, page.cvc].map((input) => input.readOnly),
});
const held = { pay: true, locked: [true, true, true] };
const free = { pay: false, locked: [false, false, false] };

beforeEach(() => {
  page = loadPage();
  const fields = bindCardFields(page, loadOnDemand);
  isIdle = true;
  disabled = createDisabledForm(createScreen(page, fields, window), page, fields);
});

describe("a disabled form", () => {
  it("disables Pay and locks the fields, keeps what was typed, and can be enabled again", () => {
    disabled.screen.form();
    page.number.value = "4242";
    disabled.set(true, isIdle);
    expect(state()).toEqual(held);
    disabled.set(false, isIdle);
    expect(state()).toEqual(free);
    expect(page.number.value).toBe("4242");
  });

  it("stays disabled when the screen would enable it", () => {
    isIdle = false;
    disabled.set(true, isIdle);
    disabled.screen.form();
    expect(state()).toEqual(held);
    disabled.screen.busy("submitting");
    disabled.screen.form();
    expect(state()).toEqual(held);
  });

  it("can't be used if it is enabled before the session is known", () => {
    isIdle = false;
    disabled.set(true, isIdle);
    disabled.set(false, isIdle);
    expect(page.pay.disabled).toBe(true);
    disabled.screen.form();
    expect(state()).toEqual(free);
  });

  it("holds only Pay, also when the screen would enable it, and until both the hold and the setting have ended", () => {
    const onlyPay = { ...free, pay: true };
    disabled.screen.form();
    disabled.hold(true, isIdle);
    expect([state(), disabled.isHeld()]).toEqual([onlyPay, true]);
    disabled.screen.form();
    expect(state()).toEqual(onlyPay);
    disabled.set(true, isIdle);
    disabled.set(false, isIdle);
    expect(state()).toEqual(onlyPay);
    disabled.set(true, isIdle);
    disabled.hold(false, isIdle);
    expect(state()).toEqual(held);
    disabled.set(false, isIdle);
    expect(state()).toEqual(free);
  });

  it("gives the total the focus of a field that disappears while Pay is held, and then Pay", () => {
    disabled.screen.form();
    page.cvc.focus();
    disabled.hold(true, isIdle);
    disabled.screen.introduce(sessionWith({ amount: 0 }));
    expect([document.activeElement, page.amount.textContent]).toEqual([page.amount, "€0.00"]);
    disabled.screen.form();
    expect(document.activeElement).toBe(page.amount);
    disabled.hold(false, isIdle);
    expect(document.activeElement).toBe(page.pay);
  });

  it("doesn't unlock the fields while a payment is in progress", () => {
    disabled.screen.form();
    disabled.screen.busy("submitting");
    isIdle = false;
    disabled.set(true, isIdle);
    disabled.set(false, isIdle);
    expect(page.number.readOnly).toBe(true);
  });
});
