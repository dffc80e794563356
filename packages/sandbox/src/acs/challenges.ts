/**
 * The challenges of the ACS: each asks one cardholder for a code, reports what came of it, and only then lets the browser go back.
 *
 * ```
 * awaiting_creq --CReq--> asking --code | cancel--> reporting --RRes, or given up--> closed
 *       \__ no CReq in time __________\__ no end in time __/^
 * ```
 * It moves only forward. There is one report, whoever and whatever asks for the end: a second submit, a reload, a timer that comes late all
 * wait for the same one. The report (RReq) goes from server to server, is awaited, and comes before the CRes that the browser
 * carries; if it cannot be delivered, the CRes says N, so that nobody is let through on the browser's word.
 *
 * A challenge is known by `acsTransID` alone, a random UUID that only the browser concerned has been given: there are no cookies. All of
 * this is in memory; after a restart of the bank a challenge is unknown (301) and the service's own deadline ends it.
 */
import { messageVersion, type AReq, type CReq, type CRes, type RReq } from "@oriel/protocol/threeds";
import type { Clock } from "../clock.ts";

const maxTries = 3;
const maxKept = 10_000;

interface Ids {
  threeDSServerTransID: string;
  acsTransID: string;
  dsTransID: string;
}

type Purchase = Pick<AReq, "messageCategory" | "merchantName" | "purchaseAmount" | "purchaseCurrency" | "purchaseExponent">;

type Proof = Required<Pick<RReq, "eci" | "authenticationValue">>;

type State =
  | { name: "awaiting_creq" }
  | { name: "asking"; creq: CReq }
  | { name: "reporting"; reported: Promise<void> }
  | { name: "closed"; transStatus: CRes["transStatus"] };

interface Challenge {
  ids: Ids;
  purchase: Purchase;
  last4: string;
  proof: Proof;
  threeDSServerURL: string;
  notificationURL: string;
  /** What came with the CReq; goes back with the CRes, unchanged. */
  sessionData: string | undefined;
  tries: number;
  state: State;
  stopTimer: () => void;
}

/** What the browser is shown next. */
export type Step =
  | { step: "ask"; acsTransID: string; purchase: Purchase; last4: string; tries: number; triesLeft: number }
  | { step: "return"; notificationURL: string; cres: CRes; sessionData: string | undefined }
  | { step: "refused"; errorCode: "301" | "314" };

export type Answer =
  | { action: "cancel" }
  | { action: "submit"; code: string; /** `tries` of the page it comes from */ tries: number };

interface ChallengesOptions {
  clock: Clock;
  /** From the ARes to the CReq. */
  creqWithinMs: number;
  /** From the CReq to the end. */
  endWithinMs: number;
  /** Tells the result to `threeDSServerURL`. True once the RRes is there; never rejects. */
  report: (threeDSServerURL: string, rreq: RReq) => Promise<boolean>;
}

export class Challenges {
  readonly #options: ChallengesOptions;
  readonly #byAcsTransID = new Map<string, Challenge>();

  constructor(options: ChallengesOptions) {
    this.#options = options;
  }

  /** The ARes says C: a CReq will come. */
  open(ids: Ids, areq: AReq, proof: Proof): void {
    const { messageCategory, merchantName, purchaseAmount, purchaseCurrency, purchaseExponent } = areq;
    const challenge: Challenge = {
      ids,
      purchase: { messageCategory, merchantName, purchaseAmount, purchaseCurrency, purchaseExponent },
      last4: areq.acctNumber.slice(-4),
      proof,
      threeDSServerURL: areq.threeDSServerURL,
      notificationURL: areq.notificationURL,
      sessionData: undefined,
      tries: 0,
      state: { name: "awaiting_creq" },
      stopTimer: this.#options.clock.after(this.#options.creqWithinMs, () => void this.#end(challenge, timedOut("05"))),
    };
    this.#byAcsTransID.set(ids.acsTransID, challenge);
    this.#forgetOldest();
  }

