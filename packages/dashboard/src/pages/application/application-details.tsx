/**
 * A read-only view of an application, for the merchant after submitting it and for the operator. All values are user
 * input and shown as text.
 */
import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApplicationDetails as Details } from "@oriel/protocol/dashboard/underwriting";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Money } from "../../parts/money.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { OutsideLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { businessType } from "./business-types.ts";
import { countryName } from "./countries.ts";

export interface ApplicationDetailsProps {
  details: Omit<Details, "bank_account">;
  /** The bank account, as far as the user may see it. */
  bank: ReactNode;
}

export function ApplicationDetails({ details, bank }: ApplicationDetailsProps) {
  const { legal_entity: entity = {}, expected_monthly_volume: volume, owners = [] } = details;
  const amount = (value: number | undefined) =>
    value === undefined || volume === undefined ? null : <Money amount={value} currency={volume.currency} />;
  return (
    <Stack gap="lg">
      <Section title="Business">
        <DescriptionList
          facts={[
            { name: "Legal name", value: entity.name },
            { name: "Legal form", value: entity.form },
            { name: "Registration number", value: entity.registration_number },
            { name: "Address", value: entity.address },
            { name: "Country", value: details.country && countryName(details.country) },
            { name: "Website", value: details.website && <OutsideLink to={details.website} /> },
            { name: "Merchant category", value: details.mcc && businessType(details.mcc) },
            { name: "Products and customers", value: details.business },
          ]}
        />
      </Section>
      <Section title="Payments">
        <DescriptionList
          facts={[
            { name: "Expected monthly volume", value: amount(volume?.amount) },
            { name: "Average payment", value: amount(details.average_amount) },
            { name: "Largest payment", value: amount(details.largest_amount) },
            { name: "Payout account", value: bank },
          ]}
        />
      </Section>
      <Section title="Owners">
        <RecordTable
          label="Owners"
          items={owners.map((owner, index) => ({ ...owner, index }))}
          rowKey={({ index }) => String(index)}
          empty="No owners."
          columns={[
            { name: "Name", cell: ({ name }) => name ?? "-" },
            { name: "Date of birth", cell: ({ date_of_birth: day }) => day ?? "-" },
            {
              name: "Country of residence",
              cell: ({ country }) => (country === undefined ? "-" : countryName(country)),
            },
            {
              name: "Share",
              isAmount: true,
              cell: ({ share_percent: share }) => (share === undefined ? "-" : `${share}%`),
            },
          ]}
        />
      </Section>
    </Stack>
  );
}
