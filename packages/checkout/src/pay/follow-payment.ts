/**
 * Follows one payment to its end: runs the steps it requires, and otherwise polls the service. It shows each step and
 * decides nothing.
 *
 * ```
 * three_ds --> authenticating --> challenge | decoupled --> processing --> an end      (any of these may be left out)
 *    ^                                                          |
 *    +-------- once: the issuer requires authentication --------+
 * ```
 * The second round belongs to the same payment. Nothing was declined, so the customer sees only a busy button between
 * the two. While the acquirer's outcome is unknown, the button is busy for five seconds; after that, the page says not
 * to pay again.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import type { Screen } from "../page/screen.ts";
import type { FrameApi } from "../service/frame-api.ts";
import type { WakeableWait } from "../service/wakeable-wait.ts";
import type { RunningBankStep } from "../threeds/await-bank.ts";
import type { ChallengedPayment } from "../threeds/run-challenge.ts";
import type { DecoupledPayment } from "../threeds/run-decoupled.ts";

export type EndedPayment = Extract<FramePayment, { status: "succeeded" | "requires_confirmation" | "declined" }>;

type NotFollowed = "lost" | "endless";

export interface FollowWorld {
  api: FrameApi;
  screen: Pick<Screen, "busy" | "result">;
  wait: WakeableWait;
  now(): number;
  runMethod(payment: Extract<FramePayment, { status: "three_ds" }>): Promise<void>;
  /** `elsewhere` means that it continues on the full page, and this page only waits for the outcome. */
  runChallenge(payment: ChallengedPayment, resumed: boolean): Promise<RunningBankStep | "elsewhere">;
  runDecoupled(payment: DecoupledPayment): Promise<RunningBankStep>;
  /** A milestone, for the debug report. */
  note(kind: string, what: string): void;
}

export interface PaymentFollower {
  /**
   * Follows `first` to its end. Returns `lost` when the service refuses to say more, and `endless` after two hours.
   * @param resumed whether the page found the payment in progress; a wait is then shown immediately
   * @param processing called when the customer has been told that this will take a while
   */
  follow(first: FramePayment, resumed: boolean, processing: () => void): Promise<EndedPayment | NotFollowed>;
  /** Cancels the bank's current step, if there is one. */
  cancelChallenge(): void;
}

const pollMs = 2_000;
const processingShownAfterMs = 5_000;
const followLimitMs = 2 * 60 * 60_000;
/** How many `authenticate` calls may be made, over both rounds, counting those whose response was lost. */
const authenticateLimit = 8;

export function createPaymentFollower(world: FollowWorld): PaymentFollower {
  const { api, screen, wait, now } = world;
  let runningStep: RunningBankStep | null = null;

  const follow: PaymentFollower["follow"] = async (first, resumed, processing) => {
    const startedAt = now();
    let payment = first;
    let processingSince: number | null =
      resumed && first.status === "processing" ? startedAt - processingShownAfterMs : null;
    let isProcessingShown = false;
    let isProcessingReported = false;
    let authentications = 0;
    /** The data of the 3DS Method that has already run. Each authentication has its own method or none. */
    let methodRun: string | null | undefined;
    // A final status counts however late it arrives, because the device may have slept.
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
          const answer = await api.authenticate(payment.id);
          next = answer.kind === "answer" ? answer.body : await poll(payment.id, startedAt);
          break;
        }
        case "authenticating":
          screen.busy("authenticating");
          next = await poll(payment.id, startedAt);
          break;
        case "challenge": {
          screen.busy("authenticating");
          const running = await world.runChallenge(payment, resumed);
          next = running === "elsewhere" ? await poll(payment.id, startedAt) : await awaited(running);
          break;
        }
        case "decoupled": {
          screen.busy("authenticating");
          next = await awaited(await world.runDecoupled(payment));
          break;
        }
        case "processing":
          processingSince ??= now();
          if (now() - processingSince < processingShownAfterMs) screen.busy("confirming");
          else if (!isProcessingShown) {
            isProcessingShown = true;
            screen.result("processing");
            if (!isProcessingReported) processing();
            isProcessingReported = true;
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
    runningStep = running;
    const next = await running.result;
    runningStep = null;
    return next;
  };

  /** Waits, then polls until there is a response; null if the service refuses. The interval grows to 30 seconds. */
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

  return { follow, cancelChallenge: () => void runningStep?.cancel("merchant") };
}

export function hasEnded({ status }: FramePayment): boolean {
  return status === "succeeded" || status === "requires_confirmation" || status === "declined";
}
