/**
 * Schemas of the requests: the part of Adyen's Checkout API 71 that a card payment with raw card data needs. Adyen
 * ignores fields that it doesn't know in some places. This simulator refuses them everywhere, so that a misspelled field
 * is noticed. Native 3-D Secure is in `authentication-schemas.ts`.
 */
import { maxAmountMinor } from "@oriel/protocol/currency";
import { disputeEventCodes, failureEventCodes } from "./messages.ts";

export const text = (maxLength: number, minLength = 1) => ({ type: "string", minLength, maxLength });
const matching = (pattern: string) => ({ type: "string", pattern });
const oneOf = (...values: string[]) => ({ type: "string", enum: values });

export function object(required: string[], properties: Record<string, object>) {
  return { type: "object", additionalProperties: false, required, properties };
}

const reference = text(80);
const merchantAccount = text(80);
const pspReference = matching("^[0-9A-Z]{16}$");

function amountFrom(minimum: number) {
  return object(["value", "currency"], {
    value: { type: "integer", minimum, maximum: maxAmountMinor },
    currency: matching("^[A-Z]{3}$"),
  });
}

const addressProperties = {
  street: text(3_000),
  houseNumberOrName: text(3_000),
  city: text(3_000),
  postalCode: text(10),
  stateOrProvince: text(3),
  country: matching("^[A-Z]{2}$"),
};

const paymentMethod = object(["type", "number", "expiryMonth", "expiryYear"], {
  type: oneOf("scheme", "card"),
  number: matching("^[0-9]{12,19}$"),
  expiryMonth: matching("^(0?[1-9]|1[0-2])$"),
  expiryYear: matching("^2[01][0-9]{2}$"),
  cvc: matching("^[0-9]{3,4}$"),
  holderName: text(200),
  brand: matching("^[a-z_]{2,30}$"),
  networkPaymentReference: text(64),
});

/**
 * The result of 3-D Secure 2. After a challenge or a decoupled authentication, it has the statuses before and after it, and
 * otherwise only the first.
 */
const mpiDataFields = object(["threeDSVersion", "dsTransID", "directoryResponse"], {
  authenticationResponse: oneOf("Y", "N", "U", "A"),
  cavv: matching("^[0-9A-Za-z+/=]{1,64}$"),
  challengeCancel: oneOf("01", "02", "03", "04", "05", "06", "07"),
  directoryResponse: oneOf("A", "C", "D", "I", "N", "R", "U", "Y"),
  dsTransID: matching("^[0-9A-Za-z-]{1,36}$"),
  eci: matching("^[0-9]{2}$"),
  riskScore: text(10),
  threeDSVersion: matching("^2\\.[0-9]\\.[0-9]$"),
  transStatusReason: matching("^[0-9]{2}$"),
});

const mpiData = {
  ...mpiDataFields,
  if: { properties: { directoryResponse: { enum: ["C", "D"] } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
  then: { required: ["authenticationResponse"] },
  else: { properties: { authenticationResponse: false } },
};

const additionalData = object([], {
  manualCapture: oneOf("true", "false"),
  networkTxReference: text(64),
  authorisationType: oneOf("PreAuth", "FinalAuth"),
});

export const paymentSchema = object(["merchantAccount", "reference", "amount", "paymentMethod", "returnUrl"], {
  merchantAccount,
  reference,
  amount: amountFrom(0),
  paymentMethod,
  returnUrl: matching("^https?://.{1,1000}$"),
  additionalData,
  authenticationData: object([], {
    attemptAuthentication: oneOf("never"),
    authenticationOnly: { type: "boolean", enum: [false] },
  }),
  billingAddress: object(["street", "houseNumberOrName", "city", "postalCode", "country"], addressProperties),
  captureDelayHours: { type: "integer", minimum: 0, maximum: 672 },
  channel: oneOf("iOS", "Android", "Web"),
  countryCode: matching("^[A-Z]{2}$"),
  mcc: matching("^[0-9]{4}$"),
  merchantOrderReference: text(1_000),
  metadata: { type: "object", maxProperties: 20, additionalProperties: text(80, 0) },
  mpiData,
  recurringProcessingModel: oneOf("CardOnFile", "Subscription", "UnscheduledCardOnFile"),
  shopperEmail: text(256),
  shopperInteraction: oneOf("Ecommerce", "ContAuth", "Moto", "POS"),
  shopperIP: text(50),
  shopperReference: text(256, 3),
  shopperStatement: matching("^[a-zA-Z0-9 .,'_?+*/-]{1,22}$"),
  storePaymentMethod: { type: "boolean" },
  telephoneNumber: text(32),
});

/** For captures and refunds. */
export const amountSchema = object(["merchantAccount", "amount"], {
  merchantAccount,
  amount: amountFrom(1),
  reference,
});

/** For cancels and reversals. */
export const cancelSchema = object(["merchantAccount"], { merchantAccount, reference });

export const paymentMethodsSchema = object(["merchantAccount"], { merchantAccount });

export const technicalCancelSchema = object(["merchantAccount", "paymentReference"], {
  merchantAccount,
  paymentReference: reference,
  reference,
});

export const disputeSchema = object(["paymentPspReference", "eventCode"], {
  paymentPspReference: pspReference,
  eventCode: oneOf(...disputeEventCodes),
  amount: amountFrom(1),
  disputePspReference: pspReference,
  reasonCode: text(20),
});

export const failureSchema = object(["pspReference", "eventCode"], {
  pspReference,
  eventCode: oneOf(...failureEventCodes),
});

const delayMs = { type: "integer", minimum: 0, maximum: 30 * 24 * 60 * 60 * 1000 };

export const delaysSchema = object([], { outcomeMs: delayMs, notificationMs: delayMs, captureMs: delayMs });
