/** Contrast as WCAG reckons it. */
import { expect, test } from "vitest";
import { contrastOf } from "./contrast.ts";

test.each([
  ["black on white", [0, 0, 0, 1], [255, 255, 255, 1], 21],
  ["white on white", [255, 255, 255, 1], [255, 255, 255, 1], 1],
  ["#767676 on white, the lightest grey that is enough", [118, 118, 118, 1], [255, 255, 255, 1], 4.54],
  ["black that half lets white through", [0, 0, 0, 0.5], [255, 255, 255, 1], 3.98],
] as const)("%s", (_what, colour, ground, ratio) => {
  expect(contrastOf(colour, ground)).toBeCloseTo(ratio, 1);
});

test("the order does not matter", () => {
  expect(contrastOf([12, 92, 76, 1], [255, 255, 255, 1])).toBe(contrastOf([255, 255, 255, 1], [12, 92, 76, 1]));
});
