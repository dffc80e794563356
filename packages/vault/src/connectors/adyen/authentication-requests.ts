/**
 * The bodies of Adyen's native 3-D Secure without a payment: `POST /payments` begins it, and `POST /payments/details`
 * continues it after the 3DS Method and after the challenge. The payment is authorized later, with the proof.
 *
 * `notificationURL` makes the ACS return to our page instead of Adyen's. The form for the 3DS Method is also ours, so no
 * page of Adyen's is ever opened. Adyen allows 40 characters for the name of the merchant, and 80 for the origin. Each request needs its own idempotency key, which must also differ from that of the
 * authorization: otherwise Adyen would return the response to the first request.
 *
 * Sources: `PaymentRequest`, `ThreeDS2RequestFields`, `BrowserInfo` and `PaymentCompletionDetails` in Checkout API v71 and
 * v72, and the ThreeDS2 component of Adyen/adyen-web, whose encoding the details have.
 */
import type { AfterChallenge, AfterMethod, VendorAuthentication } from "../three-ds-server.ts";
import type { AdyenAmount } from "./amounts.ts";
import { cardFields, type AdyenMerchant } from "./payments.ts";

/** What the next request needs, and what its response is compared with. Adyen's tokens are opaque. */
export type AuthenticationState = {
  /** What the customer's browser does before the next request. */
  step: "method" | "challenge";
  threeDSServerTransID: string;
  paymentData: string | null;
  authorisationToken: string | null;
};

/** `always` overrides the account's Dynamic 3D Secure rules, because the caller has already decided to authenticate. */
const authenticationData = {
  attemptAuthentication: "always",
  authenticationOnly: true,
  threeDSRequestData: { nativeThreeDS: "preferred" },
} as const;

export function authenticationBody(request: VendorAuthentication, amount: AdyenAmount, merchant: AdyenMerchant) {
  const { browser, merchantName, notificationUrl, origin, challengeIndicator } = request;
  return {
    ...cardFields(request, amount, merchant),
    authenticationData,
    channel: "Web",
    origin,
    browserInfo: browserInfoOf(browser),
    threeDS2RequestData: {
      merchantName: merchantName.slice(0, 40),
      notificationURL: notificationUrl,
      threeDSRequestorChallengeInd: challengeIndicator,
    },
  };
}

export function methodDetailsBody({ paymentData }: AuthenticationState, threeDSCompInd: AfterMethod["threeDSCompInd"]) {
  if (paymentData === null) throw new Error("Bug: there's no paymentData from the response to continue");
  return {
    details: { "threeds2.fingerprint": encode({ threeDSCompInd }) },
    paymentData,
    authenticationData: { authenticationOnly: true },
  };
}

/**
 * With an `authorisationToken`, Adyen expects `threeDSResult`. Without one, it expects `threeds2.challengeResult` and the
 * `paymentData`, as in earlier versions.
 */
export function challengeDetailsBody(
  { authorisationToken, paymentData }: AuthenticationState,
  transStatus: AfterChallenge["transStatus"],
) {
  const common = { authenticationData: { authenticationOnly: true } };
  if (authorisationToken !== null)
    return { details: { threeDSResult: encode({ transStatus, authorisationToken }) }, ...common };
  if (paymentData === null) throw new Error("Bug: there's no token from the response to continue");
  return { details: { "threeds2.challengeResult": encode({ transStatus }) }, paymentData, ...common };
}

function browserInfoOf(browser: VendorAuthentication["browser"]) {
  return {
    acceptHeader: browser.acceptHeader,
    userAgent: browser.userAgent,
    language: browser.browserLanguage,
    colorDepth: Number(browser.browserColorDepth),
    screenHeight: Number(browser.browserScreenHeight),
    screenWidth: Number(browser.browserScreenWidth),
    timeZoneOffset: Number(browser.browserTZ),
    javaEnabled: browser.browserJavaEnabled,
    javaScriptEnabled: browser.browserJavascriptEnabled,
  };
}

function encode(details: object): string {
  return Buffer.from(JSON.stringify(details)).toString("base64");
}
