/**
 * The dashboard's theme: system fonts, one accent color, and text colors with the WCAG AA contrast of 4.5:1 on both
 * backgrounds, which not all of Mantine's defaults have.
 */
import { Anchor, createTheme, Input, Menu, Modal, Notification, type CSSVariablesResolver } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  components: {
    // Links in sentences must not be recognizable by color alone.
    Anchor: Anchor.extend({ defaultProps: { underline: "always" } }),
    // Keeps the menu inside its button's landmark, and leaves out the placeholder, which isn't a menu item.
    Menu: Menu.extend({ defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { "aria-label": "Close" } },
      styles: { title: { fontWeight: 650, lineHeight: 1.3, overflowWrap: "anywhere" } },
    }),
    // A `header` element would otherwise count as the page's banner.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: "presentation" } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { "aria-label": "Close" } } }),
    // Most fields are required, so only optional ones are marked, with "(optional)".
    InputWrapper: Input.Wrapper.extend({ defaultProps: { withAsterisk: false } }),
  },
  headings: {
    fontWeight: "650",
    sizes: { h1: { fontSize: "1.625rem", lineHeight: "1.25" }, h2: { fontSize: "1.125rem" }, h3: { fontSize: "1rem" } },
  },
});

export const resolveColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#495057",
    "--mantine-color-placeholder": "#6c757d",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-anchor": "#364fc7",
    "--mantine-color-indigo-light-color": "#2b3d9b",
    "--mantine-color-yellow-outline": "#8f5f00",
    "--oriel-live": "#a61e1e",
    "--oriel-ground": "#f8f9fb",
  },
  dark: {
    "--mantine-color-dimmed": "#b8bcc2",
    "--mantine-color-placeholder": "#9aa0a6",
    "--mantine-color-error": "#ff8787",
    "--mantine-color-anchor": "#91a7ff",
    "--oriel-live": "#a61e1e",
    "--oriel-ground": "var(--mantine-color-dark-8)",
  },
});
