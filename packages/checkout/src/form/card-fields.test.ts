import { beforeEach, describe, expect, it } from "vitest";
import { enter } from "../../test/enter.ts";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import { bindCardFields } from "./card-fields.ts";
import type { CardFields } from "./card-fields.ts";
import type { Page } from "../page/page.ts";

let page: Page;
let fields: CardFields;

beforeEach(() => {
  page = loadPage();
  fields = bindCardFields(page, loadOnDemand);
});

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

  it("take what a password manager writes with `change` alone", () => {
    page.number.value = "4242424242424242";
    page.number.dispatchEvent(new Event("change"));
    page.expiry.value = "12/2034";
    page.expiry.dispatchEvent(new Event("change"));
    expect([page.number.value, page.expiry.value]).toEqual(["4242 4242 4242 4242", "12 / 34"]);
  });

  it("leave alone what an input method is composing when they are bound", () => {
    page = loadPage();
    const compose = (value: string) => {
      page.number.value = value;
      page.number.dispatchEvent(
        new InputEvent("input", { inputType: "insertCompositionText", isComposing: true, bubbles: true }),
      );
    };
    compose("４２");
    fields = bindCardFields(page, loadOnDemand);
    expect(page.number.value).toBe("４２");
    compose("４２４２４２");
    page.number.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }));
    expect(page.number.value).toBe("4242 42");
  });

  it("let the expiry be deleted to nothing", () => {
    enter(page.expiry, "12");
    expect(page.expiry.value).toBe("12 / ");
    enter(page.expiry, "12 /", "deleteContentBackward");
    expect(page.expiry.value).toBe("12");
    enter(page.expiry, "1", "deleteContentBackward");
    expect(page.expiry.value).toBe("1");
  });

  it("keep as many digits of the code as the brand has, and four while none is known", () => {
    enter(page.cvc, "12a345");
    expect(page.cvc.value).toBe("1234");
    enter(page.number, "4242");
    enter(page.cvc, "1234");
    expect(page.cvc.value).toBe("123");
    enter(page.number, "3782");
    enter(page.cvc, "١٢٣٤٥");
    expect(page.cvc.value).toBe("1234");
  });

  it("take all of an autofill in one go, in whatever order it comes", () => {
    for (const [input, value] of [
      [page.cvc, "1234"],
      [page.expiry, "2034-12"],
      [page.number, "378282246310005"],
    ] as const) {
      input.value = value;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["3782 822463 10005", "12 / 34", "1234"]);
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

  it("are no browser's to keep while something stands in them, and may be filled in by it before and after", () => {
    const tokens = () => [page.number, page.expiry, page.cvc].map((input) => input.getAttribute("autocomplete"));
    expect(tokens()).toEqual(["cc-number", "cc-exp", "cc-csc"]);
    enter(page.number, "4");
    expect(tokens()).toEqual(["off", "cc-exp", "cc-csc"]);
    fields.fill("4242424242424242", "1234", "123");
    expect(tokens()).toEqual(["off", "off", "off"]);
    fields.wipeCvc();
    expect(tokens()).toEqual(["off", "off", "cc-csc"]);
    fields.wipe();
    expect(tokens()).toEqual(["cc-number", "cc-exp", "cc-csc"]);
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
