/**
 * How the form looks where no token is set, as its own style sheet says (`checkout.css`), in light and dark. The editor shows these as what stands there, reckons
 * contrasts with them, and gives them to the frame for a token that was taken back: the frame adds up what it is told, and cannot be told of nothing.
 */
import type { AppearanceVariable } from "@oriel/protocol/frame-looks";

export type Scheme = "light" | "dark";

export const formDefaults: Readonly<Record<Scheme, Readonly<Record<AppearanceVariable, string>>>> = {
  light: {
    colorPrimary: "#0c5c4c",
    colorBackground: "#ffffff",
    colorText: "#15201d",
    colorDanger: "#a8261d",
    colorTextPlaceholder: "rgb(21 32 29 / 70%)",
    focusRing: "rgb(12 92 76 / 25%)",
    fontFamily: "system-ui, sans-serif",
    fontSizeBase: "16px",
    spacingUnit: "4px",
    borderRadius: "0.625rem",
  },
  dark: {
    colorPrimary: "#86dcc4",
    colorBackground: "#141a19",
    colorText: "#edf2f0",
    colorDanger: "#ffb3a8",
    colorTextPlaceholder: "rgb(237 242 240 / 70%)",
    focusRing: "rgb(134 220 196 / 25%)",
    fontFamily: "system-ui, sans-serif",
    fontSizeBase: "16px",
    spacingUnit: "4px",
    borderRadius: "0.625rem",
  },
};
