/** Names a part of the application form, and shows what is saved for it. */
import type { MerchantDetails } from "@oriel/protocol/dashboard/underwriting";
import { Lines } from "../../parts/changed-meanwhile.tsx";
import type { Fact } from "../../parts/description-list.tsx";
import { Money } from "../../parts/money.tsx";
import { businessType } from "./business-types.ts";
import { countryName } from "./countries.ts";
import { labelOf, type Values } from "./form-values.ts";
import { SavedBankAccount } from "./saved-bank-account.tsx";

export function savedFactOf(name: keyof Values, details: MerchantDetails): Fact {
  const { legal_entity: entity = {}, expected_monthly_volume: volume, owners = [] } = details;
  const amount = (value: number | undefined) =>
    value === undefined || volume === undefined ? null : <Money amount={value} currency={volume.currency} />;
  switch (name) {
    case "legal_entity":
      return {
        name: "Legal entity",
        value: <Lines of={[entity.name, entity.form, entity.registration_number, entity.address].flatMap(known)} />,
      };
    case "country":
      return { name: labelOf(name), value: details.country && countryName(details.country) };
    case "mcc":
      return { name: labelOf(name), value: details.mcc && businessType(details.mcc) };
    case "website":
    case "business":
      return { name: labelOf(name), value: details[name] };
    case "expected_monthly_volume":
      return { name: "Expected monthly volume", value: amount(volume?.amount) };
    case "average_amount":
    case "largest_amount":
      return { name: labelOf(name), value: amount(details[name]) };
    case "owners":
      return { name: "Owners", value: <Lines of={owners.map(describeOwner)} /> };
    case "bank_account":
      return { name: "Bank account", value: details.bank_account && <SavedBankAccount bank={details.bank_account} /> };
  }
}

function known(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

type Owner = NonNullable<MerchantDetails["owners"]>[number];

function describeOwner({ name, date_of_birth: day, share_percent: share, country }: Owner): string {
  const facts = [name, day, country && countryName(country), share !== undefined && `${share}%`];
  return facts.filter(Boolean).join(", ");
}
