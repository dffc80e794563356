/**
 * What the ACS remembers of each authentication, so that it is asked for once only and a test can see what really happened: which browser
 * the 3DS Method met, what was answered, what was reported. In memory, the newest ten thousand; no card number, no proof.
 */
import type { AReq, RReq, TransStatus } from "@oriel/protocol/threeds";

const maxKept = 10_000;

export interface Authentication {
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
  card: { last4: string };
  /** What the AReq said of the cardholder. */
  cardholder: Pick<AReq, "cardholderName" | "email" | "billAddrPostCode" | "billAddrCountry">;
  /** What the AReq said of the 3DS Method. */
  threeDSCompInd: "Y" | "N" | "U";
  /** The browser that the 3DS Method met, if it ran. */
  methodUserAgent: string | null;
  /** Of the ARes. */
  transStatus: TransStatus;
  /** How the challenge ended, and whether the RRes came. Null without a challenge, and until it has ended. */
  result:
    | (Pick<RReq, "transStatus" | "transStatusReason" | "challengeCancel" | "interactionCounter"> & { delivered: boolean })
    | null;
  /** Unix seconds. */
  created: number;
}

export class Authentications {
  readonly #byTransID = new Map<string, Authentication>();
  /** The 3DS Method runs before the AReq, so its browsers wait here. */
  readonly #methodUserAgents = new Map<string, string>();

  /** The 3DS Method ran in this browser. Anyone can say so; the first word counts. */
  recordMethod(threeDSServerTransID: string, userAgent: string): void {
    if (this.#methodUserAgents.has(threeDSServerTransID)) return;
    keep(this.#methodUserAgents, threeDSServerTransID, userAgent.slice(0, 500));
  }

  has(threeDSServerTransID: string): boolean {
    return this.#byTransID.has(threeDSServerTransID);
  }

  open(authentication: Omit<Authentication, "methodUserAgent" | "result">): void {
    const id = authentication.threeDSServerTransID;
    keep(this.#byTransID, id, { ...authentication, methodUserAgent: this.#methodUserAgents.get(id) ?? null, result: null });
    this.#methodUserAgents.delete(id);
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

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxKept) return;
    map.delete(oldest);
  }
}
