/**
 * Adyen's native 3-D Secure without a payment. Adyen is the 3DS server: it sends the AReq to the sandbox's own directory
 * server, in this process, and the browser goes to the sandbox's ACS.
 *
 * ```
 * /payments --no 3-D Secure for the card--> AuthenticationNotRequired
 *   |  \---- the issuer has a 3DS Method --> IdentifyShopper --/payments/details, threeds2.fingerprint--\
 *   \------- it has none -------------------------------------------------------------------------------> AReq
 * AReq --final--> AuthenticationFinished        AReq --Erro--> Refused, 42
 *      \-- C ---> ChallengeShopper --/payments/details, threeDSResult--> AuthenticationFinished, or Refused, 39
 * ```
 * After a challenge, the result is the one that the ACS reported (RReq). What the client sends as `transStatus` is
 * ignored, because it came through a browser. If nothing was reported yet, the authentication is refused.
 *
 * Each `paymentData` and `authorisationToken` can be used once. The card number is kept in memory until the 3DS Method is
 * done.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { isCurrency } from "@oriel/protocol/currency";
import type { ARes, Erro, RReq } from "@oriel/protocol/threeds";
import { addAndTrim } from "../acs/add-and-trim.ts";
import { cardRanges, isEnrolled } from "../card-ranges.ts";
import type { ReadAReq } from "../directory-server/read-message.ts";
import type { AuthenticationRequest, DetailsRequest } from "./authentication-messages.ts";
import { areqOf, version } from "./authentication-request.ts";
import {
  actionReply,
  type AuthenticationReply,
  authenticationFinished,
  authenticationRefused,
  type Subject,
} from "./authentication-responses.ts";
import { refused } from "./messages.ts";

export interface AdyenAuthenticationsOptions {
  /** Public origin of the ACS's pages. */
  origin: string;
  /** Sends an AReq to the directory server. */
  authenticate: (areq: ReadAReq) => ARes | Erro;
  /** The RReq of a challenge, once there's one. */
  resultOf: (threeDSServerTransID: string) => RReq | undefined;
  now: () => Date;
  /** 16 characters, unique. */
  newPspReference: () => string;
}

export class AdyenAuthentications {
  readonly #options: AdyenAuthenticationsOptions;
  /** By `paymentData`. */
  readonly #methods = new Map<string, { subject: Subject; areq: ReadAReq }>();
  /** By `paymentData` and by `authorisationToken`. */
  readonly #challenges = new Map<string, { subject: Subject; ares: ARes }>();

  constructor(options: AdyenAuthenticationsOptions) {
    this.#options = options;
  }

  /** `POST /payments` */
  begin(request: AuthenticationRequest): AuthenticationReply {
    const { reference: merchantReference, amount, paymentMethod } = request;
    if (!isCurrency(amount.currency.toLowerCase())) return refused(422, "138", "The currency isn't supported.");
    const subject = { pspReference: this.#options.newPspReference(), merchantReference, amount };
    if (!isEnrolled(paymentMethod.number, version)) {
      const { pspReference } = subject;
      const body = { resultCode: "AuthenticationNotRequired", threeDSPaymentData: newToken() } as const;
      return { status: 200, body: { ...body, pspReference, merchantReference } };
    }
    const threeDSServerTransID = randomUUID();
    const areq = areqOf(request, threeDSServerTransID, this.#options.now());
    const threeDSMethodUrl = methodUrlOf(paymentMethod.number, this.#options.origin);
    if (threeDSMethodUrl === undefined) return this.#authenticate(subject, { ...areq, threeDSCompInd: "U" });
    const threeDSMethodNotificationURL = `${request.origin}/threeDSMethodNotification`;
    const tokens = newTokens();
    addAndTrim(this.#methods, tokens.paymentData, { subject, areq });
    return actionReply("fingerprint", tokens, { threeDSMethodUrl, threeDSMethodNotificationURL, threeDSServerTransID });
  }

  /** `POST /payments/details` */
  continue({ details, paymentData }: DetailsRequest): AuthenticationReply {
    const fingerprint = details["threeds2.fingerprint"];
    if (fingerprint !== undefined) {
      const { threeDSCompInd } = decode(fingerprint);
      if (!isCompletion(threeDSCompInd)) return refused(422, "702", "threeDSCompInd is Y, N or U.");
      const waiting = take(this.#methods, paymentData);
      if (waiting === undefined) return refused(422, "702", "The paymentData is unknown or was already used.");
      return this.#authenticate(waiting.subject, { ...waiting.areq, threeDSCompInd });
    }
    const result = decode(details.threeDSResult ?? details["threeds2.challengeResult"] ?? "");
    if (typeof result["transStatus"] !== "string") return refused(422, "702", "The transStatus is missing.");
    const token = details.threeDSResult === undefined ? paymentData : result["authorisationToken"];
    const waiting = take(this.#challenges, token);
    if (waiting === undefined) return refused(422, "702", "The token is unknown or was already used.");
    const { subject, ares } = waiting;
    const rreq = this.#options.resultOf(ares.threeDSServerTransID);
    if (rreq === undefined) return authenticationRefused(subject, "RReq not received from DS", "39");
    return authenticationFinished(subject, ares, rreq, this.#options.now());
  }

  #authenticate(subject: Subject, areq: ReadAReq): AuthenticationReply {
    const ares = this.#options.authenticate(areq);
    if (ares.messageType === "Erro") return authenticationRefused(subject, "3DS Authentication Error", "42");
    if (ares.transStatus !== "C") return authenticationFinished(subject, ares, ares, this.#options.now());
    const { acsURL = "", acsTransID, messageVersion, threeDSServerTransID } = ares;
    const threeDSNotificationURL = areq.notificationURL;
    const tokens = newTokens();
    const waiting = { subject, ares };
    for (const token of Object.values(tokens)) addAndTrim(this.#challenges, token, waiting);
    return actionReply("challenge", tokens, {
      acsURL,
      acsTransID,
      messageVersion,
      threeDSServerTransID,
      threeDSNotificationURL,
    });
  }
}

function methodUrlOf(number: string, origin: string): string | undefined {
  for (const range of cardRanges(version, origin))
    if ("startRange" in range && range.startRange <= number && number <= range.endRange) return range.threeDSMethodURL;
  return undefined;
}

/** Real tokens are encrypted and much longer. */
function newTokens(): { paymentData: string; authorisationToken: string } {
  return { paymentData: newToken(), authorisationToken: newToken() };
}

function newToken(): string {
  return `Ab02b4c0!${randomBytes(48).toString("base64")}`;
}

/** Finds and removes the value with this key, and the same value under any other key. */
function take<Value extends object>(map: Map<string, Value>, key: unknown): Value | undefined {
  const value = typeof key === "string" ? map.get(key) : undefined;
  if (value === undefined) return undefined;
  for (const [other, stored] of map) if (stored === value) map.delete(other);
  return value;
}

function decode(encoded: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64").toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isCompletion(value: unknown): value is "Y" | "N" | "U" {
  return value === "Y" || value === "N" || value === "U";
}
