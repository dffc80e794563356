/**
 * The port of a 3DS Server's connection to the card networks. It finds out whether a card is enrolled in 3-D Secure, and
 * authenticates the cardholder. Source: EMV 3DS 2.2.0 and 2.3.1.
 */
import type { AReq, ARes, Erro, MessageVersion } from "@oriel/protocol/threeds";

/**
 * A card's enrollment in 3-D Secure: the highest version that both we and the issuer support, and the URL of the issuer's
 * 3DS Method, if there is one. Null if the card isn't enrolled, "unknown" if that couldn't be determined.
 */
export type Enrollment = { version: MessageVersion; methodUrl: string | null } | null | "unknown";

/**
 * An ARes with all fields that its status requires. The text for the customer is always a string, whatever the version.
 */
export type AuthenticationResponse = Omit<ARes, "cardholderInfo"> & { cardholderInfo?: string };

export interface ThreeDSServer {
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
