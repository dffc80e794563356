import { getByLabelText, queryByLabelText } from "@testing-library/dom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sessionWith } from "../../test/fake-service.ts";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import type { Page } from "../page/page.ts";
import { bindCardFields } from "./card-fields.ts";
import { createFormSettings } from "./form-settings.ts";
import type { FormSettings } from "./form-settings.ts";

let page: Page;
let settings: FormSettings;
const dropUnreadableColors = vi.fn<(page: Page) => string[]>();
const root = document.documentElement;

beforeEach(() => {
  page = loadPage();
  dropUnreadableColors.mockReset().mockReturnValue([]);
  settings = createFormSettings(page, dropUnreadableColors, loadOnDemand);
});
afterEach(() => {
  vi.unstubAllGlobals();
  root.removeAttribute("style");
  for (const name of Object.keys(root.dataset)) delete root.dataset[name];
});

const type = (input: HTMLInputElement, value: string) => {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
};
/** The billing fields load separately. */
const arrived = () => vi.waitUntil(() => !settings.isDisabled(), 5_000);
const field = (label: string) => getByLabelText<HTMLInputElement>(document.body, label);

describe("form settings", () => {
  it("replace the earlier ones with the same name, and return the paths of the invalid ones", () => {
    expect(
      settings.update({ locale: "en", challenge: "inline", appearance: { variables: { colorPrimary: "#123" } } }),
    ).toEqual([]);
    const refused = settings.update({
      challenge: "popup",
      amount: 1,
      appearance: { theme: "dark", variables: { borderRadius: "url(x)", spacingUnit: "6px" } },
    });
    expect(refused.sort()).toEqual(["amount", 'appearance.variables.borderRadius ("url(x)")', "challenge"]);
    expect(settings.current()).toEqual({
      locale: "en",
      challenge: "inline",
      appearance: { theme: "dark", variables: { spacingUnit: "6px" } },
    });
  });

  it("name a locale that was refused, but no personal data", () => {
    const given = { locale: "de DE", defaultValues: { country: "Deutschland" }, number: "4242424242424242" };
    expect(settings.update(given)).toEqual(['locale ("de DE")', "defaultValues.country", "number"]);
    expect(settings.update({ locale: `${"x".repeat(39)}"${"x".repeat(100)}` })).toEqual([
      `locale ("${"x".repeat(39)}\\"")`,
    ]);
    expect(settings.update({ locale: 5 })).toEqual(["locale"]);
  });

  it.each([null, 1, "x", [], { locale: "<b>" }])("change nothing if they are %j", (value) => {
    settings.update(value);
    expect(settings.current()).toEqual({});
  });

  it("notify the listeners", () => {
    let calls = 0;
    settings.onChange(() => calls++);
    settings.update({ disabled: true });
    settings.introduce(sessionWith());
    expect(calls).toBe(2);
    expect(settings.current().disabled).toBe(true);
  });
});

describe("the appearance", () => {
  it("sets only custom properties and attributes of the root", () => {
    const appearance = { theme: "light", style: "flat", labels: "floating", disableAnimations: true } as const;
    settings.update({ appearance: { ...appearance, variables: { colorPrimary: "#0a0", fontFamily: "Georgia" } } });
    expect(root.dataset["theme"]).toBe("light");
    expect(root.style.getPropertyValue("--colorPrimary")).toBe("#0a0");
    expect(root.style.getPropertyValue("--fontFamily")).toBe("Georgia");
    expect(["data-style", "data-labels", "data-still"].map((name) => root.getAttribute(name))).toEqual([
      "flat",
      "floating",
      "",
    ]);
    expect(document.querySelector("style, link")).toBeNull();
  });

  it("can change at any time, and what is left out gets its default again", () => {
    settings.update({ appearance: { style: "none", labels: "hidden", variables: { borderRadius: "2px" } } });
    settings.update({ appearance: { theme: "auto", disableAnimations: true } });
    expect(["data-style", "data-labels", "data-still"].map((name) => root.getAttribute(name))).toEqual([
      null,
      null,
      "",
    ]);
    expect(root.dataset["theme"]).toBeUndefined();
    expect(root.style.getPropertyValue("--borderRadius")).toBe("");
  });

  it("skips a color that this browser doesn't support, and reports it", () => {
    vi.stubGlobal("CSS", { supports: (_property: string, value: string) => !value.includes("banana") });
    const refused = settings.update({ appearance: { variables: { colorPrimary: "banana", colorText: "black" } } });
    expect(refused).toEqual(['appearance.variables.colorPrimary ("banana")']);
    expect(root.style.getPropertyValue("--colorPrimary")).toBe("");
    expect(root.style.getPropertyValue("--colorText")).toBe("black");
  });
});

describe("unreadable colors", () => {
  it("are looked for before anyone can pay and after each change of the appearance, and at no other time", () => {
    expect(dropUnreadableColors.mock.calls).toEqual([[page]]);
    settings.update({ disabled: true, locale: "en" });
    expect(dropUnreadableColors).toHaveBeenCalledOnce();
    settings.update({ appearance: { theme: "dark" } });
    expect(dropUnreadableColors).toHaveBeenCalledTimes(2);
  });

  it("are reported together with invalid settings", () => {
    dropUnreadableColors.mockReturnValue(["appearance.variables.colorText (contrast 1.00:1, at least 4.5:1 needed)"]);
    expect(settings.update({ amount: 1, appearance: { variables: { colorText: "#fff" } } })).toEqual([
      "amount",
      "appearance.variables.colorText (contrast 1.00:1, at least 4.5:1 needed)",
    ]);
  });

  it("are applied once another color has made them readable", () => {
    dropUnreadableColors.mockImplementation(() => {
      const hasGround = root.style.getPropertyValue("--colorBackground") !== "";
      if (!hasGround) root.style.removeProperty("--colorText");
      return [];
    });
    settings.update({ appearance: { variables: { colorText: "#fff" } } });
    expect(root.style.getPropertyValue("--colorText")).toBe("");
    settings.update({ appearance: { variables: { colorText: "#fff", colorBackground: "#000" } } });
    expect(root.style.getPropertyValue("--colorText")).toBe("#fff");
  });

  it("are looked for again when the device switches between light and dark, because our default colors change", () => {
    let changed = () => {};
    const addEventListener = (_type: string, listener: () => void) => (changed = listener);
    vi.stubGlobal("matchMedia", (query: string) => ({
      addEventListener: query.includes("dark") ? addEventListener : () => {},
    }));
    createFormSettings(page, dropUnreadableColors, loadOnDemand);
    dropUnreadableColors.mockClear();
    changed();
    expect(dropUnreadableColors).toHaveBeenCalledExactlyOnceWith(page);
  });
});

