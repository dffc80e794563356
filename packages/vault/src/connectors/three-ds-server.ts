/**
 * The port of a 3DS Server, which authenticates cardholders. There are two kinds.
 *
 * - `directory_server`: we build the EMV 3DS messages, and the connector sends them to a directory server. We choose the
 *   threeDSServerTransID, and the directory server sends the result of a challenge to us (RReq).
 * - `vendor`: the vendor has the 3DS Server. It gets the whole request, chooses the threeDSServerTransID and receives the
 *   RReq. Its replies say what the customer's browser has to do next. We run the 3DS Method and the challenge ourselves,
 *   and the ACS returns to our pages.
 *
 * Source: EMV 3DS 2.2.0 and 2.3.1.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { AReq, ARes, BrowserFields, Erro, MessageVersion } from "@oriel/protocol/threeds";
import type { Authorization, Money, Proof } from "./acquirer.ts";

export type ThreeDSServer = DirectoryServer | VendorThreeDSServer;

/**
 * A card's enrollment in 3-D Secure: the highest version that both we and the issuer support, and the URL of the issuer's
 * 3DS Method, if there is one. Null if the card isn't enrolled, "unknown" if that couldn't be determined.
 */
export type Enrollment = { version: MessageVersion; methodUrl: string | null } | null | "unknown";

/**
 * An ARes with all fields that its status requires. The text for the customer is always a string, whatever the version.
 */
export type AuthenticationResponse = Omit<ARes, "cardholderInfo"> & { cardholderInfo?: string };

export interface DirectoryServer {
  readonly kind: "directory_server";
  enrollment(cardNumber: string): Promise<Enrollment>;
  /** Uses the message version of the request. @throws NoReplyError, InvalidReplyError */
  authenticate(request: AReq): Promise<AuthenticationResponse | Erro>;
  /**
   * The result of a challenge or a decoupled authentication: the RReq that was sent or should have been sent. It isn't
   * validated. Null if there's none yet, or if the vendor doesn't support the request.
   *
   * @throws NoReplyError, InvalidReplyError
   */
  result(threeDSServerTransID: string): Promise<unknown>;
}

/**
 * Each method can be called again with the same arguments, for example because no reply arrived. It then returns the first
 * reply, and has no further effect. Each must be called at most once with different arguments.
 *
 * @throws NoReplyError, InvalidReplyError from each method
 */
export interface VendorThreeDSServer {
  readonly kind: "vendor";
  begin(request: VendorAuthentication): Promise<AuthenticationStep>;
  /** Continues after the 3DS Method. */
  afterMethod(request: AfterMethod): Promise<StepAfterMethod>;
  /** Returns the result of the challenge. It's `declined` if the vendor has no result (yet), which is final. */
  afterChallenge(request: AfterChallenge): Promise<AuthenticationEnd>;
}

interface Authenticated extends Money {
  /** Our reference of the authentication. It must differ from the references of all operations of the acquirer. */
  reference: string;
}

export interface VendorAuthentication
  extends Authenticated, Pick<Authorization, "card" | "cardholderName" | "network" | "usage" | "customer"> {
  browser: BrowserFields & { acceptHeader: string; userAgent: string };
  /** The name on the challenge page. */
  merchantName: string;
  /** Our page to which the ACS posts the CRes. */
  notificationUrl: string;
  /** The origin of the page that contains the challenge. */
  origin: string;
  /** 01: no preference. 04: a challenge is mandated. */
  challengeIndicator: "01" | "04";
}

/** What the vendor needs for the next request. It's JSON without card data, up to 250 KB, and only the connector reads it. */
export type VendorState = Record<string, unknown>;

export interface AfterMethod extends Authenticated {
  state: VendorState;
  /** Y: the 3DS Method completed. N: it didn't complete in time. U: there's no method URL. */
  threeDSCompInd: "Y" | "N" | "U";
}

export interface AfterChallenge extends Authenticated {
  state: VendorState;
  /**
   * Of the CRes, or `U` if none arrived in time. It came through the browser, so it's only a hint: the vendor has the result
   * from the directory server.
   */
  transStatus: "Y" | "N" | "U";
}

/** What follows in an authentication, or how it ended. */
export type AuthenticationStep =
  /** The 3DS Method is next. `methodUrl` is null if the issuer has none. */
  { step: "method"; methodUrl: string | null; threeDSServerTransID: string; state: VendorState } | StepAfterMethod;

export type StepAfterMethod =
  /** A challenge is next. The other fields are for the CReq. */
  | {
      step: "challenge";
      acsUrl: string;
      acsTransID: string;
      threeDSServerTransID: string;
      /** Such as `2.2.0`. */
      messageVersion: string;
      state: VendorState;
    }
  /** The card isn't enrolled, or the payment doesn't need 3-D Secure. */
  | { step: "not_required" }
  | AuthenticationEnd;

export type AuthenticationEnd =
  | AuthenticationResult
  /** The vendor refused or couldn't process the authentication. */
  | { step: "declined"; declineCode: DeclineCode };

export interface AuthenticationResult {
  step: "result";
  threeDSServerTransID: string | null;
  transStatus: "Y" | "A" | "N" | "U" | "R" | "I";
  transStatusReason: string | null;
  /** Who canceled the challenge (EMV 3DS 2.2.0, table A.1). */
  challengeCancel: string | null;
  /** A message from the issuer that must be shown to the customer. */
  cardholderInfo: string | null;
  /** Null if the vendor returns none. There is always one with Y, A and I. */
  proof: Proof | null;
}
