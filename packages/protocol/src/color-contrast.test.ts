import { describe, expect, it } from "vitest";
import type { FrameAppearance } from "./appearance-settings.ts";
import { faultsOfAppearance } from "./color-contrast.ts";
import { contrastOf } from "./contrast-rules.ts";

describe("contrastOf", () => {
  it.each([
    ["black on white", [0, 0, 0, 1], [1, 1, 1, 1], 21],
    ["white on white", [1, 1, 1, 1], [1, 1, 1, 1], 1],
    ["#767676 on white, the lightest sufficient gray", [0.1812, 0.1812, 0.1812, 1], [1, 1, 1, 1], 4.54],
    ["out-of-gamut colors, which are clipped", [-7.9, 2.6, -0.1, 1], [1, 1, 1, 1], 1.37],
  ] as const)("matches WCAG: %s", (_what, one, other, ratio) => {
    expect(contrastOf(one, other)).toBe(ratio);
    expect(contrastOf(other, one)).toBe(ratio);
  });

  it("returns NaN if a component is missing", () => {
    expect(contrastOf([Number.NaN, 0, 0, 1], [1, 1, 1, 1])).toBeNaN();
  });
});

describe("faultsOfAppearance", () => {
  it.each<[string, FrameAppearance]>([
    ["no settings", {}],
    ["style `none`", { style: "none" }],
    ["a Pay button in any opaque color, because its label is black or white", { variables: { colorPrimary: "#777" } }],
    ["text that is readable in both themes", { variables: { colorText: "#1d1a16", colorBackground: "#fffdf8" } }],
    ["dark text in the light theme", { theme: "light", variables: { colorText: "#595959" } }],
    ["dark text on a transparent background", { variables: { colorBackground: "transparent", colorText: "#000" } }],
    ["style `none` with white text", { style: "none", variables: { colorText: "white" } }],
    [
      "alpha in colors that Pay and the fields' text don't use",
      { variables: { focusRing: "#0003", colorDanger: "rgb(200 0 0 / 90%)" } },
    ],
    ["readable placeholders", { theme: "light", variables: { colorTextPlaceholder: "#666" } }],
  ])("accepts %s", (_what, appearance) => {
    expect(faultsOfAppearance(appearance)).toEqual([]);
  });

  it.each<[string, FrameAppearance, string[], string]>([
    [
      "transparent text",
      { variables: { colorText: "transparent" } },
      ["colorText"],
      "`colorText` must be opaque, but its alpha is 0.",
    ],
    [
      "a Pay button with alpha",
      { variables: { colorPrimary: "rgb(12 92 76 / 80%)" } },
      ["colorPrimary"],
      "`colorPrimary` must be opaque, but its alpha is 0.8.",
    ],
    [
      "placeholders with alpha",
      { variables: { colorTextPlaceholder: "#0008" } },
      ["colorTextPlaceholder"],
      "`colorTextPlaceholder` must be opaque, but its alpha is 0.53.",
    ],
    [
      "text in its background color",
      { theme: "light", variables: { colorText: "#fff", colorBackground: "white" } },
      ["colorText", "colorBackground"],
      "`colorText` (#fff) on `colorBackground` (white) has a contrast ratio of 1.00:1 in the light theme. The ratio must be at least 4.5:1.",
    ],
    [
      "text with slightly too little contrast",
      { theme: "light", variables: { colorText: "#777777" } },
      ["colorText"],
      "`colorText` (#777777) on `colorBackground` (#ffffff) has a contrast ratio of 4.47:1 in the light theme. The ratio must be at least 4.5:1.",
    ],
    [
      "text that is readable in only one theme",
      { variables: { colorText: "#222" } },
      ["colorText"],
      "`colorText` (#222) on `colorBackground` (#141a19) has a contrast ratio of 1.10:1 in the dark theme. The ratio must be at least 4.5:1.",
    ],
    [
      "a background that makes the default text unreadable",
      { theme: "dark", variables: { colorBackground: "#fff" } },
      ["colorBackground"],
      "`colorText` (#edf2f0) on `colorBackground` (#fff) has a contrast ratio of 1.13:1 in the dark theme. The ratio must be at least 4.5:1.",
    ],
    [
      "placeholders in the fields' background color",
      { theme: "light", variables: { colorTextPlaceholder: "#fefefe" } },
      ["colorTextPlaceholder"],
      "`colorTextPlaceholder` (#fefefe) on the card fields (derived from `colorBackground`, #ffffff) has a contrast ratio of 1.00:1 in the light theme. The ratio must be at least 4.5:1.",
    ],
    [
      "a Pay button in an out-of-gamut color with too little contrast to its label",
      { variables: { colorPrimary: "lab(38% -10000 0)" } },
      ["colorPrimary"],
      "The Pay button's label on `colorPrimary` (lab(38% -10000 0)) has a contrast ratio of 1.37:1 in the light theme. The ratio must be at least 4.5:1.",
    ],
    [
      "a color that can't be computed",
      { variables: { colorDanger: "CanvasText" } },
      ["colorDanger"],
      "`colorDanger` isn't a valid color. Use a hex, rgb(), hsl(), lab(), lch(), oklab() or oklch() color, or a color name.",
    ],
    [
      "a symbol font",
      { variables: { fontFamily: "Webdings, serif" } },
      ["fontFamily"],
      "`fontFamily` is set to an icon font. Use a font that has letters.",
    ],
  ])("reports %s", (_what, appearance, variables, message) => {
    expect(faultsOfAppearance(appearance)[0]).toEqual({ variables, message });
  });

  it("also checks text against the card fields if the background is translucent", () => {
    const variables = { colorText: "#fff", colorBackground: "rgb(255 255 255 / 90%)" };
    expect(faultsOfAppearance({ theme: "light", variables })).toEqual([
      {
        variables: ["colorText", "colorBackground"],
        message: expect.stringContaining("on the card fields (derived from `colorBackground`, rgb(255 255 255 / 90%))"),
      },
    ]);
  });
});
