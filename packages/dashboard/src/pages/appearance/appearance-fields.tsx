/** The fields of the appearance, in three groups. */
import { Fieldset, NativeSelect, SimpleGrid, Stack, Switch, TextInput, type InputWrapperProps } from "@mantine/core";
import type { AppearanceVariable, FrameAppearance } from "@oriel/protocol/appearance-settings";
import type { SavedForm } from "../../parts/use-saved-form.ts";
import type { AppearanceDraft } from "./appearance-draft.ts";
import { ColorField } from "./color-field.tsx";
import { formDefaults, type Scheme } from "./form-defaults.ts";

const colors: readonly { name: AppearanceVariable; label: string; about: string }[] = [
  { name: "colorPrimary", label: "Primary", about: "Pay button, links and the border of the focused field" },
  { name: "colorBackground", label: "Background", about: "Use transparent to show your page's background" },
  { name: "colorText", label: "Text", about: "Also used, mixed, for borders" },
  { name: "colorDanger", label: "Errors", about: "Messages next to fields" },
  { name: "colorTextPlaceholder", label: "Placeholders", about: "Default: a lighter text color" },
  { name: "focusRing", label: "Focus ring", about: "The glow around the focused field" },
];

const sizes: readonly { name: AppearanceVariable; label: string; about: string }[] = [
  { name: "fontSizeBase", label: "Text size", about: "For example, 16px or 1.125rem" },
  { name: "spacingUnit", label: "Spacing", about: "The base unit of all spacing" },
  { name: "borderRadius", label: "Corner radius", about: "Fields and buttons" },
];

/** Puts descriptions below the inputs, so that the inputs of a row line up. */
const below = ["label", "input", "error", "description"] satisfies InputWrapperProps["inputWrapperOrder"];

const otherLabels: Readonly<Record<string, string>> = {
  theme: "Color scheme",
  style: "Style",
  labels: "Labels",
  disableAnimations: "Disable animations",
  fontFamily: "Font",
};

export function labelOf(name: string): string {
  return [...colors, ...sizes].find((each) => each.name === name)?.label ?? otherLabels[name] ?? name;
}

export function isColor(name: string): boolean {
  return colors.some((color) => color.name === name);
}

interface FieldsProps {
  form: SavedForm<FrameAppearance | null, AppearanceDraft>;
  /** The color scheme whose default values are shown as placeholders. */
  scheme: Scheme;
}

export function AppearanceFields(props: FieldsProps) {
  return (
    <>
      <GeneralFields {...props} />
      <ColorFields {...props} />
      <FontFields {...props} />
    </>
  );
}

function GeneralFields({ form }: FieldsProps) {
  return (
    <Fieldset legend="General">
      <Stack>
        <NativeSelect
          label="Color scheme"
          description="Applies to the hosted page. Embedded checkouts follow the page around them."
          data={[
            { value: "", label: "Match the customer's device" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
          {...form.getInputProps("theme")}
        />
        <NativeSelect
          label="Style"
          data={[
            { value: "", label: "Default" },
            { value: "flat", label: "Flat: no shadows, square corners" },
            { value: "none", label: "None: also without default colors" },
          ]}
          {...form.getInputProps("style")}
        />
        <NativeSelect
          label="Labels"
          data={[
            { value: "", label: "Above fields" },
            { value: "floating", label: "Inside fields" },
            { value: "hidden", label: "Visually hidden" },
          ]}
          {...form.getInputProps("labels")}
        />
        <Switch label="Disable animations" {...form.getInputProps("disableAnimations", { type: "checkbox" })} />
      </Stack>
    </Fieldset>
  );
}

function ColorFields({ form, scheme }: FieldsProps) {
  return (
    <Fieldset legend="Colors">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {colors.map(({ name, label, about }) => (
          <ColorField
            key={name}
            label={label}
            description={about}
            inputWrapperOrder={below}
            placeholder={formDefaults[scheme][name]}
            value={form.values[name]}
            onChange={(color) => form.setFieldValue(name, color)}
            error={form.errors[name]}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

function FontFields({ form, scheme }: FieldsProps) {
  return (
    <Fieldset legend="Font and sizes">
      <Stack>
        <TextInput
          label="Font"
          description="Font families on the customer's device. Fonts are never downloaded."
          placeholder={formDefaults[scheme].fontFamily}
          maxLength={200}
          spellCheck={false}
          {...form.getInputProps("fontFamily")}
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {sizes.map(({ name, label, about }) => (
            <TextInput
              key={name}
              label={label}
              description={about}
              inputWrapperOrder={below}
              placeholder={formDefaults[scheme][name]}
              maxLength={12}
              spellCheck={false}
              {...form.getInputProps(name)}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}
