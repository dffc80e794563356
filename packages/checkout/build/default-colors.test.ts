import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaultColors } from "@oriel/protocol/color-contrast";
import { contrastOf, leastContrast, leastLuminanceBehind, type LinearColor } from "@oriel/protocol/contrast-rules";
import { decode, encode, readCssColor } from "@oriel/protocol/css-color";

const css = readFileSync(new URL("../src/checkout.css", import.meta.url), "utf8");

function read(color: string): LinearColor {
  const found = readCssColor(color);
  if (!found) throw new Error(`Not a color: ${color}`);
  return found;
}

/** A token's default in checkout.css. */
function defaultOf(name: string, theme: "light" | "dark"): LinearColor {
  const [, light = "", dark = ""] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css) ?? [];
  return read(theme === "light" ? light : dark);
}

/** `color-mix(in srgb, color share, transparent)` on a background. */
function mixed(color: LinearColor, share: number, ground: LinearColor): LinearColor {
  const mix = (part: 0 | 1 | 2) => decode(encode(color[part]) * share + encode(ground[part]) * (1 - share));
  return [mix(0), mix(1), mix(2), 1];
}

describe.each(["light", "dark"] as const)("the default colors of the %s theme", (theme) => {
  const behind = leastLuminanceBehind[theme];
  const grounds: [string, LinearColor][] = [
    ["its background", read(defaultColors[theme].colorBackground)],
    ["the least favorable page that shows through", [behind, behind, behind, 1]],
  ];
  it.each(grounds)("are readable on %s", (_what, ground) => {
    const [text, danger, note, primary] = (["colorText", "colorDanger", "note", "colorPrimary"] as const).map((name) =>
      defaultOf(name, theme),
    ) as [LinearColor, LinearColor, LinearColor, LinearColor];
    const pairs = {
      text: contrastOf(text, ground),
      muted: contrastOf(mixed(text, 0.7, ground), ground),
      primary: contrastOf(primary, ground),
      danger: contrastOf(danger, ground),
      note: contrastOf(note, ground),
      "danger in a notice": contrastOf(danger, mixed(danger, 0.08, ground)),
      "note in a notice": contrastOf(note, mixed(note, 0.12, ground)),
    };
    expect(Object.entries(pairs).filter(([, ratio]) => ratio < leastContrast)).toEqual([]);
  });
});
