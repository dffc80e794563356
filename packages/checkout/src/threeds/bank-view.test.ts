import { beforeEach, describe, expect, it } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import english from "../texts/en.ts";
import { showBankView } from "./bank-view.ts";
import type { BankView } from "./bank-view.ts";

const text = english.after;
let page: Page;
let view: BankView;

const note = () => page.bank.querySelector(".bank-note")?.textContent;
const wait = () => page.bank.querySelector<HTMLElement>(".wait");

beforeEach(() => {
  document.documentElement.className = "";
  page = loadPage();
  view = showBankView(page, text, [390, 400], 500, () => {});
});

describe("the area around the bank's page", () => {
  it("covers the bank's page until it has loaded", () => {
    expect(wait()?.textContent).toBe(text.bankOpening);
    view.loaded();
    expect(wait()?.hidden).toBe(true);
  });

  it("says after 10 s that the page is slow, and after 25 s what the customer can do", () => {
    view.waited(9_999);
    expect(note()).toBe("");
    view.waited(10_000);
    expect(note()).toBe(text.bankSlow);
    view.waited(25_000);
    expect(note()).toBe(text.bankTrouble);
  });

  it("doesn't say that the page is slow once it has loaded, and says once what the customer can do", () => {
    view.loaded();
    view.waited(12_000);
    expect(note()).toBe("");
    view.waited(30_000);
    const written = page.bank.querySelector(".bank-note")?.firstChild;
    expect(note()).toBe(text.bankTrouble);
    view.loaded();
    view.waited(32_000);
    expect(page.bank.querySelector(".bank-note")?.firstChild).toBe(written);
  });

  it("counts the time that the device was asleep", () => {
    view.waited(3_600_000);
    expect(note()).toBe(text.bankTrouble);
  });

  it("covers the bank's page again while the outcome is awaited, even when our landing page loads", () => {
    view.loaded();
    view.confirming();
    expect([wait()?.hidden, wait()?.textContent]).toEqual([false, text.bankConfirming]);
    expect(view.window.classList.contains("over")).toBe(true);
    expect(page.live.textContent).toBe(text.bankConfirming);
    view.loaded();
    expect(wait()?.hidden).toBe(false);
  });

  it("moves the focus out of the bank's page once it is finished", () => {
    const bank = document.createElement("button"); // instead of the bank's iframe
    view.window.append(bank);
    bank.focus();
    view.confirming();
    expect(document.activeElement?.textContent).toBe(text.bankTitle);
  });

  it("opens after waiting, for example when another tab was closed", () => {
    view.confirming();
    view.opening();
    expect(page.live.textContent).toBe(text.bankOpening);
    expect(view.window.classList.contains("over")).toBe(false);
    view.loaded();
    expect(wait()?.hidden).toBe(true);
  });
});
