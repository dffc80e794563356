/**
 * What the ACS remembers of each authentication, so that it is asked for once only and a test can see what really
 * happened: which browser the 3DS Method met, what was answered, what was reported, how many messages of each kind
 * there were. In memory, the newest ten thousand; no card number, no proof.
 */
import type { AReq, ChallengeWindowSize, CReq, RReq, TransStatus } from "@oriel/protocol/threeds";
import { keepNewest } from "./keep-newest.ts";

export type CountedMessage = "AReq" | "CReq" | "CRes" | "Erro" | "RReq" | "RRes";

export interface Authentication {
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
  messageVersion: string;
  card: { last4: string };
  /** What the AReq said of the cardholder. */
  cardholder: Pick<AReq, "cardholderName" | "email" | "billAddrPostCode" | "billAddrCountry">;
  /** What the AReq said of the 3DS Method. */
  threeDSCompInd: "Y" | "N" | "U";
  /** What the AReq asked for. */
  asked: Pick<AReq, "threeDSRequestorChallengeInd" | "threeDSRequestorDecReqInd" | "threeDSMethodId">;
  /**
   * The browser that the 3DS Method met, if it ran, for this authentication or for the one that `threeDSMethodId`
   * names.
   */
  methodUserAgent: string | null;
  /** Of the ARes; an Erro has none. */
  transStatus: TransStatus | null;
  /** Of the Erro that was answered in place of an ARes. */
  errorCode: string | null;
  /** Of the first CReq. */
  challengeWindowSize: ChallengeWindowSize | null;
  /**
   * How many there were: AReq, CReq and RRes came in; RReq, CRes and Erro (in the CRes's place) went out, each time
   * that one was sent again, too.
   */
  messages: Record<CountedMessage, number>;
  /** How the challenge ended, and whether the RRes came. Null without a challenge, and until it has ended. */
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
  /** The 3DS Method runs before the AReq, so its browsers wait here. */
  readonly #methodUserAgents = new Map<string, string>();

  /** The 3DS Method ran in this browser. Anyone can say so; the first word counts. */
  recordMethod(threeDSServerTransID: string, userAgent: string): void {
    if (this.#methodUserAgents.has(threeDSServerTransID)) return;
    keepNewest(this.#methodUserAgents, threeDSServerTransID, userAgent.slice(0, 500));
  }

  has(threeDSServerTransID: string): boolean {
    return this.#byTransID.has(threeDSServerTransID);
  }

  open(authentication: Opened): void {
    const { threeDSServerTransID: id, asked } = authentication;
    const methodUserAgent = this.#methodUserAgents.get(asked.threeDSMethodId ?? id) ?? null;
    const messages = { AReq: 1, CReq: 0, CRes: 0, Erro: 0, RReq: 0, RRes: 0 };
    keepNewest(this.#byTransID, id, {
      ...authentication,
      methodUserAgent,
      challengeWindowSize: null,
      messages,
      result: null,
    });
  }

  /** A message came or went. Nothing for a transaction that is not there. */
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
    if (authentication === undefined) return; // so old that it was forgotten
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
