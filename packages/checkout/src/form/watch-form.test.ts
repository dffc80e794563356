import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FrameEvents } from "@oriel/protocol/windows";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import en from "../texts/en.ts";
import { createBillingFields } from "./billing-fields.ts";
import { bindCardFields } from "./card-fields.ts";
import type { CardFields } from "./card-fields.ts";
import { watchForm } from "./watch-form.ts";
import type { FormWatch } from "./watch-form.ts";

let page: Page;
let fields: CardFields;
let form: FormWatch;
let sent: [name: string, detail: object][];
// The detail of every `change` event has this type.
const changes = () => sent.filter(([name]) => name === "change").map(([, detail]) => detail as FrameEvents["change"]);

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2027, 5, 15) + 130 });
  page = loadPage();
  fields = bindCardFields(page, loadOnDemand);
  sent = [];
  form = watchForm(
    page,
    fields.network,
    () => Date.now(),
    (name, detail) => void sent.push([name, detail]),
  );
  vi.advanceTimersByTime(1000);
  sent.length = 0;
});
afterEach(() => vi.useRealTimers());

const type = (input: HTMLInputElement, value: string) => {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
};

describe("what the host page learns about the form", () => {
  it("is sent with the next report, not on each key press", () => {
    type(page.number, "4");
    vi.advanceTimersByTime(369);
    expect(changes()).toEqual([]);
    type(page.number, "42");
    vi.advanceTimersByTime(1);
    expect(changes()).toEqual([
      { complete: false, empty: false, errors: [], brand: "visa", networkChoices: [], networkChoice: null },
    ]);
  });

  it("is sent only when something has changed", () => {
    type(page.number, "4");
    vi.advanceTimersByTime(500);
    for (const digits of ["42", "424", "4242"]) {
      type(page.number, digits);
      vi.advanceTimersByTime(500);
    }
    expect(changes()).toHaveLength(1);
  });

  it("contains nothing of what was typed", () => {
    fields.fill("4242424242424242", "12 / 34", "987");
    vi.advanceTimersByTime(500);
    expect(changes().at(-1)).toMatchObject({ complete: true, empty: false, errors: [], brand: "visa" });
    expect(JSON.stringify(sent)).not.toMatch(/\d/);
  });

  it("contains errors only for fields that were left, in the sentence that the customer reads", () => {
    type(page.number, "4242 4242 4242 4241");
    vi.advanceTimersByTime(500);
    expect(changes().at(-1)?.errors).toEqual([]);
    page.number.dispatchEvent(new FocusEvent("blur"));
    page.number.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
    vi.advanceTimersByTime(500);
    expect(changes().at(-1)?.errors).toEqual([
      { field: "number", code: "number_wrong", message: en.form.problems.numberWrong },
    ]);
  });

  it("contains the networks of a co-badged card, and the one that was chosen", async () => {
    vi.useRealTimers();
    await loadOnDemand();
    type(page.number, "4000002500001001");
    await vi.waitFor(() => expect(page.form.querySelectorAll("[type=radio]")).toHaveLength(2));
    await vi.waitFor(() =>
      expect(changes().at(-1)).toMatchObject({ networkChoices: ["visa", "cartes_bancaires"], networkChoice: null }),
    );
    page.form.querySelector<HTMLInputElement>("[aria-label=CB]")?.click();
    await vi.waitFor(() => expect(changes().at(-1)).toMatchObject({ networkChoice: "cartes_bancaires" }));
  });

  it("has no brand while it is unknown", () => {
    type(page.number, "9");
    vi.advanceTimersByTime(500);
    expect(changes().at(-1)?.brand).toBeNull();
  });

  it("includes the name of the focused field, and that Escape was pressed", () => {
    page.cvc.focus();
    page.cvc.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    page.cvc.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
    page.cvc.blur();
    expect(sent).toEqual([
      ["focus", { field: "cvc" }],
      ["escape", {}],
      ["blur", { field: "cvc" }],
    ]);
  });

  it.each([{ isComposing: true }, { keyCode: 229 }])("omits Escape for an input method: %j", (how) => {
    page.cvc.dispatchEvent(Object.assign(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, ...how }), how));
    expect(sent).toEqual([]);
  });

  it("is sent again when the customer's language changes", async () => {
    form.validate("host");
    vi.advanceTimersByTime(500);
    await page.words.speak("de");
    vi.advanceTimersByTime(500);
    expect(changes().at(-1)?.errors[0]?.message).toBe(page.words.texts.problems.numberMissing);
    expect(changes()).toHaveLength(2);
  });
});

