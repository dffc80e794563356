import { beforeEach, describe, expect, it } from "vitest";
import { loadPage } from "../test/load-page.ts";
import { bindCardFields } from "./card-fields.ts";
import type { CardFields } from "./card-fields.ts";
import type { Page } from "./page.ts";

let page: Page;
let fields: CardFields;

beforeEach(() => {
  page = loadPage();
  fields = bindCardFields(page);
});

/** As a browser does it: the value is changed already when `input` is told. */
function enter(input: HTMLInputElement, value: string, inputType = "insertText", caret = value.length): void {
  input.focus();
  input.value = value;
  input.setSelectionRange(caret, caret);
  input.dispatchEvent(new InputEvent("input", { inputType, bubbles: true }));
}

describe("the card fields", () => {
  it("group the number and show its brand while it is typed", () => {
    enter(page.number, "42424");
    expect(page.number.value).toBe("4242 4");
    expect(page.brand.dataset["brand"]).toBe("visa");
    enter(page.number, "37");
    expect(page.brand.dataset["brand"]).toBe("amex");
    expect(page.cvc.placeholder).toHaveLength(4);
    enter(page.number, "", "deleteContentBackward");
    expect(page.brand.dataset["brand"]).toBe("unknown");
  });

  it("delete the digit before the space, not only the space", () => {
    enter(page.number, "42424242");
    enter(page.number, "42424242", "deleteContentBackward", 4);
    expect(page.number.value).toBe("4244 242");
    expect(page.number.selectionStart).toBe(3);
  });

  it("delete the digit behind the space with the delete key", () => {
    enter(page.number, "42425678");
    enter(page.number, "42425678", "deleteContentForward", 4);
    expect(page.number.value).toBe("4242 678");
  });

  it("take what a password manager writes with `change` alone", () => {
    page.number.value = "4242424242424242";
    page.number.dispatchEvent(new Event("change"));
    page.expiry.value = "12/2034";
    page.expiry.dispatchEvent(new Event("change"));
    expect([page.number.value, page.expiry.value]).toEqual(["4242 4242 4242 4242", "12 / 34"]);
  });

  it("let the expiry be deleted to nothing", () => {
    enter(page.expiry, "12");
    expect(page.expiry.value).toBe("12 / ");
    enter(page.expiry, "12 /", "deleteContentBackward");
    expect(page.expiry.value).toBe("12");
    enter(page.expiry, "1", "deleteContentBackward");
    expect(page.expiry.value).toBe("1");
  });

  it("keep at most four digits of the code", () => {
    enter(page.cvc, "12a345");
    expect(page.cvc.value).toBe("1234");
  });

  it.each([
    ["the page goes away", () => window.dispatchEvent(new Event("pagehide"))],
    [
      "the page comes out of the browser's memory",
      () => window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true })),
    ],
  ])("are empty after %s", (_when, happen) => {
    fields.fill("4242424242424242", "1234", "123");
    happen();
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["", "", ""]);
    expect(page.brand.dataset["brand"]).toBe("unknown");
  });

  it("are kept when the page is shown the first time", () => {
    fields.fill("4242424242424242", "1234", "123");
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
    expect(page.number.value).toBe("4242 4242 4242 4242");
  });

  it("cannot be changed while they are locked", () => {
    fields.lock(true);
    expect(page.number.readOnly && page.expiry.readOnly && page.cvc.readOnly).toBe(true);
    fields.lock(false);
    expect(page.cvc.readOnly).toBe(false);
  });
});
