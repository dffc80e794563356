import { getByRole } from "@testing-library/dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import english from "../texts/en.ts";
import { openBankPanel } from "./bank-panel.ts";
import type { BankPanel } from "./bank-panel.ts";

const text = english.after;
const cancel = vi.fn<() => void>();
let page: Page;
let panel: BankPanel;

const labels = () => [...page.bank.querySelectorAll("button")].map((button) => button.textContent);
const focused = () => document.activeElement?.textContent;
const press = (name: string) => getByRole(page.bank, "button", { name }).click();
function pressEscape(): void {
  document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
}

beforeEach(() => {
  cancel.mockReset();
  document.documentElement.className = "";
  page = loadPage();
  page.pay.disabled = false;
});

const open = () => (panel = openBankPanel(page, text, text.bankTitle, text.bankOpened, [], cancel));

describe("the panel around the bank's page", () => {
  it("moves the focus to its heading once, and returns it to where it was", () => {
    page.number.focus();
    open();
    expect(document.activeElement).toBe(panel.heading);
    panel.close();
    expect(document.activeElement).toBe(page.number);
    expect(page.bank.childElementCount).toBe(0);
  });

  it("moves the focus to Pay if nothing in the form had it, as after a click in some browsers", () => {
    open();
    panel.close();
    expect(document.activeElement).toBe(page.pay);
  });

  it("leaves the focus in the host page if it is there, unless it covers the host page", () => {
    document.documentElement.className = "linked";
    const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    open();
    expect(document.activeElement).toBe(document.body);
    expect(page.live.textContent).toBe(text.bankOpened);
    panel.close();
    expect(document.activeElement).toBe(document.body);
    document.documentElement.classList.add("grown");
    open();
    expect(document.activeElement).toBe(panel.heading);
    hasFocus.mockRestore();
  });

  it("has a heading and a different announcement, so that nothing is read twice", () => {
    open();
    expect(page.live.textContent).toBe(text.bankOpened);
    expect(panel.heading.textContent).toBe(text.bankTitle);
    panel.close();
    expect(page.live.textContent).toBe("");
  });

  it("is a region of the page when inline, and a dialog named by its heading over the host page", () => {
    open();
    expect(page.bank.hasAttribute("role")).toBe(false);
    expect(page.bank.getAttribute("aria-labelledby")).toBe(panel.heading.id);
    panel.close();

    document.documentElement.classList.add("grown");
    open();
    expect(page.bank.getAttribute("role")).toBe("dialog");
    expect(page.bank.getAttribute("aria-modal")).toBe("true");
    expect(page.bank.getAttribute("aria-labelledby")).toBe(panel.heading.id);
    panel.close();
    for (const name of ["role", "aria-modal", "aria-labelledby", "aria-describedby"]) {
      expect(page.bank.hasAttribute(name)).toBe(false);
    }
  });

  it("asks before canceling, and cancels once", () => {
    open();
    press(text.cancel);
    expect(panel.heading.textContent).toBe(text.cancelQuestion);
    expect(focused()).toBe(text.cancelNo);
    press(text.cancelNo);
    expect(focused()).toBe(text.cancel);
    expect(cancel).not.toHaveBeenCalled();

    press(text.cancel);
    press(text.cancelYes);
    expect(cancel).toHaveBeenCalledOnce();
    expect(labels()).toEqual([text.canceling]);
    expect(page.bank.querySelector("button")?.disabled).toBe(true);
    expect(document.activeElement).toBe(panel.heading);
    press(text.canceling);
    pressEscape();
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("asks on Escape, and returns on the next Escape", () => {
    open();
    pressEscape();
    expect(labels()).toEqual([text.cancelNo, text.cancelYes]);
    pressEscape();
    expect(labels()).toEqual([text.cancel]);
    expect(cancel).not.toHaveBeenCalled();
    panel.close();
    page.bank.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(page.bank.childElementCount).toBe(0);
  });

  it("can be canceled again if the service couldn't be reached", () => {
    open();
    press(text.cancel);
    press(text.cancelYes);
    panel.cancelFailed();
    expect(labels()).toEqual([text.cancel]);
  });
});
