/** The AReq that Adyen sends to the directory server for an authentication. */
import { currencyExponent } from "@oriel/protocol/currency";
import { currencyNumber } from "@oriel/protocol/currency-numbers";
import type { ReadAReq } from "../directory-server/read-message.ts";
import type { AuthenticationRequest } from "./authentication-messages.ts";
import type { Amount } from "./messages.ts";

/** Adyen's API doesn't know 2.3.1. */
export const version = "2.2.0";

/**
 * Stands for the URL at which Adyen receives the RReq. Adyen and the directory server are in one process here, so the bank
 * sends nothing to it.
 */
export const adyenThreeDSServerURL = "adyen:results";

/** Without the indicator of the 3DS Method, which is Y until it's known. */
export function areqOf(request: AuthenticationRequest, threeDSServerTransID: string, now: Date): ReadAReq {
  const { amount, browserInfo, merchantAccount, paymentMethod, threeDS2RequestData } = request;
  const { shopperEmail, shopperIP = "192.0.2.1", billingAddress } = request;
  const { notificationURL, merchantName = merchantAccount, threeDSRequestorChallengeInd = "01" } = threeDS2RequestData;
  const currency = amount.currency.toLowerCase();
  return {
    messageType: "AReq",
    messageVersion: version,
    deviceChannel: "02",
    messageCategory: amount.value === 0 ? "02" : "01",
    threeDSServerTransID,
    threeDSServerURL: adyenThreeDSServerURL,
    threeDSCompInd: "Y",
    notificationURL,
    browserAcceptHeader: browserInfo.acceptHeader,
    browserIP: shopperIP,
    browserUserAgent: browserInfo.userAgent,
    browserJavaEnabled: browserInfo.javaEnabled,
    browserJavascriptEnabled: browserInfo.javaScriptEnabled ?? true,
    browserLanguage: browserInfo.language.slice(0, 8),
    browserColorDepth: String(browserInfo.colorDepth) as ReadAReq["browserColorDepth"], // the schema lists the values
    browserScreenHeight: String(browserInfo.screenHeight),
    browserScreenWidth: String(browserInfo.screenWidth),
    browserTZ: String(browserInfo.timeZoneOffset),
    merchantName,
    purchaseAmount: String(isoValueOf(amount)),
    purchaseCurrency: currencyNumber(currency),
    purchaseExponent: String(currencyExponent(currency)),
    purchaseDate: now.toISOString().replaceAll(/\D/g, "").slice(0, 14),
    threeDSRequestorChallengeInd: threeDSRequestorChallengeInd as "01" | "04", // 2.2.0 has the other codes, too
    threeDSRequestorDecReqInd: "N",
    acctNumber: paymentMethod.number,
    cardExpiryDate: paymentMethod.expiryYear.slice(2) + paymentMethod.expiryMonth.padStart(2, "0"),
    ...(paymentMethod.holderName === undefined ? {} : { cardholderName: paymentMethod.holderName }),
    ...(shopperEmail === undefined ? {} : { email: shopperEmail }),
    ...(billingAddress === undefined ? {} : { billAddrPostCode: billingAddress.postalCode }),
  };
}

/** Adyen's number of decimals where it isn't ISO 4217's. */
const differing: ReadonlyMap<string, number> = new Map([
  ["CLP", 2],
  ["CVE", 0],
  ["IDR", 0],
  ["ISK", 2],
]);

/** The amount in ISO 4217's unit, which the challenge page shows. */
function isoValueOf({ value, currency }: Amount): number {
  const decimals = currencyExponent(currency.toLowerCase());
  return Math.round(value * 10 ** (decimals - (differing.get(currency) ?? decimals)));
}
