import { getByLabelText } from "@testing-library/dom";
import { beforeEach, describe, expect, it } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import en from "../texts/en.ts";
import { bindFieldErrors } from "./field-errors.ts";
import type { FieldErrors } from "./field-errors.ts";

const { problems } = en.form;

let page: Page;
let errors: FieldErrors;
const now = () => Date.UTC(2027, 5, 15);

beforeEach(() => {
  page = loadPage();
  errors = bindFieldErrors(page, now);
});

const leave = (input: HTMLInputElement, value: string) => {
  input.value = value;
  input.dispatchEvent(new FocusEvent("blur"));
};
const described = (input: HTMLElement) =>
  document.getElementById(input.getAttribute("aria-describedby") ?? "")?.textContent;

describe("field errors", () => {
  it("appear next to the field and describe it once it loses focus", () => {
    leave(page.number, "4242 4242 4242 4241");
    expect(page.number.getAttribute("aria-invalid")).toBe("true");
    expect(described(page.number)).toBe(problems.numberWrong);
  });

  it("are announced in the live region on leaving a field, only once", () => {
    leave(page.expiry, "12 / 20");
    expect(page.live.textContent).toBe(problems.expiryPast);
    page.live.textContent = "";
    leave(page.expiry, "12 / 20");
    expect(page.live.textContent).toBe("");
  });

  it("are shown without moving the focus if it may not be moved", () => {
    page.cvc.focus();
    errors.show({ expiry: "expiryMissing" }, false);
    expect(described(page.expiry)).toBe(problems.expiryMissing);
    expect(document.activeElement === page.cvc).toBe(true);
  });

  it("aren't announced in the live region on Pay: the first invalid field gets the focus", () => {
    errors.show({ expiry: "expiryMissing", cvc: "cvcMissing" }, true);
    expect(document.activeElement).toBe(page.expiry);
    expect(page.live.textContent).toBe("");
    expect(described(page.cvc)).toBe(problems.cvcMissing);
    expect(described(page.number)).toBe("");
  });

  it("don't appear for a field that was left empty", () => {
    leave(page.cvc, "");
    expect(page.cvc.getAttribute("aria-invalid")).toBeNull();
    leave(page.cvc, "1");
    expect(page.cvc.getAttribute("aria-invalid")).toBe("true");
  });

  it("disappear as soon as the field is valid", () => {
    leave(page.expiry, "12 / 20");
    expect(page.expiry.getAttribute("aria-invalid")).toBe("true");
    page.expiry.value = "12 / 34";
    page.expiry.dispatchEvent(new Event("input"));
    expect(page.expiry.getAttribute("aria-invalid")).toBeNull();
    expect(described(page.expiry)).toBe("");
  });

  it("don't move Pay while it is being pressed", () => {
    page.pay.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    leave(page.expiry, "12 / 20");
    expect(described(page.expiry)).toBe("");
  });

  it("leave each field associated with its label", () => {
    for (const name of ["number", "expiry", "cvc"] as const) {
      const label = { number: "Card number", expiry: "Expiry", cvc: "CVC" }[name];
      expect(getByLabelText(document.body, label)).toBe(page[name]);
    }
  });
});
