/** The expected values are what Chromium computes for the same text with `color(from ... srgb-linear r g b)`. */
import { describe, expect, it } from "vitest";
import { readCssColor } from "./css-color.ts";

describe("readCssColor", () => {
  it.each<[string, number[]]>([
    ["#abc", [0.402, 0.4969, 0.6038, 1]],
    ["#abcd", [0.402, 0.4969, 0.6038, 0.8667]],
    ["#12345678", [0.006, 0.0343, 0.0931, 0.4706]],
    ["rebeccapurple", [0.1329, 0.0331, 0.3185, 1]],
    [" Gold ", [1, 0.6795, 0, 1]],
    ["transparent", [0, 0, 0, 0]],
    ["rgb(12 92 76)", [0.0037, 0.107, 0.0723, 1]],
    ["RGB(12, 92, 76, .5)", [0.0037, 0.107, 0.0723, 0.5]],
    ["rgba(10%, 20%, 30%, 40%)", [0.01, 0.0331, 0.0732, 0.4]],
    ["rgb(300 -5 12.5 / 80%)", [1, 0, 0.0038, 0.8]],
    ["hsl(200 50% 40%)", [0.0331, 0.1845, 0.3185, 1]],
    ["hsl(-1turn,100%,50%)", [1, 0, 0, 1]],
    ["hsla(3.5rad 20% 90% / .2)", [0.7484, 0.8, 0.8276, 0.2]],
    ["lab(52 40% -30)", [0.4891, 0.0921, 0.439, 1]],
    ["lab(3 1 2)", [0.0046, 0.003, 0.0018, 1]],
    ["lch(60% 50 200)", [-0.0852, 0.3833, 0.4191, 1]],
    ["lch(60 130% .3turn)", [0.0283, 0.3932, -0.1149, 1]],
    ["oklab(.6 .1 -.2)", [0.2842, 0.0917, 0.8919, 1]],
    ["oklch(50% 0.1 180)", [-0.012, 0.1786, 0.1311, 1]],
    ["oklch(70% .4 150deg)", [-0.3233, 0.6715, -0.0873, 1]],
    ["oklch(1.2 0 0)", [1, 1, 1, 1]],
  ])("reads %s", (text, expected) => {
    expect(readCssColor(text)).toEqual(expected.map((part) => expect.closeTo(part, 3)));
  });

  it.each([
    "",
    "banana",
    "CanvasText",
    "currentcolor",
    "constructor",
    "#12345",
    "#",
    "rgb(1 2)",
    "rgb(1,2 3)",
    "rgb(1 2 3, 4)",
    "hsl(1 2 3 4)",
    "lab(1,2,3)",
    "laba(1 2 3)",
    "oklch(1 2 3%)",
    "rgb(none 0 0)",
    "rgb(from red r g b)",
    "toString(1 2 3)",
  ])("returns null for %j", (text) => {
    expect(readCssColor(text)).toBeNull();
  });
});
