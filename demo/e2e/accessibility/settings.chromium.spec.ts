/**
 * What a customer has set in the browser or the system, and the form is used all the same: 400 % zoom, colours of their
 * own. Chromium only: it plays both, and what is looked at is our layout and our styles.
 */
import { expect, test } from "@playwright/test";
import { layouts } from "./open-till.ts";
import { openIn, parts, states, type State } from "./states.ts";

/** The first of all states. */
const [form] = states as [State, ...State[]];

test.describe("at 400 % of 1280 by 1024", () => {
  // WCAG 2.2, 1.4.10: what is left of it in CSS pixels.
  test.use({ viewport: { width: 320, height: 256 } });

  for (const layout of layouts) {
    test(`${layout}: each field and Pay can be reached, with nothing over them`, async ({ page }) => {
      const { till } = await openIn(page, form, layout);
      for (const control of ["number", "expiry", "cvc", "pay", "testPanel"] as const)
        await parts[control](till).click({ trial: true });
    });
  }
});

test.describe("with colours of the customer's own", () => {
  test.use({ contextOptions: { forcedColors: "active" } });

  for (const layout of layouts) {
    test(`${layout}: what can be used has an edge, and what has the focus a ring`, async ({ page }) => {
      const { till } = await openIn(page, form, layout);
      for (const control of ["number", "expiry", "cvc", "pay"] as const) {
        const element = parts[control](till);
        await element.focus();
        const { edge, ring } = await element.evaluate((target) => {
          const { borderTopStyle, borderTopWidth, outlineStyle, outlineWidth } = getComputedStyle(target);
          return {
            edge: [borderTopStyle, Number.parseFloat(borderTopWidth)],
            ring: [outlineStyle, Number.parseFloat(outlineWidth)],
          };
        });
        expect(edge, `the edge of ${control}`).toEqual(["solid", expect.any(Number)]);
        expect(edge[1], `the edge of ${control}`).toBeGreaterThanOrEqual(1);
        expect(ring[0], `the ring of ${control}`).not.toBe("none");
        expect(ring[1], `the ring of ${control}`).toBeGreaterThanOrEqual(2);
      }
    });
  }
});
