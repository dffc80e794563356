/** The people behind the business, one to ten. */
import { Button, Fieldset, Group, Select, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { Section } from "../../parts/section.tsx";
import { countryChoices } from "./countries.ts";
import { labelOf, noOwner, type ApplicationFields } from "./form-values.ts";

const maxOwners = 10;

export function OwnerFields({ form }: { form: ApplicationFields }) {
  const { owners } = form.values;
  return (
    <Section
      title="Owners"
      lead="Everyone who owns 25% or more of the business. If nobody does, the people who run it."
    >
      <Stack maw={640}>
        {owners.map((_, index) => (
          // The index is the key because owners have no other identity in the form.
          <Owner key={index} form={form} index={index} isOnly={owners.length === 1} />
        ))}
        {owners.length < maxOwners && (
          <div>
            <Button variant="default" size="xs" onClick={() => form.insertListItem("owners", noOwner)}>
              Add owner
            </Button>
          </div>
        )}
      </Stack>
    </Section>
  );
}

function Owner({ form, index, isOnly }: { form: ApplicationFields; index: number; isOnly: boolean }) {
  const at = <Name extends keyof typeof noOwner>(name: Name) => `owners.${index}.${name}` as const;
  return (
    <Fieldset legend={`Owner ${index + 1}`}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={labelOf(at("name"))} autoComplete="off" maxLength={100} {...form.getInputProps(at("name"))} />
        <TextInput
          label={labelOf(at("date_of_birth"))}
          type="date"
          autoComplete="off"
          min="1900-01-01"
          {...form.getInputProps(at("date_of_birth"))}
        />
        <Select
          label={labelOf(at("country"))}
          data={countryChoices}
          searchable
          nothingFoundMessage="No matching country"
          {...form.getInputProps(at("country"))}
          value={form.values.owners[index]?.country || null}
          onChange={(code) => form.setFieldValue(at("country"), code ?? "")}
        />
        <TextInput
          label={labelOf(at("share_percent"))}
          inputMode="decimal"
          autoComplete="off"
          maxLength={8}
          {...form.getInputProps(at("share_percent"))}
        />
      </SimpleGrid>
      {!isOnly && (
        <Group mt="sm" justify="flex-end">
          <Button
            variant="default"
            size="xs"
            aria-label={`Remove owner ${index + 1}`}
            onClick={() => form.removeListItem("owners", index)}
          >
            Remove
          </Button>
        </Group>
      )}
    </Fieldset>
  );
}
