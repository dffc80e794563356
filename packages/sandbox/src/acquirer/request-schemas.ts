/**
 * Schemas of acquirer requests. Values aren't coerced and unknown fields are refused. The route checks an amount of 0.
 */
import { merchantIdPattern } from "@oriel/protocol/acquirer";
import { cardNetworks } from "@oriel/protocol/card-networks";
import { maxAmountMinor } from "@oriel/protocol/currency";

export const referenceSchema = { type: "string", pattern: "^[0-9A-Za-z_.:-]{1,100}$" };

export const referenceParams = { type: "object", properties: { reference: referenceSchema } };

export const authorizationSchema = {
  type: "object",
  additionalProperties: false,
  required: ["reference", "amount", "currency", "capture", "card"],
  properties: {
    reference: referenceSchema,
    amount: { type: "integer", minimum: 0, maximum: maxAmountMinor },
    currency: { type: "string", pattern: "^[a-z]{3}$" },
    capture: { type: "boolean" },
    card: {
      type: "object",
      additionalProperties: false,
      required: ["number", "exp_month", "exp_year"],
      properties: {
        number: { type: "string", pattern: "^[0-9]{12,19}$" },
        exp_month: { type: "integer", minimum: 1, maximum: 12 },
        exp_year: { type: "integer", minimum: 2000, maximum: 2199 },
        cvc: { type: "string", pattern: "^[0-9]{3,4}$" },
      },
    },
    merchant_id: { type: "string", pattern: merchantIdPattern },
    network: { type: "string", enum: cardNetworks },
    three_d_secure: {
      type: "object",
      additionalProperties: false,
      required: ["ds_trans_id"],
      properties: {
        eci: { type: "string", pattern: "^[0-9]{2}$" },
        authentication_value: { type: "string", pattern: "^[0-9A-Za-z+/=]{1,64}$" },
        ds_trans_id: { type: "string", pattern: "^[0-9A-Za-z-]{1,36}$" },
      },
    },
  },
};

/** For captures and refunds. */
export const amountSchema = {
  type: "object",
  additionalProperties: false,
  required: ["reference", "authorization", "amount"],
  properties: {
    reference: referenceSchema,
    authorization: referenceSchema,
    amount: { type: "integer", minimum: 1, maximum: maxAmountMinor },
  },
};

export const cancelSchema = {
  type: "object",
  additionalProperties: false,
  required: ["reference", "authorization"],
  properties: { reference: referenceSchema, authorization: referenceSchema },
};
