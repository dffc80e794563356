/** Fields that several resources have. */
import Type from "typebox";
import { maxAmountMinor } from "../currency.ts";
import { declineCodes } from "../declines.ts";
import { closed, words } from "../shapes.ts";

export const Amount = Type.Integer({
  minimum: 1,
  maximum: maxAmountMinor,
  description: "Amount in the currency's smallest unit. For example, 1000 is €10.00 or ¥1,000.",
});
export const Currency = Type.String({
  pattern: "^[a-z]{3}$",
  description: "Three-letter ISO 4217 currency code, in lowercase.",
  examples: ["eur"],
});

/**
 * At most 50 keys of up to 40 characters, with values of up to 500. `propertyNames` limits the keys, because the
 * serializer ignores it. It would omit keys that it doesn't match with a pattern, whose lengths it measures differently.
 */
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  propertyNames: { minLength: 1, maxLength: 40, pattern: "^[^\\[\\]]*$" },
  additionalProperties: { type: "string", maxLength: 500 },
  maxProperties: 50,
  description: "Your own key-value pairs, returned unchanged. Don't include card data.",
});

/** Which keys of the metadata change. */
export const MetadataChange = Type.Unsafe<Record<string, string | null>>({
  ...Metadata,
  additionalProperties: { anyOf: [{ type: "string", maxLength: 500 }, { type: "null" }] },
  description: "Keys to add or to replace. A value of `null` removes its key. Other keys stay.",
});

export const CaptureMethod = words(["automatic", "manual"], {
  description: "With `manual`, the amount is only authorized, and you capture it later. Defaults to `automatic`.",
});

/** Why the acquirer or the decision declined the charge. */
export const Failure = closed({
  code: Type.Literal("card_declined"),
  decline_code: words(declineCodes),
  advice: words(["do_not_try_again", "confirm_card_data", "try_again_later"], {
    description: "Whether you can retry the charge: never, with corrected card data, or later.",
  }),
  message: Type.String(),
});
