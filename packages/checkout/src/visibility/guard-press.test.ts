import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadOnDemand, loadPage } from "../../test/load-page.ts";
import { bindCardFields } from "../form/card-fields.ts";
import type { Page } from "../page/page.ts";
import type { ConfirmPayment } from "./confirm-payment.ts";
import { createPressGuard, type PressGuard } from "./guard-press.ts";

const confirmPayment = vi.fn<ConfirmPayment>();
const leave = vi.fn<() => void>();
const wasSeen = vi.fn<(isByPointer: boolean) => Promise<boolean>>();
const watch = vi.fn<(button: Element) => void>();
const released = vi.fn<() => void>();
const sight = { wasSeen, watch, untilSeen: () => Promise.resolve(true) };
let page: Page;
let guard: PressGuard;
let isDisabled: boolean;
let isBusy: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  page = loadPage();
  page.pay.disabled = false;
  isDisabled = isBusy = false;
  confirmPayment.mockReset().mockResolvedValue("pay");
  leave.mockReset();
  released.mockReset();
  wasSeen.mockReset().mockResolvedValue(false);
  watch.mockReset();
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
  createPressGuard({
    page,
    window,
    sight,
    isDisabled: () => isDisabled,
    isBusy: () => isBusy,
    confirmPayment,
    leave,
    released,
  });

/** `detail` is the click count of a pointer; 0 means keys or assistive technology. */
function press(detail = 1) {
  page.pay.dispatchEvent(new MouseEvent("click", { detail }));
  return guard.judge();
}

