/**
 * Settings of the customer's browser or system: 400% zoom and custom colors. Chromium only, because it can emulate
 * both, and only our layout and styles are tested.
 */
import { expect, test } from "@playwright/test";
import { layouts } from "./open-checkout.ts";
import { openIn, parts, states, type State } from "./states.ts";

/** The first state is the empty form. */
const [emptyForm] = states as [State, ...State[]];

test.describe("at 400% zoom of 1280 by 1024", () => {
  // The remaining size in CSS pixels, as in WCAG 2.2, 1.4.10.
  test.use({ viewport: { width: 320, height: 256 } });

  for (const layout of layouts) {
    test(`${layout}: each field and the Pay button can be reached and aren't covered`, async ({ page }) => {
      const { form } = await openIn(page, emptyForm, layout);
      for (const control of ["number", "expiry", "cvc", "pay", "testPanel"] as const)
        await parts[control](form).click({ trial: true });
    });
  }
});

test.describe("with custom colors", () => {
  test.use({ contextOptions: { forcedColors: "active" } });

  for (const layout of layouts) {
    test(`${layout}: controls have a border, and the focused one has a ring`, async ({ page }) => {
      const { form } = await openIn(page, emptyForm, layout);
      for (const control of ["number", "expiry", "cvc", "pay"] as const) {
        const element = parts[control](form);
        await element.focus();
        const { edge, ring } = await element.evaluate((target) => {
          const { borderTopStyle, borderTopWidth, outlineStyle, outlineWidth } = getComputedStyle(target);
          return {
            edge: [borderTopStyle, Number.parseFloat(borderTopWidth)],
            ring: [outlineStyle, Number.parseFloat(outlineWidth)],
          };
        });
        expect(edge, `the border of ${control}`).toEqual(["solid", expect.any(Number)]);
        expect(edge[1], `the border of ${control}`).toBeGreaterThanOrEqual(1);
        expect(ring[0], `the ring of ${control}`).not.toBe("none");
        expect(ring[1], `the ring of ${control}`).toBeGreaterThanOrEqual(2);
      }
    });
  }
});
