/**
 * The body of `POST /payments`. Source: `PaymentRequest`, `CardDetails` and `ThreeDSecureData` in Checkout API v72; v71
 * has the same fields.
 *
 * Adyen's own 3-D Secure is never started (`attemptAuthentication: "never"`): the card was authenticated before, or the
 * payment doesn't need it. If the issuer requires it all the same, Adyen refuses the payment.
 */
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { Authorization, CardUsage, Customer, Proof } from "../acquirer.ts";
import type { AdyenAmount } from "./amounts.ts";
import { billingAddressOf } from "./billing-address.ts";

export interface AdyenMerchant {
  merchantAccount: string;
  /** Adyen requires a URL to return to after a redirect. We never redirect, so it isn't used. */
  returnUrl: string;
}

export function paymentBody(request: Authorization, amount: AdyenAmount, merchant: AdyenMerchant) {
  const { proof, statementDescriptor } = request;
  const shopperStatement = statementOf(statementDescriptor ?? "");
  return {
    ...cardFields(request, amount, merchant),
    authenticationData: { attemptAuthentication: "never" },
    ...(proof === undefined ? {} : { mpiData: mpiDataOf(proof) }),
    ...captureFields(request),
    ...(shopperStatement === "" ? {} : { shopperStatement }),
  };
}

export type CardRequest = Pick<
  Authorization,
  "reference" | "card" | "cardholderName" | "network" | "usage" | "customer"
>;

/** What a payment and its authentication have in common. */
export function cardFields(request: CardRequest, amount: AdyenAmount, { merchantAccount, returnUrl }: AdyenMerchant) {
  const { reference, usage, customer } = request;
  return {
    merchantAccount,
    returnUrl,
    reference,
    amount,
    paymentMethod: paymentMethodOf(request),
    storePaymentMethod: false,
    ...usageFields(usage),
    ...customerFields(customer ?? {}),
  };
}

/** Adyen's brand of each network. */
const brands: Record<CardNetwork, string> = {
  visa: "visa",
  mastercard: "mc",
  maestro: "maestro",
  cartes_bancaires: "cartebancaire",
  bancontact: "bcmc",
  dankort: "dankort",
  eftpos_australia: "eftpos_australia",
};

function paymentMethodOf({ card, cardholderName, network, usage }: CardRequest) {
  const { number, expMonth, expYear, cvc } = card;
  const first = "firstNetworkTransactionId" in usage ? usage.firstNetworkTransactionId : null;
  return {
    type: "scheme",
    number,
    expiryMonth: String(expMonth).padStart(2, "0"),
    expiryYear: String(expYear),
    ...(cvc === undefined ? {} : { cvc }),
    ...(cardholderName === undefined ? {} : { holderName: cardholderName }),
    ...(network === undefined ? {} : { brand: brands[network] }),
    ...(first === null ? {} : { networkPaymentReference: first }),
  };
}

/** `directoryResponse` is the status in the ARes. `authenticationResponse` is the status after a challenge. */
function mpiDataOf(proof: Proof) {
  const { version, dsTransId, eci, authenticationValue, authenticationStatus, challengeStatus } = proof;
  return {
    threeDSVersion: version,
    dsTransID: dsTransId,
    directoryResponse: authenticationStatus,
    ...(challengeStatus === undefined ? {} : { authenticationResponse: challengeStatus }),
    ...(eci === undefined ? {} : { eci }),
    ...(authenticationValue === undefined ? {} : { cavv: authenticationValue }),
  };
}

/** Says for each payment when it's captured, so that it doesn't depend on the settings of the merchant account. */
function captureFields({ amount, capture }: Authorization) {
  if (amount === 0) return {};
  return capture ? { captureDelayHours: 0 } : { additionalData: { manualCapture: "true" } };
}

function usageFields({ kind }: CardUsage) {
  switch (kind) {
    case "once":
      return { shopperInteraction: "Ecommerce" };
    case "store":
      return { shopperInteraction: "Ecommerce", recurringProcessingModel: "CardOnFile" };
    case "stored_by_customer":
      return { shopperInteraction: "ContAuth", recurringProcessingModel: "CardOnFile" };
    case "stored_by_merchant":
      return { shopperInteraction: "ContAuth", recurringProcessingModel: "UnscheduledCardOnFile" };
  }
}

/** Leaves out what Adyen would reject for its length, because it only helps the issuer decide. */
function customerFields({ id, email, ip, billingAddress }: Customer) {
  const address = billingAddress === undefined ? null : billingAddressOf(billingAddress);
  return {
    ...(isLong(id, 3, 256) ? { shopperReference: id } : {}),
    ...(isLong(email, 1, 256) ? { shopperEmail: email } : {}),
    ...(isLong(ip, 1, 50) ? { shopperIP: ip } : {}),
    ...(address === null ? {} : { billingAddress: address }),
  };
}

function isLong(text: string | undefined, least: number, most: number): text is string {
  return text !== undefined && text.length >= least && text.length <= most;
}

/** Removes accents and the characters that Adyen doesn't allow. At most 22 characters. */
function statementOf(descriptor: string): string {
  return descriptor
    .normalize("NFKD")
    .replace(/[^a-zA-Z0-9 .,'_\-?+*/]/g, "")
    .replace(/ {2,}/g, " ")
    .slice(0, 22)
    .trim();
}