describe.each([
  ["a click on Pay", 1, true],
  ["a press of Pay by keys or assistive technology", 0, false],
])("%s", (_what, detail, isByPointer) => {
  it("pays without asking if Pay was visible", async () => {
    wasSeen.mockResolvedValue(true);
    await expect(press(detail)).resolves.toBe("pay");
    expect(wasSeen.mock.calls).toEqual([[isByPointer]]);
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it.each(["pay", "back"] as const)(
    "asks the customer if Pay wasn't visible, and returns the answer: %s",
    async (answer) => {
      confirmPayment.mockResolvedValue(answer);
      await expect(press(detail)).resolves.toBe(answer);
      expect(confirmPayment).toHaveBeenCalledExactlyOnceWith(page, framed, sight);
      expect(leave).not.toHaveBeenCalled();
    },
  );

  it.each(["pay", "back"] as const)("is checked again after the answer: %s", async (answer) => {
    confirmPayment.mockResolvedValue(answer);
    await press(detail);
    expect(watch).toHaveBeenLastCalledWith(page.pay);
    await press(detail);
    expect(wasSeen).toHaveBeenCalledTimes(2);
    expect(confirmPayment).toHaveBeenCalledTimes(2);
  });
});

describe("a click on Pay", () => {
  it("opens the full page every time if the dialog has no room, or nobody could see what was chosen", async () => {
    confirmPayment.mockResolvedValue(null);
    await expect(press()).resolves.toBe("elsewhere");
    await expect(press()).resolves.toBe("elsewhere");
    expect(leave).toHaveBeenCalledTimes(2);
    expect(page.pay.disabled).toBe(false);
  });

  it("shows that Pay is busy while the press is held and checked, and disables it while the customer is asked", async () => {
    let checked: (seen: boolean) => void = () => {};
    let answered: (answer: "pay") => void = () => {};
    wasSeen.mockReturnValue(new Promise((resolve) => (checked = resolve)));
    confirmPayment.mockReturnValue(new Promise((resolve) => (answered = resolve)));
    const verdict = press();
    expect(page.pay.getAttribute("aria-disabled")).toBe("true");
    expect(page.pay.disabled).toBe(false);
    checked(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(page.pay.hasAttribute("aria-disabled")).toBe(false);
    expect(page.pay.disabled).toBe(true);
    answered("pay");
    await verdict;
    expect(page.pay.disabled).toBe(false);
    expect(document.activeElement).toBe(page.pay);
  });

  it.each([
    ["paying", false],
    ["saving", true],
  ] as const)(
    "says that nothing happened, and doesn't ask, if the customer has left the iframe while it was held: %s",
    async (occasion, isSaving) => {
      page.amount.hidden = isSaving;
      const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(true);
      wasSeen.mockImplementation(async () => {
        hasFocus.mockReturnValue(false);
        return false;
      });
      const verdict = await press();
      hasFocus.mockRestore();
      expect(verdict).toBe("back");
      expect(confirmPayment).not.toHaveBeenCalled();
      expect(page.live.textContent).toBe(page.words.texts.outcomes[occasion]);
      expect(page.pay.hasAttribute("aria-disabled")).toBe(false);
    },
  );

  it("asks also if the focus was never in the iframe, as with assistive technology", async () => {
    const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    await press();
    hasFocus.mockRestore();
    expect(confirmPayment).toHaveBeenCalledOnce();
  });

  it("says that it's being held, and when it no longer is, so that the form's height can be reported again", async () => {
    released.mockImplementation(() => expect(guard.isHolding()).toBe(false));
    const verdict = press();
    expect(guard.isHolding()).toBe(true);
    await verdict;
    expect(released).toHaveBeenCalledExactlyOnceWith();
  });

  it.each([
    ["a result", "result", () => page.result],
    ["the bank's page", "bank", () => page.find("bank-title")],
  ] as const)("moves the focus to %s that appeared during the dialog", async (_what, view, expected) => {
    page.bank.innerHTML = '<h2 id="bank-title" tabindex="-1"></h2>';
    confirmPayment.mockImplementation(async () => {
      page.show(view);
      return "back";
    });
    await press();
    expect(document.activeElement).toBe(expected());
  });

  it("leaves the focus in the host page if the dialog closed by itself", async () => {
    const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    page.live.textContent = "Expired";
    confirmPayment.mockImplementation(async () => {
      page.show("result");
      return "back";
    });
    document.documentElement.className = "";
    await press();
    hasFocus.mockRestore();
    expect(document.activeElement).toBe(document.body);
    expect(page.live.textContent).toBe("Expired");
  });

  it.each<[string, () => void]>([
    ["a result is shown", () => page.show("result")],
    ["the bank's page is shown", () => page.show("bank")],
    ["a payment from another tab is in progress", () => (isBusy = true)],
  ])("asks nothing if %s once it's no longer held", async (_what, happen) => {
    wasSeen.mockImplementation(async () => {
      happen();
      return false;
    });
    await expect(press()).resolves.toBe("back");
    expect(confirmPayment).not.toHaveBeenCalled();
    expect(page.pay.hasAttribute("aria-disabled")).toBe(isBusy);
  });

  it("leaves Pay disabled if the host page disabled the form meanwhile", async () => {
    isDisabled = true;
    await press();
    expect(page.pay.disabled).toBe(true);
  });
});

it("a press on a full page isn't checked, because nothing can cover it", async () => {
  guard = guardIn(window);
  await expect(press()).resolves.toBe("pay");
  expect(wasSeen).not.toHaveBeenCalled();
});

describe("a press by keys when the host page may have moved the focus here", () => {
  const ways: [string, () => void][] = [
    ["by the host page with a verb", () => guard.forHost(() => page.cvc.focus())],
    [
      "by the host page focusing the iframe, or by the customer with Tab",
      () => framed.dispatchEvent(new Event("focus")),
    ],
  ];
  beforeEach(() => void wasSeen.mockResolvedValue(true));

  /** Marks an event as trusted, which otherwise only browsers can do. */
  const trusted = (event: Event) => Object.defineProperty(event, "isTrusted", { value: true });

  it.each(ways)("(%s) asks every time", async (_who, moveFocus) => {
    moveFocus();
    confirmPayment.mockResolvedValue("back");
    await expect(press(0)).resolves.toBe("back");
    await expect(press(0)).resolves.toBe("back");
    expect(confirmPayment).toHaveBeenCalledTimes(2);
    expect(wasSeen).not.toHaveBeenCalled();
  });

  const type = (input: HTMLInputElement, value: string) => {
    input.value = value;
    input.dispatchEvent(trusted(new InputEvent("input", { inputType: "insertText", bubbles: true })));
  };
  beforeEach(() => {
    page.expiry.value = "12 / 34";
    page.cvc.value = "1234";
  });

  it.each(ways)("(%s) pays without asking once the customer has changed a card field", async (_who, moveFocus) => {
    moveFocus();
    type(page.cvc, "123");
    type(page.cvc, "1235");
    await expect(press(0)).resolves.toBe("pay");
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it.each(ways)("(%s) pays without asking once a whole card was pasted", async (_who, moveFocus) => {
    moveFocus();
    const paste = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: new DataTransfer() });
    paste.clipboardData?.setData("text/plain", "4242 4242 4242 4242 12/34 123");
    bindCardFields(page, loadOnDemand);
    page.number.dispatchEvent(trusted(paste));
    await expect(press(0)).resolves.toBe("pay");
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it.each(ways)(
    "(%s) asks after a character that changes no card field, because it may have been meant for the host page",
    async (_who, moveFocus) => {
      page.inputs.email = page.form.appendChild(document.createElement("input"));
      moveFocus();
      type(page.cvc, "1234a");
      type(page.cvc, "91234");
      type(page.expiry, "12 / 345");
      type(page.inputs.email, "ada@example.com2");
      expect([page.expiry.value, page.cvc.value]).toEqual(["12 / 34", "9123"]);
      await expect(press(0)).resolves.toBe("pay");
      expect(confirmPayment).toHaveBeenCalledOnce();
    },
  );

  it.each(ways)("(%s) asks after a composition that changes no card field", async (_who, moveFocus) => {
    moveFocus();
    page.cvc.value = "1234ˆ";
    page.cvc.dispatchEvent(trusted(new InputEvent("input", { isComposing: true, bubbles: true })));
    page.cvc.value = "1234"; // formatted at its end
    page.cvc.dispatchEvent(trusted(new CompositionEvent("compositionend", { bubbles: true })));
    await press(0);
    expect(confirmPayment).toHaveBeenCalledOnce();
  });

  it.each(ways)("(%s) pays without asking once a composition has changed a card field", async (_who, moveFocus) => {
    moveFocus();
    page.cvc.value = "123";
    page.cvc.dispatchEvent(trusted(new InputEvent("input", { isComposing: true, bubbles: true })));
    page.cvc.dispatchEvent(trusted(new CompositionEvent("compositionend", { bubbles: true })));
    await expect(press(0)).resolves.toBe("pay");
    expect(confirmPayment).not.toHaveBeenCalled();
  });

  it.each(ways)("(%s) asks again after the next time, whatever was typed before", async (_who, moveFocus) => {
    type(page.cvc, "123");
    moveFocus();
    type(page.cvc, "123 ");
    await press(0);
    expect(confirmPayment).toHaveBeenCalledOnce();
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
    expect(confirmPayment).toHaveBeenCalledOnce();
    await press(1);
    expect(confirmPayment).toHaveBeenCalledOnce();
    expect(wasSeen.mock.calls).toEqual([[true]]);
  });
});
