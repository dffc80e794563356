import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import type { ConfirmPayment } from "./confirm-payment.ts";
import { createPressGuard, type PressGuard } from "./guard-press.ts";
import * as seeing from "./is-visible.ts";

const isElementVisible = vi.spyOn(seeing, "isElementVisible");
const confirmPayment = vi.fn<ConfirmPayment>();
const leave = vi.fn<() => void>();
const wasSeen = vi.fn<() => Promise<boolean>>();
const sight = { press: vi.fn<() => typeof wasSeen>() };
let page: Page;
let guard: PressGuard;
let isDisabled: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  page = loadPage();
  page.pay.disabled = false;
  isDisabled = false;
  isElementVisible.mockReset().mockResolvedValue(false);
  confirmPayment.mockReset().mockResolvedValue("pay");
  leave.mockReset();
  wasSeen.mockReset().mockResolvedValue(true);
  sight.press.mockReset().mockReturnValue(wasSeen);
  framed = new FramedWindow() as unknown as Window; // only these parts are used
  guard = guardIn(framed);
});
afterEach(() => vi.useRealTimers());

/** An iframe's window, which can dispatch focus events. */
class FramedWindow extends EventTarget {
  parent = {};
}
let framed: Window;
const guardIn = (window: Window) =>
  createPressGuard({ page, window, sight, isDisabled: () => isDisabled, confirmPayment, leave });

/** `detail` is the click count of a pointer; 0 means keys or assistive technology. */
function press(detail = 1) {
  if (detail > 0) page.pay.dispatchEvent(new Event("pointerdown"));
  page.pay.dispatchEvent(new MouseEvent("click", { detail }));
  return guard.judge();
}

