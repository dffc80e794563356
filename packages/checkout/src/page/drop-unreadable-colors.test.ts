import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import { dropUnreadableColors as dropComputed } from "./drop-unreadable-colors.ts";
import type { Page } from "./page.ts";

/** What the browser would compute for each token: dark on light, unless a test changes it. */
const ours: Record<string, string> = {
  colorPrimary: "color(srgb-linear 0.004 0.107 0.072)",
  onPrimary: "color(srgb-linear 1 1 1)",
  colorText: "color(srgb-linear 0.007 0.014 0.012)",
  colorBackground: "color(srgb-linear 1 1 1)",
  field: "color(srgb-linear 1 1 1)",
};
const root = document.documentElement;
let page: Page;
let computed: Record<string, string>;

beforeEach(() => {
  page = loadPage();
  computed = { ...ours };
});
afterEach(() => {
  root.removeAttribute("style");
});

/** @param color as the browser computes it */
function setColor(name: string, color: string, value = "#123456") {
  root.style.setProperty(`--${name}`, value);
  computed[`own ${name}`] = color;
}
/** Happy DOM doesn't compute colors. What browsers compute is tested in demo/e2e/page-security. */
const dropUnreadableColors = () =>
  dropComputed(page, (_main, color) => {
    const name = /^color\(from var\(--(\w+)\) srgb-linear r g b\)$/.exec(color)?.[1] ?? "";
    return (isApplied(name) ? computed[`own ${name}`] : computed[name]) ?? "";
  });
const isApplied = (name: string) => root.style.getPropertyValue(`--${name}`) !== "";

const white = "color(srgb-linear 1 1 1)";
const black = "color(srgb-linear 0 0 0)";
const grey = "color(srgb-linear 0.3 0.3 0.3)";

describe("colors of an appearance", () => {
  it("are kept if everything is readable", () => {
    setColor("colorText", black);
    setColor("colorPrimary", ours["colorPrimary"] ?? "");
    setColor("colorTextPlaceholder", "color(srgb-linear 0.1 0.1 0.1)");
    expect(dropUnreadableColors()).toEqual([]);
    expect(["colorText", "colorPrimary", "colorTextPlaceholder"].map(isApplied)).toEqual([true, true, true]);
  });

  it.each(["colorPrimary", "colorText", "colorTextPlaceholder"])(
    "are removed if %s isn't opaque, while the others stay",
    (name) => {
      setColor("colorBackground", white);
      setColor(name, "color(srgb-linear 0 0 0 / 0.99)");
      expect(dropUnreadableColors()).toEqual([`appearance.variables.${name} (must be opaque)`]);
      expect([isApplied(name), isApplied("colorBackground")]).toEqual([false, true]);
    },
  );

  it("are removed together if text is unreadable on its background, with the contrast in the reason", () => {
    setColor("colorBackground", white);
    setColor("colorText", grey);
    expect(dropUnreadableColors()).toEqual([
      "appearance.variables.colorText (contrast 3.00:1, at least 4.5:1 needed)",
      "appearance.variables.colorBackground (contrast 3.00:1, at least 4.5:1 needed)",
    ]);
    expect([isApplied("colorText"), isApplied("colorBackground")]).toEqual([false, false]);
  });

  it("are also checked against the form's background if it is opaque", () => {
    setColor("colorText", black);
    setColor("colorBackground", grey);
    computed["field"] = "color(srgb-linear 0.9 0.9 0.9)";
    expect(dropUnreadableColors()).toEqual([]);
    setColor("colorBackground", "color(srgb-linear 0.01 0.01 0.01)");
    expect(dropUnreadableColors().join()).toContain("colorText (contrast 1.20:1");
  });

  it("are checked only against the card fields if the host page shows through", () => {
    setColor("colorText", black);
    setColor("colorBackground", "color(srgb-linear 0 0 0 / 0)");
    expect(dropUnreadableColors()).toEqual([]);
  });

  it.each([
    ["light", "color(srgb-linear 0.1 0.1 0.1)", true],
    ["light", "color(srgb-linear 0.16 0.16 0.16)", false], // 5.0:1 on white
    ["dark", "color(srgb-linear 0.5 0.5 0.5)", true],
    ["dark", "color(srgb-linear 0.4 0.4 0.4)", false],
  ])("let a page that suits the %s theme show through with the text color %s: %s", (theme, text, isTransparent) => {
    root.dataset["theme"] = theme;
    root.dataset["transparent"] = "";
    computed["colorBackground"] = computed["field"] = theme === "dark" ? black : white;
    setColor("colorText", text);
    expect(dropUnreadableColors()).toEqual([]);
    expect(root.dataset["transparent"] !== undefined).toBe(isTransparent);
    delete root.dataset["theme"];
    delete root.dataset["transparent"];
  });

  it("are removed if Pay's label is unreadable", () => {
    setColor("colorPrimary", grey);
    computed["onPrimary"] = white;
    expect(dropUnreadableColors()).toEqual([
      "appearance.variables.colorPrimary (contrast 3.00:1, at least 4.5:1 needed)",
    ]);
  });

  it("are removed if placeholders are unreadable", () => {
    setColor("colorTextPlaceholder", white);
    expect(dropUnreadableColors()).toEqual([
      "appearance.variables.colorTextPlaceholder (contrast 1.00:1, at least 4.5:1 needed)",
    ]);
  });

  it.each(["", "none", "color(srgb-linear none 0 0)", "rgb(0, 0, 0)"])(
    "are removed if they can't be measured: %j",
    (color) => {
      setColor("colorText", color);
      dropUnreadableColors();
      expect(isApplied("colorText")).toBe(false);
    },
  );

  it.each([
    ["colorPrimary", "currentColor"],
    ["fontFamily", "Georgia, Wingdings"],
    ["fontFamily", "'Zapf Dingbats'"],
  ])("are removed if %s is %s", (name, value) => {
    setColor(name, black, value);
    expect(dropUnreadableColors()).toEqual([`appearance.variables.${name} (can't be read)`]);
    expect(isApplied(name)).toBe(false);
  });
});
