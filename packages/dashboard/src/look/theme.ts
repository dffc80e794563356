/**
 * How the dashboard looks: system fonts, one accent, and colours of small text that have the contrast of WCAG AA (4.5
 * to 1) on white and on the dark ground, which Mantine's own do not all have.
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
    // A colour alone does not make a link in a sentence.
    Anchor: Anchor.extend({ defaultProps: { underline: "always" } }),
    // In the landmark of what opens it, and with nothing in it that is no entry.
    Menu: Menu.extend({ defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } }),
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { "aria-label": "Close" } },
      styles: { title: { fontWeight: 650, lineHeight: 1.3, overflowWrap: "anywhere" } },
    }),
    // A `header` that is no banner of the page.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: "presentation" } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { "aria-label": "Close" } } }),
    // Most fields are required: the others say that they are not.
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
