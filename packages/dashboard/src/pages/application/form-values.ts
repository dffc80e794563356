/**
 * The values of the application form. Every field is text, and the bank account is either entered again or stays as
 * saved. Fields have the service's parameter paths, so that errors find their fields. Also validates what can be
 * checked before sending. The service has the final say.
 */
import type { useForm } from "@mantine/form";
import type {
  Application,
  BankAccount,
  MerchantDetails,
  SaveApplication,
} from "@oriel/protocol/dashboard/underwriting";
import { parseAmount, writeAmount } from "../../parts/parse-amount.ts";

export interface OwnerValues {
  name: string;
  date_of_birth: string;
  share_percent: string;
  country: string;
}

export interface Values {
  legal_entity: { name: string; form: string; registration_number: string; address: string };
  country: string;
  website: string;
  mcc: string;
  business: string;
  expected_monthly_volume: { amount: string; currency: string };
  average_amount: string;
  largest_amount: string;
  owners: OwnerValues[];
  bank_account: BankValues;
}

export interface BankValues {
  /** `saved` leaves the saved account unchanged. The service never returns all of its details. */
  kind: "saved" | "iban" | "account_number";
  holder_name: string;
  iban: string;
  account_number: string;
  routing_number: string;
  /** Identifies the saved account if it stays, so that the form notices when it's replaced. */
  saved: string;
}

/** The Mantine form. */
export type ApplicationFields = ReturnType<typeof useForm<Values>>;

/** Error messages by the path of a field in the form, such as `owners.0.name`. */
export type Faults = Record<string, string>;

export const noOwner: OwnerValues = { name: "", date_of_birth: "", share_percent: "", country: "" };
export const noBank: BankValues = {
  kind: "iban",
  holder_name: "",
  iban: "",
  account_number: "",
  routing_number: "",
  saved: "",
};

/** @param set who entered the saved bank account, and when */
export function valuesOf(details: MerchantDetails, set: Application["bank_account_set"] = null): Values {
  const { legal_entity: entity = {}, expected_monthly_volume: volume, owners = [], bank_account: bank } = details;
  const currency = volume?.currency ?? "eur";
  const amountText = (amount: number | undefined) => (amount === undefined ? "" : writeAmount(amount, currency));
  return {
    legal_entity: { name: "", form: "", registration_number: "", address: "", ...entity },
    country: details.country ?? "",
    website: details.website ?? "",
    mcc: details.mcc ?? "",
    business: details.business ?? "",
    expected_monthly_volume: { amount: amountText(volume?.amount), currency },
    average_amount: amountText(details.average_amount),
    largest_amount: amountText(details.largest_amount),
    owners:
      owners.length === 0
        ? [noOwner]
        : owners.map(({ share_percent: share, ...owner }) => ({
            ...noOwner,
            ...owner,
            share_percent: share === undefined ? "" : String(share),
          })),
    bank_account: bank === undefined ? noBank : { ...noBank, kind: "saved", saved: JSON.stringify([bank, set]) },
  };
}

/** The request body with all nonempty fields. Leaves out invalid values, so call {@link faultsOf} first. */
export function draftOf(values: Values): SaveApplication {
  const { currency, amount } = values.expected_monthly_volume;
  const volume = parseAmount(amount, currency);
  const owners = values.owners.map(({ share_percent: share, ...owner }) => ({
    ...filled(owner),
    ...(share.trim() !== "" && { share_percent: percentOf(share) ?? 0 }),
  }));
  const bank = bankOf(values.bank_account);
  const entity = filled(values.legal_entity);
  return {
    ...(Object.keys(entity).length > 0 && { legal_entity: entity }),
    ...filled({ country: values.country, website: values.website, mcc: values.mcc, business: values.business }),
    ...(volume !== null && { expected_monthly_volume: { amount: volume, currency } }),
    ...amountOf("average_amount", values.average_amount, currency),
    ...amountOf("largest_amount", values.largest_amount, currency),
    owners: owners.filter((owner) => Object.keys(owner).length > 0),
    ...(bank !== null && { bank_account: bank }),
  };
}

/** Finds invalid values. Other fields may be empty in a draft. */
export function faultsOf(values: Values): Faults {
  const { website, mcc, expected_monthly_volume: volume, owners, bank_account: bank } = values;
  const faults: Faults = {};
  const check = (path: string, text: string, isRight: (text: string) => boolean) => {
    if (text.trim() !== "" && !isRight(text.trim())) faults[path] = ruleOf(path);
  };
  check("website", website, isWebsite);
  check("mcc", mcc, (text) => /^\d{4}$/.test(text));
  const isAmount = (text: string) => parseAmount(text, volume.currency) !== null;
  for (const [path, text] of amountsOf(values)) check(path, text, isAmount);
  if (volume.amount.trim() === "" && (values.average_amount + values.largest_amount).trim() !== "")
    faults["expected_monthly_volume.amount"] = "Enter the expected volume too. The other amounts use its currency.";
  owners.forEach(({ share_percent: share, date_of_birth: day }, index) => {
    check(`owners.${index}.share_percent`, share, (text) => percentOf(text) !== null);
    check(`owners.${index}.date_of_birth`, day, (text) => /^(19|20)\d\d-\d\d-\d\d$/.test(text));
  });
  // A bank account can only be saved with all of its fields.
  if (isBankBegun(bank)) Object.assign(faults, bankGaps(bank));
  return faults;
}

