/**
 * Follows one payment to its end: runs what it asks for, and otherwise asks the service again and again. It shows each
 * step and judges nothing.
 *
 * ```
 * three_ds --> authenticating --> challenge | decoupled --> processing --> an end      (any of these may be left out)
 *    ^                                                          |
 *    +-------- once: the issuer wants the customer after all ---+
 * ```
 * The second round is the same payment still: nothing was declined, so nothing but a busy button stands between the
 * two. A wait for the bank is a busy button for five seconds; after that the page says not to pay again.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import type { WakeableWait } from "../service/wakeable-wait.ts";
import type { FrameApi } from "../service/frame-api.ts";
import type { Screen } from "../page/screen.ts";
import type { RunningBankStep } from "../threeds/await-bank.ts";
import type { ChallengedPayment } from "../threeds/run-challenge.ts";
import type { DecoupledPayment } from "../threeds/run-decoupled.ts";

export type EndedPayment = Extract<FramePayment, { status: "succeeded" | "requires_confirmation" | "declined" }>;

type Unfollowed = "lost" | "endless";

export interface FollowWorld {
  api: FrameApi;
  screen: Pick<Screen, "busy" | "result">;
  wait: WakeableWait;
  now(): number;
  runMethod(payment: Extract<FramePayment, { status: "three_ds" }>): Promise<void>;
  /** `elsewhere`: it goes on on the full page, and is only awaited here. */
  runChallenge(payment: ChallengedPayment): Promise<RunningBankStep | "elsewhere">;
  runDecoupled(payment: DecoupledPayment): RunningBankStep;
  /** A milestone, for the debug report. */
  note(kind: string, what: string): void;
}

export interface PaymentFollower {
  /**
   * `resumed`: the page found it under way, so a wait is shown as what it is at once.
   * Answers `lost` when the service refuses to say more, and `endless` after two hours.
   * @param processing called when the customer was told that this will take a while
   */
  follow(first: FramePayment, resumed: boolean, processing: () => void): Promise<EndedPayment | Unfollowed>;
  /** Gives up what the bank asks of the customer, if it asks. */
  cancelChallenge(): void;
}

const pollMs = 2_000;
const processingShownAfterMs = 5_000;
const followLimitMs = 2 * 60 * 60_000;
/** Answers that were lost on the way, in both rounds. */
const authenticateLimit = 8;

export function createPaymentFollower(world: FollowWorld): PaymentFollower {
  const { api, screen, wait, now } = world;
  let asking: RunningBankStep | null = null;

  const follow: PaymentFollower["follow"] = async (first, resumed, processing) => {
    const startedAt = now();
    let payment = first;
    let processingSince: number | null =
      resumed && first.status === "processing" ? startedAt - processingShownAfterMs : null;
    let isProcessingShown = false;
    let isProcessingTold = false;
    let authentications = 0;
    /** What the 3DS Method that has run carried: each authentication has its own, or none. */
    let methodRun: string | null | undefined;
    // An end counts however late it is heard: the device may have slept.
    while (hasEnded(payment) || now() - startedAt < followLimitMs) {
      let next: FramePayment | null;
      world.note("payment", payment.status);
      if (payment.status === "three_ds") {
        processingSince = null;
        isProcessingShown = false;
      }
      switch (payment.status) {
        case "three_ds": {
          screen.busy("authenticating");
          if (++authentications > authenticateLimit) return "lost";
          if (methodRun === undefined || (payment.method && payment.method.data !== methodRun)) {
            await world.runMethod(payment);
            methodRun = payment.method?.data ?? null;
          }
          const asked = await api.authenticate(payment.id);
          next = asked.kind === "answer" ? asked.body : await poll(payment.id, startedAt);
          break;
        }
        case "authenticating":
          screen.busy("authenticating");
          next = await poll(payment.id, startedAt);
          break;
        case "challenge": {
          screen.busy("authenticating");
          const running = await world.runChallenge(payment);
          next = running === "elsewhere" ? await poll(payment.id, startedAt) : await awaited(running);
          break;
        }
        case "decoupled": {
          screen.busy("authenticating");
          next = await awaited(world.runDecoupled(payment));
          break;
        }
        case "processing":
          processingSince ??= now();
          if (now() - processingSince < processingShownAfterMs) screen.busy("confirming");
          else if (!isProcessingShown) {
            isProcessingShown = true;
            screen.result("processing");
            if (!isProcessingTold) processing();
            isProcessingTold = true;
          }
          next = await poll(payment.id, startedAt);
          break;
        case "succeeded":
        case "requires_confirmation":
        case "declined":
          return payment;
      }
      if (!next) return "lost";
      payment = next;
    }
    return "endless";
  };

  const awaited = async (running: RunningBankStep): Promise<FramePayment | null> => {
    asking = running;
    const next = await running.result;
    asking = null;
    return next;
  };

  /** Waits, then asks until an answer comes; null when the service refuses. Slower and slower, up to half a minute. */
  const poll = async (id: string, startedAt: number): Promise<FramePayment | null> => {
    while (now() - startedAt < followLimitMs) {
      const elapsedMs = now() - startedAt;
      await wait.for(elapsedMs < 2 * 60_000 ? pollMs : elapsedMs < 15 * 60_000 ? 5_000 : 30_000);
      const outcome = await api.payment(id);
      if (outcome.kind === "refused") return null;
      if (outcome.kind === "answer") return outcome.body;
    }
    return null;
  };

  return { follow, cancelChallenge: () => void asking?.cancel("merchant") };
}

function hasEnded({ status }: FramePayment): boolean {
  return status === "succeeded" || status === "requires_confirmation" || status === "declined";
}
