/**
 * What speaks with the customer's bank, as a file of its own: the 3DS Method, the challenge, and what the bank's page looks like in here.
 *
 * It runs only after Pay, so it is fetched then (`fetch-bank.ts`) and not before. It stands alone: the build puts into it whatever it imports, and what
 * it shares with the page (elements, service, alarm, host page) is handed in.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import { mayPostChallenge } from "../client-secret.ts";
import type { HostLink } from "../host-link.ts";
import css from "./bank.css?inline";
import { createBankOverlay } from "./bank-overlay.ts";
import { runChallenge } from "./run-challenge.ts";
import type { ChallengedPayment, ChallengeWorld, RunningChallenge } from "./run-challenge.ts";
import { runMethod } from "./run-method.ts";
import { openRunner } from "./runner-frame.ts";

export interface Bank {
  runMethod(payment: Extract<FramePayment, { status: "three_ds" }>): Promise<void>;
  /** @param height in CSS pixels, of a window that has no size of its own */
  runChallenge(payment: ChallengedPayment, presentation: "inline" | "overlay", height: number): RunningChallenge;
}

export interface BankWorld extends Omit<ChallengeWorld, "openRunner" | "overlay" | "tell" | "mayPost"> {
  tell: HostLink["tell"];
  /** Of this page, which remembers what was posted. */
  history: History;
  /** The frame, which stood over the host page, follows its content again. */
  shrunk(): void;
}

export function createBank(world: BankWorld): Bank {
  const { page, tell, shrunk, history } = world;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  page.document.adoptedStyleSheets = [...page.document.adoptedStyleSheets, sheet];
  const mayPost = (payment: string) => mayPostChallenge(history, payment);
  const overlay = createBankOverlay(page, { tell }, shrunk);
  return {
    runMethod: (payment) => runMethod(payment, page.bank, openRunner),
    runChallenge: (payment, presentation, height) =>
      runChallenge(payment, presentation, height, { ...world, openRunner, overlay, mayPost }),
  };
}
