/**
 * A page that the session lists and that turned bad chooses colors with which nobody sees the amount. Whatever it
 * chooses, and whichever way it tells the frame, Pay and the card fields are opaque and their text has a contrast of
 * 4.5 to 1. What was refused is named with the contrast that it has.
 */
import { expect, test, type FrameLocator, type Page } from "@playwright/test";
import { cards, pay } from "../checkout.ts";

import { appPage, attribute, pageAddress } from "../hosts/host-page.ts";
import { expectReady, expectSessionPaid, tillIn } from "../hosts/host-till.ts";
import { openSession } from "../hosts/sessions.ts";

type Appearance = NonNullable<Parameters<typeof window.checkout.update>[0]["appearance"]>;

/** What is asked for, and what the answer says. */
const attacks: Record<string, [appearance: Appearance, refusal: RegExp]> = {
  "transparent text": [{ variables: { colorText: "transparent" } }, /colorText \(must be opaque\)/],
  "text with little alpha": [{ variables: { colorText: "rgb(0 0 0 / 10%)" } }, /colorText \(must be opaque\)/],
  "a transparent Pay": [{ variables: { colorPrimary: "#ffffff00" } }, /colorPrimary \(must be opaque\)/],
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
  "a Pay in its own text's color": [{ variables: { colorPrimary: "currentcolor" } }, /colorPrimary \(can't be read\)/],
  // Its luminance is that of a dark color, and every screen shows a bright green.
  "a Pay in a color that no screen has": [{ variables: { colorPrimary: "lab(38% -10000 0)" } }, /colorPrimary/],
  "pictures for letters": [{ variables: { fontFamily: "Wingdings" } }, /fontFamily \(can't be read\)/],
};

/**
 * Contrast of the text in Pay and in a card field, and the least alpha of their grounds, as this browser draws them.
 */
async function drawn(till: FrameLocator) {
  const read = (element: Element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    if (!brush) throw new Error("Nothing can be drawn here");
    const channels = (drawnColor: string) => {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = drawnColor;
      brush.fillRect(0, 0, 1, 1);
      return [...brush.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (drawnColor: string) => {
      const [red = 0, green = 0, blue = 0] = channels(drawnColor).map((channel) => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [one, other] = [luminance(color), luminance(backgroundColor)];
    return {
      contrast: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05),
      alphas: [channels(color)[3], channels(backgroundColor)[3]],
    };
  };
  return await Promise.all(["oriel-pay", "oriel-number"].map((id) => till.getByTestId(id).evaluate(read)));
}

async function expectReadable(till: FrameLocator): Promise<void> {
  await expectReady(till);
  await expect
    .poll(() => drawn(till))
    .toEqual(Array.from({ length: 2 }, () => ({ contrast: expect.any(Number), alphas: [255, 255] })));
  // Colors change within a moment, where the form is animated.
  await expect
    .poll(async () => Math.min(...(await drawn(till)).map(({ contrast }) => contrast)))
    .toBeGreaterThanOrEqual(4.45);
}

async function openWith(page: Page, appearance?: Appearance) {
  const { embedUrl, sessionId } = await openSession();
  await page.goto(await pageAddress(appPage("esm", { embedUrl, appearance })));
  await expectReady(tillIn(page));
  return { sessionId, till: tillIn(page) };
}

for (const [what, [appearance, refusal]] of Object.entries(attacks)) {
  test(`attack: ${what} is refused by update(), with a reason, and Pay and the card fields can be read`, async ({
    page,
  }) => {
    const { till } = await openWith(page);
    const told = await page.evaluate(
      (wanted) => window.checkout.update({ appearance: wanted }).then(String, String),
      appearance,
    );
    expect(told).toMatch(/^TypeError: Oriel: refused appearance\.variables\./);
    expect(told).toMatch(refusal);
    await expectReadable(till);
  });
}

test("attack: options with such colors are refused on the console, and Pay and the card fields can be read", async ({
  page,
}) => {
  const warned = page.waitForEvent("console", (message) => message.type() === "warning");
  const { till } = await openWith(page, {
    variables: { colorText: "transparent", colorPrimary: "rgb(255 255 255 / 0)" },
  });
  expect((await warned).text()).toMatch(/colorPrimary \(must be opaque\).*colorText \(must be opaque\)/);
  await expectReadable(till);
});

test("attack: such colors in the frame's name, without a loader, are not worn once Pay can be pressed", async ({
  page,
}) => {
  const { embedUrl } = await openSession();
  const name = JSON.stringify({
    appearance: { variables: { colorText: "transparent", colorBackground: "transparent" } },
  });
  const frame = `<iframe name="${attribute(name)}" src="${attribute(embedUrl)}" width="600" height="700"></iframe>`;
  await page.goto(await pageAddress({ body: frame }));
  await expectReadable(tillIn(page));
});

const honest: Record<string, Appearance> = {
  "colors that can be read": {
    theme: "dark",
    variables: { colorPrimary: "#86dcc4", colorText: "#fff", colorBackground: "#101418" },
  },
  "a background that shows the page": { variables: { colorBackground: "transparent", colorText: "#1d1a16" } },
  "no colors of ours": { theme: "none" },
};

for (const [what, appearance] of Object.entries(honest)) {
  test(`control: with ${what}, nothing is refused, and the customer pays`, async ({ page }) => {
    const { till, sessionId } = await openWith(page);
    expect(
      await page.evaluate((wanted) => window.checkout.update({ appearance: wanted }).then(String, String), appearance),
    ).toBe("undefined");
    await expectReadable(till);
    await pay(till, cards.approved);
    await expectSessionPaid(sessionId);
  });
}
