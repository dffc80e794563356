/**
 * The EMV 3-D Secure messages (2.2.0 and 2.3.1) that Oriel, the directory server and the ACS exchange for a browser
 * payment, reduced to the fields we use. Names follow the specification, and numbers are strings, as it requires.
 * Comments note where the versions differ.
 *
 * ```
 *  vault  --PReq-->  directory server  --PRes-->   enrolled card ranges and their 3DS Method URLs
 *  frame  --threeDSMethodData form-->  ACS  --form-->  our method URL     (hidden; the issuer identifies the browser)
 *  vault  --AReq-->  directory server  --ARes-->   Y, A, N, U, R, I: final; C: challenge; D: decoupled
 *  frame  --creq form-->  ACS pages  (only after C)
 *  directory server  --RReq-->  service  --RRes-->      the result, from here only
 *  vault  --GET-->  directory server  --RReq-->         the same, fetched if it did not arrive (`acquirer.ts`)
 *  ACS    --cres form-->  our challenge URL             (through the browser: only a notification, never trusted)
 * ```
 * Sources: EMV 3DS Protocol and Core Functions Specification 2.2.0 and 2.3.1, Annex A.
 */

/**
 * The supported versions, oldest first. A transaction uses the highest one that the card's range also supports.
 */
export const messageVersions = ["2.2.0", "2.3.1"] as const;
export type MessageVersion = (typeof messageVersions)[number];

/**
 * Y authenticated, A attempted, N not authenticated, U unavailable, R rejected by the issuer, C challenge required, I
 * informational only, D decoupled authentication. We don't support S (2.3.1), which needs Secure Payment Confirmation.
 */
export const transStatuses = ["Y", "A", "N", "U", "R", "C", "D", "I"] as const;
export type TransStatus = (typeof transStatuses)[number];

/** An enrolled card range in 2.2.0. */
export interface CardRange220 {
  /** The first number of the range, inclusive, with as many digits as `endRange`. */
  startRange: string;
  endRange: string;
  acsStartProtocolVersion: string;
  acsEndProtocolVersion: string;
  threeDSMethodURL?: string;
}

/**
 * Enrolled card ranges in 2.3.1: several ranges share the same versions, and each version has its own 3DS Method URL.
 */
export interface CardRange231 {
  ranges: { start: string; end: string }[];
  acsProtocolVersions: { version: string; acsInfoInd: string[]; threeDSMethodURL?: string }[];
}

export interface PReq {
  messageType: "PReq";
  /** Also determines the format of `cardRangeData` in the response. */
  messageVersion: string;
}

export interface PRes {
  messageType: "PRes";
  messageVersion: string;
  cardRangeData: (CardRange220 | CardRange231)[];
}

/** Information about the browser for the AReq (Table A.1, browser channel). */
export interface BrowserFields {
  browserJavaEnabled: boolean;
  browserJavascriptEnabled: boolean;
  /** BCP 47, at most 8 characters in 2.2. */
  browserLanguage: string;
  browserColorDepth: "1" | "4" | "8" | "15" | "16" | "24" | "32" | "48";
  browserScreenHeight: string;
  browserScreenWidth: string;
  /** Minutes from local time to UTC, as `Date.getTimezoneOffset()` returns them: "-60" in Berlin in winter. */
  browserTZ: string;
}

/** 01 250x400, 02 390x400, 03 500x600, 04 600x400, 05 full screen. */
export const challengeWindowSizeCodes = ["01", "02", "03", "04", "05"] as const;
export type ChallengeWindowSize = (typeof challengeWindowSizeCodes)[number];

/** Width and height of each size in CSS pixels. 05 uses the available space. */
export const challengeWindowSizes: Record<
  Exclude<ChallengeWindowSize, "05">,
  readonly [width: number, height: number]
> = {
  "01": [250, 400],
  "02": [390, 400],
  "03": [500, 600],
  "04": [600, 400],
};