describe("what the host page can do with the form", () => {
  it("validate: shows all errors, focuses the first invalid field and returns the same errors", () => {
    const { valid, errors } = form.validate("host");
    expect(valid).toBe(false);
    expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual([
      "number number_missing",
      "expiry expiry_missing",
      "cvc cvc_missing",
    ]);
    expect(document.activeElement).toBe(page.number);
    expect(page.cvc.getAttribute("aria-invalid")).toBe("true");
  });

  it("returns error codes without digits, because the host page's reader accepts no digits", () => {
    fields.fill("378282246310005", "12 / 34", "12");
    expect(form.validate("host").errors).toEqual([
      { field: "cvc", code: "cvc_incomplete", message: en.form.problems.cvcIncomplete4 },
    ]);
  });

  it("returns that a valid form is valid, and marks nothing", () => {
    fields.fill("4242424242424242", "12 / 34", "123");
    expect(form.validate("host")).toEqual({ valid: true, errors: [] });
    expect(page.number.hasAttribute("aria-invalid")).toBe(false);
  });

  it("focus: focuses a field, or the first one that needs attention", () => {
    form.focus("cvc");
    expect(document.activeElement).toBe(page.cvc);
    form.blur();
    expect(document.activeElement).toBe(document.body);
    page.pay.disabled = false;
    page.pay.focus();
    fields.fill("4242424242424242", "", "");
    form.focus("email");
    form.focus({ name: "cvc" });
    expect(document.activeElement).toBe(page.pay);
    form.focus();
    expect(document.activeElement).toBe(page.expiry);
  });

  describe("while the customer types a card", () => {
    /** The ID of the focused field. */
    const keyboard = () => document.activeElement?.id;
    const cardFields = ["number", "expiry", "cvc"] as const;
    beforeEach(() => {
      form.refresh();
      const billing = createBillingFields(page);
      billing.show({ fields: { postalCode: "required" } });
    });
    afterEach(() => vi.restoreAllMocks());

    it.each(cardFields)("focus: doesn't take the focus out of %s", (field) => {
      page[field].focus();
      form.focus("postalCode");
      form.focus(field === "number" ? "cvc" : "number");
      form.focus();
      expect(keyboard()).toBe(field);
    });

    it.each(cardFields)("validate: leaves the focus in %s", (field) => {
      page[field].focus();
      const { errors } = form.validate("host");
      expect(errors).toHaveLength(4);
      expect(page.number.getAttribute("aria-invalid")).toBe("true");
      expect(keyboard()).toBe(field);
    });

    it("blur, then focus: can't move the focus elsewhere in two steps, but can return it", () => {
      page.cvc.focus();
      form.blur();
      form.blur();
      form.focus("postalCode");
      form.validate("host");
      expect(document.activeElement).toBe(document.body);
      form.focus("cvc");
      expect(keyboard()).toBe("cvc");
    });

    it("pressing Pay moves the focus", () => {
      fields.fill("4242424242424242", "", "");
      page.cvc.focus();
      form.validate("customer");
      expect(keyboard()).toBe("expiry");
    });

    it("focus: works again once the customer is in another field or in the host page", () => {
      page.cvc.focus();
      form.blur();
      page.inputs.postalCode?.focus();
      form.focus("number");
      expect(keyboard()).toBe("number");
      vi.spyOn(document, "hasFocus").mockReturnValue(false);
      form.focus("expiry");
      expect(keyboard()).toBe("expiry");
      form.validate("host");
      expect(keyboard()).toBe("number");
    });
  });

  it("focus: does nothing if no form is shown", () => {
    page.show("result");
    form.focus("number");
    expect(document.activeElement).not.toBe(page.number);
  });

  it("clear: empties the fields and removes the errors", () => {
    fields.fill("4242424242424241", "12 / 34", "123");
    form.validate("host");
    form.clear();
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["", "", ""]);
    expect(page.number.hasAttribute("aria-invalid")).toBe(false);
    expect(page.brand.dataset["brand"]).toBe("unknown");
    vi.advanceTimersByTime(500);
    expect(form.validate("host").valid).toBe(false);
  });

  it("clear: does nothing while a payment is in progress", () => {
    fields.fill("4242424242424242", "12 / 34", "123");
    page.pay.setAttribute("aria-disabled", "true");
    form.clear();
    expect(page.number.value).toBe("4242 4242 4242 4242");
  });

  it("look: removes the errors of fields that code has corrected", () => {
    form.validate("host");
    fields.fill("4242424242424242", "12 / 34", "");
    form.refresh();
    expect([page.number, page.cvc].map((input) => input.getAttribute("aria-invalid"))).toEqual([null, "true"]);
  });
});