  /** A CReq has come. The same one again, after a reload, shows the page again; a different one is refused (314). */
  async present(creq: CReq, sessionData: string | undefined): Promise<Step> {
    const challenge = this.#byAcsTransID.get(creq.acsTransID);
    if (challenge?.ids.threeDSServerTransID !== creq.threeDSServerTransID) return { step: "refused", errorCode: "301" };
    const { state } = challenge;
    if (state.name === "awaiting_creq") {
      challenge.stopTimer();
      challenge.stopTimer = this.#options.clock.after(this.#options.endWithinMs, () => void this.#end(challenge, timedOut("04")));
      challenge.state = { name: "asking", creq };
      challenge.sessionData = sessionData;
    } else if (state.name === "asking" && (!isSame(state.creq, creq) || challenge.sessionData !== sessionData)) {
      return { step: "refused", errorCode: "314" };
    } else {
      challenge.sessionData ??= sessionData; // a first CReq that came too late
    }
    return this.#next(challenge);
  }

  /** The cardholder has pressed a button. */
  async answer(acsTransID: string, answer: Answer): Promise<Step> {
    const challenge = this.#byAcsTransID.get(acsTransID);
    if (challenge === undefined || challenge.state.name === "awaiting_creq") return { step: "refused", errorCode: "301" };
    if (challenge.state.name === "asking") {
      // A page that was sent twice (a double click) counts as one try.
      const isStale = answer.action === "submit" && answer.tries !== challenge.tries;
      const result = isStale ? null : judge(challenge, answer);
      if (result !== null) await this.#end(challenge, result);
    }
    return this.#next(challenge);
  }

  /** Takes every timer off; nothing more is reported. */
  close(): void {
    for (const challenge of this.#byAcsTransID.values()) challenge.stopTimer();
  }

  async #next(challenge: Challenge): Promise<Step> {
    if (challenge.state.name === "reporting") await challenge.state.reported;
    const { ids, purchase, last4, tries, notificationURL, sessionData, state } = challenge;
    if (state.name !== "closed") {
      return { step: "ask", acsTransID: ids.acsTransID, purchase, last4, tries, triesLeft: maxTries - tries };
    }
    const { threeDSServerTransID, acsTransID } = ids;
    const cres = {
      messageType: "CRes",
      messageVersion,
      threeDSServerTransID,
      acsTransID,
      transStatus: state.transStatus,
    } as const;
    return { step: "return", notificationURL, cres, sessionData };
  }

  /** Reports the result and closes. Does nothing if that is under way or done. */
  async #end(challenge: Challenge, result: Result): Promise<void> {
    if (challenge.state.name === "reporting" || challenge.state.name === "closed") return;
    challenge.stopTimer();
    const reported = this.#report(challenge, result);
    challenge.state = { name: "reporting", reported };
    await reported;
  }

  async #report(challenge: Challenge, result: Result): Promise<void> {
    const { ids, tries, purchase, threeDSServerURL } = challenge;
    const rreq: RReq = {
      messageType: "RReq",
      messageVersion,
      ...ids,
      messageCategory: purchase.messageCategory,
      ...result,
      interactionCounter: String(tries).padStart(2, "0"),
    };
    const isDelivered = await this.#options.report(threeDSServerURL, rreq);
    challenge.state = { name: "closed", transStatus: isDelivered && result.transStatus === "Y" ? "Y" : "N" };
  }

  #forgetOldest(): void {
    for (const [acsTransID, challenge] of this.#byAcsTransID) {
      if (this.#byAcsTransID.size <= maxKept) return;
      challenge.stopTimer();
      this.#byAcsTransID.delete(acsTransID);
    }
  }
}

type Result = Pick<RReq, "transStatus" | "transStatusReason" | "challengeCancel" | "eci" | "authenticationValue">;

/** What an answer comes to; null when the cardholder may try again. Counts the try. */
function judge(challenge: Challenge, answer: Answer): Result | null {
  if (answer.action === "cancel") return { transStatus: "U", transStatusReason: "01", challengeCancel: "01" };
  challenge.tries += 1;
  if (answer.code === "111111") return { transStatus: "Y", ...challenge.proof };
  if (answer.code === "222222") return { transStatus: "N", transStatusReason: "01" };
  return challenge.tries < maxTries ? null : { transStatus: "N", transStatusReason: "19" };
}

/** 04: the cardholder did not finish in time. 05: the CReq never came. Both go with reason 14. */
function timedOut(challengeCancel: "04" | "05"): Result {
  return { transStatus: "U", transStatusReason: "14", challengeCancel };
}

function isSame(one: CReq, other: CReq): boolean {
  return one.challengeWindowSize === other.challengeWindowSize; // the ids were compared before, the rest is constant
}
