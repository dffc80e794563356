/**
 * Dark pages' backgrounds behind the form. Browsers paint an opaque canvas into an iframe whose color scheme differs
 * from the page's. The other backgrounds are in `host-backgrounds.chromium.spec.ts`.
 */
import { test } from "@playwright/test";
import { expectSuitable } from "./form-rendering.ts";
import { expectReady, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

/** The page's CSS. */
const pages: Record<string, string> = {
  "with a color scheme": ":root { color-scheme: dark }",
  "without a color scheme": "body { background: #14161c }",
};

test("on a dark page, text is readable with every theme, and a rectangle shows only if it must", async ({ page }) => {
  const { embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl }, { head: "<style></style>" })));
  await expectReady(formIn(page));
  for (const [what, css] of Object.entries(pages)) {
    await test.step(what, async () => {
      await page.locator("style").evaluate((style, text) => (style.textContent = text), css);
      await expectSuitable(page, ["auto", "dark", "flat", "none"]);
    });
  }
});
