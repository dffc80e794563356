/**
 * Warns about error and link colors that are hard to read on the form's background but can still be saved. Colors that
 * would make Pay or the card fields unreadable are errors of their fields instead.
 */
import { Alert, List, Text } from "@mantine/core";
import type { AppearanceVariable, FrameAppearance } from "@oriel/protocol/appearance-settings";
import { contrastOf, leastContrast } from "@oriel/protocol/contrast-rules";
import { readCssColor } from "@oriel/protocol/css-color";
import { formDefaults, type Scheme } from "./form-defaults.ts";

const texts: readonly { name: AppearanceVariable; what: string }[] = [
  { name: "colorPrimary", what: "Links in the primary color" },
  { name: "colorDanger", what: "Errors" },
];

export function ContrastWarnings({ appearance }: { appearance: FrameAppearance | null }) {
  const warnings = lowContrastTexts(appearance);
  return (
    <div role="status">
      {warnings.length > 0 && (
        <Alert color="yellow" variant="outline">
          <Text fw={600} size="sm">
            Low contrast
          </Text>
          <List size="sm">
            {warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </div>
  );
}

function lowContrastTexts(appearance: FrameAppearance | null): string[] {
  const { theme = "auto", style, variables = {} } = appearance ?? {};
  if (style === "none") return []; // this style uses the browser's own colors
  const schemes: Scheme[] = theme === "auto" ? ["light", "dark"] : [theme];
  return schemes.flatMap((scheme) => {
    const colors = { ...formDefaults[scheme], ...variables };
    const background = readCssColor(colors.colorBackground);
    if (background === null || background[3] < 1) return []; // the host page's background shows through
    return texts.flatMap(({ name, what }) => {
      const color = readCssColor(colors[name]);
      if (color === null || color[3] < 1) return [];
      const ratio = contrastOf(color, background);
      if (ratio >= leastContrast) return [];
      return [`${what} have a contrast of ${ratio.toFixed(1)}:1 in ${scheme} mode. Use at least ${leastContrast}:1.`];
    });
  });
}