/** Finds the fields that are still missing, in form order. */
export function gapsOf(values: Values): Faults {
  const gaps: Faults = {};
  const need = (path: string, text: string) => {
    if (text.trim() === "") gaps[path] = missing(path);
  };
  const needAll = (path: string, group: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(group)) need(`${path}.${name}`, text);
  };
  needAll("legal_entity", values.legal_entity);
  for (const name of ["country", "website", "mcc", "business"] as const) need(name, values[name]);
  for (const [path, text] of amountsOf(values)) need(path, text);
  values.owners.forEach((owner, index) => needAll(`owners.${index}`, { ...owner }));
  return { ...gaps, ...bankGaps(values.bank_account) };
}

/** Converts a parameter path such as `owners[0].name` to the form's path. A group becomes its first field. */
export function fieldOf(param: string): string {
  const path = param.replaceAll(/\[(\d+)\]/g, ".$1");
  return firstFields[path] ?? path;
}

const firstFields: Readonly<Record<string, string>> = {
  legal_entity: "legal_entity.name",
  expected_monthly_volume: "expected_monthly_volume.amount",
  owners: "owners.0.share_percent",
  bank_account: "bank_account.holder_name",
};

export function isField(path: string): boolean {
  return fieldAt(path) !== undefined;
}

/** The label of a field. */
export function labelOf(path: string): string {
  return fieldAt(path)?.label ?? path;
}

/** The message for an invalid value. */
export function ruleOf(path: string): string {
  return fieldAt(path)?.rule ?? `Check ${path}.`;
}

export function missing(path: string): string {
  return `${labelOf(path)} is required.`;
}

function fieldAt(path: string): Field | undefined {
  return fields[path.replace(/^owners\.\d+\./, "owners.")];
}

interface Field {
  label: string;
  rule: string;
}

const textRule = "Remove any card number or invalid character.";
const countryRule = "Choose a country.";
const amountRule = "Enter an amount such as 2500 or 49.90.";

const fields: Readonly<Record<string, Field>> = {
  "legal_entity.name": { label: "Legal name", rule: textRule },
  "legal_entity.form": { label: "Legal form", rule: textRule },
  "legal_entity.registration_number": { label: "Registration number", rule: textRule },
  "legal_entity.address": { label: "Address", rule: textRule },
  country: { label: "Country", rule: countryRule },
  website: { label: "Website", rule: "Enter a public URL that begins with https://, without a user name or password." },
  mcc: { label: "Merchant category code", rule: "Enter four digits." },
  business: { label: "Products and customers", rule: textRule },
  "expected_monthly_volume.amount": { label: "Expected monthly volume", rule: amountRule },
  "expected_monthly_volume.currency": { label: "Currency", rule: "Choose a currency." },
  average_amount: { label: "Average payment", rule: amountRule },
  largest_amount: {
    label: "Largest payment",
    rule: "Enter an amount such as 2500 or 49.90, no smaller than the average payment.",
  },
  "owners.name": { label: "Name", rule: textRule },
  "owners.date_of_birth": { label: "Date of birth", rule: "Enter a past date such as 1980-12-31." },
  "owners.share_percent": {
    label: "Share (%)",
    rule: "Enter a number from 0 to 100. The shares can't add up to more than 100.",
  },
  "owners.country": { label: "Country of residence", rule: countryRule },
  "bank_account.holder_name": { label: "Account holder", rule: textRule },
  "bank_account.iban": { label: "IBAN", rule: "Enter a valid IBAN. Copy it from your bank." },
  "bank_account.account_number": { label: "Account number", rule: "Enter 5 to 34 letters and digits." },
  "bank_account.routing_number": { label: "Routing number", rule: "Enter 3 to 20 letters and digits." },
};

function bankOf(bank: BankValues): BankAccount | null {
  if (!isBankBegun(bank)) return null;
  const { holder_name, iban, account_number, routing_number } = trimmed(bank);
  return bank.kind === "iban" ? { holder_name, iban } : { holder_name, account_number, routing_number };
}

function bankGaps(bank: BankValues): Faults {
  const needed =
    bank.kind === "iban"
      ? (["holder_name", "iban"] as const)
      : (["holder_name", "account_number", "routing_number"] as const);
  if (bank.kind === "saved") return {};
  const gaps = needed.filter((name) => bank[name].trim() === "").map((name) => `bank_account.${name}`);
  return Object.fromEntries(gaps.map((path) => [path, missing(path)]));
}

function isBankBegun({ kind, holder_name, iban, account_number, routing_number }: BankValues): boolean {
  if (kind === "saved") return false;
  return (holder_name + (kind === "iban" ? iban : account_number + routing_number)).trim() !== "";
}

function amountsOf({ expected_monthly_volume: { amount }, average_amount, largest_amount }: Values) {
  return Object.entries({ "expected_monthly_volume.amount": amount, average_amount, largest_amount });
}

function amountOf(name: "average_amount" | "largest_amount", text: string, currency: string): SaveApplication {
  const amount = parseAmount(text, currency);
  return amount === null ? {} : { [name]: amount };
}

function isWebsite(text: string): boolean {
  return /^https:\/\/\S+$/.test(text) && URL.canParse(text);
}

function percentOf(text: string): number | null {
  if (!/^\d{1,3}([.,]\d{1,4})?$/.test(text.trim())) return null;
  const percent = Number(text.trim().replace(",", "."));
  return percent <= 100 ? percent : null;
}

function filled<Group extends Record<string, string>>(group: Group): Partial<Group> {
  // The result has a subset of the keys.
  return Object.fromEntries(Object.entries(trimmed(group)).filter(([, text]) => text !== "")) as Partial<Group>;
}

function trimmed<Group extends object>(group: Group): Group {
  // The result has the same keys, and all values are strings.
  return Object.fromEntries(Object.entries(group).map(([name, text]) => [name, String(text).trim()])) as Group;
}
