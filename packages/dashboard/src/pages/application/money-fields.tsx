/** The expected payments of the business. All amounts are in one currency. */
import { Select, SimpleGrid, TextInput } from "@mantine/core";
import { Section } from "../../parts/section.tsx";
import { currencyChoices } from "./currency-choices.ts";
import { labelOf, type ApplicationFields } from "./form-values.ts";

export function MoneyFields({ form }: { form: ApplicationFields }) {
  const amount = { inputMode: "decimal", autoComplete: "off", maxLength: 20 } as const;
  return (
    <Section title="Payments" lead="Estimates are fine.">
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw={640}>
        <Select
          label={labelOf("expected_monthly_volume.currency")}
          data={currencyChoices}
          searchable
          allowDeselect={false}
          {...form.getInputProps("expected_monthly_volume.currency")}
        />
        <TextInput
          label={labelOf("expected_monthly_volume.amount")}
          {...amount}
          {...form.getInputProps("expected_monthly_volume.amount")}
        />
        <TextInput label={labelOf("average_amount")} {...amount} {...form.getInputProps("average_amount")} />
        <TextInput label={labelOf("largest_amount")} {...amount} {...form.getInputProps("largest_amount")} />
      </SimpleGrid>
    </Section>
  );
}
