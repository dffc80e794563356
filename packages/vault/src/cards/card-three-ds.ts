/** Adds the card to requests to a 3DS Server. The number leaves the vault only here and in `card-acquirer.ts`. */
import type { AReqWithoutCard, Erro } from "@oriel/protocol/threeds";
import { isOutcomeUnknown, NoReplyError } from "../connectors/errors.ts";
import type {
  AfterChallenge,
  AfterMethod,
  AuthenticationEnd,
  AuthenticationResponse,
  AuthenticationStep,
  Enrollment,
  StepAfterMethod,
  ThreeDSServer,
  VendorAuthentication,
} from "../connectors/three-ds-server.ts";
import type { Card, CardOf } from "./card-store.ts";

/**
 * "silent": the acquirer didn't respond. "unreadable": the response is invalid, possibly because of what we sent, and
 * parts of that came from the customer.
 */
type NoReply = "silent" | "unreadable";

export type AuthenticationReply = AuthenticationResponse | Erro | NoReply;
export type VendorReply = AuthenticationStep | NoReply;

/** See `connectors/three-ds-server.ts` for the two kinds. */
export type CardThreeDS = CardDirectoryServer | CardThreeDSServer;

export interface CardDirectoryServer {
  readonly kind: "directory_server";
  enrollment(card: CardOf): Promise<Enrollment>;
  /** Adds the card number to an authentication request and sends it. */
  authenticate(card: CardOf, request: AReqWithoutCard): Promise<AuthenticationReply>;
  /**
   * Fetches an RReq that didn't arrive, and doesn't validate it. Null if there's none yet, "silent" if the acquirer
   * doesn't respond. Needs no card.
   */
  result(threeDSServerTransID: string): Promise<unknown>;
}

/** Each method can be called again with the same arguments, and returns the first reply. */
export interface CardThreeDSServer {
  readonly kind: "vendor";
  /** Adds the card's number and expiry date. The CVC isn't needed for an authentication. */
  begin(card: CardOf, request: Omit<VendorAuthentication, "card">): Promise<VendorReply>;
  /** Continues after the 3DS Method. Needs no card. */
  afterMethod(request: AfterMethod): Promise<StepAfterMethod | NoReply>;
  /** Fetches the result of the challenge. Needs no card. */
  afterChallenge(request: AfterChallenge): Promise<AuthenticationEnd | NoReply>;
}

/** @param open - Decrypts a card. @param warn - Receives warnings for the operator. Never card data. */
export function createCardThreeDS(
  server: ThreeDSServer,
  { open, warn }: { open: (card: CardOf) => Promise<{ card: Card }>; warn: (message: string) => void },
): CardThreeDS {
  if (server.kind === "vendor")
    return {
      kind: "vendor",
      async begin(cardOf, request) {
        const { number, exp_month: expMonth, exp_year: expYear } = (await open(cardOf)).card;
        return await replyOf(() => server.begin({ ...request, card: { number, expMonth, expYear } }));
      },
      afterMethod: (request) => replyOf(() => server.afterMethod(request)),
      afterChallenge: (request) => replyOf(() => server.afterChallenge(request)),
    };
  return {
    kind: "directory_server",
    async enrollment(cardOf) {
      const { card } = await open(cardOf);
      return await server.enrollment(card.number);
    },
    async authenticate(cardOf, request) {
      const { card } = await open(cardOf);
      return await replyOf(() =>
        server.authenticate({ ...request, acctNumber: card.number, cardExpiryDate: yymm(card) }),
      );
    },
    async result(threeDSServerTransID) {
      try {
        return await server.result(threeDSServerTransID);
      } catch (error) {
        if (isOutcomeUnknown(error)) return "silent";
        throw error;
      }
    },
  };

  async function replyOf<T>(call: () => Promise<T>): Promise<T | NoReply> {
    try {
      return await call();
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      if (error instanceof NoReplyError) return "silent";
      warn(error.message);
      return "unreadable";
    }
  }
}

function yymm(card: Card): string {
  return `${String(card.exp_year).slice(2)}${String(card.exp_month).padStart(2, "0")}`;
}
