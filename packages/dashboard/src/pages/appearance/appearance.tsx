/**
 * The account's default look: for sessions that name none, on the full page and in frames whose page asks for nothing
 * else.
 */
import {
  Box,
  Button,
  Fieldset,
  Grid,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
  type InputWrapperProps,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ChangeSettings, Settings } from "@oriel/protocol/dashboard-setup";
import { appearanceVariables, type AppearanceVariable, type FrameAppearance } from "@oriel/protocol/frame-looks";
import { ask } from "../../api/ask.ts";
import { useDesk, useDeskQuery } from "../../api/desk.tsx";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { Section } from "../../parts/section.tsx";
import { ColourField } from "./colour-field.tsx";
import { faultsOfLook } from "@oriel/protocol/look-contrast";
import { ContrastWarnings } from "./contrast-warnings.tsx";
import { formDefaults } from "./form-defaults.ts";
import { draftOf, lookOf, type LookDraft } from "./look-draft.ts";
import { LookPreview } from "./look-preview.tsx";

const colours: readonly { name: AppearanceVariable; label: string; about: string }[] = [
  { name: "colorPrimary", label: "Primary", about: "Pay, links, the edge of the field in use" },
  { name: "colorBackground", label: "Surface", about: "transparent shows your page" },
  { name: "colorText", label: "Text", about: "And, mixed, all edges" },
  { name: "colorDanger", label: "Errors", about: "Beside the fields" },
  { name: "colorTextPlaceholder", label: "Placeholders", about: "Unset: the text's, paler" },
  { name: "focusRing", label: "Focus", about: "The shine around it" },
];

const sizes: readonly { name: AppearanceVariable; label: string; about: string }[] = [
  { name: "fontSizeBase", label: "Text size", about: "Such as 16px or 1.125rem" },
  { name: "spacingUnit", label: "Distance", about: "The unit of all of them" },
  { name: "borderRadius", label: "Corners", about: "Of fields and buttons" },
];

/** In rows, the fields stand in one line whatever is said below them. */
const below = ["label", "input", "error", "description"] satisfies InputWrapperProps["inputWrapperOrder"];

const isColour = (name: string) => colours.some((colour) => colour.name === name);

export function Appearance() {
  const settings = useDeskQuery<Settings>("settings");
  return (
    <Page
      title="Appearance"
      lead="How the form looks where a session does not say, in both modes. The page around a frame may still ask for something else, token by token."
    >
      <Loaded query={settings} lines={12}>
        {({ appearance }) => <Editor key={JSON.stringify(appearance)} kept={appearance} />}
      </Loaded>
    </Page>
  );
}

