import { beforeEach, describe, expect, it } from "vitest";
import { enter } from "../../test/enter.ts";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import { bindCardFields } from "./card-fields.ts";
import type { CardFields } from "./card-fields.ts";

let page: Page;
let fields: CardFields;

beforeEach(() => {
  page = loadPage();
  fields = bindCardFields(page, loadOnDemand);
});

describe("the card fields", () => {
  it("groups the number and shows its brand while typing", () => {
    enter(page.number, "42424");
    expect(page.number.value).toBe("4242 4");
    expect(page.brand.dataset["brand"]).toBe("visa");
    enter(page.number, "37");
    expect(page.brand.dataset["brand"]).toBe("amex");
    expect(page.cvc.placeholder).toHaveLength(4);
    enter(page.number, "", "deleteContentBackward");
    expect(page.brand.dataset["brand"]).toBe("unknown");
  });

  it("formats what a password manager sets with `change` alone", () => {
    page.number.value = "4242424242424242";
    page.number.dispatchEvent(new Event("change"));
    page.expiry.value = "12/2034";
    page.expiry.dispatchEvent(new Event("change"));
    expect([page.number.value, page.expiry.value]).toEqual(["4242 4242 4242 4242", "12 / 34"]);
  });

  describe.each([
    ["pasted", "paste", "clipboardData"],
    ["dropped", "drop", "dataTransfer"],
  ])("when a whole card is %s into the number's field", (_how, type, data) => {
    const paste = (text: string) => {
      const event = Object.assign(new Event(type, { cancelable: true }), { [data]: { getData: () => text } });
      page.number.dispatchEvent(event);
      return event.defaultPrevented;
    };
    const values = () => [page.number.value, page.expiry.value, page.cvc.value];

    it.each([
      ["4242 4242 4242 4242 12/34 123", "4242 4242 4242 4242", "12 / 34", "123"],
      ["4242424242424242 4/2034", "4242 4242 4242 4242", "04 / 34", ""],
      ["4242-4242-4242-4242\t12 / 34\t123", "4242 4242 4242 4242", "12 / 34", "123"],
      ["4242424242424242\n12/34\n123\n", "4242 4242 4242 4242", "12 / 34", "123"],
      ["Visa 4242 4242 4242 4242, exp. 12/34, CVC 123", "4242 4242 4242 4242", "12 / 34", "123"],
      ["3782 822463 10005 12/34 1234", "3782 822463 10005", "12 / 34", "1234"],
      ["4242 4242 4242 4242 12-34 123", "4242 4242 4242 4242", "12 / 34", "123"],
      ["4242 4242 4242 4242 12.34", "4242 4242 4242 4242", "12 / 34", ""],
      ["4242 4242 4242 4242 12 34", "4242 4242 4242 4242", "12 / 34", ""],
      ["4242-4242-4242-4242 1-2034 123", "4242 4242 4242 4242", "01 / 34", "123"],
      ["3782 822463 10005 01 11 2034", "3782 822463 10005", "01 / 11", "2034"],
      ["4242 4242 4242 4241 12/34", "4242 4242 4242 4241", "12 / 34", ""],
    ])("are all filled in: %j", (pasted, ...filled) => {
      expect(paste(pasted)).toBe(true);
      expect(values()).toEqual(filled);
      expect(page.brand.dataset["brand"]).not.toBe("unknown");
    });

    it("keep the code in the field if the pasted text has none", () => {
      enter(page.cvc, "321");
      paste("4242 4242 4242 4242 12/34");
      expect(values()).toEqual(["4242 4242 4242 4242", "12 / 34", "321"]);
    });

    it.each([
      "4242 4242 4242 4242",
      "4242/4242/4242/4242",
      "4242 4242 4242 4242 123",
      "4242 12/34",
      "4242 4242 4242 4242 13/34",
      "4242 4242 4242 4242 12/345",
      "4242 4242 4242 4241 12 34",
      "4242 4242 4242 4242 13 34",
      "4242 4242 4242 4242 424",
      "42 42 42 42 42 42 42 42",
    ])("paste as usual if it isn't one: %j", (pasted) => {
      expect(paste(pasted)).toBe(false);
      expect(values()).toEqual(["", "", ""]);
    });

    it("stay as they are while they are locked", () => {
      fields.lock(true);
      expect(paste("4242 4242 4242 4242 12/34")).toBe(false);
      expect(values()).toEqual(["", "", ""]);
    });
  });

  it("doesn't touch text that an input method is composing when the fields are bound", () => {
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

  it("lets the customer delete the whole expiry date", () => {
    enter(page.expiry, "12");
    expect(page.expiry.value).toBe("12 / ");
    enter(page.expiry, "12 /", "deleteContentBackward");
    expect(page.expiry.value).toBe("12");
    enter(page.expiry, "1", "deleteContentBackward");
    expect(page.expiry.value).toBe("1");
  });

  it("limits the security code to the brand's length, or to four digits while the brand is unknown", () => {
    enter(page.cvc, "12a345");
    expect(page.cvc.value).toBe("1234");
    enter(page.number, "4242");
    enter(page.cvc, "1234");
    expect(page.cvc.value).toBe("123");
    enter(page.number, "3782");
    enter(page.cvc, "١٢٣٤٥");
    expect(page.cvc.value).toBe("1234");
  });

  it("doesn't say that the security code of a Maestro card is required", () => {
    enter(page.number, "5000 55");
    expect(page.cvc.required).toBe(false);
    enter(page.number, "4242 42");
    expect(page.cvc.required).toBe(true);
  });

  it("accepts autofilled values in any order", () => {
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
    ["the page is hidden", () => window.dispatchEvent(new Event("pagehide"))],
    [
      "the page is restored from the back/forward cache",
      () => window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true })),
    ],
  ])("clears all fields when %s", (_when, happen) => {
    fields.fill("4242424242424242", "1234", "123");
    happen();
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["", "", ""]);
    expect(page.brand.dataset["brand"]).toBe("unknown");
  });

  it("turns autocomplete off while a field isn't empty, so that browsers don't save it", () => {
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

  it("keeps the fields' values when the page is shown for the first time", () => {
    fields.fill("4242424242424242", "1234", "123");
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
    expect(page.number.value).toBe("4242 4242 4242 4242");
  });

  it("makes the fields read-only while they are locked", () => {
    fields.lock(true);
    expect(page.number.readOnly && page.expiry.readOnly && page.cvc.readOnly).toBe(true);
    fields.lock(false);
    expect(page.cvc.readOnly).toBe(false);
  });
});
