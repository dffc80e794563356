import { getByLabelText, queryByLabelText } from "@testing-library/dom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FrameSession } from "@oriel/protocol/frame";
import { createFakeService } from "../test/fake-service.ts";
import { loadPage } from "../test/load-page.ts";
import { bindCardFields } from "./card-fields.ts";
import { createFormSettings } from "./form-settings.ts";
import type { FormSettings } from "./form-settings.ts";
import type { Page } from "./page.ts";

const nowMs = Date.UTC(2027, 5, 15);
const service = await createFakeService();
const sessionWith = (changes: Partial<FrameSession["session"]> = {}): FrameSession["session"] => {
  const opened = service.session(changes);
  if (opened.kind !== "answer") throw new Error("Bug: the fake service has no session");
  return (opened.body as FrameSession).session; // as the fake service makes it
};

let page: Page;
let settings: FormSettings;
const root = document.documentElement;

beforeEach(() => {
  page = loadPage();
  settings = createFormSettings(page, bindCardFields(page), () => nowMs);
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
const field = (label: string) => getByLabelText<HTMLInputElement>(document.body, label);

describe("settings of the form", () => {
  it("are merged into what holds, and what cannot be read is named and left out", () => {
    expect(settings.update({ locale: "en", challenge: "inline", appearance: { variables: { colorPrimary: "#123" } } })).toEqual(
      [],
    );
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
    expect(root.style.colorScheme).toBe("light");
    expect(root.style.getPropertyValue("--colorPrimary")).toBe("#0a0");
    expect(root.style.getPropertyValue("--fontFamily")).toBe("Georgia");
    expect(["data-style", "data-labels", "data-still"].map((name) => root.getAttribute(name))).toEqual(["flat", "floating", ""]);
    expect(document.querySelector("style, link")).toBeNull();
  });

  it("change live: a theme without a style takes the style away", () => {
    settings.update({ appearance: { style: "none", labels: "hidden", disableAnimations: true } });
    settings.update({ appearance: { theme: "auto", disableAnimations: false } });
    expect(["data-style", "data-labels", "data-still"].map((name) => root.getAttribute(name))).toEqual([null, "hidden", null]);
    expect(root.style.colorScheme).toBe("");
  });

  it("leave out a colour that this browser does not know, and say so", () => {
    vi.stubGlobal("CSS", { supports: (_property: string, value: string) => !value.includes("banana") });
    const refused = settings.update({ appearance: { variables: { colorPrimary: "banana", colorText: "black" } } });
    expect(refused).toEqual(["appearance.variables.colorPrimary"]);
    expect(root.style.getPropertyValue("--colorPrimary")).toBe("");
    expect(root.style.getPropertyValue("--colorText")).toBe("black");
  });
});

describe("the fields beside the card", () => {
  it("are there when they are required, between the card and Pay, in one form and in their order", () => {
    settings.update({ fields: { postalCode: "required" } });
    settings.update({ fields: { name: "required", email: "required" } });
    const order = [...page.form.querySelectorAll("input, #pay")].map((element) => element.id);
    expect(order).toEqual(["number", "expiry", "cvc", "name", "email", "postalCode", "pay"]);
  });

  it("say to browsers and tests what they are, and have an error of their own", () => {
    settings.update({ fields: { name: "required", email: "required", postalCode: "required" } });
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

  it.each(["auto", "never"])("are not there when they are %s, and go when they become so", (wish) => {
    settings.update({ fields: { name: wish } });
    expect(queryByLabelText(document.body, "Name on card")).toBeNull();
    settings.update({ fields: { name: "required" } });
    settings.update({ fields: { name: wish } });
    expect(queryByLabelText(document.body, "Name on card")).toBeNull();
    expect(Object.keys(page.inputs)).toEqual(["number", "expiry", "cvc"]);
  });

  it("are filled with what the host page knows, until the customer touches them", () => {
    settings.update({ fields: { name: "required", email: "required" }, defaultValues: { name: "Ada", email: "a@b.example" } });
    expect([field("Name on card").value, field("Email").value]).toEqual(["Ada", "a@b.example"]);
    type(field("Email"), "");
    settings.update({ defaultValues: { name: "Grace", email: "g@b.example" } });
    expect([field("Name on card").value, field("Email").value]).toEqual(["Grace", ""]);
  });

  it("keep what was typed when another field comes, or the looks change", () => {
    settings.update({ fields: { name: "required" } });
    type(field("Name on card"), "Ada");
    field("Name on card").focus();
    settings.update({ fields: { email: "required" }, appearance: { labels: "hidden" }, locale: "en" });
    expect(field("Name on card").value).toBe("Ada");
    expect(document.activeElement).toBe(field("Name on card"));
  });

  it("are locked and wiped with the card's", () => {
    const fields = bindCardFields(page);
    fields.lock(true);
    settings.update({ fields: { name: "required" }, defaultValues: { name: "Ada" } });
    expect(field("Name on card").readOnly).toBe(true);
    fields.wipe();
    expect(field("Name on card").value).toBe("");
  });
});

describe("who pays", () => {
  it("is not known where nothing was typed or given", () => {
    settings.update({ fields: { name: "required" } });
    expect(settings.billing()).toBeUndefined();
  });

  it("is what was typed, and what was given for fields that are not asked for", () => {
    settings.update({ fields: { name: "required" }, defaultValues: { name: "Ada", postalCode: "10115", country: "DE" } });
    type(field("Name on card"), "  Grace Hopper ");
    expect(settings.billing()).toEqual({ name: "Grace Hopper", postal_code: "10115", country: "DE" });
  });
});

describe("a test scenario", () => {
  it("fills in the sandbox's card of its name, once", () => {
    settings.update({ testScenario: "challenge" });
    expect(page.number.value).toBe("");
    settings.introduce(sessionWith());
    expect([page.number.value, page.expiry.value, page.cvc.value]).toEqual(["4000 0027 6000 3184", "12 / 30", "123"]);
    type(page.number, "");
    settings.introduce(sessionWith());
    settings.update({ testScenario: "declined" });
    expect(page.number.value).toBe("");
  });

  it.each([
    ["in live mode", { livemode: true }, "approved"],
    ["of a name that there is not", {}, "constructor"],
    ["in a session that is over", { status: "expired" as const }, "approved"],
  ])("does nothing %s", (_where, changes, testScenario) => {
    settings.introduce(sessionWith(changes));
    settings.update({ testScenario });
    expect(page.number.value).toBe("");
  });

  it("does not write over what was typed", () => {
    type(page.number, "42");
    settings.introduce(sessionWith());
    settings.update({ testScenario: "approved" });
    expect(page.number.value).toBe("42");
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
