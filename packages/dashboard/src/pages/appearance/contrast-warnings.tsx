/**
 * Lists colors that are hard to read on the form's background and can be saved all the same: errors and links. Colors
 * that would make Pay or the card fields unreadable are errors of their fields.
 */
import { Alert, List, Text } from "@mantine/core";
import type { AppearanceVariable, FrameAppearance } from "@oriel/protocol/frame-looks";
import { readCssColor } from "@oriel/protocol/css-color";
import { contrastOf, leastContrast } from "@oriel/protocol/look-rules";
import { formDefaults, type Scheme } from "./form-defaults.ts";

const texts: readonly { name: AppearanceVariable; what: string }[] = [
  { name: "colorPrimary", what: "Links in the primary colour" },
  { name: "colorDanger", what: "Errors" },
];

export function ContrastWarnings({ look }: { look: FrameAppearance | null }) {
  const warnings = faintTexts(look);
  return (
    <div role="status">
      {warnings.length > 0 && (
        <Alert color="yellow" variant="outline">
          <Text fw={600} size="sm">
            Hard to read for some
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

function faintTexts(look: FrameAppearance | null): string[] {
  const { theme = "auto", style, variables = {} } = look ?? {};
  if (style === "none") return []; // the customer's own colours
  const schemes: Scheme[] = theme === "auto" ? ["light", "dark"] : [theme];
  return schemes.flatMap((scheme) => {
    const colours = { ...formDefaults[scheme], ...variables };
    const ground = readCssColor(colours.colorBackground);
    if (ground === null || ground[3] < 1) return []; // the host page shows through
    return texts.flatMap(({ name, what }) => {
      const colour = readCssColor(colours[name]);
      if (colour === null || colour[3] < 1) return [];
      const ratio = contrastOf(colour, ground);
      if (ratio >= leastContrast) return [];
      return [`${what}: ${ratio.toFixed(1)} to 1 in ${scheme}, where ${leastContrast} are needed.`];
    });
  });
}
