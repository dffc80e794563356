import { getByLabelText, getByRole, queryAllByRole } from "@testing-library/dom";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isCardNumber } from "@oriel/protocol/card";
import type { FrameSession } from "@oriel/protocol/frame";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import { languages } from "@oriel/protocol/languages";
import { testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";
import { sessionWith } from "../../test/fake-service.ts";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import { testCardsTitles } from "../texts/test-cards-titles.ts";
import { bindCardFields } from "./card-fields.ts";
import type { CardFields } from "./card-fields.ts";
import { onlyDigits } from "./card-fields/format-number.ts";
import { startTestMode } from "./test-panel.ts";

const filled = vi.fn<() => void>();
let page: Page;
let fields: CardFields;
let held: FrameSettings;
let session: FrameSession["session"];
let changed: () => void;

beforeEach(() => {
  filled.mockReset();
  page = loadPage();
  fields = bindCardFields(page, loadOnDemand);
  held = {};
  session = sessionWith();
});
const start = () =>
  startTestMode({
    page,
    fields,
    settings: {
      current: () => held,
      onChange(listener) {
        changed = listener;
      },
    },
    session: () => session,
    now: () => Date.UTC(2027, 5, 15),
    filled,
  });
const typed = () => [page.number.value, page.expiry.value, page.cvc.value];
const buttons = () => queryAllByRole<HTMLButtonElement>(page.test, "button");
const open = () => {
  start();
  page.test.open = true;
};

describe("the list of test cards", () => {
  it("has its title in the form's language, even after the language changes", async () => {
    open();
    const title = () => page.test.querySelector("summary")?.textContent;
    expect(title()).toBe("Test cards");
    await page.words.speak("de");
    expect(title()).toBe("Testkarten");
    expect(languages.filter((language) => !testCardsTitles[language])).toEqual([]);
  });

  it("lists every scenario of the sandbox with a valid number", () => {
    open();
    const numbers = buttons().map((button) => onlyDigits(button.querySelector("bdi")?.textContent ?? ""));
    expect(numbers.filter((number) => !isCardNumber(number))).toEqual([]);
    const { not_enrolled: _visa, network_not_supported: amex, ...scenarios } = threeDSecureCards;
    const first = Object.values(scenarios).map(([number]) => number);
    const {
      visa_3ds_frictionless: _same,
      visa_3ds_challenge: _as,
      mastercard_3ds_frictionless: _first,
      ...others
    } = testCards;
    const published = [...first, amex[0], ...Object.values(others), ...Object.values(troubleCards)];
    expect(published.filter((number) => !numbers.includes(number))).toEqual([]);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("fills in the form on click, with a code of the brand's length", () => {
    open();
    getByRole(page.test, "button", { name: /^Insufficient funds / }).click();
    expect(typed()).toEqual(["4000 0000 0000 9995", "12 / 30", "123"]);
    getByRole(page.test, "button", { name: /^American Express / }).click();
    expect(typed()).toEqual(["3782 822463 10005", "12 / 30", "1234"]);
    expect(filled).toHaveBeenCalledTimes(2);
  });

  it("fills in nothing while a payment is in progress", () => {
    open();
    fields.lock(true);
    getByRole(page.test, "button", { name: /^Visa / }).click();
    expect(typed()).toEqual(["", "", ""]);
  });

  it("can be searched by words and digits, and shows the number of results", () => {
    open();
    const search = getByLabelText<HTMLInputElement>(page.test, "Search the test cards");
    const find = (text: string) => {
      search.value = text;
      search.dispatchEvent(new Event("input", { bubbles: true }));
      return buttons().filter((button) => !button.closest("[hidden]")).length;
    };
    expect(find("frictionless")).toBe(2);
    expect(getByRole(page.test, "status").textContent).toBe("Cards found: 2");
    expect(find("9995")).toBe(1);
    expect(getByRole(page.test, "status").textContent).toBe("Cards found: 1");
    expect(find("")).toBe(buttons().length);
    expect(search.getAttribute("form")).toBe("");
  });
});

describe("a test scenario", () => {
  it("fills in the sandbox's card of that name, once", () => {
    start();
    held = { testScenario: "challenge" };
    changed();
    expect(typed()).toEqual(["4000 0027 6000 3184", "12 / 30", "123"]);
    page.number.value = "";
    held = { testScenario: "declined" };
    changed();
    expect(page.number.value).toBe("");
  });

  it("can be any name in the sandbox's list, set before the list has loaded", () => {
    held = { testScenario: "challenge_out_of_band" };
    start();
    expect(page.number.value).toBe("4000 0090 0073 0005");
  });

  it.each([
    ["for an unknown name", {}, "constructor"],
    ["in a session that has ended", { status: "expired" as const }, "approved"],
  ])("fills in nothing %s", (_where, changes, testScenario) => {
    session = sessionWith(changes);
    held = { testScenario };
    start();
    expect(page.number.value).toBe("");
  });

  it("doesn't overwrite what was typed", () => {
    page.number.value = "42";
    held = { testScenario: "approved" };
    start();
    expect(page.number.value).toBe("42");
  });
});
