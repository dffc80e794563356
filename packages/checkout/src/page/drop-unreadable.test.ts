import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadPage } from "../../test/load-page.ts";
import { dropUnreadable as dropComputed } from "./drop-unreadable.ts";
import type { Page } from "./page.ts";

/** What the browser would compute of each token: dark on light, until a test says otherwise. */
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
function wear(name: string, color: string, value = "#123456") {
  root.style.setProperty(`--${name}`, value);
  computed[`own ${name}`] = color;
}
/** Happy DOM computes no colors; what browsers compute is in demo/e2e/page-security. */
const dropUnreadable = () =>
  dropComputed(page, (_main, color) => {
    const name = /^color\(from var\(--(\w+)\) srgb-linear r g b\)$/.exec(color)?.[1] ?? "";
    return (worn(name) ? computed[`own ${name}`] : computed[name]) ?? "";
  });
const worn = (name: string) => root.style.getPropertyValue(`--${name}`) !== "";

const white = "color(srgb-linear 1 1 1)";
const black = "color(srgb-linear 0 0 0)";
const grey = "color(srgb-linear 0.3 0.3 0.3)";

describe("colors of an appearance", () => {
  it("stay where everything can be read", () => {
    wear("colorText", black);
    wear("colorPrimary", ours["colorPrimary"] ?? "");
    wear("colorTextPlaceholder", "color(srgb-linear 0.1 0.1 0.1)");
    expect(dropUnreadable()).toEqual([]);
    expect(["colorText", "colorPrimary", "colorTextPlaceholder"].map(worn)).toEqual([true, true, true]);
  });

  it.each(["colorPrimary", "colorText", "colorTextPlaceholder"])(
    "go where %s is not opaque, and the others stay",
    (name) => {
      wear("colorBackground", white);
      wear(name, "color(srgb-linear 0 0 0 / 0.99)");
      expect(dropUnreadable()).toEqual([`appearance.variables.${name} (must be opaque)`]);
      expect([worn(name), worn("colorBackground")]).toEqual([false, true]);
    },
  );

  it("go together where text can't be read on its ground, with the contrast they have", () => {
    wear("colorBackground", white);
    wear("colorText", grey);
    expect(dropUnreadable()).toEqual([
      "appearance.variables.colorText (contrast 3.00:1, at least 4.5:1 needed)",
      "appearance.variables.colorBackground (contrast 3.00:1, at least 4.5:1 needed)",
    ]);
    expect([worn("colorText"), worn("colorBackground")]).toEqual([false, false]);
  });

  it("are judged on the form's ground as well, where that is opaque", () => {
    wear("colorText", black);
    wear("colorBackground", grey);
    computed["field"] = "color(srgb-linear 0.9 0.9 0.9)";
    expect(dropUnreadable()).toEqual([]);
    wear("colorBackground", "color(srgb-linear 0.01 0.01 0.01)");
    expect(dropUnreadable().join()).toContain("colorText (contrast 1.20:1");
  });

  it("are judged on the card fields alone where the host page shows through", () => {
    wear("colorText", black);
    wear("colorBackground", "color(srgb-linear 0 0 0 / 0)");
    expect(dropUnreadable()).toEqual([]);
  });

  it("go where the label of Pay can't be read", () => {
    wear("colorPrimary", grey);
    computed["onPrimary"] = white;
    expect(dropUnreadable()).toEqual(["appearance.variables.colorPrimary (contrast 3.00:1, at least 4.5:1 needed)"]);
  });

  it("go where placeholders can't be read", () => {
    wear("colorTextPlaceholder", white);
    expect(dropUnreadable()).toEqual([
      "appearance.variables.colorTextPlaceholder (contrast 1.00:1, at least 4.5:1 needed)",
    ]);
  });

  it.each(["", "none", "color(srgb-linear none 0 0)", "rgb(0, 0, 0)"])(
    "go where they can't be measured: %j",
    (color) => {
      wear("colorText", color);
      dropUnreadable();
      expect(worn("colorText")).toBe(false);
    },
  );

  it.each([
    ["colorPrimary", "currentColor"],
    ["fontFamily", "Georgia, Wingdings"],
    ["fontFamily", "'Zapf Dingbats'"],
  ])("go where %s is %s", (name, value) => {
    wear(name, black, value);
    expect(dropUnreadable()).toEqual([`appearance.variables.${name} (can't be read)`]);
    expect(worn(name)).toBe(false);
  });
});
