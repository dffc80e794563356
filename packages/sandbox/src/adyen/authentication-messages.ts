/**
 * Messages of Adyen's native 3-D Secure without a payment: the fields that the simulator reads and writes. Sources:
 * Adyen's OpenAPI documents `CheckoutService-v71` and `-v72` (v71 leaves out the action of a details response), and the
 * ThreeDS2 component of Adyen/adyen-web for the tokens.
 */
import type { Amount, PaymentRequest } from "./messages.ts";
import type { Refusal } from "./refusals.ts";

/** Body of `/payments` that only authenticates. */
export interface AuthenticationRequest extends Omit<
  PaymentRequest,
  "mpiData" | "captureDelayHours" | "additionalData" | "paymentMethod"
> {
  paymentMethod: PaymentRequest["paymentMethod"] & { holderName?: string };
  authenticationData: {
    authenticationOnly: true;
    attemptAuthentication?: "always";
    threeDSRequestData: { nativeThreeDS: "preferred" };
  };
  channel: "Web";
  origin: string;
  browserInfo: {
    acceptHeader: string;
    userAgent: string;
    language: string;
    colorDepth: number;
    screenHeight: number;
    screenWidth: number;
    timeZoneOffset: number;
    javaEnabled: boolean;
    javaScriptEnabled?: boolean;
  };
  threeDS2RequestData: { notificationURL: string; merchantName?: string; threeDSRequestorChallengeInd?: string };
  shopperEmail?: string;
  shopperIP?: string;
  billingAddress?: { postalCode: string };
}

/** Body of `/payments/details`. Exactly one of the details is present. */
export interface DetailsRequest {
  details: { "threeds2.fingerprint"?: string; threeDSResult?: string; "threeds2.challengeResult"?: string };
  paymentData?: string;
  authenticationData?: { authenticationOnly: true };
}

export interface Action {
  type: "threeDS2";
  subtype: "fingerprint" | "challenge";
  paymentMethodType: "scheme";
  paymentData: string;
  authorisationToken: string;
  /** JSON in base64. */
  token: string;
}

export type AuthenticationResponse =
  | { resultCode: "IdentifyShopper" | "ChallengeShopper"; action: Action }
  | ({ pspReference: string; merchantReference: string } & (
      | { resultCode: "AuthenticationNotRequired"; threeDSPaymentData: string }
      | {
          resultCode: "AuthenticationFinished";
          threeDS2ResponseData: Record<string, string>;
          threeDS2Result: Record<string, string>;
          additionalData: Record<string, string>;
        }
      | (Refusal & { amount: Amount })
    ));

/** Whether a valid body of `/payments` only authenticates. */
export function isAuthentication(request: PaymentRequest | AuthenticationRequest): request is AuthenticationRequest {
  return "authenticationData" in request && request.authenticationData.authenticationOnly;
}
