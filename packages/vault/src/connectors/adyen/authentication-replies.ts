/**
 * Reads the responses of Adyen's native 3-D Secure without a payment, which come from `POST /payments` and
 * `POST /payments/details`.
 *
 * `IdentifyShopper` and `ChallengeShopper` have an action whose token is JSON in base64. `AuthenticationFinished` has
 * the result, which Adyen has from the directory server. `AuthenticationNotRequired` means that there's no 3-D Secure
 * for this card. `RedirectShopper`, to which Adyen may fall back, would open Adyen's pages and is invalid here. So is
 * `Authorised`, because no authorization was requested.
 *
 * Sources: `PaymentResponse`, `PaymentDetailsResponse`, `CheckoutThreeDS2Action`, `ThreeDS2Result` and
 * `ThreeDS2ResponseData` in Checkout API v72, and the ThreeDS2 component of Adyen/adyen-web for the tokens. v71 leaves
 * out the action of `PaymentDetailsResponse`.
 */
import type { Mode } from "../../mode.ts";
import type { Proof } from "../acquirer.ts";
import { InvalidReplyError } from "../errors.ts";
import { fieldsOf, isText, isTwoDigits, textOrNull } from "../fields.ts";
import type { AuthenticationResult, AuthenticationStep } from "../three-ds-server.ts";
import type { AdyenAmount } from "./amounts.ts";
import type { AuthenticationState } from "./authentication-requests.ts";
import { readPayment } from "./payment-replies.ts";

/** The request that a reply is for. `state` is null for the first one. */
export interface SentAuthentication {
  reference: string;
  amount: AdyenAmount;
  mode: Mode;
  state: AuthenticationState | null;
}

/** @throws InvalidReplyError if it isn't a complete response to this request */
export function readAuthentication(what: string, body: unknown, sent: SentAuthentication): AuthenticationStep {
  const fields = fieldsOf(body);
  const { resultCode, merchantReference } = fields;
  if (merchantReference !== undefined && merchantReference !== sent.reference)
    throw new InvalidReplyError(what, "it's about another payment");
  switch (resultCode) {
    case "IdentifyShopper":
      if (sent.state !== null) throw new InvalidReplyError(what, "the 3DS Method has already been run");
      return readMethod(what, fields["action"], sent);
    case "ChallengeShopper":
      if (sent.state?.step === "challenge") throw new InvalidReplyError(what, "the challenge has already been shown");
      return readChallenge(what, fields["action"], sent);
    case "AuthenticationFinished":
      return readResult(what, fields, sent);
    case "AuthenticationNotRequired":
      if (sent.state?.step === "challenge") throw new InvalidReplyError(what, "there was a challenge");
      return { step: "not_required" };
    case "Refused":
    case "Cancelled":
    case "Error":
      return readRefusal(what, body, sent);
    default:
      throw new InvalidReplyError(what, "its resultCode isn't one of an authentication");
  }
}

function readMethod(what: string, action: unknown, sent: SentAuthentication): AuthenticationStep {
  const { token, state } = readAction(what, action, "method");
  if (state.paymentData === null) throw new InvalidReplyError(what, "its action has no paymentData");
  const { threeDSMethodUrl: url } = token;
  const methodUrl = url === undefined || url === null || url === "" ? null : url;
  if (methodUrl !== null && !isIssuerUrl(methodUrl, sent.mode))
    throw new InvalidReplyError(what, "the URL of the 3DS Method is invalid");
  return { step: "method", methodUrl, threeDSServerTransID: state.threeDSServerTransID, state };
}

function readChallenge(what: string, action: unknown, sent: SentAuthentication): AuthenticationStep {
  const { token, state } = readAction(what, action, "challenge");
  const { threeDSServerTransID } = state;
  const { acsURL: acsUrl, acsTransID, messageVersion } = token;
  if (state.authorisationToken === null && state.paymentData === null)
    throw new InvalidReplyError(what, "its action has neither an authorisationToken nor paymentData");
  if (sent.state !== null && sent.state.threeDSServerTransID !== threeDSServerTransID)
    throw new InvalidReplyError(what, "it's about another authentication");
  if (!isIssuerUrl(acsUrl, sent.mode)) throw new InvalidReplyError(what, "the URL of the challenge is invalid");
  if (!isUuid(acsTransID) || !isVersion(messageVersion))
    throw new InvalidReplyError(what, "the token of the challenge is incomplete");
  return { step: "challenge", acsUrl, acsTransID, threeDSServerTransID, messageVersion, state };
}

const subtypes = { method: "fingerprint", challenge: "challenge" } as const;

/** The documented maximum of `paymentData`. */
const maxPaymentData = 200_000;

