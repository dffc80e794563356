/**
 * A dark page's background behind the form. Browsers paint an opaque canvas into an iframe whose color scheme differs
 * from the page's. The other backgrounds are in `host-backgrounds.chromium.spec.ts`.
 */
import { test } from "@playwright/test";
import { expectReady, tillIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";
import { expectSuitable } from "./look-at-form.ts";

test("on a dark page with a color scheme, text is readable with every theme, and a rectangle shows only if it must", async ({
  page,
}) => {
  const { embedUrl } = await openSession();
  const head = "<style>:root { color-scheme: dark }</style>";
  await page.goto(await pageAddress(appPage("esm", { embedUrl }, { head })));
  await expectReady(tillIn(page));
  await expectSuitable(page, ["auto", "dark", "flat", "none"]);
});
