/**
 * The ACS's challenges. Each challenges a cardholder according to the card's plan, reports the result, and only then
 * lets the browser return to the shop.
 *
 * ```
 * awaiting_creq --CReq--> asking --submit | cancel | the bank's app--> reporting --RRes, or abandoned--> closed
 *       \__ no CReq in time __________\__ timeout ______________________/^
 * ```
 * States only move forward. There's only one report, however often the challenge is ended: a second submit or a late
 * timer waits for the same report. The report (RReq) goes from server to server and is awaited before the browser gets
 * its CRes. If it can't be delivered, the CRes says N, so that a browser can't pass a challenge on its own. (Cards that
 * are planned to lie are the exception.) In 2.3.1 a challenge that timed out has no CRes. Its page says so and doesn't
 * return to the shop.
 *
 * While a challenge is open, the same CReq after a reload shows the page again. A different CReq is refused with 314,
 * and any CReq after the RReq with 315. Version 2.2.0 has one code for both, 305.
 *
 * A challenge is identified only by its `acsTransID`, a random UUID that only its browser knows, never by a cookie.
 * Everything is in memory. After a restart of the bank a challenge is unknown (301), and Oriel's own deadline ends it.
 */
import type { AReq, CReq, CRes, Erro } from "@oriel/protocol/threeds";
import type { Clock } from "../clock.ts";
import { erro } from "../directory-server/erro.ts";
import type { ChallengePlan } from "../three-d-secure.ts";
import { addAndTrim } from "./add-and-trim.ts";
import { judge, resultOf, type Ending } from "./judge.ts";
import type { Proofs, Report, Transaction } from "./result.ts";

const maxTries = 3;

export type Purchase = Pick<
  AReq,
  "messageCategory" | "merchantName" | "purchaseAmount" | "purchaseCurrency" | "purchaseExponent"
>;

type State =
  | { name: "awaiting_creq" }
  | { name: "asking"; creq: CReq }
  | { name: "reporting"; reported: Promise<unknown> }
  | { name: "closed"; ending: Ending; isProven: boolean };

/** What the directory server provides for an authentication with transStatus C. */
export interface Opening {
  transaction: Transaction;
  plan: ChallengePlan;
  purchase: Purchase;
  last4: string;
  notificationURL: string;
  proofs: Proofs;
}

interface Challenge extends Opening {
  /** Arrived with the CReq and is returned unchanged with the CRes. */
  sessionData: string | undefined;
  tries: number;
  state: State;
  stopTimer: () => void;
}

/** What the browser shows next. */
export type Step =
  | {
      step: "question";
      page: ChallengePlan["page"];
      acsTransID: string;
      purchase: Purchase;
      last4: string;
      tries: number;
      triesLeft: number;
      /** Whether the browser sent the page's cookie back. Undefined on the first page. */
      hasCookie?: boolean | undefined;
    }
  | { step: "return"; notificationURL: string; message: CRes | Erro; sessionData: string | undefined; times: 1 | 2 }
  /** Shows a final page that doesn't return to the shop. */
  | { step: "stay"; isTimedOut: boolean }
  | { step: "refused"; errorCode: "301" | "305" | "314" | "315" }
  /** Sends no response. */
  | { step: "silence" };

export type Submission =
  | { action: "cancel" }
  /** The waiting page polls whether the app has decided. */
  | { action: "check" }
  | {
      action: "submit";
      /** The code or the choices that the cardholder entered. */
      given: readonly string[];
      /** Number of earlier attempts when the page was sent. */
      tries: number;
    };

interface ChallengesOptions {
  clock: Clock;
  /** From the ARes to the CReq. */
  creqWithinMs: number;
  /** From the CReq to the end. `bank.ts` has the default. Oriel's own deadline (`customerMs`) must be later. */
  endWithinMs: number;
  /** The same for an impatient card. Restarts with each submitted page. */
  idleWithinMs: number;
  report: Report;
}

export class Challenges {
  readonly #options: ChallengesOptions;
  readonly #byAcsTransID = new Map<string, Challenge>();

  constructor(options: ChallengesOptions) {
    this.#options = options;
  }

