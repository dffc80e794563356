/**
 * Combines the steps with the customer's bank: the 3DS Method, the challenge, decoupled authentication, and how they
 * are shown. They're fetched as one file as soon as the form can be used, and a payment starts only with them
 * (`pay/after-pay.ts`).
 */
import type { FramePayment } from "@oriel/protocol/frame";
import type { HostPage } from "../host/host-page.ts";
import { addStyles } from "../page/add-styles.ts";
import { mayPostChallenge } from "../service/client-secret.ts";
import type { RunningBankStep } from "./await-bank.ts";
import { createBankOverlay } from "./bank-overlay.ts";
import css from "./bank.css?inline";
import { openTurnChannel, takeTurnOn } from "./challenge-lock.ts";
import { runChallenge } from "./run-challenge.ts";
import type { ChallengedPayment, ChallengeWorld } from "./run-challenge.ts";
import { runDecoupled } from "./run-decoupled.ts";
import type { DecoupledPayment } from "./run-decoupled.ts";
import { runMethod } from "./run-method.ts";
import { openRunner } from "./runner-frame.ts";

export interface Bank {
  runMethod(payment: Extract<FramePayment, { status: "three_ds" }>): Promise<void>;
  /**
   * @param resumed whether this page found the payment in progress
   * @param height in CSS pixels, for a window without a fixed size
   */
  runChallenge(
    payment: ChallengedPayment,
    resumed: boolean,
    presentation: "inline" | "overlay",
    height: number,
  ): RunningBankStep;
  runDecoupled(payment: DecoupledPayment): RunningBankStep;
}

export interface BankWorld extends Omit<
  ChallengeWorld,
  "text" | "openRunner" | "overlay" | "takeTurn" | "emit" | "mayPost"
> {
  emit: HostPage["emit"];
  /** This page's history, which records what was posted. */
  history: History;
  /** Called when the iframe, which was shown over the host page, follows its content again. */
  shrunk(): void;
}

export function createBank(world: BankWorld): Bank {
  const { page, emit, shrunk, history } = world;
  addStyles(page.document, css);
  const mayPost = (creq: string) => mayPostChallenge(history, creq);
  const takeTurn = takeTurnOn(openTurnChannel, Math.random);
  const overlay = createBankOverlay(page, { emit }, shrunk);
  return {
    runMethod: (payment) => runMethod(payment, page.bank, openRunner),
    runChallenge(payment, resumed, presentation, height) {
      const text = page.words.texts.after;
      const challengeWorld = { ...world, text, openRunner, overlay, takeTurn, mayPost };
      return runChallenge(payment, resumed, presentation, height, challengeWorld);
    },
    runDecoupled: (payment) => runDecoupled(payment, { ...world, text: page.words.texts.after }),
  };
}
