/**
 * What the ACS remembers about each authentication, so that it can refuse repeated requests and tests can see what
 * happened: the browser that ran the 3DS Method, the response, the result and the number of messages of each kind. Kept
 * in memory for the newest ten thousand, without card numbers or proofs.
 */
import type { AReq, ChallengeWindowSize, CReq, RReq, TransStatus } from "@oriel/protocol/threeds";
import { addAndTrim } from "./add-and-trim.ts";

export type CountedMessage = "AReq" | "CReq" | "CRes" | "Erro" | "RReq" | "RRes";

export interface Authentication {
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
  messageVersion: string;
  card: { last4: string };
  /** The AReq's cardholder data. */
  cardholder: Pick<AReq, "cardholderName" | "email" | "billAddrPostCode" | "billAddrCountry">;
  /** The AReq's 3DS Method indicator. */
  threeDSCompInd: "Y" | "N" | "U";
  /** What the AReq requested. */
  requested: Pick<AReq, "threeDSRequestorChallengeInd" | "threeDSRequestorDecReqInd" | "threeDSMethodId">;
  /** The browser that ran the 3DS Method for this authentication, or for the one that `threeDSMethodId` names. */
  methodUserAgent: string | null;
  /** From the ARes. Null for an Erro. */
  transStatus: TransStatus | null;
  /** From the Erro, if one was sent instead of an ARes. */
  errorCode: string | null;
  /** From the first CReq. */
  challengeWindowSize: ChallengeWindowSize | null;
  /**
   * Number of messages, repeats included. AReq, CReq and RRes were received; RReq, CRes and Erro (instead of a CRes)
   * were sent.
   */
  messages: Record<CountedMessage, number>;
  /** How the challenge ended, and whether an RRes arrived. Null if there was no challenge or it hasn't ended. */
  result:
    | (Pick<RReq, "transStatus" | "transStatusReason" | "challengeCancel" | "interactionCounter"> & {
        delivered: boolean;
      })
    | null;
  /** Unix seconds. */
  created: number;
}

type Opened = Omit<Authentication, "methodUserAgent" | "challengeWindowSize" | "messages" | "result">;

export class Authentications {
  readonly #byTransID = new Map<string, Authentication>();
  /** The 3DS Method runs before the AReq, so browsers are kept here until the AReq arrives. */
  readonly #methodUserAgents = new Map<string, string>();

  /** Records the browser that ran the 3DS Method. Anyone can send this request, so only the first one counts. */
  recordMethod(threeDSServerTransID: string, userAgent: string): void {
    if (this.#methodUserAgents.has(threeDSServerTransID)) return;
    addAndTrim(this.#methodUserAgents, threeDSServerTransID, userAgent.slice(0, 500));
  }

  has(threeDSServerTransID: string): boolean {
    return this.#byTransID.has(threeDSServerTransID);
  }

  open(authentication: Opened): void {
    const { threeDSServerTransID: id, requested } = authentication;
    const methodUserAgent = this.#methodUserAgents.get(requested.threeDSMethodId ?? id) ?? null;
    const messages = { AReq: 1, CReq: 0, CRes: 0, Erro: 0, RReq: 0, RRes: 0 };
    addAndTrim(this.#byTransID, id, {
      ...authentication,
      methodUserAgent,
      challengeWindowSize: null,
      messages,
      result: null,
    });
  }

  /** Counts a message. Ignores an unknown transaction. */
  count(threeDSServerTransID: string | undefined, message: CountedMessage, times = 1): void {
    const authentication = threeDSServerTransID === undefined ? undefined : this.#byTransID.get(threeDSServerTransID);
    if (authentication !== undefined) authentication.messages[message] += times;
  }

  recordCReq({ threeDSServerTransID, challengeWindowSize }: CReq): void {
    this.count(threeDSServerTransID, "CReq");
    const authentication = this.#byTransID.get(threeDSServerTransID);
    if (authentication !== undefined) authentication.challengeWindowSize ??= challengeWindowSize;
  }

  close(rreq: RReq, delivered: boolean): void {
    const authentication = this.#byTransID.get(rreq.threeDSServerTransID);
    if (authentication === undefined) return; // it may already have been forgotten
    const { transStatus, transStatusReason, challengeCancel, interactionCounter } = rreq;
    authentication.result = {
      transStatus,
      ...(transStatusReason === undefined ? {} : { transStatusReason }),
      ...(challengeCancel === undefined ? {} : { challengeCancel }),
      interactionCounter,
      delivered,
    };
  }

  /** Oldest first. */
  all(): Authentication[] {
    return [...this.#byTransID.values()];
  }
}
