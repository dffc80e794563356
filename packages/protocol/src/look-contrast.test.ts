import { describe, expect, it } from "vitest";
import type { FrameAppearance } from "./frame-looks.ts";
import { faultsOfLook } from "./look-contrast.ts";
import { contrastOf } from "./look-rules.ts";

describe("the contrast of two colors", () => {
  it.each([
    ["black on white", [0, 0, 0, 1], [1, 1, 1, 1], 21],
    ["white on white", [1, 1, 1, 1], [1, 1, 1, 1], 1],
    ["#767676 on white, the lightest grey that is enough", [0.1812, 0.1812, 0.1812, 1], [1, 1, 1, 1], 4.54],
    ["what no screen has, which is clipped", [-7.9, 2.6, -0.1, 1], [1, 1, 1, 1], 1.37],
  ] as const)("is that of WCAG: %s", (_what, one, other, ratio) => {
    expect(contrastOf(one, other)).toBe(ratio);
    expect(contrastOf(other, one)).toBe(ratio);
  });

  it("is not a number if a color is missing", () => {
    expect(contrastOf([Number.NaN, 0, 0, 1], [1, 1, 1, 1])).toBeNaN();
  });
});

describe("an appearance", () => {
  it.each<[string, FrameAppearance]>([
    ["that sets nothing", {}],
    ["of each style of ours", { style: "none" }],
    ["with a Pay of any opaque color: its label is black or white", { variables: { colorPrimary: "#777" } }],
    ["whose text reads in both schemes", { variables: { colorText: "#1d1a16", colorBackground: "#fffdf8" } }],
    ["with dark text, where it is always light", { theme: "light", variables: { colorText: "#595959" } }],
    [
      "with text as dark as the page that shows through",
      { variables: { colorBackground: "transparent", colorText: "#000" } },
    ],
    ["of no style, with white text", { style: "none", variables: { colorText: "white" } }],
    [
      "with alpha where no text of Pay or the fields is",
      { variables: { focusRing: "#0003", colorDanger: "rgb(200 0 0 / 90%)" } },
    ],
    ["with placeholders that read", { theme: "light", variables: { colorTextPlaceholder: "#666" } }],
  ])("%s is fine", (_what, appearance) => {
    expect(faultsOfLook(appearance)).toEqual([]);
  });

  it.each<[string, FrameAppearance, string[], string]>([
    [
      "transparent text",
      { variables: { colorText: "transparent" } },
      ["colorText"],
      "`colorText` must be opaque, but its alpha is 0.",
    ],
    [
      "a Pay with alpha",
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
      "text in the color of its ground",
      { theme: "light", variables: { colorText: "#fff", colorBackground: "white" } },
      ["colorText", "colorBackground"],
      "`colorText` (#fff) on `colorBackground` (white) has a contrast of 1.00:1 in the light theme. It must be at least 4.5:1.",
    ],
    [
      "text a little too pale",
      { theme: "light", variables: { colorText: "#777777" } },
      ["colorText"],
      "`colorText` (#777777) on `colorBackground` (#ffffff) has a contrast of 4.47:1 in the light theme. It must be at least 4.5:1.",
    ],
    [
      "text that reads in one scheme only",
      { variables: { colorText: "#222" } },
      ["colorText"],
      "`colorText` (#222) on `colorBackground` (#141a19) has a contrast of 1.10:1 in the dark theme. It must be at least 4.5:1.",
    ],
    [
      "a ground on which our own text does not read",
      { theme: "dark", variables: { colorBackground: "#fff" } },
      ["colorBackground"],
      "`colorText` (#edf2f0) on `colorBackground` (#fff) has a contrast of 1.13:1 in the dark theme. It must be at least 4.5:1.",
    ],
    [
      "placeholders in the fields' color",
      { theme: "light", variables: { colorTextPlaceholder: "#fefefe" } },
      ["colorTextPlaceholder"],
      "`colorTextPlaceholder` (#fefefe) on the card fields (from `colorBackground`, #ffffff) has a contrast of 1.00:1 in the light theme. It must be at least 4.5:1.",
    ],
    [
      "a Pay in a color that no screen has, whose label would be as bright",
      { variables: { colorPrimary: "lab(38% -10000 0)" } },
      ["colorPrimary"],
      "Pay's label on `colorPrimary` (lab(38% -10000 0)) has a contrast of 1.37:1 in the light theme. It must be at least 4.5:1.",
    ],
    [
      "a color that cannot be computed",
      { variables: { colorDanger: "CanvasText" } },
      ["colorDanger"],
      "`colorDanger` can't be read. Use a hex, rgb(), hsl(), lab(), lch(), oklab() or oklch() color, or a color's name.",
    ],
    [
      "a font of pictures",
      { variables: { fontFamily: "Webdings, serif" } },
      ["fontFamily"],
      "`fontFamily` names a font without letters.",
    ],
  ])("with %s is at fault, and the sentence says how", (_what, appearance, variables, message) => {
    expect(faultsOfLook(appearance)[0]).toEqual({ variables, message });
  });

  it("judges text by the fields as well where the page shows through a little", () => {
    const variables = { colorText: "#fff", colorBackground: "rgb(255 255 255 / 90%)" };
    expect(faultsOfLook({ theme: "light", variables })).toEqual([
      {
        variables: ["colorText", "colorBackground"],
        message: expect.stringContaining("on the card fields (from `colorBackground`, rgb(255 255 255 / 90%))"),
      },
    ]);
  });
});
