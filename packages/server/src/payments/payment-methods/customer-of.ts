/** What helps the issuer decide about a payment or an authentication. */
import type { Customer } from "@oriel/vault";
import type { Row } from "../../platform/storage/tables.ts";

interface KnownCustomer {
  billing_details: Row<"payment_method">["billing_details"];
  customer: Row<"checkout_session">["customer"];
  browser_ip: string | null;
}

/** What the customer entered in the form counts more than what the merchant knows. */
export function customerOf({ billing_details, customer, browser_ip }: KnownCustomer): {
  cardholderName?: string;
  customer: Customer;
} {
  const cardholderName = billing_details?.name ?? customer?.name;
  const email = billing_details?.email ?? customer?.email;
  const id = customer?.reference;
  return {
    ...(cardholderName === undefined ? {} : { cardholderName }),
    customer: {
      ...(id === undefined ? {} : { id }),
      ...(email === undefined ? {} : { email }),
      ...(browser_ip === null ? {} : { ip: browser_ip }),
    },
  };
}
