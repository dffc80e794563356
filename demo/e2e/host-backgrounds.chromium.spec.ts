/**
 * The form's background. On a page whose background suits the form's theme, the form has none of its own, so no
 * rectangle shows. On any other page, it has the theme's background. Its text has a contrast of at least 4.5:1 on both.
 * Pay and the card fields are opaque everywhere.
 */
import { expect, test } from "@playwright/test";
import { cards, typeCard } from "./checkout.ts";
import { expectSuitable, renderingOf, type Theme } from "./form-rendering.ts";
import { expectReady, formIn } from "./hosts/host-checkout.ts";
import { appPage, pageAddress } from "./hosts/host-page.ts";
import { openSession } from "./hosts/sessions.ts";

/** A transparent image, behind which the loader can't know the color. */
const picture = "url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)";

/** The page's CSS, and the themes with which the page shows through the form. */
const pages: Record<string, [css: string, seamless: Theme[]]> = {
  "white page": ["", ["auto", "light", "flat", "none"]],
  "tinted page": ["body { background: #f5ead8 }", ["auto", "light", "flat", "none"]],
  "page with a gradient": ["body { background: linear-gradient(#f5ead8, oklch(0.95 0.03 120)) }", ["none"]],
  "dark card in a white page": [
    "#app { background: oklch(0.2 0.03 260); padding: 8px }",
    ["auto", "dark", "flat", "none"],
  ],
  "page of medium lightness": ["body { background: #6f7f74 }", ["none"]],
  "page with a picture": [`body { background: ${picture} #f5ead8 }`, ["none"]],
};

test("on any page, text is readable with every theme, and a rectangle shows only if it must", async ({ page }) => {
  const { embedUrl } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl }, { head: "<style></style>" })));
  await expectReady(formIn(page));
  for (const [what, [css, seamless]] of Object.entries(pages)) {
    await test.step(what, async () => {
      await page.locator("style").evaluate((style, text) => (style.textContent = text), css);
      await expectSuitable(page, seamless);
    });
  }
});

test("a background that the merchant sets is opaque", async ({ page }) => {
  const { embedUrl } = await openSession();
  const appearance = { variables: { colorBackground: "#fffdf8" } };
  const head = "<style>body { background: #f5ead8 }</style>";
  await page.goto(await pageAddress(appPage("esm", { embedUrl, appearance }, { head })));
  await expectReady(formIn(page));
  await expect(formIn(page).locator("html")).toHaveCSS("background-color", "rgb(255, 253, 248)");
});

test("text in a color that is too pale for the page is on the theme's background", async ({ page }) => {
  const { embedUrl } = await openSession();
  const head = "<style>body { background: #f5ead8 }</style>";
  await page.goto(await pageAddress(appPage("esm", { embedUrl }, { head })));
  await expectReady(formIn(page));
  expect((await renderingOf(page)).isSeamless).toBe(true);
  await page.evaluate(() => window.checkout.update({ appearance: { variables: { colorText: "#707070" } } }));
  await expect.poll(() => renderingOf(page)).toMatchObject({ isSeamless: false, isReadable: true });
});

test("the form follows a page that turns dark by a class, without losing what was typed", async ({ page }) => {
  const { embedUrl } = await openSession();
  const head =
    "<style>body { background: #f5ead8; transition: background 0.3s } .night { background: #14161c }</style>";
  await page.goto(await pageAddress(appPage("esm", { embedUrl }, { head })));
  const form = formIn(page);
  await typeCard(form, cards.approved);
  await page.evaluate(() => document.body.classList.add("night"));
  await expect(form.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect.poll(() => renderingOf(page)).toMatchObject({ isSeamless: true, isReadable: true });
  await expect(form.getByTestId("oriel-number")).not.toHaveValue("");
});

test("the full page has its own background", async ({ page }) => {
  const { embedUrl } = await openSession();
  await page.goto(embedUrl);
  await expect(page.getByTestId("oriel-pay")).toBeEnabled();
  for (const element of ["html", "main"]) {
    await expect(page.locator(element)).not.toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
  }
});

test("a challenge over the page has a background on which its text is readable", async ({ page }) => {
  const { embedUrl } = await openSession();
  const options = {
    embedUrl,
    threeDS: { presentation: "overlay" },
    appearance: { theme: "light", variables: { colorBackground: "transparent", colorText: "#fff" } },
  };
  const head = "<style>body { background: #14161c }</style>";
  await page.goto(await pageAddress(appPage("esm", options, { head })));
  const form = formIn(page);
  await typeCard(form, cards.challenge);
  await form.getByTestId("oriel-pay").press("Enter");
  await expect(form.locator("html")).toHaveClass(/grown/);
  await expect(form.locator("#bank-title")).toHaveCSS("color", "rgb(255, 255, 255)");
  await expect(form.locator("html")).toHaveCSS("background-color", /rgb\(0, 0, 0\)|color\(srgb 0 0 0\)/);
});
