/**
 * A malicious page on an allowed origin chooses colors that make the amount unreadable. Whatever colors it chooses, and
 * however it sends them to the iframe, Pay and the card fields stay opaque, and their text has a contrast of at least
 * 4.5:1. A refused color is reported with its contrast.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, pay } from "../checkout.ts";
import { expectReady, expectSessionPaid, formIn } from "../hosts/host-checkout.ts";
import { appPage, pageAddress } from "../hosts/host-page.ts";
import { openSession } from "../hosts/sessions.ts";
import { expectReadable } from "./expect-readable.ts";

type Appearance = NonNullable<Parameters<typeof window.checkout.update>[0]["appearance"]>;

/** The requested colors, and the expected response. */
const attacks: Record<string, [appearance: Appearance, refusal: RegExp]> = {
  "transparent text": [{ variables: { colorText: "transparent" } }, /colorText \(must be opaque\)/],
  "text with little alpha": [{ variables: { colorText: "rgb(0 0 0 / 10%)" } }, /colorText \(must be opaque\)/],
  "a transparent Pay button": [{ variables: { colorPrimary: "#ffffff00" } }, /colorPrimary \(must be opaque\)/],
  "everything transparent": [
    { variables: { colorText: "transparent", colorPrimary: "transparent", colorBackground: "transparent" } },
    /colorPrimary \(must be opaque\).*colorText \(must be opaque\)/,
  ],
  "text in the background's color": [
    { theme: "light", variables: { colorText: "#fff", colorBackground: "#fff" } },
    /colorText \(contrast 1\.\d\d:1, at least 4\.5:1 needed\).*colorBackground \(contrast 1\.\d\d:1/,
  ],
  "pale text on our own background": [
    { theme: "light", variables: { colorText: "#999" } },
    /colorText \(contrast 2\.84:1, at least 4\.5:1 needed\)/,
  ],
  "a dark background below our own dark text": [
    { theme: "light", variables: { colorBackground: "#222" } },
    /colorBackground \(contrast 1\.\d\d:1/,
  ],
  "placeholders in the fields' color": [
    { theme: "light", variables: { colorTextPlaceholder: "#fff" } },
    /colorTextPlaceholder \(contrast 1\.\d\d:1/,
  ],
  "a Pay button in its text's color": [
    { variables: { colorPrimary: "currentcolor" } },
    /colorPrimary \(can't be read\)/,
  ],
  // Its luminance is that of a dark color, but screens show a bright green.
  "a Pay button in a color outside any screen's gamut": [
    { variables: { colorPrimary: "lab(38% -10000 0)" } },
    /colorPrimary/,
  ],
  "a symbol font": [{ variables: { fontFamily: "Wingdings" } }, /fontFamily \(can't be read\)/],
};

async function openWith(page: Page, appearance?: Appearance) {
  const { embedUrl, sessionId } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl, appearance })));
  await expectReady(formIn(page));
  return { sessionId, embedUrl, form: formIn(page) };
}

/** Loads the iframe again, because it keeps the colors that it was given. */
async function openAgain(page: Page, embedUrl: string): Promise<void> {
  await page.evaluate(() => window.checkout.destroy());
  await expect(page.locator("iframe")).toHaveCount(0);
  await page.evaluate((url) => {
    window.checkout = window.embed.createCheckout({ embedUrl: url }).mount("#app");
  }, embedUrl);
  await expectReady(formIn(page));
}

/** The error of `update()`, or "undefined". */
function update(page: Page, appearance: Appearance): Promise<string> {
  return page.evaluate((wanted) => window.checkout.update({ appearance: wanted }).then(String, String), appearance);
}

test("attack: such colors are refused by update() with a reason, and Pay and the card fields stay readable", async ({
  page,
}) => {
  const { form, embedUrl } = await openWith(page);
  for (const [what, [appearance, refusal]] of Object.entries(attacks)) {
    await test.step(what, async () => {
      await openAgain(page, embedUrl);
      const message = await update(page, appearance);
      expect(message).toMatch(/^TypeError: Oriel: refused appearance\.variables\./);
      expect(message).toMatch(refusal);
      await expectReadable(form);
    });
  }
});

test("attack: options with such colors are refused with a console message, and Pay and the card fields stay readable", async ({
  page,
}) => {
  const warned = page.waitForEvent("console", (message) => message.type() === "warning");
  const { form } = await openWith(page, {
    variables: { colorText: "transparent", colorPrimary: "rgb(255 255 255 / 0)" },
  });
  expect((await warned).text()).toMatch(/colorPrimary \(must be opaque\).*colorText \(must be opaque\)/);
  await expectReadable(form);
});

const honest: Record<string, Appearance> = {
  "readable colors": {
    theme: "dark",
    variables: { colorPrimary: "#86dcc4", colorText: "#fff", colorBackground: "#101418" },
  },
  "a background that shows the page": { variables: { colorBackground: "transparent", colorText: "#1d1a16" } },
  "theme none": { theme: "none" },
};

test("control: honest colors are accepted, and the customer pays", async ({ page }) => {
  const { form, embedUrl, sessionId } = await openWith(page);
  for (const [what, appearance] of Object.entries(honest)) {
    await test.step(what, async () => {
      await openAgain(page, embedUrl);
      expect(await update(page, appearance)).toBe("undefined");
      await expectReadable(form);
    });
  }
  await pay(form, cards.approved);
  await expectSessionPaid(sessionId);
});
