/**
 * What an application says, to be read: by the merchant once it was sent, and by the operator. All of it is text that
 * somebody typed.
 */
import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApplicationDetails as Details } from "@oriel/protocol/dashboard-underwriting";
import { Facts } from "../../parts/facts.tsx";
import { Money } from "../../parts/money.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { OutsideLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { countryName } from "./countries.ts";
import { kindOfBusiness } from "./kinds-of-business.ts";

export interface ApplicationDetailsProps {
  details: Omit<Details, "bank_account">;
  /** As far as the reader may see it. */
  bank: ReactNode;
}

export function ApplicationDetails({ details, bank }: ApplicationDetailsProps) {
  const { legal_entity: entity = {}, expected_monthly_volume: volume, owners = [] } = details;
  const amount = (value: number | undefined) =>
    value === undefined || volume === undefined ? null : <Money amount={value} currency={volume.currency} />;
  return (
    <Stack gap="lg">
      <Section title="The business">
        <Facts
          facts={[
            { name: "Legal name", value: entity.name },
            { name: "Legal form", value: entity.form },
            { name: "Registration number", value: entity.registration_number },
            { name: "Address", value: entity.address },
            { name: "Country", value: details.country && countryName(details.country) },
            { name: "Website", value: details.website && <OutsideLink to={details.website} /> },
            { name: "Merchant category", value: details.mcc && kindOfBusiness(details.mcc) },
            { name: "What is sold, and to whom", value: details.business },
          ]}
        />
      </Section>
      <Section title="The money">
        <Facts
          facts={[
            { name: "Expected in a month", value: amount(volume?.amount) },
            { name: "Usual payment", value: amount(details.average_amount) },
            { name: "Largest payment", value: amount(details.largest_amount) },
            { name: "Paid out to", value: bank },
          ]}
        />
      </Section>
      <Section title="Owners">
        <RecordTable
          label="List of owners"
          items={owners.map((owner, index) => ({ ...owner, index }))}
          rowKey={({ index }) => String(index)}
          empty="Nobody is named."
          columns={[
            { name: "Name", cell: ({ name }) => name ?? "-" },
            { name: "Date of birth", cell: ({ date_of_birth: day }) => day ?? "-" },
            { name: "Lives in", cell: ({ country }) => (country === undefined ? "-" : countryName(country)) },
            {
              name: "Share",
              isAmount: true,
              cell: ({ share_percent: share }) => (share === undefined ? "-" : `${share} %`),
            },
          ]}
        />
      </Section>
    </Stack>
  );
}
