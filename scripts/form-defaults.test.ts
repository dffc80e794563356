/** Checks that the defaults in the dashboard's appearance editor match the form's style sheet. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formDefaults, type Scheme } from "../packages/dashboard/src/pages/appearance/form-defaults.ts";

const css = readFileSync("packages/checkout/src/checkout.css", "utf8");
const root = css.slice(css.indexOf(":root {"), css.indexOf("}"));

/** Returns a token's value in the style sheet. */
function written(name: string): string {
  return new RegExp(`--${name}: (.+);`).exec(root)?.[1] ?? "";
}

/** Returns one of the colors in `light-dark(#0c5c4c, #86dcc4)`, in six digits, and any other value unchanged. */
function inScheme(value: string, scheme: Scheme): string {
  const [, light = "", dark = ""] = /^light-dark\((#\w+), (#\w+)\)$/.exec(value) ?? [value, value, value];
  const color = scheme === "light" ? light : dark;
  return color.replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
}

/**
 * Returns the color of `color-mix(in srgb, var(--colorText) 70%, transparent)` on a field, whose color is three parts
 * background and one part black or white.
 */
function onField(value: string, scheme: Scheme): string {
  const [, name = "", percent = ""] = /^color-mix\(in srgb, var\(--(\w+)\) (\d+)%, transparent\)$/.exec(value) ?? [];
  const share = Number(percent) / 100;
  const parts = (token: string) => inScheme(written(token), scheme).match(/[\da-f]{2}/g) ?? [];
  const grounds = parts("colorBackground").map(
    (part) => Number.parseInt(part, 16) * 0.75 + (scheme === "light" ? 255 : 0) * 0.25,
  );
  const mixed = parts(name).map((part, at) => Number.parseInt(part, 16) * share + (grounds[at] ?? 0) * (1 - share));
  return `#${mixed.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Splits `color-mix(in srgb, var(--colorText) 70%, transparent)` into the color and its share. */
function mixed(value: string, scheme: Scheme): string {
  const [, name = "", percent = ""] = /^color-mix\(in srgb, var\(--(\w+)\) (\d+)%, transparent\)$/.exec(value) ?? [];
  const parts = inScheme(written(name), scheme).match(/[\da-f]{2}/g) ?? [];
  return `rgb(${parts.map((part) => Number.parseInt(part, 16)).join(" ")} / ${percent}%)`;
}

test.each(["light", "dark"] as const)("every %s default in the editor matches the form's style sheet", (scheme) => {
  const { colorTextPlaceholder, focusRing, ...plain } = formDefaults[scheme];
  for (const [name, value] of Object.entries(plain))
    expect({ name, value }).toEqual({ name, value: inScheme(written(name), scheme) });
  expect(written("colorTextPlaceholder")).toBe("var(--muted)");
  expect(colorTextPlaceholder).toBe(onField(written("muted"), scheme));
  expect(focusRing).toBe(mixed(written("focusRing"), scheme));
});
