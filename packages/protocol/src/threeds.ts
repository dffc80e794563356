/**
 * The EMV 3-D Secure messages, 2.2.0 and 2.3.1, that Oriel, the directory server and the ACS exchange for a payment in
 * a browser, cut to the fields that are used. Names are the specification's; numbers travel as strings, as it asks.
 * Where the two versions differ, it is said.
 *
 * ```
 *  vault  --PReq-->  directory server  --PRes-->   which card ranges take part, and their 3DS Method address
 *  frame  --threeDSMethodData form-->  ACS  --form-->  our method address          (hidden; lets the bank know the browser)
 *  vault  --AReq-->  directory server  --ARes-->   Y, A, N, U, R, I at once; C: a challenge; D: the bank asks elsewhere
 *  frame  --creq form-->  ACS pages  (only after C)
 *  directory server  --RReq-->  service  --RRes-->      THE RESULT. Everything above and below is only a way to get here
 *  vault  --GET-->  directory server  --RReq-->         the same, asked for because it did not arrive (`acquirer.ts`)
 *  ACS    --cres form-->  our challenge address         (in the browser: a knock on the door, never believed)
 * ```
 * Sources: EMV 3DS Protocol and Core Functions Specification 2.2.0 and 2.3.1, Annex A.
 */

/**
 * The versions that are spoken, oldest first. A transaction is held in the highest that the card's range and we have in
 * common.
 */
export const messageVersions = ["2.2.0", "2.3.1"] as const;
export type MessageVersion = (typeof messageVersions)[number];

/**
 * Y authenticated, A attempted, N not authenticated, U could not be done, R rejected by the issuer, C challenge wanted,
 * I informational only, D decoupled: the bank asks the cardholder elsewhere. 2.3.1 also has S, which needs secure
 * payment confirmation; we do not offer it.
 */
export const transStatuses = ["Y", "A", "N", "U", "R", "C", "D", "I"] as const;
export type TransStatus = (typeof transStatuses)[number];

/** Card numbers that take part, as 2.2.0 lists them. */
export interface CardRange220 {
  /** First and last number of the range, inclusive, digits of equal count. */
  startRange: string;
  endRange: string;
  acsStartProtocolVersion: string;
  acsEndProtocolVersion: string;
  threeDSMethodURL?: string;
}

/**
 * Card numbers that take part, as 2.3.1 lists them: several ranges with the same versions, each version with its own
 * method.
 */
export interface CardRange231 {
  ranges: { start: string; end: string }[];
  acsProtocolVersions: { version: string; acsInfoInd: string[]; threeDSMethodURL?: string }[];
}

export interface PReq {
  messageType: "PReq";
  /** The answer has this version's shape of `cardRangeData`. */
  messageVersion: string;
}

export interface PRes {
  messageType: "PRes";
  messageVersion: string;
  cardRangeData: (CardRange220 | CardRange231)[];
}

/** What the browser can tell about itself, field by field as the AReq wants it (Table A.1, browser channel). */
export interface BrowserFields {
  browserJavaEnabled: boolean;
  browserJavascriptEnabled: boolean;
  /** BCP 47, at most 8 characters in 2.2. */
  browserLanguage: string;
  browserColorDepth: "1" | "4" | "8" | "15" | "16" | "24" | "32" | "48";
  browserScreenHeight: string;
  browserScreenWidth: string;
  /** Minutes between UTC and local time, as `Date.getTimezoneOffset()` gives them: "-60" in Berlin in winter. */
  browserTZ: string;
}

/** 01 250x400, 02 390x400, 03 500x600, 04 600x400, 05 full screen. */
export const challengeWindowSizeCodes = ["01", "02", "03", "04", "05"] as const;
export type ChallengeWindowSize = (typeof challengeWindowSizeCodes)[number];

/** Width and height in CSS pixels of each size that has one; 05 takes what there is. */
export const challengeWindowSizes: Record<
  Exclude<ChallengeWindowSize, "05">,
  readonly [width: number, height: number]
> = {
  "01": [250, 400],
  "02": [390, 400],
  "03": [500, 600],
  "04": [600, 400],
};

/** The largest window that fits the room there is; full screen where not even the smallest does. */
export function challengeWindowSize(roomWidth: number, roomHeight: number): ChallengeWindowSize {
  for (const size of ["03", "04", "02", "01"] as const) {
    const [width, height] = challengeWindowSizes[size];
    if (width <= roomWidth && height <= roomHeight) return size;
  }
  return "05";
}

