/**
 * The billing details as far as they are known: what the customer typed into the billing fields, and what the host page
 * gave for fields that aren't shown.
 */
import type { BillingDetails } from "@oriel/protocol/frame";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import type { Page } from "../page/page.ts";

type GivenName = keyof NonNullable<FrameSettings["defaultValues"]>;

/**
 * Maps the service's parameter (`billing_details.postal_code`) to a field name. For other parameters, the result
 * matches no field.
 */
export function billingFieldName(param: string): GivenName {
  const name = param.replace("billing_details.", "");
  return (name === "postal_code" ? "postalCode" : name) as GivenName; // may match no field, see above
}

/** @returns undefined if nothing is known */
export function billingDetails(
  inputs: Page["inputs"],
  given: FrameSettings["defaultValues"] = {},
): BillingDetails | undefined {
  const [name, email, postalCode] = (["name", "email", "postalCode"] as const).map((field) =>
    (inputs[field]?.value ?? given[field])?.trim(),
  );
  const details: BillingDetails = {
    ...(name && { name }),
    ...(email && email.length >= 3 && { email }),
    ...(postalCode && { postal_code: postalCode }),
    ...(given.country && { country: given.country }),
  };
  return Object.keys(details).length > 0 ? details : undefined;
}
