/**
 * How the host page looks, turned into tokens for the frame: the frame cannot see the page it stands in.
 *
 * `theme: "auto"` is the page's own: its `color-scheme`, not the device's, so a shop that has no dark side gets no dark
 * form. `inherit` reads the container's computed style. Both are looked at again when the device's scheme or the
 * attributes of `<html>` change.
 */
import type { FrameAppearance } from "@oriel/protocol/frame-looks";
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
 * Calls `changed` when the page may look different, at most ten times a second: some pages write to `<html>` at every
 * scroll.
 * @returns stops.
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
