import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import type { AskOnceMore } from "./ask-once-more.ts";
import { createPressGuard, type PressGuard } from "./guard-press.ts";
import * as seeing from "./is-seen.ts";

const isSeen = vi.spyOn(seeing, "isSeen");
const askOnceMore = vi.fn<AskOnceMore>();
const leave = vi.fn<() => void>();
const isLong = vi.fn<() => boolean>();
let page: Page;
let guard: PressGuard;
let isDisabled: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  page = loadPage();
  page.pay.disabled = false;
  isDisabled = false;
  isSeen.mockReset().mockResolvedValue(false);
  askOnceMore.mockReset().mockResolvedValue("pay");
  leave.mockReset();
  isLong.mockReset().mockReturnValue(true);
  framed = new FramedWindow() as unknown as Window; // no more is asked of it
  guard = guardIn(framed);
});
afterEach(() => vi.useRealTimers());

/** With a window above it; it hears its own focus. */
class FramedWindow extends EventTarget {
  parent = {};
}
let framed: Window;
const guardIn = (window: Window) =>
  createPressGuard({ page, window, sight: { isLong }, isDisabled: () => isDisabled, askOnceMore, leave });

/** `detail` is the count of a pointer's clicks; 0 is a click by keys or by assistive technology. */
function press(detail = 1) {
  if (detail > 0) page.pay.dispatchEvent(new Event("pointerdown"));
  page.pay.dispatchEvent(new MouseEvent("click", { detail }));
  return guard.judge();
}