/**
 * The window to request from the bank: 390x400, for which banks' pages are commonly designed, a smaller one if only that
 * fits, or full screen. Larger windows are mostly empty, and a page of the bank can't be measured.
 */
export function challengeWindowSize(availableWidth: number, availableHeight: number): ChallengeWindowSize {
  for (const size of ["02", "01"] as const) {
    const [width, height] = challengeWindowSizes[size];
    if (width <= availableWidth && height <= availableHeight) return size;
  }
  return "05";
}

/** The authentication request without the card, which only the vault can add. */
export interface AReqWithoutCard extends BrowserFields {
  messageType: "AReq";
  messageVersion: string;
  /** 02: browser. */
  deviceChannel: "02";
  /** 01: payment. 02: no payment, for example when a card is saved. */
  messageCategory: "01" | "02";
  threeDSServerTransID: string;
  /** Where the directory server sends the RReq. */
  threeDSServerURL: string;
  /** Y: the 3DS Method completed. N: it didn't complete. U: the range has none. */
  threeDSCompInd: "Y" | "N" | "U";
  /** The URL to which the ACS sends the browser with the CRes. At most 256 characters. */
  notificationURL: string;
  browserAcceptHeader: string;
  browserIP: string;
  browserUserAgent: string;
  merchantName: string;
  /** The merchant ID that the acquirer assigned, at most 35 characters. Only in live mode. */
  acquirerMerchantID?: string;
  purchaseAmount: string;
  /** ISO 4217 numeric code, three digits. */
  purchaseCurrency: string;
  purchaseExponent: string;
  /** UTC, YYYYMMDDHHMMSS. */
  purchaseDate: string;
  /**
   * 01: no preference. 04: challenge mandated. 13: challenge requested by the issuer (2.3.1 only). A string in 2.2.0,
   * an array of one or two strings in 2.3.1.
   */
  threeDSRequestorChallengeInd: "01" | "04" | ("01" | "04" | "13")[];
  /** Whether we accept decoupled authentication. N: no. F: as a fallback to a challenge (2.3.1 only). */
  threeDSRequestorDecReqInd: "N" | "F";
  /** With F: the time limit in minutes, five digits. */
  threeDSRequestorDecMaxTime?: string;
  /**
   * 2.3.1: the threeDSServerTransID of a 3DS Method that ran for this browser and card in the last ten minutes.
   * Requires `threeDSCompInd` Y.
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
  /** A message from the issuer to the customer, at most 128 characters. A string in 2.2.0, an object in 2.3.1. */
  cardholderInfo?: string | { text: string };
}

export interface CReq {
  messageType: "CReq";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  challengeWindowSize: ChallengeWindowSize;
}

/** Arrives through the browser, or an {@link Erro} instead. Its `transStatus` is never trusted; the RReq's is. */
export interface CRes {
  messageType: "CRes";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  transStatus: "Y" | "N";
}

/** The result of a challenge or decoupled authentication, sent by the directory server to the service. */
export interface RReq {
  messageType: "RReq";
  messageVersion: string;
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
  /** 01: payment. 02: no payment, for example when a card is saved. */
  messageCategory: "01" | "02";
  transStatus: Exclude<TransStatus, "C" | "D" | "I">;
  transStatusReason?: string;
  /** 01 static, 02 dynamic, 03 out of band, 04 decoupled. With Y and N. */
  authenticationType?: string;
  authenticationValue?: string;
  eci?: string;
  /**
   * 01: canceled by the cardholder. 03 to 05: timed out at the ACS. 06, 07: ACS error. 09, 10 (2.3.1): error between
   * the ACS and the browser.
   */
  challengeCancel?: string;
  /** The cardholder's number of attempts, two digits. */
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

/** Any party's response to a message it can't process (Table A.4). */
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

/** The content of the form field `threeDSMethodData`, encoded as base64url without padding. */
export interface MethodData {
  threeDSServerTransID: string;
  /** Absent in the ACS's notification. */
  threeDSMethodNotificationURL?: string;
}