describe("a billing detail that the service refuses", () => {
  const details = [
    ["name", "name", "Check the name."],
    ["email", "email", "Check the email address, like name@example.com."],
    ["postal_code", "postalCode", "Check the postal code."],
  ] as const;
  const refuse = (param: string) => {
    createBillingFields(page).show({ fields: { name: "required", email: "required", postalCode: "required" } });
    form.refuse(`billing_details.${param}`);
  };
  afterEach(() => vi.restoreAllMocks());

  it.each(details)("is called wrong, not missing, in its field, which takes the focus: %s", (param, field, message) => {
    refuse(param);
    expect(document.getElementById(`${field}-error`)?.textContent).toBe(message);
    expect(document.activeElement).toBe(page.inputs[field]);
    vi.advanceTimersByTime(500);
    const code = `${param}_wrong`;
    expect(changes().at(-1)?.errors).toEqual([{ field, code, message }]);
  });

  it.each(details)("keeps its error until it's corrected: %s", (param, field) => {
    createBillingFields(page).show({ fields: { name: "required", email: "required", postalCode: "required" } });
    const input = page.inputs[field];
    if (!input) throw new Error(`Bug: no field ${field}`);
    type(input, "4242@example.com");
    form.refuse(`billing_details.${param}`);
    const refused = { field, code: `${param}_wrong` };
    for (const happen of [
      () => input.dispatchEvent(new FocusEvent("blur")),
      () => form.refresh(), // as after an update by the host page
      () => form.validate("host"),
      () => (type(page.cvc, "123"), input.dispatchEvent(new FocusEvent("blur"))),
    ]) {
      happen();
      expect(input.getAttribute("aria-invalid")).toBe("true");
      vi.advanceTimersByTime(500);
      expect(changes().at(-1)?.errors).toContainEqual(expect.objectContaining(refused));
    }
    expect(form.validate("customer").errors).toContainEqual(expect.objectContaining(refused));
    type(input, "ada@example.com");
    expect(input.hasAttribute("aria-invalid")).toBe(false);
  });

  it("can be lifted by another billing field, because the service judges them together", () => {
    createBillingFields(page).show({ fields: { name: "required", postalCode: "required" } });
    const { name, postalCode } = page.inputs;
    if (!name || !postalCode) throw new Error("Bug: no fields");
    type(name, "Empresa 2024");
    type(postalCode, "01310-100");
    form.refuse("billing_details.postal_code");
    type(name, "Empresa");
    const errors = form.validate("customer").errors.map(({ field }) => field);
    expect(errors).not.toContain("postalCode");
  });

  it("is announced after the notice if the focus is in the host page", () => {
    document.documentElement.className = "linked";
    vi.spyOn(document, "hasFocus").mockReturnValue(false);
    page.notice.textContent = "You have not been charged.";
    refuse("name");
    expect(document.activeElement).toBe(document.body);
    expect(page.live.textContent).toBe("You have not been charged. Check the name.");
  });
});
