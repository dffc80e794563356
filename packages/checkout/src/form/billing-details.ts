/**
 * Who pays, as far as it is known: what was typed beside the card, and what the host page gave for fields that are not
 * asked for.
 */
import type { BillingDetails } from "@oriel/protocol/frame";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import type { Page } from "../page/page.ts";

type GivenName = keyof NonNullable<FrameSettings["defaultValues"]>;

/**
 * What the service calls `billing_details.postal_code`. Of what is not beside the card it makes a name that nothing
 * has.
 */
export function besideCard(param: string): GivenName {
  const name = param.replace("billing_details.", "");
  return (name === "postal_code" ? "postalCode" : name) as GivenName; // or of nothing, see above
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