function Editor({ kept }: { kept: FrameAppearance | null }) {
  const desk = useDesk();
  const [isResetting, setIsResetting] = useState(false);
  const form = useForm<LookDraft>({ initialValues: draftOf(kept), validate: faultsOf, validateInputOnChange: true });
  const faulty = Object.keys(faultsOf(form.values)).map((name) => [name, ""]);
  const { look } = lookOf({ ...form.values, ...Object.fromEntries(faulty) }); // so that the frame is told nothing that it refuses
  const keep = async (appearance: FrameAppearance | null) => {
    const settings = await ask<Settings>(desk.data("settings"), {
      method: "PATCH",
      body: { appearance } satisfies ChangeSettings,
    });
    queryClient.setQueryData(desk.key("settings"), settings);
  };
  const saving = useMutation({
    mutationFn: keep,
    onSuccess: () => notifications.show({ message: "The look is kept, for sessions from now on." }),
    onError: (error) => showRefusal(form, error, fieldsByParam),
  });
  const place = (name: AppearanceVariable) => formDefaults[look?.theme === "dark" ? "dark" : "light"][name];
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <form onSubmit={form.onSubmit((draft) => saving.mutate(lookOf(draft).look))}>
          <Stack>
            <RefusalAlert error={saving.error} besideFields={Object.keys(fieldsByParam)} />
            <Fieldset legend="Whole">
              <Stack>
                <NativeSelect
                  label="Light or dark"
                  description="On the full page. A frame is as the page around it is."
                  data={[
                    { value: "", label: "As the customer's device" },
                    { value: "light", label: "Light" },
                    { value: "dark", label: "Dark" },
                  ]}
                  {...form.getInputProps("theme")}
                />
                <NativeSelect
                  label="Style"
                  data={[
                    { value: "", label: "Ours" },
                    { value: "flat", label: "Flat: no shadows, square corners" },
                    { value: "none", label: "None: no colours of ours either" },
                  ]}
                  {...form.getInputProps("style")}
                />
                <NativeSelect
                  label="Labels"
                  data={[
                    { value: "", label: "Above the fields" },
                    { value: "floating", label: "In the fields" },
                    { value: "hidden", label: "Hidden from the eye" },
                  ]}
                  {...form.getInputProps("labels")}
                />
                <Switch label="Without animations" {...form.getInputProps("disableAnimations", { type: "checkbox" })} />
              </Stack>
            </Fieldset>
            <Fieldset legend="Colours">
              <SimpleGrid cols={{ base: 1, xs: 2 }}>
                {colours.map(({ name, label, about }) => (
                  <ColourField
                    key={name}
                    label={label}
                    description={about}
                    inputWrapperOrder={below}
                    placeholder={place(name)}

                    value={form.values[name]}
                    onChange={(colour) => form.setFieldValue(name, colour)}
                    error={form.errors[name]}
                  />
                ))}
              </SimpleGrid>
            </Fieldset>
            <Fieldset legend="Font and sizes">
              <Stack>
                <TextInput
                  label="Font"
                  description="Families on the customer's device. None is ever fetched."
                  placeholder={place("fontFamily")}
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
                      placeholder={place(name)}
                      maxLength={12}
                      spellCheck={false}
                      {...form.getInputProps(name)}
                    />
                  ))}
                </SimpleGrid>
              </Stack>
            </Fieldset>
            <ContrastWarnings look={look} />
            <Group>
              <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
                Save
              </Button>
              <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
                Undo changes
              </Button>
              {kept !== null && (
                <Button variant="default" onClick={() => setIsResetting(true)}>
                  Back to ours
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Box pos="sticky" top={100}>
          <Section title="Preview" lead="A test session of your account. It wears each change as you type.">
            <LookPreview look={look} kept={kept} />
          </Section>
        </Box>
      </Grid.Col>
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setIsResetting(false)}
        title="Back to our look"
        action="Forget the look"
        run={() => keep(null)}
        onDone={() => setIsResetting(false)}
      >
        The account keeps no look of its own any more. Sessions that exist stay as they are.
      </ConfirmDialog>
    </Grid>
  );
}

function faultsOf(draft: LookDraft): Partial<Record<keyof LookDraft, string>> {
  const { look, faults } = lookOf(draft);
  // What reads like a color may be none, such as `banana`; and the service refuses a look with which Pay or the card
  // fields can't be read.
  const unreadable = faultsOfLook(look ?? {}).flatMap(({ variables, message }) =>
    variables.map((name) => [name, message] as const),
  );
  return Object.fromEntries([...unreadable, ...faults.map((name) => [name, whatIsMeant(name)] as const)]);
}

function whatIsMeant(name: string): string {
  if (isColour(name)) return "A color, such as #0c5c4c, rgb(12 92 76) or oklch(50% 0.1 180).";
  if (name === "fontFamily") return "Names of fonts, with commas between them.";
  return "A length, such as 16px, 1.25rem or 0.";
}

/** The service's names of the fields. */
const fieldsByParam: Readonly<Record<string, string>> = Object.fromEntries([
  ...["theme", "style", "labels", "disableAnimations"].map((name) => [`appearance.${name}`, name]),
  ...appearanceVariables.map((name) => [`appearance.variables.${name}`, name]),
]);
