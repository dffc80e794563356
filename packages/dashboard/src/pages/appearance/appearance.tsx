/**
 * The account's default appearance, for sessions that don't set one. Pages that embed the checkout can override it.
 */
import { Box, Button, Grid, Group, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { appearanceVariables, type FrameAppearance } from "@oriel/protocol/appearance-settings";
import { faultsOfAppearance } from "@oriel/protocol/color-contrast";
import type { ChangeSettings, Settings } from "@oriel/protocol/dashboard/setup";
import { cacheResponse, refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { ChangedMeanwhile } from "../../parts/changed-meanwhile.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import type { Fact } from "../../parts/description-list.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { showRefusal } from "../../parts/form-errors.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/section.tsx";
import { useSavedForm } from "../../parts/use-saved-form.ts";
import { draftOf, appearanceOf, type AppearanceDraft } from "./appearance-draft.ts";
import { AppearanceFields, isColor, labelOf } from "./appearance-fields.tsx";
import { AppearancePreview } from "./appearance-preview.tsx";
import { ContrastWarnings } from "./contrast-warnings.tsx";

export function Appearance() {
  const settings = useWorkspaceQuery<Settings>("settings");
  return (
    <Page
      title="Appearance"
      lead="Default checkout appearance, for test and live mode. Sessions and pages that embed the checkout can override it."
    >
      <Loaded query={settings} lines={12}>
        {({ appearance }) => <Editor saved={appearance} />}
      </Loaded>
    </Page>
  );
}

function Editor({ saved }: { saved: FrameAppearance | null }) {
  const workspace = useWorkspace();
  const [isResetting, setIsResetting] = useState(false);
  const form = useSavedForm(saved, draftOf, { validate: faultsOf, validateInputOnChange: true });
  const faulty = Object.keys(faultsOf(form.values)).map((name) => [name, ""]);
  // Leaves out invalid values, which the iframe would refuse.
  const { appearance } = appearanceOf({ ...form.values, ...Object.fromEntries(faulty) });
  const save = async (edited: FrameAppearance | null) => {
    const sent = form.getValues();
    const body: ChangeSettings = { appearance: edited, seen: { appearance: form.seen } };
    const settings = await request<Settings>(workspace.data("settings"), { method: "PATCH", body }).catch(
      (error: unknown) => {
        refetchIfChanged(workspace.key("settings"), error);
        throw error;
      },
    );
    form.hasSaved(sent, settings.appearance);
    cacheResponse(workspace.key("settings"), settings);
  };
  const saving = useMutation({
    mutationFn: save,
    onSuccess: () => notifications.show({ message: "Appearance saved. New sessions use it." }),
    onError: (error) => showRefusal(form, error, fieldsByParam),
  });
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <form onSubmit={form.onSubmit((draft) => saving.mutate(appearanceOf(draft).appearance))}>
          <Stack>
            <ErrorAlert error={saving.error} inlineFields={Object.keys(fieldsByParam)} />
            <ChangedMeanwhile
              form={form}
              factOf={(name) => savedFactOf(name, draftOf(saved)[name])}
              onChosen={() => saving.reset()}
            />
            <AppearanceFields form={form} scheme={appearance?.theme === "dark" ? "dark" : "light"} />
            <ContrastWarnings appearance={appearance} />
            <Group>
              <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
                Save
              </Button>
              <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
                Discard changes
              </Button>
              {saved !== null && (
                <Button variant="default" onClick={() => setIsResetting(true)}>
                  Reset to default
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <Box pos="sticky" top={100}>
          <Section title="Preview" lead="A test session of your account that updates as you type.">
            <AppearancePreview appearance={appearance} saved={saved} />
          </Section>
        </Box>
      </Grid.Col>
      <ConfirmDialog
        isOpen={isResetting}
        onClose={() => setIsResetting(false)}
        title="Reset appearance?"
        action="Reset appearance"
        run={() => save(null)}
        onDone={() => setIsResetting(false)}
      >
        Deletes your account's appearance settings. New sessions use the default appearance; existing sessions don't
        change.
      </ConfirmDialog>
    </Grid>
  );
}

function faultsOf(draft: AppearanceDraft): Partial<Record<keyof AppearanceDraft, string>> {
  const { appearance, faults } = appearanceOf(draft);
  // Words such as `banana` look like colors but aren't, and the service refuses an appearance that makes Pay or the
  // card fields unreadable.
  const unreadable = faultsOfAppearance(appearance ?? {}).flatMap(({ variables, message }) =>
    variables.map((name) => [name, message] as const),
  );
  return Object.fromEntries([...unreadable, ...faults.map((name) => [name, ruleOf(name)] as const)]);
}

function savedFactOf(name: keyof AppearanceDraft, value: string | boolean): Fact {
  return {
    name: labelOf(name),
    value: value === true ? "On" : value === false ? "Off" : value === "" ? "Default" : value,
  };
}

function ruleOf(name: string): string {
  if (isColor(name)) return "Enter a color such as #0c5c4c, rgb(12 92 76) or oklch(50% 0.1 180).";
  if (name === "fontFamily") return "Enter font names separated by commas.";
  return "Enter a length such as 16px, 1.25rem or 0.";
}

/** Maps the service's field names to those of the form. */
const fieldsByParam: Readonly<Record<string, string>> = Object.fromEntries([
  ...["theme", "style", "labels", "disableAnimations"].map((name) => [`appearance.${name}`, name]),
  ...appearanceVariables.map((name) => [`appearance.variables.${name}`, name]),
]);
