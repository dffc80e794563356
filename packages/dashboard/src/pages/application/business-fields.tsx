/** The fields about the business and what it sells. */
import { Autocomplete, Select, SimpleGrid, Stack, Textarea, TextInput, type ComboboxItem } from "@mantine/core";
import { Section } from "../../parts/section.tsx";
import { isKnownKind, kindCodes, businessType } from "./business-types.ts";
import { countryChoices } from "./countries.ts";
import { labelOf, type ApplicationFields } from "./form-values.ts";

export function BusinessFields({ form }: { form: ApplicationFields }) {
  return (
    <Section title="Business" lead="Enter the details as they appear in the business register.">
      <Stack maw={640}>
        <TextInput
          label={labelOf("legal_entity.name")}
          autoComplete="organization"
          maxLength={200}
          {...form.getInputProps("legal_entity.name")}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={labelOf("legal_entity.form")}
            description="For example, GmbH, Ltd or sole trader"
            maxLength={60}
            {...form.getInputProps("legal_entity.form")}
          />
          <TextInput
            label={labelOf("legal_entity.registration_number")}
            description="If not registered, the tax number"
            maxLength={60}
            {...form.getInputProps("legal_entity.registration_number")}
          />
        </SimpleGrid>
        <Textarea
          label={labelOf("legal_entity.address")}
          autoComplete="street-address"
          autosize
          minRows={3}
          maxLength={400}
          {...form.getInputProps("legal_entity.address")}
        />
        <Select
          label={labelOf("country")}
          description="Where the business is registered"
          data={countryChoices}
          searchable
          nothingFoundMessage="No matching country"
          {...form.getInputProps("country")}
          value={form.values.country || null}
          onChange={(code) => form.setFieldValue("country", code ?? "")}
        />
        <TextInput
          label={labelOf("website")}
          description="The URL of your shop, starting with https://"
          type="url"
          inputMode="url"
          autoComplete="url"
          maxLength={200}
          {...form.getInputProps("website")}
        />
        <Autocomplete
          label={labelOf("mcc")}
          description={
            isKnownKind(form.values.mcc)
              ? businessType(form.values.mcc)
              : "The four-digit code of your type of business (ISO 18245). Type a word to search."
          }
          data={kindCodes}
          filter={({ options, search }) => (options as ComboboxItem[]).filter(({ value }) => fits(value, search))} // no groups
          renderOption={({ option }) => businessType(option.value)}
          maxLength={60}
          {...form.getInputProps("mcc")}
        />
        <Textarea
          label={labelOf("business")}
          autosize
          minRows={3}
          maxLength={1000}
          description="What you sell, and who your customers are"
          {...form.getInputProps("business")}
        />
      </Stack>
    </Section>
  );
}

function fits(code: string, search: string): boolean {
  return businessType(code).toLowerCase().includes(search.trim().toLowerCase());
}
