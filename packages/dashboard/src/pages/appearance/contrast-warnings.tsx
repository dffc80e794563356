/** Says which of the colours cannot be read well on the form's surface. They may be kept all the same: it is the merchant's page. */
import { Alert, List, Text } from "@mantine/core";
import type { AppearanceVariable, FrameAppearance } from "@oriel/protocol/frame-looks";
import { contrastOf, enoughForText, readColour } from "./contrast.ts";
import { formDefaults, type Scheme } from "./form-defaults.ts";

const texts: readonly { name: AppearanceVariable; what: string }[] = [
  { name: "colorText", what: "Text" },
  { name: "colorPrimary", what: "Links in the primary colour" },
  { name: "colorDanger", what: "Errors" },
  { name: "colorTextPlaceholder", what: "Placeholders" },
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
    // A placeholder is the text's own colour, mixed, unless it has one.
    const placeholder =
      variables.colorTextPlaceholder ?? (variables.colorText === undefined ? colours.colorTextPlaceholder : null);
    const ground = readColour(colours.colorBackground);
    if (ground === null || ground[3] < 1) return []; // what is below is the host page's
    return texts.flatMap(({ name, what }) => {
      const colour = name === "colorTextPlaceholder" ? placeholder : colours[name];
      const read = colour === null ? null : readColour(colour);
      if (read === null) return [];
      const ratio = contrastOf(read, ground);
      if (ratio >= enoughForText) return [];
      return [`${what}: ${ratio.toFixed(1)} to 1 in ${scheme}, where ${enoughForText} are needed.`];
    });
  });
}
