/**
 * Lets the user choose between what they typed and what someone else has saved in the meantime. Shows nothing without a
 * conflict.
 */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { DescriptionList, type Fact } from "./description-list.tsx";
import type { SavedForm } from "./use-saved-form.ts";

interface Props<Values extends object> {
  form: Pick<SavedForm<unknown, Values>, "conflicts" | "takeCurrent" | "overwriteSaved">;
  /** The label of a field, and its saved value. */
  factOf: (name: keyof Values & string) => Fact;
  /** Called when the user has chosen. */
  onChosen?: () => void;
}

export function ChangedMeanwhile<Values extends object>({ form, factOf, onChosen }: Props<Values>) {
  if (form.conflicts.length === 0) return null;
  const choose = (take: () => void) => () => {
    take();
    onChosen?.();
  };
  const facts = form.conflicts.map(factOf).map(({ name, value }) => ({
    name,
    value: value === null || value === undefined || value === "" ? "Empty" : value,
  }));
  return (
    <Alert color="yellow" variant="outline" role="alert" title="Changed while you were editing">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">These values are saved now:</Text>
        <DescriptionList facts={facts} />
        <Text size="sm">If you keep your changes and save, they replace these values.</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={choose(form.takeCurrent)}>
            Use saved values
          </Button>
          <Button size="xs" variant="default" onClick={choose(form.overwriteSaved)}>
            Keep my changes
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** A value of several lines. */
export function Lines({ of: lines }: { of: readonly string[] }) {
  return lines.length === 0 ? "Empty" : <span style={{ whiteSpace: "pre-line" }}>{lines.join("\n")}</span>;
}