describe("the billing fields", () => {
  it("appear when required, between the card and Pay, in order", async () => {
    settings.update({ fields: { postalCode: "required" } });
    await arrived();
    settings.update({ fields: { name: "required", email: "required", postalCode: "required" } });
    await arrived();
    const order = [...page.form.querySelectorAll("input, #pay")].map((element) => element.id);
    expect(order).toEqual(["number", "expiry", "cvc", "name", "email", "postalCode", "pay"]);
  });

  it("have autocomplete tokens, test IDs and error elements", async () => {
    settings.update({ fields: { name: "required", email: "required", postalCode: "required" } });
    await arrived();
    const attributes = ["Name on card", "Email", "Postal code"]
      .map(field)
      .map((input) => [input.autocomplete, input.dataset["testid"]]);
    expect(attributes).toEqual([
      ["cc-name", "oriel-name"],
      ["email", "oriel-email"],
      ["billing postal-code", "oriel-postal-code"],
    ]);
    expect(field("Email").inputMode).toBe("email");
    expect(document.getElementById(field("Email").getAttribute("aria-describedby") ?? "")?.className).toBe("error");
  });

  it("disable Pay until they have loaded", async () => {
    expect(settings.isDisabled()).toBe(false);
    settings.update({ fields: { name: "required" } });
    expect(settings.isDisabled()).toBe(true);
    await arrived();
    expect(field("Name on card").required).toBe(true);
  });

  it.each(["auto", "never"])(
    "don't appear when set to %s, and are removed when the setting changes to it",
    async (wish) => {
      settings.update({ fields: { name: wish } });
      expect(queryByLabelText(document.body, "Name on card")).toBeNull();
      settings.update({ fields: { name: "required" } });
      await arrived();
      settings.update({ fields: { name: wish } });
      expect(queryByLabelText(document.body, "Name on card")).toBeNull();
      expect(Object.keys(page.inputs)).toEqual(["number", "expiry", "cvc"]);
    },
  );

  it("use the host page's default values until the customer edits them", async () => {
    settings.update({
      fields: { name: "required", email: "required" },
      defaultValues: { name: "Ada", email: "a@b.example" },
    });
    await arrived();
    expect([field("Name on card").value, field("Email").value]).toEqual(["Ada", "a@b.example"]);
    type(field("Email"), "");
    settings.update({ defaultValues: { name: "Grace", email: "g@b.example" } });
    expect([field("Name on card").value, field("Email").value]).toEqual(["Grace", ""]);
    settings.update({ defaultValues: {} });
    expect(field("Name on card").value).toBe("");
    field("Name on card").value = "Ada"; // autofilled without an event
    settings.update({ defaultValues: { email: "c@d.example" } });
    expect(field("Name on card").value).toBe("Ada");
  });

  it("keep what was typed when another field is added or the appearance changes", async () => {
    settings.update({ fields: { name: "required" } });
    await arrived();
    type(field("Name on card"), "Ada");
    field("Name on card").focus();
    settings.update({
      fields: { name: "required", email: "required" },
      appearance: { labels: "hidden" },
      locale: "en",
    });
    await arrived();
    expect(field("Name on card").value).toBe("Ada");
    expect(document.activeElement).toBe(field("Name on card"));
  });

  it("are locked and wiped together with the card fields", async () => {
    const fields = bindCardFields(page, loadOnDemand);
    fields.lock(true);
    settings.update({ fields: { name: "required" }, defaultValues: { name: "Ada" } });
    await arrived();
    expect(field("Name on card").readOnly).toBe(true);
    fields.wipe();
    expect(field("Name on card").value).toBe("");
  });
});

describe("the billing details", () => {
  it("are undefined if nothing was typed or given", async () => {
    settings.update({ fields: { name: "required" } });
    await arrived();
    expect(settings.billing()).toBeUndefined();
  });

  it("contain what was typed, and what was given for fields that aren't shown", async () => {
    settings.update({
      fields: { name: "required" },
      defaultValues: { name: "Ada", postalCode: "10115", country: "DE" },
    });
    await arrived();
    type(field("Name on card"), "  Grace Hopper ");
    expect(settings.billing()).toEqual({ name: "Grace Hopper", postal_code: "10115", country: "DE" });
  });
});

describe("Pay", () => {
  it("is replaced by the merchant's own button only if the session was created for one", () => {
    settings.update({ submitButton: "merchant" });
    settings.introduce(sessionWith({ submit_button: "built-in" }));
    expect(page.pay.hidden).toBe(false);
    settings.introduce(sessionWith({ submit_button: "merchant" }));
    expect(page.pay.hidden).toBe(true);
    settings.update({ submitButton: "built-in" });
    expect(page.pay.hidden).toBe(false);
  });
});
