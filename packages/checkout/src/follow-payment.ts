/**
 * Follows one payment to its end: runs what it asks for, and otherwise asks the service again and again. It shows each step and judges nothing.
 *
 * ```
 * three_ds --> authenticating --> challenge --> processing --> an end      (any of these may be left out)
 * ```
 * A wait for the bank is a busy button for five seconds; after that the page says not to pay again.
 * The code that speaks with the bank may be missing; then the payment stays where it is, with the service, until another document takes it up.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import type { Alarm } from "./alarm.ts";
import type { FrameApi } from "./frame-api.ts";
import type { Screen } from "./screen.ts";
import type { ChallengedPayment, RunningChallenge } from "./threeds/run-challenge.ts";

export type EndedPayment = Extract<FramePayment, { status: "succeeded" | "requires_confirmation" | "declined" }>;

type Unfollowed = "lost" | "endless" | "missing";

export interface FollowWorld {
  api: FrameApi;
  screen: Pick<Screen, "busy" | "result">;
  alarm: Alarm;
  now(): number;
  /** False: the code for it could not be had. */
  runMethod(payment: Extract<FramePayment, { status: "three_ds" }>): Promise<boolean>;
  /** `elsewhere`: it goes on on the full page, and is only awaited here. `missing`: the code for it could not be had. */
  runChallenge(payment: ChallengedPayment): Promise<RunningChallenge | "elsewhere" | "missing">;
  /** A milestone, for the debug report. */
  note(kind: string, what: string): void;
  /** The customer was told that this will take a while. */
  processing(): void;
}

export interface PaymentFollower {
  /**
   * `resumed`: the page found it under way, so a wait is shown as what it is at once.
   * Answers `lost` when the service refuses to say more, `endless` after two hours, and `missing` when code could not be had that it needs.
   */
  follow(first: FramePayment, resumed: boolean): Promise<EndedPayment | Unfollowed>;
  cancelChallenge(): void;
}

const pollMs = 2_000;
const processingShownAfterMs = 5_000;
const followLimitMs = 2 * 60 * 60_000;
const authenticateLimit = 5;

export function createPaymentFollower(world: FollowWorld): PaymentFollower {
  const { api, screen, alarm, now } = world;
  let challenge: RunningChallenge | null = null;

  const follow = async (first: FramePayment, resumed: boolean): Promise<EndedPayment | Unfollowed> => {
    const startedAt = now();
    let payment = first;
    let processingSince: number | null = resumed ? startedAt - processingShownAfterMs : null;
    let saidProcessing = false;
    let authentications = 0;
    while (now() - startedAt < followLimitMs) {
      let next: FramePayment | null;
      world.note("payment", payment.status);
      switch (payment.status) {
        case "three_ds": {
          screen.busy("authenticating");
          if (++authentications > authenticateLimit) return "lost";
          if (authentications === 1 && !(await world.runMethod(payment))) return "missing";
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
          if (running === "missing") return running;
          if (running === "elsewhere") {
            next = await poll(payment.id, startedAt);
            break;
          }
          challenge = running;
          next = await running.result;
          challenge = null;
          break;
        }
        case "processing":
          processingSince ??= now();
          if (now() - processingSince < processingShownAfterMs) screen.busy("confirming");
          else if (!saidProcessing) {
            saidProcessing = true;
            screen.result("processing");
            world.processing();
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

  /** Waits, then asks until an answer comes; null when the service refuses. Slower and slower, up to half a minute. */
  const poll = async (id: string, startedAt: number): Promise<FramePayment | null> => {
    while (now() - startedAt < followLimitMs) {
      const elapsedMs = now() - startedAt;
      await alarm.wait(elapsedMs < 2 * 60_000 ? pollMs : elapsedMs < 15 * 60_000 ? 5_000 : 30_000);
      const outcome = await api.payment(id);
      if (outcome.kind === "refused") return null;
      if (outcome.kind === "answer") return outcome.body;
    }
    return null;
  };

  return { follow, cancelChallenge: () => challenge?.cancel("merchant") };
}
