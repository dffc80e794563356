import { getByLabelText, queryByLabelText } from "@testing-library/dom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sessionWith } from "../../test/fake-service.ts";
import { loadPage, loadOnDemand } from "../../test/load-page.ts";
import { bindCardFields } from "./card-fields.ts";
import { createFormSettings } from "./form-settings.ts";
import type { FormSettings } from "./form-settings.ts";
import type { Page } from "../page/page.ts";

let page: Page;
let settings: FormSettings;
const dropUnreadable = vi.fn<(page: Page) => string[]>();
const root = document.documentElement;

beforeEach(() => {
  page = loadPage();
  dropUnreadable.mockReset().mockReturnValue([]);
  settings = createFormSettings(page, dropUnreadable, loadOnDemand);
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
/** The fields beside the card come with code of their own. */
const arrived = () => vi.waitUntil(() => !settings.isWaiting(), 5_000);
const field = (label: string) => getByLabelText<HTMLInputElement>(document.body, label);

describe("settings of the form", () => {
  it("are merged into what holds, and what cannot be read is named and left out", () => {
    expect(
      settings.update({ locale: "en", challenge: "inline", appearance: { variables: { colorPrimary: "#123" } } }),
    ).toEqual([]);
    const refused = settings.update({
      challenge: "popup",
      amount: 1,
      appearance: { theme: "dark", variables: { borderRadius: "url(x)", spacingUnit: "6px" } },
    });
    expect(refused.sort()).toEqual(["amount", "appearance.variables.borderRadius", "challenge"]);
    expect(settings.current()).toEqual({
      locale: "en",
      challenge: "inline",
      appearance: { theme: "dark", variables: { colorPrimary: "#123", spacingUnit: "6px" } },
    });
  });

  it.each([null, 1, "x", [], { locale: "<b>" }])("that are %j change nothing", (value) => {
    settings.update(value);
    expect(settings.current()).toEqual({});
  });

  it("are told to whoever listens", () => {
    let heard = 0;
    settings.onChange(() => heard++);
    settings.update({ disabled: true });
    settings.introduce(sessionWith());
    expect(heard).toBe(2);
    expect(settings.current().disabled).toBe(true);
  });
});

describe("the looks", () => {
  it("are custom properties and attributes of the root, and nothing else", () => {
    const looks = { theme: "light", style: "flat", labels: "floating", disableAnimations: true } as const;
    settings.update({ appearance: { ...looks, variables: { colorPrimary: "#0a0", fontFamily: "Georgia" } } });
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

  it("change live: a theme without a style takes the style away", () => {
    settings.update({ appearance: { style: "none", labels: "hidden", disableAnimations: true } });
    settings.update({ appearance: { theme: "auto", disableAnimations: false } });
    expect(["data-style", "data-labels", "data-still"].map((name) => root.getAttribute(name))).toEqual([
      null,
      "hidden",
      null,
    ]);
    expect(root.dataset["theme"]).toBeUndefined();
  });

  it("leave out a colour that this browser does not know, and say so", () => {
    vi.stubGlobal("CSS", { supports: (_property: string, value: string) => !value.includes("banana") });
    const refused = settings.update({ appearance: { variables: { colorPrimary: "banana", colorText: "black" } } });
    expect(refused).toEqual(["appearance.variables.colorPrimary"]);
    expect(root.style.getPropertyValue("--colorPrimary")).toBe("");
    expect(root.style.getPropertyValue("--colorText")).toBe("black");
  });
});

describe("looks that can't be worn together", () => {
  it("are looked for before anybody can pay, and after each change of the looks, but of nothing else", () => {
    expect(dropUnreadable.mock.calls).toEqual([[page]]);
    settings.update({ disabled: true, locale: "en" });
    expect(dropUnreadable).toHaveBeenCalledOnce();
    settings.update({ appearance: { theme: "dark" } });
    expect(dropUnreadable).toHaveBeenCalledTimes(2);
  });

  it("are named in the answer, beside what could not be read", () => {
    dropUnreadable.mockReturnValue(["appearance.variables.colorText (contrast 1.00:1, at least 4.5:1 needed)"]);
    expect(settings.update({ amount: 1, appearance: { variables: { colorText: "#fff" } } })).toEqual([
      "amount",
      "appearance.variables.colorText (contrast 1.00:1, at least 4.5:1 needed)",
    ]);
  });

  it("are worn once another color has made them readable", () => {
    dropUnreadable.mockImplementation(() => {
      const hasGround = root.style.getPropertyValue("--colorBackground") !== "";
      if (!hasGround) root.style.removeProperty("--colorText");
      return [];
    });
    settings.update({ appearance: { variables: { colorText: "#fff" } } });
    expect(root.style.getPropertyValue("--colorText")).toBe("");
    settings.update({ appearance: { variables: { colorBackground: "#000" } } });
    expect(root.style.getPropertyValue("--colorText")).toBe("#fff");
  });

  it("are looked for again when the device changes between light and dark, which changes our own colors", () => {
    let changed = () => {};
    const addEventListener = (_type: string, listener: () => void) => (changed = listener);
    vi.stubGlobal("matchMedia", (query: string) => ({
      addEventListener: query.includes("dark") ? addEventListener : () => {},
    }));
    createFormSettings(page, dropUnreadable, loadOnDemand);
    dropUnreadable.mockClear();
    changed();
    expect(dropUnreadable).toHaveBeenCalledExactlyOnceWith(page);
  });
});

describe("the fields beside the card", () => {
  it("are there when they are required, between the card and Pay, in one form and in their order", async () => {
    settings.update({ fields: { postalCode: "required" } });
    await arrived();
    settings.update({ fields: { name: "required", email: "required" } });
    await arrived();
    const order = [...page.form.querySelectorAll("input, #pay")].map((element) => element.id);
    expect(order).toEqual(["number", "expiry", "cvc", "name", "email", "postalCode", "pay"]);
  });

  it("say to browsers and tests what they are, and have an error of their own", async () => {
    settings.update({ fields: { name: "required", email: "required", postalCode: "required" } });
    await arrived();
    const told = ["Name on card", "Email", "Postal code"]
      .map(field)
      .map((input) => [input.autocomplete, input.dataset["testid"]]);
    expect(told).toEqual([
      ["cc-name", "oriel-name"],
      ["email", "oriel-email"],
      ["billing postal-code", "oriel-postal-code"],
    ]);
    expect(field("Email").inputMode).toBe("email");
    expect(document.getElementById(field("Email").getAttribute("aria-describedby") ?? "")?.className).toBe("error");
  });

  it("hold Pay back until they have come", async () => {
    expect(settings.isWaiting()).toBe(false);
    settings.update({ fields: { name: "required" } });
    expect(settings.isWaiting()).toBe(true);
    await arrived();
    expect(field("Name on card").required).toBe(true);
  });

  it.each(["auto", "never"])("are not there when they are %s, and go when they become so", async (wish) => {
    settings.update({ fields: { name: wish } });
    expect(queryByLabelText(document.body, "Name on card")).toBeNull();
    settings.update({ fields: { name: "required" } });
    await arrived();
    settings.update({ fields: { name: wish } });
    expect(queryByLabelText(document.body, "Name on card")).toBeNull();
    expect(Object.keys(page.inputs)).toEqual(["number", "expiry", "cvc"]);
  });

  it("are filled with what the host page knows, until the customer touches them", async () => {
    settings.update({
      fields: { name: "required", email: "required" },
      defaultValues: { name: "Ada", email: "a@b.example" },
    });
    await arrived();
    expect([field("Name on card").value, field("Email").value]).toEqual(["Ada", "a@b.example"]);
    type(field("Email"), "");
    settings.update({ defaultValues: { name: "Grace", email: "g@b.example" } });
    expect([field("Name on card").value, field("Email").value]).toEqual(["Grace", ""]);
  });

  it("keep what was typed when another field comes, or the looks change", async () => {
    settings.update({ fields: { name: "required" } });
    await arrived();
    type(field("Name on card"), "Ada");
    field("Name on card").focus();
    settings.update({ fields: { email: "required" }, appearance: { labels: "hidden" }, locale: "en" });
    await arrived();
    expect(field("Name on card").value).toBe("Ada");
    expect(document.activeElement).toBe(field("Name on card"));
  });

  it("are locked and wiped with the card's", async () => {
    const fields = bindCardFields(page, loadOnDemand);
    fields.lock(true);
    settings.update({ fields: { name: "required" }, defaultValues: { name: "Ada" } });
    await arrived();
    expect(field("Name on card").readOnly).toBe(true);
    fields.wipe();
    expect(field("Name on card").value).toBe("");
  });
});

describe("who pays", () => {
  it("is not known where nothing was typed or given", async () => {
    settings.update({ fields: { name: "required" } });
    await arrived();
    expect(settings.billing()).toBeUndefined();
  });

  it("is what was typed, and what was given for fields that are not asked for", async () => {
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
  it("is hidden for a merchant's own button only in a session that was created for it", () => {
    settings.update({ submitButton: "merchant" });
    settings.introduce(sessionWith({ submit_button: "built-in" }));
    expect(page.pay.hidden).toBe(false);
    settings.introduce(sessionWith({ submit_button: "merchant" }));
    expect(page.pay.hidden).toBe(true);
    settings.update({ submitButton: "built-in" });
    expect(page.pay.hidden).toBe(false);
  });
});
