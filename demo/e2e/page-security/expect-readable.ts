/** Whether a customer can read Pay and the card fields, as rendered by this browser. */
import { expect, type FrameLocator } from "@playwright/test";
import { expectReady } from "../hosts/host-checkout.ts";

/**
 * The contrast of the text in Pay and in a card field, and the lowest alpha of their backgrounds, as rendered by this
 * browser.
 */
async function drawn(form: FrameLocator) {
  const read = (element: Element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    if (!brush) throw new Error("No 2D context");
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
  return await Promise.all(["oriel-pay", "oriel-number"].map((id) => form.getByTestId(id).evaluate(read)));
}

/** Expects opaque colors, and a contrast of at least 4.5:1. */
export async function expectReadable(form: FrameLocator): Promise<void> {
  await expectReady(form);
  await expect
    .poll(() => drawn(form))
    .toEqual(Array.from({ length: 2 }, () => ({ contrast: expect.any(Number), alphas: [255, 255] })));
  // If the form is animated, colors take a moment to change.
  await expect
    .poll(async () => Math.min(...(await drawn(form)).map(({ contrast }) => contrast)))
    .toBeGreaterThanOrEqual(4.45);
}
