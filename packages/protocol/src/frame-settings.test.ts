import { expect, test } from "vitest";
import { readSettings } from "./frame-settings.ts";

test("accepts all valid settings", () => {
  const given = {
    locale: "pt-BR",
    appearance: {
      theme: "dark",
      style: "flat",
      labels: "floating",
      disableAnimations: true,
      variables: {
        colorPrimary: "#0c5c4c",
        colorBackground: "transparent",
        colorText: "rgb(12, 92, 76)",
        colorDanger: "oklch(0.6 0.2 20 / 80%)",
        fontFamily: '"Inter", system-ui, sans-serif',
        fontSizeBase: "16px",
        spacingUnit: "0.25rem",
        borderRadius: "0",
      },
    },
    submitButton: "merchant",
    fields: { name: "required", email: "auto", postalCode: "never" },
    defaultValues: { name: "Ada", email: "ada@example.com", postalCode: "10115", country: "DE" },
    disabled: false,
    challenge: "overlay",
    testScenario: "challenge",
  };
  expect(readSettings(given)).toEqual({ settings: given, refused: [] });
});

test.each([
  ["appearance.variables.colorPrimary", { appearance: { variables: { colorPrimary: "url(https://evil.example/x)" } } }],
  ["appearance.variables.colorPrimary", { appearance: { variables: { colorPrimary: "red;background:url(//x)" } } }],
  ["appearance.variables.colorPrimary", { appearance: { variables: { colorPrimary: "var(--x)" } } }],
  ["appearance.variables.colorPrimary", { appearance: { variables: { colorPrimary: "rgb(from red r g b / 0)" } } }],
  ["appearance.variables.colorPrimary", { appearance: { variables: { colorPrimary: "oklch(50% none 180)" } } }],
  ["appearance.variables.colorPrimary", { appearance: { variables: { colorPrimary: "expression(alert(1))" } } }],
  [
    "appearance.variables.fontFamily",
    { appearance: { variables: { fontFamily: "x; } input { background: url(//x)" } } },
  ],
  ["appearance.variables.fontSizeBase", { appearance: { variables: { fontSizeBase: "calc(1px * 9999)" } } }],
  ["appearance.variables.fontSizeBase", { appearance: { variables: { fontSizeBase: "1000px" } } }],
  ["appearance.variables.zIndex", { appearance: { variables: { zIndex: "1" } } }],
  ["appearance.rules", { appearance: { rules: { ".Input": { color: "red" } } } }],
  ["appearance.fonts", { appearance: { fonts: [] } }],
  ["appearance.theme", { appearance: { theme: "neon" } }],
  ["locale", { locale: "javascript:alert(1)" }],
  ["locale", { locale: 5 }],
  ["fields.number", { fields: { number: "never" } }],
  ["defaultValues.number", { defaultValues: { number: "4242424242424242" } }],
  ["defaultValues.cvc", { defaultValues: { cvc: "123" } }],
  ["defaultValues.country", { defaultValues: { country: "de" } }],
  ["amount", { amount: 1 }],
  ["return_url", { return_url: "https://evil.example" }],
  ["disabled", { disabled: "yes" }],
  ["constructor", JSON.parse('{"constructor":{"prototype":{}}}')],
  ["appearance.", { appearance: 7 }],
])("refuses %s in %j", (path, given) => {
  const { settings, refused } = readSettings(given);
  expect(refused).toEqual([path]);
  expect(JSON.stringify(settings)).not.toMatch(/url|4242|alert|evil/);
});

test("keeps valid settings when another one is refused", () => {
  expect(readSettings({ locale: "fr", appearance: { theme: "neon", labels: "above" } })).toEqual({
    settings: { locale: "fr", appearance: { labels: "above" } },
    refused: ["appearance.theme"],
  });
});

test.each(["auto", "de_DE", "zh_Hant_TW", "pt_PT_ao90", "ar-EG-u-nu-arab"])("accepts the locale %s", (locale) => {
  expect(readSettings({ locale })).toEqual({ settings: { locale }, refused: [] });
});

test("refuses values that aren't objects, and ignores a polluted prototype", () => {
  expect(readSettings("locale").refused).toHaveLength(1);
  expect(readSettings(null).refused).toHaveLength(1);
  Reflect.set(Object.prototype, "locale", "fr");
  try {
    expect(Object.keys(readSettings({}).settings)).toEqual([]);
  } finally {
    Reflect.deleteProperty(Object.prototype, "locale");
  }
});

test("reads at most 32 of thousands of names", () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]));
  expect(readSettings(many).refused).toHaveLength(32);
});
