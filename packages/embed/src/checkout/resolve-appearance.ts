/**
 * Converts the host page's appearance to tokens for the iframe, which can't see the page around it.
 *
 * `theme: "auto"` follows the page's `color-scheme`, not the device's, so a shop without a dark theme gets no dark
 * form. `inherit` uses the container's computed style. Both are updated when the device's color scheme or the
 * attributes of `<html>` change.
 */
import type { FrameAppearance } from "@oriel/protocol/appearance-settings";
import type { Appearance } from "./checkout-options.ts";
import { rootElement } from "../host-document.ts";

export function resolveAppearance(
  { theme = "auto", inherit = false, ...given }: Appearance,
  container: Element,
): FrameAppearance {
  const computed = getComputedStyle(container);
  const scheme = theme === "light" || theme === "dark" ? theme : schemeOf(computed);
  return {
    ...given,
    theme: scheme,
    ...((theme === "flat" || theme === "none") && { style: theme }),
    ...(inherit && { variables: { ...variablesOf(computed), ...given.variables } }),
  };
}

/**
 * Calls `changed` when the page's appearance may have changed, at most ten times a second, because some pages write to
 * `<html>` on every scroll.
 * @returns a function that stops watching
 */
export function watchLooks(changed: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      changed();
    }, 100);
  };
  const device = matchMedia(prefersDark);
  const attributes = new MutationObserver(later);
  device.addEventListener("change", later);
  attributes.observe(rootElement(), { attributes: true });
  return () => {
    clearTimeout(timer);
    device.removeEventListener("change", later);
    attributes.disconnect();
  };
}

const prefersDark = "(prefers-color-scheme: dark)";

function schemeOf({ colorScheme }: CSSStyleDeclaration): "light" | "dark" {
  const isDark = /dark/.test(colorScheme) && (!/light/.test(colorScheme) || matchMedia(prefersDark).matches);
  return isDark ? "dark" : "light";
}

function variablesOf(computed: CSSStyleDeclaration): NonNullable<FrameAppearance["variables"]> {
  return {
    colorText: computed.color,
    colorBackground: computed.backgroundColor,
    fontFamily: computed.fontFamily,
    fontSizeBase: computed.fontSize,
    borderRadius: computed.borderTopLeftRadius,
    ...(computed.accentColor !== "auto" && { colorPrimary: computed.accentColor }),
  };
}
