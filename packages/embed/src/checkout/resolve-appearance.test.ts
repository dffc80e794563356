import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { contrastOf, leastLuminanceBehind, type LinearColor } from "@oriel/protocol/contrast-rules";
import { readCssColor } from "@oriel/protocol/css-color";
import { resolveAppearance } from "./resolve-appearance.ts";

type Style = Partial<Record<"backgroundColor" | "backgroundImage" | "colorScheme", string>>;

let card: HTMLElement;
let container: HTMLElement;
/** What the browser computes. Happy DOM doesn't know most colors. */
let computed: Map<Element, Style>;

beforeEach(() => {
  card = document.body.appendChild(document.createElement("section"));
  container = card.appendChild(document.createElement("div"));
  computed = new Map();
  vi.spyOn(window, "getComputedStyle").mockImplementation((element) => {
    const unset: Style = { backgroundColor: "rgba(0, 0, 0, 0)", backgroundImage: "none", colorScheme: "normal" };
    return { ...unset, ...computed.get(element) } as CSSStyleDeclaration; // only these are read
  });
});
afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

function paint(element: Element, style: Style) {
  computed.set(element, style);
}
const clear = "rgba(0, 0, 0, 0)";

const resolve = (theme: "auto" | "light" | "dark" | "flat" | "none" = "auto") => {
  const { theme: scheme, transparent } = resolveAppearance({ theme }, container);
  return [scheme, transparent];
};

describe("the appearance in a page", () => {
  it.each([
    [clear, clear, "light", true],
    ["rgb(245, 234, 216)", clear, "light", true],
    ["rgb(20, 22, 28)", clear, "dark", true],
    ["rgb(111, 127, 116)", clear, "light", false],
    ["rgb(90, 90, 90)", clear, "dark", false],
    // Just within and beyond the limits for pages that may show through.
    ["rgb(224, 224, 224)", clear, "light", true],
    ["rgb(223, 223, 223)", clear, "light", false],
    ["rgb(68, 68, 68)", clear, "dark", true],
    ["rgb(69, 69, 69)", clear, "dark", false],
    // Tailwind's slate 50 and 900.
    ["oklch(0.984 0.003 247.858)", clear, "light", true],
    ["oklch(0.208 0.042 265.755)", clear, "dark", true],
    ["lab(98.1434 -0.3 -1.05)", clear, "light", true],
    ["lab(7.78673 1.82346 -15.0537)", clear, "dark", true],
    ["color(srgb 0.96 0.92 0.85)", clear, "light", true],
    ["color(display-p3 0.05 0.06 0.1 / 1)", clear, "dark", true],
    // A translucent card on the page.
    ["rgb(20, 22, 28)", "rgba(255, 255, 255, 0.05)", "dark", true],
    ["rgb(20, 22, 28)", "rgba(255, 255, 255, 0.6)", "light", false],
    ["rgb(20, 22, 28)", "rgb(255, 255, 255)", "light", true],
    ["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)", "light", true],
    // A color without a lightness.
    ["oklch(none none none)", clear, "light", false],
  ])("follows the lightness of a %s page with a %s card", (page, onCard, theme, transparent) => {
    paint(document.body, { backgroundColor: page });
    paint(card, { backgroundColor: onCard });
    expect(resolve()).toEqual([theme, transparent]);
  });

  it.each(["linear-gradient(rgb(245, 234, 216), rgb(255, 255, 255))", 'url("https://shop.example/a.png")'])(
    "keeps its own background on a page with %s, but not on an opaque card",
    (image) => {
      paint(document.body, { backgroundColor: "rgb(255, 255, 255)", backgroundImage: image });
      expect(resolve()).toEqual(["light", false]);
      paint(card, { backgroundColor: "rgb(255, 255, 255)" });
      expect(resolve()).toEqual(["light", true]);
    },
  );

  it("shows through only pages on which the theme's text is readable", () => {
    const steps = [0, 51, 102, 153, 178, 204, 229, 255];
    const pages = steps.flatMap((red) =>
      steps.flatMap((green) => steps.map((blue) => `rgb(${red}, ${green}, ${blue})`)),
    );
    const black: LinearColor = [0, 0, 0, 1];
    const white: LinearColor = [1, 1, 1, 1];
    const contrasts = { light: [] as number[], dark: [] as number[] };
    for (const page of pages) {
      paint(document.body, { backgroundColor: page });
      const { theme, transparent } = resolveAppearance({}, container);
      const [found, text] = theme === "dark" ? [contrasts.dark, white] : [contrasts.light, black];
      if (transparent) found.push(contrastOf(readCssColor(page) ?? text, text));
    }
    const { light, dark } = leastLuminanceBehind;
    expect(Math.min(...contrasts.light)).toBeGreaterThan(contrastOf([light, light, light, 1], black) - 0.2);
    expect(Math.min(...contrasts.dark)).toBeGreaterThan(contrastOf([dark, dark, dark, 1], white) - 0.2);
    expect(Math.min(contrasts.light.length, contrasts.dark.length)).toBeGreaterThan(10);
  });

  it("follows the color scheme if the color behind the container is unknown", () => {
    paint(document.body, { backgroundImage: "url(a.png)" });
    paint(container, { colorScheme: "dark" });
    expect(resolve()).toEqual(["dark", false]);
  });

  it("is dark on the browser's own dark canvas", () => {
    paint(document.documentElement, { colorScheme: "dark" });
    expect(resolve()).toEqual(["dark", true]);
  });

  it("keeps the theme that the merchant sets, on its own background if the page doesn't suit it", () => {
    expect([resolve("light"), resolve("dark"), resolve("flat"), resolve("none")]).toEqual([
      ["light", true],
      ["dark", false],
      ["light", true],
      ["light", true],
    ]);
    paint(document.body, { backgroundColor: "rgb(20, 22, 28)" });
    expect([resolve("light"), resolve("dark"), resolve("flat"), resolve("none")]).toEqual([
      ["light", false],
      ["dark", true],
      ["dark", true],
      ["dark", true],
    ]);
  });

  it("is found across shadow roots", () => {
    paint(document.body, { backgroundColor: "rgb(20, 22, 28)" });
    container = card.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
    expect(resolve()).toEqual(["dark", true]);
  });
});