describe("a click on Pay", () => {
  it("that was seen pays, and asks nothing", async () => {
    isSeen.mockResolvedValue(true);
    await expect(press()).resolves.toBe("pay");
    expect(isSeen).toHaveBeenCalledExactlyOnceWith(page.pay);
    expect(askOnceMore).not.toHaveBeenCalled();
  });

  it.each(["pay", "back"] as const)("that was not seen is what the customer then says: %s", async (answer) => {
    askOnceMore.mockResolvedValue(answer);
    await expect(press()).resolves.toBe(answer);
    expect(askOnceMore).toHaveBeenCalledExactlyOnceWith(page, framed);
    expect(leave).not.toHaveBeenCalled();
  });

  it.each(["pay", "back"] as const)("is judged no more once the customer has answered: %s", async (answer) => {
    askOnceMore.mockResolvedValue(answer);
    await press();
    isSeen.mockClear();
    await expect(press()).resolves.toBe("pay");
    expect(isSeen).not.toHaveBeenCalled();
  });

  it("that was not seen for long enough before is asked about, whatever is seen after it", async () => {
    isSeen.mockResolvedValue(true);
    isLong.mockReturnValue(false);
    askOnceMore.mockResolvedValue("back");
    await expect(press()).resolves.toBe("back");
    expect(isSeen).not.toHaveBeenCalled();
  });

  it("begins with the pointer going down: what is uncovered while it is held does not count", async () => {
    isSeen.mockResolvedValue(true);
    isLong.mockReturnValueOnce(false).mockReturnValue(true);
    await press();
    expect(askOnceMore).toHaveBeenCalledOnce();
  });

  it("is asked about while the words, and with them the amount, are not shown yet", async () => {
    isSeen.mockResolvedValue(true);
    document.documentElement.dataset["words"] = "coming";
    await press();
    delete document.documentElement.dataset["words"];
    expect(askOnceMore).toHaveBeenCalledOnce();
  });

  it("is judged again after Escape, which is no answer", async () => {
    askOnceMore.mockResolvedValueOnce("escape");
    await expect(press()).resolves.toBe("back");
    await expect(press()).resolves.toBe("pay");
    expect(askOnceMore).toHaveBeenCalledTimes(2);
  });

  it("goes on in the full page where there is no room to ask, every time", async () => {
    askOnceMore.mockResolvedValue(null);
    await expect(press()).resolves.toBe("elsewhere");
    await expect(press()).resolves.toBe("elsewhere");
    expect(leave).toHaveBeenCalledTimes(2);
    expect(page.pay.disabled).toBe(false);
  });

  it("shows that it is being looked at, and is disabled while the customer is asked", async () => {
    let observed: (seen: boolean) => void = () => {};
    let answered: (answer: "pay") => void = () => {};
    isSeen.mockReturnValue(new Promise((resolve) => (observed = resolve)));
    askOnceMore.mockReturnValue(new Promise((resolve) => (answered = resolve)));
    const verdict = press();
    expect(page.pay.getAttribute("aria-disabled")).toBe("true");
    expect(page.pay.disabled).toBe(false);
    observed(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(page.pay.hasAttribute("aria-disabled")).toBe(false);
    expect(page.pay.disabled).toBe(true);
    answered("pay");
    await verdict;
    expect(page.pay.disabled).toBe(false);
    expect(document.activeElement).toBe(page.pay);
  });

  it("has the end read out that came under the question", async () => {
    askOnceMore.mockImplementation(async () => {
      page.show("result");
      return "back";
    });
    await press();
    expect(document.activeElement).toBe(page.result);
  });

  it("leaves Pay disabled where the host page has disabled the form meanwhile", async () => {
    isDisabled = true;
    await press();
    expect(page.pay.disabled).toBe(true);
  });
});

describe("what is not judged", () => {
  it("is a press by keys or by assistive technology, also after a click", async () => {
    await expect(press(0)).resolves.toBe("pay");
    isSeen.mockResolvedValue(true);
    await press(1);
    isSeen.mockClear();
    await expect(guard.judge()).resolves.toBe("pay");
    expect(isSeen).not.toHaveBeenCalled();
  });

  it("is a page of its own, which nobody can lay anything over", async () => {
    guard = guardIn(window);
    await expect(press()).resolves.toBe("pay");
    expect(isSeen).not.toHaveBeenCalled();
  });
});

describe("a press by keys after somebody else put the keyboard here", () => {
  const ways: [string, () => void][] = [
    ["the host page by a verb", () => guard.forHost(() => page.cvc.focus())],
    ["the host page by focusing the iframe, or the customer by Tab", () => framed.dispatchEvent(new Event("focus"))],
  ];
  /** As of the customer's: only a browser makes events that are trusted. */
  const trusted = (event: Event) => Object.defineProperty(event, "isTrusted", { value: true });

  it.each(ways)("(%s) is asked about, every time", async (_who, lend) => {
    lend();
    askOnceMore.mockResolvedValue("back");
    await expect(press(0)).resolves.toBe("back");
    await expect(press(0)).resolves.toBe("back");
    expect(askOnceMore).toHaveBeenCalledTimes(2);
    expect(isSeen).not.toHaveBeenCalled();
  });

  it.each(ways)("(%s) pays once the customer has typed", async (_who, lend) => {
    lend();
    page.cvc.dispatchEvent(trusted(new Event("input", { bubbles: true })));
    await expect(press(0)).resolves.toBe("pay");
    expect(askOnceMore).not.toHaveBeenCalled();
  });

  it.each(ways)("(%s) pays once the customer has clicked", async (_who, lend) => {
    lend();
    page.cvc.dispatchEvent(trusted(new MouseEvent("click", { bubbles: true, detail: 1 })));
    await expect(press(0)).resolves.toBe("pay");
    expect(askOnceMore).not.toHaveBeenCalled();
  });

  it.each<[string, () => Event]>([
    ["what our own code writes into a field", () => new Event("input", { bubbles: true })],
    ["a click by keys", () => trusted(new MouseEvent("click", { bubbles: true, detail: 0 }))],
  ])("is asked about after %s as well", async (_what, event) => {
    framed.dispatchEvent(new Event("focus"));
    page.cvc.dispatchEvent(event());
    await press(0);
    expect(askOnceMore).toHaveBeenCalledOnce();
  });

  it("is not asked about where the host page's order left the keyboard where it was", async () => {
    page.cvc.focus();
    expect(guard.forHost(() => "done")).toBe("done");
    await expect(press(0)).resolves.toBe("pay");
    expect(askOnceMore).not.toHaveBeenCalled();
  });

  it("does not settle what becomes of clicks", async () => {
    framed.dispatchEvent(new Event("focus"));
    await press(0);
    await press(1);
    expect(askOnceMore).toHaveBeenCalledTimes(2);
  });
});
