/** Whether colours stand out from each other: WCAG 2.2, 1.4.3, where text needs 4.5 to 1. */

/** Red, green, blue from 0 to 255, opacity from 0 to 1. */
export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

export const enoughForText = 4.5;

/** From 1 (alike) to 21 (black on white). A colour that lets the ground through is mixed with it. */
export function contrastOf(colour: Rgba, ground: Rgba): number {
  const [one, other] = [luminanceOf(over(colour, ground)), luminanceOf(ground)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Any colour of CSS, as this browser draws it; null for what is none, and where nothing can be drawn. */
export function readColour(text: string): Rgba | null {
  // In a function, so that `inherit` and its like do not pass; the frame asks the same.
  if (!CSS.supports("color", `color-mix(in srgb, ${text}, red)`)) return null;
  const brush = new OffscreenCanvas(1, 1).getContext("2d");
  if (brush === null) return null;
  brush.fillStyle = text;
  brush.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = brush.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

function over([red, green, blue, alpha]: Rgba, ground: Rgba): Rgba {
  const mix = (upper: number, lower: number) => upper * alpha + lower * (1 - alpha);
  return [mix(red, ground[0]), mix(green, ground[1]), mix(blue, ground[2]), 1];
}

function luminanceOf([red, green, blue]: Rgba): number {
  const linear = (part: number) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
