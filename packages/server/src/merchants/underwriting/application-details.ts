/**
 * Checks an application's details beyond what the schema `SaveApplication` can: valid values, and completeness at
 * submission. Each error reports one field, by its path.
 */
import { countryCodes } from "@oriel/protocol/country-codes";
import { isCurrency } from "@oriel/protocol/currency";
import type { ApplicationDetails, BankAccount, MerchantDetails } from "@oriel/protocol/dashboard/underwriting";
import { ApiError } from "../../platform/errors.ts";
import { isIban, plainIban } from "../../platform/money/iban.ts";

/**
 * Checks the fields of a draft that are present. Missing fields can be added later.
 *
 * @returns the details in the form in which they are stored
 * @throws ApiError `parameter_invalid`, `parameter_missing`
 */
export function checkGiven(details: ApplicationDetails, now: Date): ApplicationDetails {
  const { country, website, expected_monthly_volume: volume, owners = [], bank_account: account } = details;
  if (country !== undefined && !countryCodes.includes(country)) throw unknownCountry("country");
  if (website !== undefined && !isWebsite(website))
    throw invalid("website", "must be the https URL of a public website, without a user name or password");
  if (volume !== undefined && !isCurrency(volume.currency))
    throw invalid("expected_monthly_volume.currency", 'must be a lowercase ISO 4217 code such as "eur"');
  for (const [index, owner] of owners.entries()) {
    if (owner.country !== undefined && !countryCodes.includes(owner.country))
      throw unknownCountry(`owners[${index}].country`);
    if (owner.date_of_birth !== undefined && !isPastDay(owner.date_of_birth, now))
      throw invalid(`owners[${index}].date_of_birth`, "must be a date in the past, such as 1980-12-31");
  }
  return account === undefined ? details : { ...details, bank_account: checkBankAccount(account) };
}

/** @throws ApiError `parameter_missing` for the first missing field, `parameter_invalid` for contradicting fields */
export function checkComplete(details: ApplicationDetails, hasDocument: boolean): void {
  const { legal_entity: entity, owners = [], average_amount: average, largest_amount: largest } = details;
  need("legal_entity", entity);
  for (const field of ["name", "form", "registration_number", "address"] as const)
    need(`legal_entity.${field}`, entity?.[field]);
  for (const field of ["country", "website", "mcc", "business", "expected_monthly_volume"] as const)
    need(field, details[field]);
  need("average_amount", average);
  need("largest_amount", largest);
  need("owners", owners[0]);
  for (const [index, owner] of owners.entries()) {
    for (const field of ["name", "date_of_birth", "share_percent", "country"] as const)
      need(`owners[${index}].${field}`, owner[field]);
  }
  need("bank_account", details.bank_account);
  if ((average ?? 0) > (largest ?? 0)) throw invalid("largest_amount", "must not be less than `average_amount`");
  const shares = owners.reduce((sum, owner) => sum + (owner.share_percent ?? 0), 0);
  // The tolerance allows for rounding, such as three shares of 33.34.
  if (shares > 100.5) throw invalid("owners", "must not have shares that add up to more than 100%");
  // The operator needs at least one document to make a decision, and can request more.
  if (!hasDocument)
    throw new ApiError(
      "parameter_missing",
      "`documents` is missing. Add at least one document that supports your application.",
      {
        param: "documents",
      },
    );
}

/** Returns the details for the merchant, with only the last four characters of the bank account. */
export function toMerchantDetails({ bank_account: account, ...rest }: ApplicationDetails): MerchantDetails {
  if (account === undefined) return rest;
  const { holder_name, iban, account_number } = account;
  const last4 = (iban ?? account_number ?? "").slice(-4);
  return { ...rest, bank_account: { holder_name, kind: iban === undefined ? "account_number" : "iban", last4 } };
}

function checkBankAccount({ holder_name, iban, account_number, routing_number }: BankAccount): BankAccount {
  if (iban !== undefined && (account_number !== undefined || routing_number !== undefined))
    throw invalid("bank_account", "must have either an IBAN or an account number with a routing number");
  if (iban !== undefined) {
    const plain = plainIban(iban);
    if (!isIban(plain))
      throw invalid(
        "bank_account.iban",
        "isn't a valid IBAN because its check digits are wrong. Check the IBAN for typos",
      );
    return { holder_name, iban: plain };
  }
  need("bank_account.account_number", account_number);
  need("bank_account.routing_number", routing_number);
  return { holder_name, ...(account_number && { account_number }), ...(routing_number && { routing_number }) };
}

function isWebsite(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  const [first = "", ...others] = hostname.split(".");
  const isDomain = first !== "" && /[a-z]/.test(others.at(-1) ?? "");
  return protocol === "https:" && username === "" && password === "" && isDomain;
}

/** Refuses dates that don't exist, such as 1980-02-30. */
function isPastDay(text: string, now: Date): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && day < now;
}

function need(param: string, value: unknown): void {
  if (value === undefined) throw new ApiError("parameter_missing", `\`${param}\` is missing.`, { param });
}

function unknownCountry(param: string): ApiError {
  return invalid(param, 'must be an ISO 3166-1 country code such as "DE"');
}

function invalid(param: string, what: string): ApiError {
  return new ApiError("parameter_invalid", `\`${param}\` ${what}.`, { param });
}
