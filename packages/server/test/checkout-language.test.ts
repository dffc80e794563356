/**
 * Tests which language the hosted page uses, where its texts are served, and how a session changes the page's
 * appearance and shape.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { builtTexts } from "./setup/built-pages.ts";
import { openCheckout } from "./setup/customer.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService({ pages: true }));

async function load(path: string, acceptLanguage?: string): Promise<{ response: Response; body: string }> {
  const headers = acceptLanguage === undefined ? {} : { "accept-language": acceptLanguage };
  const response = await fetch(service.config.checkoutOrigin + path, { headers });
  return { response, body: await response.text() };
}

describe("the hosted page", () => {
  it.each([
    ["de-CH,de;q=0.9,en;q=0.8", "de"],
    ["tlh, fr;q=0.7, es;q=0.8", "es"],
    ["tlh", "en"],
    ["*", "en"],
    [`${"x".repeat(5_000)},de`, "en"],
  ])("responds to Accept-Language %.40s in %s and sends Vary: Accept-Language", async (accepted, language) => {
    const { sessionId } = await openCheckout(service);
    const { response, body } = await load(`/c/${sessionId}`, accepted);
    expect(response.status).toBe(200);
    expect(body).toContain(`<title>checkout.${language}</title>`);
    expect(response.headers.get("content-language")).toBe(language);
    expect(response.headers.get("vary")?.split(", ")).toEqual(["Accept-Language", "Accept-Encoding"]);
  });
});

describe("a session's form", () => {
  const shipping_options = ["post", "pickup"].map((id) => ({ id, name: id, amount: 0 }));
  const line_items = [{ name: "Cup", amount: 4900, quantity: 1 }];
  it.each<[string, object, string]>([
    ["with a card and nothing to choose", { shipping_options: shipping_options.slice(1), line_items }, "<html>"],
    ["without a card", { amount: 0 }, "<html data-no-card>"],
    ["with a card to save", { amount: 0, save_payment_method: true }, "<html>"],
    ["with shipping options", { shipping_options, line_items }, '<html data-choices="1">'],
    [
      "with both choices",
      { shipping_options, line_items, collect: { promotion_code: true } },
      '<html data-choices="2">',
    ],
  ])("%s is named before the first paint", async (_what, request, root) => {
    const { sessionId } = await openCheckout(service, request);
    expect((await load(`/c/${sessionId}`)).body).toMatch(RegExp(`^<!doctype html>${root}`));
  });
});

describe("a session's appearance", () => {
  it("sets the page's language, whatever the browser requests", async () => {
    const { sessionId } = await openCheckout(service, { locale: "fr-CA" });
    const { body } = await load(`/c/${sessionId}`, "de");
    expect(body).toContain("<title>checkout.fr</title>");
  });

  it("sets the page's language with underscores, too", async () => {
    const { sessionId } = await openCheckout(service, { locale: "pt_BR" });
    const { body } = await load(`/c/${sessionId}`, "de");
    expect(body).toContain("<title>checkout.pt-BR</title>");
  });

  it("is in the page as design tokens and nowhere else", async () => {
    const appearance = {
      theme: "dark",
      variables: { colorPrimary: "#0c5c4c", fontFamily: `Georgia, "Times New Roman"` },
    };
    const styled = await load(`/c/${(await openCheckout(service, { appearance })).sessionId}`, "de");
    const plain = await load(`/c/${(await openCheckout(service, { locale: "auto" })).sessionId}`, "de");
    const [meta = "", content = ""] = /<meta name="appearance" content="([^"]*)">/.exec(styled.body) ?? [];
    expect(JSON.parse(content.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))))).toEqual(
      appearance,
    );
    expect(styled.body.replace(meta, "")).toBe(plain.body);
    expect(styled.response.headers.get("content-security-policy")).toBe(
      plain.response.headers.get("content-security-policy"),
    );
  });

  it("is refused with the contrast ratio when text on the Pay button or in the card fields is illegible", async () => {
    const appearance = { theme: "light", variables: { colorText: "#777777", colorBackground: "white" } };
    const response = await service.call("POST", "/api/v1/checkout_sessions", {
      amount: 4900,
      currency: "eur",
      appearance,
    });
    expect(response).toMatchObject({
      status: 400,
      body: {
        error: {
          param: "appearance.variables.colorText",
          message:
            "`colorText` (#777777) on `colorBackground` (white) has a contrast ratio of 4.47:1 in the light theme. The ratio must be at least 4.5:1.",
        },
      },
    });
  });

  it.each([
    [
      { appearance: { variables: { colorPrimary: "url(https://evil.example/)" } } },
      "parameter_invalid",
      "appearance.variables.colorPrimary",
    ],
    [
      { appearance: { variables: { borderRadius: "9999px" } } },
      "parameter_invalid",
      "appearance.variables.borderRadius",
    ],
    [
      { appearance: { variables: { fontFamily: "x;}</style><script>" } } },
      "parameter_invalid",
      "appearance.variables.fontFamily",
    ],
    [{ appearance: { variables: { colour: "#fff" } } }, "parameter_unknown", "appearance.variables.colour"],
    [{ appearance: { css: "a{}" } }, "parameter_unknown", "appearance.css"],
    [{ appearance: { theme: "neon" } }, "parameter_invalid", "appearance.theme"],
    [
      { appearance: { variables: { colorText: "transparent" } } },
      "parameter_invalid",
      "appearance.variables.colorText",
    ],
    [{ appearance: { variables: { colorText: "CanvasText" } } }, "parameter_invalid", "appearance.variables.colorText"],
    [
      { appearance: { variables: { colorPrimary: "#0c5c4c80" } } },
      "parameter_invalid",
      "appearance.variables.colorPrimary",
    ],
    [
      { appearance: { variables: { colorPrimary: "currentColor" } } },
      "parameter_invalid",
      "appearance.variables.colorPrimary",
    ],
    [
      { appearance: { theme: "dark", variables: { colorBackground: "#fff" } } },
      "parameter_invalid",
      "appearance.variables.colorBackground",
    ],
    [
      { appearance: { variables: { colorTextPlaceholder: "#fafafa" } } },
      "parameter_invalid",
      "appearance.variables.colorTextPlaceholder",
    ],
    [
      { appearance: { variables: { fontFamily: "Wingdings" } } },
      "parameter_invalid",
      "appearance.variables.fontFamily",
    ],
    [{ locale: "de DE" }, "parameter_invalid", "locale"],
    [{ locale: "<b>" }, "parameter_invalid", "locale"],
  ] as const)("is refused when it is %j, with the code %s and the field name", async (value, code, param) => {
    const response = await service.call("POST", "/api/v1/checkout_sessions", {
      amount: 4900,
      currency: "eur",
      ...value,
    });
    expectError(response, invalid(code, param));
  });

  it("is refused with an example of a locale", async () => {
    const order = { amount: 4900, currency: "eur", locale: "German" };
    const response = await service.call("POST", "/api/v1/checkout_sessions", order);
    expect(response.text).toContain('`locale` must be a BCP 47 tag such as \\"de-DE\\", or \\"auto\\".');
  });
});

describe("checkout texts", () => {
  it("are served as immutable at a URL that is unique to the build", async () => {
    const { response, body } = await load(`/assets/texts/${builtTexts}/de.json`);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(JSON.parse(body)).toEqual({ save: "Karte speichern" });
    // A sandboxed page has an opaque origin and must still be able to load the texts that describe the error.
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each(["ffffffff/de.json", `${builtTexts}/xx.json`, `${builtTexts}/..%2f..%2f..%2fpages.json`, "constructor/name"])(
    "return 404 for %s",
    async (path) => {
      const { response } = await load(`/assets/texts/${path}`);
      expect(response.status).toBe(404);
    },
  );
});