/** A token of this size still fits into `threeDSResult`, which has at most 50,000 characters of base64. */
const maxToken = 30_000;

function readAction(what: string, action: unknown, step: AuthenticationState["step"]) {
  const { type, subtype, paymentData, authorisationToken, token: encoded } = fieldsOf(action);
  if (type !== "threeDS2" || subtype !== subtypes[step])
    throw new InvalidReplyError(what, "its action doesn't fit its resultCode");
  const token = fieldsOf(decode(encoded));
  const { threeDSServerTransID } = token;
  if (!isUuid(threeDSServerTransID)) throw new InvalidReplyError(what, "its token has no threeDSServerTransID");
  const state: AuthenticationState = {
    step,
    threeDSServerTransID,
    paymentData: textOrNull(paymentData, maxPaymentData),
    authorisationToken: textOrNull(authorisationToken, maxToken),
  };
  return { token, state };
}

/** Y, A and I allow the payment. An authentication value isn't required for a card that is only verified. */
function readResult(
  what: string,
  { threeDS2Result, threeDS2ResponseData, additionalData }: Record<string, unknown>,
  { amount, state }: SentAuthentication,
): AuthenticationResult {
  const result = fieldsOf(threeDS2Result);
  const { threeDSServerTransID, transStatusReason, challengeCancel } = result;
  const transStatus = finalStatuses.find((known) => known === result["transStatus"]);
  if (transStatus === undefined) throw new InvalidReplyError(what, "its threeDS2Result has no final transStatus");
  if (state !== null && (threeDSServerTransID ?? state.threeDSServerTransID) !== state.threeDSServerTransID)
    throw new InvalidReplyError(what, "it's about another authentication");
  const proof = readProof(result, transStatus, state?.step === "challenge");
  const isProven = transStatus === "Y" || transStatus === "A";
  if ((isProven || transStatus === "I") && proof === null) throw new InvalidReplyError(what, "it has no proof");
  if (isProven && amount.value > 0 && proof?.authenticationValue === undefined)
    throw new InvalidReplyError(what, "it has no authenticationValue");
  const shown = fieldsOf(additionalData)["cardHolderInfo"] ?? fieldsOf(threeDS2ResponseData)["cardHolderInfo"];
  return {
    step: "result",
    threeDSServerTransID: isUuid(threeDSServerTransID) ? threeDSServerTransID : null,
    transStatus,
    transStatusReason: isTwoDigits(transStatusReason) ? transStatusReason : null,
    challengeCancel: isTwoDigits(challengeCancel) ? challengeCancel : null,
    cardholderInfo: textOrNull(shown, 128),
    proof,
  };
}

/** The statuses that end an authentication (EMV 3DS 2.2.0, table A.1). */
const finalStatuses = ["Y", "A", "N", "U", "R", "I"] as const satisfies AuthenticationResult["transStatus"][];

/** Before a challenge, the ARes had the status C. */
function readProof(result: Record<string, unknown>, transStatus: string, isChallenged: boolean): Proof | null {
  const { messageVersion: version, dsTransID: dsTransId, eci, authenticationValue } = result;
  if (!isVersion(version) || !isUuid(dsTransId)) return null;
  return {
    version,
    dsTransId,
    authenticationStatus: isChallenged ? "C" : transStatus,
    ...(isChallenged ? { challengeStatus: transStatus } : {}),
    ...(isTwoDigits(eci) ? { eci } : {}),
    ...(isText(authenticationValue, 64) ? { authenticationValue } : {}),
  };
}

/** Has the same fields as the refusal of a payment. */
function readRefusal(what: string, body: unknown, sent: SentAuthentication): AuthenticationStep {
  const reply = readPayment(what, body, sent);
  if (reply.status !== "declined") throw new Error("Bug: the resultCode of a refusal was read as something else");
  return { step: "declined", declineCode: reply.declineCode };
}

function decode(token: unknown): unknown {
  if (!isText(token, maxToken) || !/^[0-9A-Za-z+/_-]+={0,2}$/.test(token)) return undefined;
  try {
    return JSON.parse(Buffer.from(token, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * HTTPS. In test mode, a bank on this machine may use HTTP. Without the slashes, as in `https:acs`, the browser would
 * take it as a path of our own origin.
 */
function isIssuerUrl(value: unknown, mode: Mode): value is string {
  if (!isText(value, 2048) || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== "" || password !== "") return false;
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "127.0.0.1";
  return protocol === "https:" || (protocol === "http:" && mode === "test" && isLocal);
}

function isUuid(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

/** Such as `2.2.0`. */
function isVersion(value: unknown): value is string {
  return typeof value === "string" && /^2\.\d\.\d$/.test(value);
}
