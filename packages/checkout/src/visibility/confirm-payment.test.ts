import { beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import { confirmPayment, placeDialog } from "./confirm-payment.ts";

let page: Page;
let becomeSeen: () => void;
const sight = {
  watch: vi.fn<(button: Element) => void>(),
  wasSeen: vi.fn<(isByPointer: boolean) => Promise<boolean>>(),
  untilSeen: vi.fn<() => Promise<boolean>>(),
};

beforeEach(() => {
  sight.watch.mockReset();
  sight.wasSeen.mockReset().mockResolvedValue(true);
  sight.untilSeen.mockReset().mockReturnValue(new Promise((resolve) => (becomeSeen = () => resolve(true))));
  page = loadPage();
  page.amount.textContent = "€49.00";
  page.total = 4900;
  placePayAt(400, 450);
});
function placePayAt(top: number, bottom: number) {
  page.pay.getBoundingClientRect = () => new DOMRect(0, top, 300, bottom - top);
}

function showForm(changes: Partial<Page>, busy?: string) {
  Object.assign(page, changes);
  if (busy) page.pay.setAttribute("aria-disabled", busy);
  page.show("form");
}

const dialog = () => document.querySelector("dialog");
const button = (name: "pay" | "back") => {
  const found = document.querySelector<HTMLButtonElement>(`[data-testid=oriel-once-more-${name}]`);
  if (!found) throw new Error(`No button named ${name}`);
  return found;
};

describe("the confirmation dialog", () => {
  it("shows the amount, takes the focus, and is announced with its text", () => {
    void confirmPayment(page, window, sight);
    expect(button("pay").textContent).toBe("Yes, pay €49.00");
    expect(button("pay").querySelector("[translate=no]")?.textContent).toBe("€49.00");
    expect(document.activeElement).toBe(dialog());
    for (const attribute of ["aria-labelledby", "aria-describedby"]) {
      const id = dialog()?.getAttribute(attribute) ?? "";
      expect(document.getElementById(id)?.textContent).not.toBe("");
    }
  });

  it("doesn't scroll the host page", () => {
    const focus = vi.spyOn(HTMLElement.prototype, "focus");
    void confirmPayment(page, window, sight);
    const { calls } = focus.mock;
    focus.mockRestore();
    expect(calls).toEqual([[{ preventScroll: true }]]);
  });

  it("mentions saving if nothing is charged", () => {
    for (const total of [null, 0]) {
      page.total = total;
      void confirmPayment(page, window, sight);
      expect(button("pay").textContent).toBe(page.words.texts.after?.confirmSave);
      button("back").click();
    }
  });

  it("can be confirmed once its button has been visible for long enough", async () => {
    const answer = confirmPayment(page, window, sight);
    expect(sight.watch.mock.calls).toEqual([[button("pay")]]);
    expect(button("pay").disabled).toBe(true);
    becomeSeen();
    await vi.waitFor(() => expect(button("pay").disabled).toBe(false));
    button("pay").click();
    await expect(answer).resolves.toBe("pay");
    expect(dialog()).toBeNull();
  });

  it.each([
    ["a click", 1, true],
    ["keys or assistive technology", 0, false],
  ])("isn't confirmed by %s if nobody could see its button", async (_what, detail, isByPointer) => {
    sight.wasSeen.mockResolvedValue(false);
    const answer = confirmPayment(page, window, sight);
    button("pay").disabled = false;
    button("pay").dispatchEvent(new MouseEvent("click", { detail }));
    await expect(answer).resolves.toBeNull();
    expect(sight.wasSeen.mock.calls).toEqual([[isByPointer]]);
    expect(dialog()).toBeNull();
  });

  it.each<[string, () => void]>([
    ["answered with Go back", () => button("back").click()],
    ["closed with Escape", () => void dialog()?.dispatchEvent(new Event("cancel"))],
  ])("disappears at once if it's %s", async (_way, act) => {
    const answer = confirmPayment(page, window, sight);
    act();
    await expect(answer).resolves.toBe("back");
    expect(dialog()).toBeNull();
  });

  it.each<[string, () => unknown]>([
    ["the page shows a result", () => page.show("result")],
    ["the page shows the bank's page", () => page.show("bank")],
    ["the total changes", () => showForm({ total: 5900 })],
    ["a payment is in progress", () => showForm({}, "true")],
    ["the page is hidden, which wipes the card", () => window.dispatchEvent(new Event("pagehide"))],
  ])("goes back by itself when %s", async (_what, happen) => {
    const answer = confirmPayment(page, window, sight);
    happen();
    await expect(answer).resolves.toBe("back");
    expect(dialog()).toBeNull();
  });

  it("stays if the form is shown again with the same total", async () => {
    void confirmPayment(page, window, sight);
    showForm({});
    await Promise.resolve();
    expect(dialog()).not.toBeNull();
  });

  it("pays nothing if the page changes while the click on its button is checked", async () => {
    let checked: (seen: boolean) => void = () => {};
    sight.wasSeen.mockReturnValue(new Promise((resolve) => (checked = resolve)));
    const answer = confirmPayment(page, window, sight);
    button("pay").disabled = false;
    button("pay").click();
    page.show("result");
    await expect(answer).resolves.toBe("back");
    const next = confirmPayment(page, window, sight);
    checked(true);
    await Promise.resolve();
    expect(dialog()).not.toBeNull();
    button("back").click();
    await expect(next).resolves.toBe("back");
  });

  it("isn't shown if there is no room for it", async () => {
    placePayAt(2, 10);
    Object.defineProperty(window, "innerHeight", { value: 10, configurable: true });
    await expect(confirmPayment(page, window, sight)).resolves.toBeNull();
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
    expect(placeDialog(pay, height, windowHeight)).toBe(expected);
  });
});
