import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import { confirmPayment, placeBeside } from "./confirm-payment.ts";

let page: Page;

beforeEach(() => {
  vi.useFakeTimers();
  page = loadPage();
  page.amount.textContent = "€49.00";
  page.amount.hidden = false;
  placePayAt(400, 450);
});
afterEach(() => vi.useRealTimers());

function placePayAt(top: number, bottom: number) {
  page.pay.getBoundingClientRect = () => new DOMRect(0, top, 300, bottom - top);
}

const dialog = () => document.querySelector("dialog");
const button = (name: "pay" | "back") => {
  const found = document.querySelector<HTMLButtonElement>(`[data-testid=oriel-once-more-${name}]`);
  if (!found) throw new Error(`No button named ${name}`);
  return found;
};

describe("the confirmation dialog", () => {
  it("shows the amount, takes the focus, and is announced with its text", () => {
    void confirmPayment(page, window);
    expect(button("pay").textContent).toContain("€49.00");
    expect(document.activeElement).toBe(dialog());
    for (const attribute of ["aria-labelledby", "aria-describedby"]) {
      const id = dialog()?.getAttribute(attribute) ?? "";
      expect(document.getElementById(id)?.textContent).not.toBe("");
    }
  });

  it("mentions saving if nothing is charged", () => {
    page.amount.hidden = true;
    void confirmPayment(page, window);
    expect(button("pay").textContent).toBe(page.words.texts.after?.confirmSave);
  });

  it("can't be confirmed in the first half second, while the button is disabled", async () => {
    const answered = vi.fn<(answer: unknown) => void>();
    void confirmPayment(page, window).then(answered);
    expect(button("pay").disabled).toBe(true);
    button("pay").click();
    await vi.advanceTimersByTimeAsync(499);
    expect(button("pay").disabled).toBe(true);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    button("pay").click();
    await vi.advanceTimersByTimeAsync(0);
    expect(answered).toHaveBeenCalledExactlyOnceWith("pay");
    expect(dialog()).toBeNull();
  });

  it.each<[string, string, () => void]>([
    ["answered with Go back", "back", () => button("back").click()],
    ["closed with Escape", "escape", () => void dialog()?.dispatchEvent(new Event("cancel"))],
  ])("is %s and disappears at once", async (_way, expected, act) => {
    const answer = confirmPayment(page, window);
    act();
    await expect(answer).resolves.toBe(expected);
    expect(dialog()).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("isn't shown if there is no room for it", async () => {
    placePayAt(2, 10);
    Object.defineProperty(window, "innerHeight", { value: 10, configurable: true });
    await expect(confirmPayment(page, window)).resolves.toBeNull();
    expect(dialog()).toBeNull();
  });
});

describe("the place of the dialog", () => {
  const height = 150;
  it.each([
    ["above Pay if it fits there", { top: 300, bottom: 350 }, 700, 142],
    ["below Pay if it fits only there", { top: 100, bottom: 150 }, 400, 158],
    ["nowhere if it fits neither above nor below", { top: 100, bottom: 150 }, 300, null],
    ["nowhere in an iframe of ten pixels", { top: -200, bottom: 5 }, 10, null],
    ["nowhere if Pay is outside the window", { top: 900, bottom: 950 }, 300, null],
    ["nowhere if Pay is above the window", { top: -100, bottom: -50 }, 400, null],
  ])("is %s", (_where, pay, windowHeight, expected) => {
    expect(placeBeside(pay, height, windowHeight)).toBe(expected);
  });
});
