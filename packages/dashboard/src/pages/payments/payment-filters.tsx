/**
 * The filters of the list of payments. They are in the page's URL, under the names of the service's query parameters.
 */
import { Button, Collapse, Group, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { isCardNumber, passesLuhn } from "@oriel/protocol/card";
import { isCurrency } from "@oriel/protocol/currency";
import { declineCodes } from "@oriel/protocol/declines";
import { formText } from "../../parts/form-text.ts";
import { noAmount, parseAmount, writeAmount } from "../../parts/parse-amount.ts";
import { ClearFilters, pickFilters, SearchForm } from "../../parts/search-form.tsx";
import { paymentStatuses, sentence, statusWord } from "./payment-labels.tsx";

const names = [
  "search",
  "status",
  "currency",
  "min_amount",
  "max_amount",
  "from",
  "to",
  "last4",
  "brand",
  "decline_code",
] as const;
type FilterName = (typeof names)[number];

export function readFilters(params: URLSearchParams): URLSearchParams {
  return pickFilters(params, names);
}

export function hasFilters(filters: URLSearchParams): boolean {
  return filters.size > 0;
}

export function PaymentFilters({ filters }: { filters: URLSearchParams }) {
  const [, setParams] = useSearchParams();
  // `filters` has only the names above.
  const given = Object.fromEntries(filters) as Partial<Record<FilterName, string>>;
  const hasMore = Object.keys(given).some((name) => name !== "search" && name !== "status");
  const [isOpen, { toggle, open }] = useDisclosure(hasMore);
  const [faults, setFaults] = useState<Partial<Record<FilterName, string>>>({});
  useEffect(() => {
    setFaults({});
    if (hasMore) open();
  }, [filters.toString()]); // also changed by links and the browser's buttons
  const currency = given.currency !== undefined && isCurrency(given.currency) ? given.currency : null;
  const amountOf = (minor: string | undefined) =>
    minor === undefined || currency === null ? "" : writeAmount(Number(minor), currency);
  const shown = {
    ...given,
    min_amount: amountOf(given.min_amount),
    max_amount: amountOf(given.max_amount),
    from: dayOf(given.from, 0),
    to: dayOf(given.to, -1),
  };

  const apply = (form: FormData) => {
    const { filters, faults } = readForm(form);
    // Keeps the exact time that a link has set, unless the user has chosen another day.
    for (const name of ["from", "to"] as const)
      if (given[name] !== undefined && formText(form, name) === shown[name]) filters.set(name, given[name]);
    setFaults(faults);
    if (Object.keys(faults).length === 0) setParams(filters);
  };
  return (
    <SearchForm label="Payments" values={shown} onSearch={apply}>
      <Group align="flex-end">
        <TextInput
          name="search"
          label="Search"
          description="Order, customer, email, amount, last 4 digits or ID"
          maxLength={500}
          error={faults.search}
          flex="1 1 260px"
        />
        <NativeSelect
          name="status"
          label="Status"
          data={[{ value: "", label: "Any" }, ...paymentStatuses.map((value) => ({ value, label: statusWord(value) }))]}
        />
        <Button type="submit">Search</Button>
        <Button variant="default" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? "Fewer filters" : "More filters"}
        </Button>
        {hasFilters(filters) && <ClearFilters onClear={() => setParams(new URLSearchParams())} />}
      </Group>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} mt="md">
          <TextInput name="currency" label="Currency" maxLength={3} error={faults.currency} />
          <TextInput name="min_amount" label="Minimum amount" inputMode="decimal" error={faults.min_amount} />
          <TextInput name="max_amount" label="Maximum amount" inputMode="decimal" error={faults.max_amount} />
          <TextInput name="last4" label="Last 4 digits" inputMode="numeric" error={faults.last4} />
          <TextInput name="from" label="From" type="date" />
          <TextInput name="to" label="To" type="date" />
          <NativeSelect
            name="brand"
            label="Card brand"
            data={[{ value: "", label: "Any" }, ...brands.map((value) => ({ value, label: sentence(value) }))]}
          />
          <NativeSelect
            name="decline_code"
            label="Decline reason"
            data={[{ value: "", label: "Any" }, ...declineCodes.map((value) => ({ value, label: sentence(value) }))]}
          />
        </SimpleGrid>
      </Collapse>
    </SearchForm>
  );
}

const brands = ["visa", "mastercard", "amex", "discover", "diners", "jcb", "unionpay", "maestro"];

function readForm(form: FormData): { filters: URLSearchParams; faults: Partial<Record<FilterName, string>> } {
  const filters = pickFilters(form, ["search", "status", "brand", "decline_code", "last4"]);
  const faults: Partial<Record<FilterName, string>> = {};
  const text = (name: FilterName) => formText(form, name);
  // The search becomes part of the URL, and the service refuses card numbers.
  if (containsCardNumber(text("search"))) faults.search = "Enter only the last four digits of a card.";
  if (text("last4") && !/^\d{4}$/.test(text("last4"))) faults.last4 = "Enter four digits.";
  const currency = text("currency").toLowerCase();
  if (currency && !isCurrency(currency)) faults.currency = "Enter a currency code such as EUR.";
  else if (currency) filters.set("currency", currency);
  for (const name of ["min_amount", "max_amount"] as const) {
    if (!text(name)) continue;
    if (!isCurrency(currency)) {
      faults.currency ??= "Enter the currency of the amount.";
      continue;
    }
    const amount = parseAmount(text(name), currency);
    if (amount === null) faults[name] = noAmount(text(name), currency);
    else filters.set(name, String(amount));
  }
  // Days are in the browser's time zone. The last day is included.
  if (text("from")) filters.set("from", String(startOfDay(text("from"), 0)));
  if (text("to")) filters.set("to", String(startOfDay(text("to"), 1)));
  return { filters, faults };
}

function containsCardNumber(text: string): boolean {
  const numbers = (text.match(/\d(?:[ -]?\d){11,18}/g) ?? []).map((number) => number.replaceAll(/\D/g, ""));
  return numbers.some((number) => isCardNumber(number) && passesLuhn(number));
}

/** @param date `2026-11-22` */
function startOfDay(date: string, daysLater: number): number {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return Math.floor(new Date(year, month - 1, day + daysLater).getTime() / 1000);
}

/**
 * The end of a range isn't part of it, so its last day is that of the second before. In a shared link, it can be any
 * time.
 */
function dayOf(seconds: string | undefined, secondsLater: number): string {
  if (seconds === undefined) return "";
  const date = new Date((Number(seconds) + secondsLater) * 1000);
  if (Number.isNaN(date.getTime())) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