/** The authentication request as the service builds it: everything but the card, which only the vault can put in. */
export interface AReqWithoutCard extends BrowserFields {
  messageType: "AReq";
  messageVersion: string;
  /** 02: browser. */
  deviceChannel: "02";
  /** 01: a payment; 02: no payment, as where a card is saved. */
  messageCategory: "01" | "02";
  threeDSServerTransID: string;
  /** Where the directory server sends the RReq. */
  threeDSServerURL: string;
  /** Y the method ran, N it did not finish, U the range has none. */
  threeDSCompInd: "Y" | "N" | "U";
  /** Where the ACS sends the browser with the CRes. At most 256 characters. */
  notificationURL: string;
  browserAcceptHeader: string;
  browserIP: string;
  browserUserAgent: string;
  merchantName: string;
  /** What the acquirer calls the merchant: at most 35 characters. In live mode. */
  acquirerMerchantID?: string;
  purchaseAmount: string;
  /** ISO 4217 numeric code, three digits. */
  purchaseCurrency: string;
  purchaseExponent: string;
  /** UTC, YYYYMMDDHHMMSS. */
  purchaseDate: string;
  /**
   * 01 no preference, 04 challenge mandated, 13 challenge wanted because the issuer asked for one (2.3.1 only). One
   * word in 2.2.0, a list of one or two in 2.3.1.
   */
  threeDSRequestorChallengeInd: "01" | "04" | ("01" | "04" | "13")[];
  /** Whether a decoupled authentication will do: N no; F as a fallback to a challenge (2.3.1 only). */
  threeDSRequestorDecReqInd: "N" | "F";
  /** With F: for how many minutes, five digits. */
  threeDSRequestorDecMaxTime?: string;
  /**
   * 2.3.1: the threeDSServerTransID of the 3DS Method that this browser and card went through in the last ten minutes;
   * then `threeDSCompInd` is Y.
   */
  threeDSMethodId?: string;
  /** 2 to 45 printable ASCII characters (EMV Book 4, Annex B). */
  cardholderName?: string;
  /** At most 254 characters. */
  email?: string;
  /** At most 16 characters. */
  billAddrPostCode?: string;
  /** ISO 3166-1 numeric, three digits. */
  billAddrCountry?: string;
}

export interface AReq extends AReqWithoutCard {
  acctNumber: string;
  /** YYMM */
  cardExpiryDate: string;
}

export interface ARes {
  messageType: "ARes";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
  transStatus: TransStatus;
  transStatusReason?: string;
  /** With Y and A. Never leaves the server. */
  authenticationValue?: string;
  eci?: string;
  /** With C. */
  acsURL?: string;
  acsChallengeMandated?: "Y" | "N";
  /** With D: Y. */
  acsDecConInd?: "Y" | "N";
  /** 01 static, 02 dynamic, 03 out of band, 04 decoupled. */
  authenticationType?: string;
  /** A sentence of the issuer's for the customer, at most 128 characters. Text in 2.2.0, an object in 2.3.1. */
  cardholderInfo?: string | { text: string };
}

export interface CReq {
  messageType: "CReq";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  challengeWindowSize: ChallengeWindowSize;
}

/** Arrives in the browser, as an {@link Erro} may in its place. Its `transStatus` is never believed: the RReq's is. */
export interface CRes {
  messageType: "CRes";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  transStatus: "Y" | "N";
}

/** The result of a challenge, or of asking elsewhere, from the directory server to the service. */
export interface RReq {
  messageType: "RReq";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
  /** 01: a payment; 02: no payment, as where a card is saved. */
  messageCategory: "01" | "02";
  transStatus: Exclude<TransStatus, "C" | "D" | "I">;
  transStatusReason?: string;
  /** 01 static, 02 dynamic, 03 out of band, 04 decoupled. With Y and N. */
  authenticationType?: string;
  authenticationValue?: string;
  eci?: string;
  /**
   * 01 the cardholder canceled, 03 to 05 timed out at the ACS, 06 and 07 an error there, 09 and 10 (2.3.1) one between
   * it and the browser.
   */
  challengeCancel?: string;
  /** How often the cardholder tried, two digits. */
  interactionCounter: string;
}

export interface RRes {
  messageType: "RRes";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
  /** 01: received. */
  resultsStatus: "01";
}

/** What any party answers instead of a message it cannot use (Table A.4). */
export interface Erro {
  messageType: "Erro";
  messageVersion: string;
  errorCode: string;
  errorComponent: "S" | "D" | "A";
  errorDescription: string;
  errorDetail: string;
  errorMessageType: string;
  threeDSServerTransID?: string;
  acsTransID?: string;
}

/** What the frame's 3DS Method form carries, base64url without padding in a field named `threeDSMethodData`. */
export interface MethodData {
  threeDSServerTransID: string;
  /** Absent when it comes back. */
  threeDSMethodNotificationURL?: string;
}
