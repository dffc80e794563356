/** How the form looks in front of a page. */
import { expect, type Page } from "@playwright/test";
import { formIn } from "./hosts/host-checkout.ts";

const themes = ["auto", "light", "dark", "flat", "none"] as const;
export type Theme = (typeof themes)[number];

/**
 * Expects readable text with every theme, and a rectangle unless the theme suits the page.
 *
 * @param seamless the themes with which the page shows through the form
 */
export async function expectSuitable(page: Page, seamless: Theme[]): Promise<void> {
  for (const theme of themes) {
    await page.evaluate((wanted) => window.checkout.update({ appearance: { theme: wanted } }), theme);
    await expect
      .poll(() => renderingOf(page), { message: theme })
      .toEqual({ isSeamless: seamless.includes(theme), isReadable: true, alphas: [1, 1, 1] });
  }
}

/** How the form looks at its upper left corner, where its background shows next to the page's. */
export async function renderingOf(page: Page) {
  const frame = page.locator("#app iframe");
  const { x = 0, y = 0 } = (await frame.boundingBox()) ?? {};
  const clip = { x: x - 4, y: y + 40, width: 8, height: 1 };
  const shot = (await page.screenshot({ animations: "disabled", clip })).toString("base64");
  const [inside, outside] = await page.evaluate(
    async ({ shot, points }) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${shot}`)).blob());
      const brush = new OffscreenCanvas(image.width, image.height).getContext("2d");
      if (!brush) throw new Error("No 2D context");
      brush.drawImage(image, 0, 0);
      return points.map(([left, top]) => Array.from(brush.getImageData(left, top, 1, 1).data).slice(0, 3));
    },
    { shot, points: [[6, 0] as const, [2, 0] as const] },
  );
  const { color, alphas } = await formIn(page)
    .locator("main")
    .evaluate((main) => {
      const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      if (!brush) throw new Error("No 2D context");
      const draw = (drawn: string) => {
        brush.clearRect(0, 0, 1, 1);
        brush.fillStyle = drawn;
        brush.fillRect(0, 0, 1, 1);
        return [...brush.getImageData(0, 0, 1, 1).data];
      };
      const amount = main.querySelector("#amount") ?? main;
      const opaque = ["#pay", "#number", "#cvc"].map((id) => {
        const element = main.querySelector(id);
        return (draw(element ? getComputedStyle(element).backgroundColor : "transparent")[3] ?? 0) / 255;
      });
      return { color: draw(getComputedStyle(amount).color).slice(0, 3), alphas: opaque };
    });
  if (!inside || !outside) throw new Error("No pixels");
  const isSeamless = inside.every((channel, index) => Math.abs(channel - (outside[index] ?? 0)) <= 3);
  const [darker = 0, lighter = 0] = [luminance(color), luminance(inside)].toSorted((one, other) => one - other);
  return { isSeamless, isReadable: (lighter + 0.05) / (darker + 0.05) >= 4.5, alphas };
}

function luminance(rgb: number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