describe("a click on Pay", () => {
  it("pays without asking if Pay was visible", async () => {
    isElementVisible.mockResolvedValue(true);
    await expect(press()).resolves.toBe("pay");
    expect(isElementVisible).toHaveBeenCalledExactlyOnceWith(page.pay);
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it.each(["pay", "back"] as const)(
    "asks the customer if Pay wasn't visible, and returns the answer: %s",
    async (answer) => {
      confirmPayment.mockResolvedValue(answer);
      await expect(press()).resolves.toBe(answer);
      expect(confirmPayment).toHaveBeenCalledExactlyOnceWith(page, framed);
      expect(leave).not.toHaveBeenCalled();
    },
  );

  it.each(["pay", "back"] as const)("isn't checked again once the customer has answered: %s", async (answer) => {
    confirmPayment.mockResolvedValue(answer);
    await press();
    isElementVisible.mockClear();
    await expect(press()).resolves.toBe("pay");
    expect(isElementVisible).not.toHaveBeenCalled();
  });

  it("asks if Pay wasn't visible for long enough before, whatever is visible afterwards", async () => {
    isElementVisible.mockResolvedValue(true);
    wasSeen.mockResolvedValue(false);
    confirmPayment.mockResolvedValue("back");
    await expect(press()).resolves.toBe("back");
    expect(isElementVisible).not.toHaveBeenCalled();
  });

  it("is checked from when the pointer goes down, so that uncovering Pay while it is held down doesn't count", async () => {
    page.pay.dispatchEvent(new Event("pointerdown"));
    expect(sight.press).toHaveBeenCalledOnce();
    expect(wasSeen).not.toHaveBeenCalled();
    page.pay.dispatchEvent(new MouseEvent("click", { detail: 1 }));
    await guard.judge();
    expect(sight.press).toHaveBeenCalledOnce();
    expect(wasSeen).toHaveBeenCalledOnce();
  });

  it("asks while the texts, and with them the amount, are still hidden", async () => {
    isElementVisible.mockResolvedValue(true);
    document.documentElement.dataset["words"] = "coming";
    await press();
    delete document.documentElement.dataset["words"];
    expect(confirmPayment).toHaveBeenCalledOnce();
  });

  it("is checked again after Escape, which isn't an answer", async () => {
    confirmPayment.mockResolvedValueOnce("escape");
    await expect(press()).resolves.toBe("back");
    await expect(press()).resolves.toBe("pay");
    expect(confirmPayment).toHaveBeenCalledTimes(2);
  });

  it("opens the full page every time if there is no room for the dialog", async () => {
    confirmPayment.mockResolvedValue(null);
    await expect(press()).resolves.toBe("elsewhere");
    await expect(press()).resolves.toBe("elsewhere");
    expect(leave).toHaveBeenCalledTimes(2);
    expect(page.pay.disabled).toBe(false);
  });

  it("shows that Pay is busy while the press is held and checked, and disables it while the customer is asked", async () => {
    let held: (seen: boolean) => void = () => {};
    let observed: (seen: boolean) => void = () => {};
    let answered: (answer: "pay") => void = () => {};
    wasSeen.mockReturnValue(new Promise((resolve) => (held = resolve)));
    isElementVisible.mockReturnValue(new Promise((resolve) => (observed = resolve)));
    confirmPayment.mockReturnValue(new Promise((resolve) => (answered = resolve)));
    const verdict = press();
    expect(page.pay.getAttribute("aria-disabled")).toBe("true");
    expect(page.pay.disabled).toBe(false);
    held(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(page.pay.getAttribute("aria-disabled")).toBe("true");
    observed(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(page.pay.hasAttribute("aria-disabled")).toBe(false);
    expect(page.pay.disabled).toBe(true);
    answered("pay");
    await verdict;
    expect(page.pay.disabled).toBe(false);
    expect(document.activeElement).toBe(page.pay);
  });

  it("moves the focus to a result that appeared during the dialog", async () => {
    confirmPayment.mockImplementation(async () => {
      page.show("result");
      return "back";
    });
    await press();
    expect(document.activeElement).toBe(page.result);
  });

  it("leaves Pay disabled if the host page disabled the form meanwhile", async () => {
    isDisabled = true;
    await press();
    expect(page.pay.disabled).toBe(true);
  });
});

describe("a press that isn't checked", () => {
  it("comes from keys or assistive technology, even after a click", async () => {
    await expect(press(0)).resolves.toBe("pay");
    isElementVisible.mockResolvedValue(true);
    await press(1);
    isElementVisible.mockClear();
    await expect(guard.judge()).resolves.toBe("pay");
    expect(isElementVisible).not.toHaveBeenCalled();
  });

  it("is on a full page, which nothing can cover", async () => {
    guard = guardIn(window);
    await expect(press()).resolves.toBe("pay");
    expect(isElementVisible).not.toHaveBeenCalled();
  });
});

describe("a press by keys when the host page may have moved the focus here", () => {
  const ways: [string, () => void][] = [
    ["by the host page with a verb", () => guard.forHost(() => page.cvc.focus())],
    [
      "by the host page focusing the iframe, or by the customer with Tab",
      () => framed.dispatchEvent(new Event("focus")),
    ],
  ];
  /** Marks an event as trusted, which otherwise only browsers can do. */
  const trusted = (event: Event) => Object.defineProperty(event, "isTrusted", { value: true });

  it.each(ways)("(%s) asks every time", async (_who, moveFocus) => {
    moveFocus();
    confirmPayment.mockResolvedValue("back");
    await expect(press(0)).resolves.toBe("back");
    await expect(press(0)).resolves.toBe("back");
    expect(confirmPayment).toHaveBeenCalledTimes(2);
    expect(isElementVisible).not.toHaveBeenCalled();
  });

  it.each(ways)("(%s) pays without asking once the customer has typed", async (_who, moveFocus) => {
    moveFocus();
    page.cvc.dispatchEvent(trusted(new Event("input", { bubbles: true })));
    await expect(press(0)).resolves.toBe("pay");
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it.each(ways)("(%s) pays without asking once the customer has clicked", async (_who, moveFocus) => {
    moveFocus();
    page.cvc.dispatchEvent(trusted(new MouseEvent("click", { bubbles: true, detail: 1 })));
    await expect(press(0)).resolves.toBe("pay");
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it.each<[string, () => Event]>([
    ["input from our own code", () => new Event("input", { bubbles: true })],
    ["a click by keys", () => trusted(new MouseEvent("click", { bubbles: true, detail: 0 }))],
  ])("also asks after %s", async (_what, event) => {
    framed.dispatchEvent(new Event("focus"));
    page.cvc.dispatchEvent(event());
    await press(0);
    expect(confirmPayment).toHaveBeenCalledOnce();
  });

  it("doesn't ask if the host page's request left the focus where it was", async () => {
    page.cvc.focus();
    expect(guard.forHost(() => "done")).toBe("done");
    await expect(press(0)).resolves.toBe("pay");
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it("doesn't affect how clicks are checked", async () => {
    framed.dispatchEvent(new Event("focus"));
    await press(0);
    await press(1);
    expect(confirmPayment).toHaveBeenCalledTimes(2);
  });
});
