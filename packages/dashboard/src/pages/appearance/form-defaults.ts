/**
 * The form's defaults (`checkout.css`), in light and dark. The editor shows them as placeholders, computes contrasts
 * with them, and sends them to the iframe when a token is cleared, because the iframe merges what it receives and can't
 * unset a token.
 */
import type { AppearanceVariable } from "@oriel/protocol/appearance-settings";
import { defaultColors, type Scheme } from "@oriel/protocol/color-contrast";

export type { Scheme };

const sizes = {
  fontFamily: "system-ui, sans-serif",
  fontSizeBase: "16px",
  spacingUnit: "4px",
  borderRadius: "0.625rem",
};

export const formDefaults: Readonly<Record<Scheme, Readonly<Record<AppearanceVariable, string>>>> = {
  light: {
    ...defaultColors.light,
    colorDanger: "#a8261d",
    // 70% of the text color and 30% of the field's background, because text in fields must be opaque.
    colorTextPlaceholder: "#5b6361",
    focusRing: "rgb(12 92 76 / 25%)",
    ...sizes,
  },
  dark: {
    ...defaultColors.dark,
    colorDanger: "#ffb3a8",
    colorTextPlaceholder: "#aaafae",
    focusRing: "rgb(134 220 196 / 25%)",
    ...sizes,
  },
};