  /** Called when the ARes has transStatus C, so a CReq will follow. */
  open(opening: Opening): void {
    const challenge: Challenge = {
      ...opening,
      sessionData: undefined,
      tries: 0,
      state: { name: "awaiting_creq" },
      stopTimer: () => {},
    };
    this.#endAfter(challenge, this.#options.creqWithinMs, "never opened");
    addAndTrim(this.#byAcsTransID, opening.transaction.ids.acsTransID, challenge, ({ stopTimer }) => stopTimer());
  }

  /** Called for a CReq. */
  async present(creq: CReq, sessionData: string | undefined): Promise<Step> {
    const challenge = this.#byAcsTransID.get(creq.acsTransID);
    const { ids, messageVersion } = challenge?.transaction ?? {};
    if (challenge === undefined || ids?.threeDSServerTransID !== creq.threeDSServerTransID) return refused("301");
    if (messageVersion !== creq.messageVersion) return refused("305");
    const { page } = challenge.plan;
    if (page === "nothing") return { step: "silence" };
    switch (challenge.state.name) {
      case "awaiting_creq":
        challenge.state = { name: "asking", creq };
        challenge.sessionData = sessionData;
        this.#endInTime(challenge);
        if (page === "passes") await this.#end(challenge, "right");
        if (page === "fails") await this.#end(challenge, "failed");
        return this.#next(challenge);
      case "asking":
        if (isSame(challenge.state.creq, creq) && challenge.sessionData === sessionData) return this.#next(challenge);
        return refused(messageVersion === "2.2.0" ? "305" : "314");
      case "reporting":
      case "closed":
        return refused(messageVersion === "2.2.0" ? "305" : "315");
    }
  }

  /** Called when the cardholder submits a page. */
  async submit(acsTransID: string, submission: Submission, hasCookie: boolean): Promise<Step> {
    const challenge = this.#byAcsTransID.get(acsTransID);
    if (challenge === undefined || challenge.state.name === "awaiting_creq") return refused("301");
    if (challenge.state.name === "asking") {
      const ending = endingOf(challenge, submission);
      if (ending !== null) await this.#end(challenge, ending);
      else if (challenge.plan.isImpatient) this.#endInTime(challenge);
    }
    return this.#next(challenge, hasCookie);
  }

  /** The purchase that the bank's app shows. Undefined if the challenge doesn't use the app. */
  appState(acsTransID: string): "waiting" | "decided" | undefined {
    const challenge = this.#byAcsTransID.get(acsTransID);
    if (challenge?.plan.page !== "app") return undefined;
    return challenge.state.name === "awaiting_creq" || challenge.state.name === "asking" ? "waiting" : "decided";
  }

  /** Called when the cardholder has decided in the bank's app. Returns false if there's nothing to decide. */
  async decideInApp(acsTransID: string, isApproved: boolean): Promise<boolean> {
    const challenge = this.#byAcsTransID.get(acsTransID);
    if (challenge?.plan.page !== "app" || challenge.state.name !== "asking") return false;
    challenge.tries += 1;
    await this.#end(challenge, isApproved ? "right" : "failed");
    return true;
  }

  /** Clears every timer. After that, nothing is reported. */
  close(): void {
    for (const challenge of this.#byAcsTransID.values()) challenge.stopTimer();
  }

  async #next(challenge: Challenge, hasCookie?: boolean): Promise<Step> {
    if (challenge.state.name === "reporting") await challenge.state.reported;
    const { transaction, plan, purchase, last4, tries, notificationURL, sessionData, state } = challenge;
    const { ids, messageVersion } = transaction;
    if (state.name !== "closed") {
      const { acsTransID } = ids;
      return {
        step: "question",
        page: plan.page,
        acsTransID,
        purchase,
        last4,
        tries,
        triesLeft: maxTries - tries,
        hasCookie,
      };
    }
    const isTimedOut = state.ending === "idle" || state.ending === "never opened";
    if (plan.back === "never" || (isTimedOut && messageVersion !== "2.2.0")) return { step: "stay", isTimedOut };
    const message = plan.back === "erro" ? brokenChallenge(transaction) : cresOf(transaction, plan, state.isProven);
    return { step: "return", notificationURL, message, sessionData, times: plan.back === "cres_twice" ? 2 : 1 };
  }

  #endInTime(challenge: Challenge): void {
    const { endWithinMs, idleWithinMs } = this.#options;
    this.#endAfter(challenge, challenge.plan.isImpatient ? idleWithinMs : endWithinMs, "idle");
  }

  #endAfter(challenge: Challenge, delayMs: number, ending: Ending): void {
    challenge.stopTimer();
    challenge.stopTimer = this.#options.clock.after(delayMs, () => void this.#end(challenge, ending));
  }

  /** Reports the result and closes the challenge. Does nothing if it's already reporting or closed. */
  async #end(challenge: Challenge, ending: Ending): Promise<void> {
    if (challenge.state.name === "reporting" || challenge.state.name === "closed") return;
    challenge.stopTimer();
    const { transaction, plan, proofs, tries } = challenge;
    const result = resultOf(ending, plan, proofs);
    const delivered = result === undefined ? Promise.resolve(false) : this.#options.report(transaction, result, tries);
    const reported = delivered.then((isDelivered) => {
      const isProven = isDelivered && (result?.transStatus === "Y" || result?.transStatus === "A");
      challenge.state = { name: "closed", ending, isProven };
      return undefined;
    });
    challenge.state = { name: "reporting", reported };
    await reported;
  }
}

/** How the submitted page ends the challenge, or null if the cardholder may continue. Counts the attempt. */
function endingOf(challenge: Challenge, submission: Submission): Ending | null {
  if (submission.action === "cancel") return "canceled";
  if (submission.action === "check" || challenge.plan.page === "app") return null; // the app decides
  if (submission.tries !== challenge.tries) return null; // a page that is submitted twice, by a double click, counts once
  challenge.tries += 1;
  const judgement = judge(challenge.plan.page, submission.given);
  if (judgement !== "wrong") return judgement;
  return challenge.tries < maxTries ? null : "too many attempts";
}

function cresOf({ ids, messageVersion }: Transaction, { back }: ChallengePlan, isProven: boolean): CRes {
  const { threeDSServerTransID, acsTransID } = ids;
  const transStatus = isProven || back === "cres_lies" ? "Y" : "N";
  return { messageType: "CRes", messageVersion, threeDSServerTransID, acsTransID, transStatus };
}

function brokenChallenge({ ids, messageVersion }: Transaction): Erro {
  const { threeDSServerTransID, acsTransID } = ids;
  const detail = "The ACS could not continue the challenge.";
  return erro({
    code: "403",
    detail,
    component: "A",
    about: "CReq",
    version: messageVersion,
    threeDSServerTransID,
    acsTransID,
  });
}

function refused(errorCode: Extract<Step, { step: "refused" }>["errorCode"]): Step {
  return { step: "refused", errorCode };
}

function isSame(one: CReq, other: CReq): boolean {
  // The IDs and the version were compared earlier, and the rest is constant.
  return one.challengeWindowSize === other.challengeWindowSize;
}
