/**
 * One try to pay after another, until the session is over. What happened is always the service's word; this file only asks.
 *
 * ```
 * form --Pay--> submitting --> three_ds --> authenticating --> challenge --> processing --> succeeded | requires_confirmation
 *   ^              |                (any of these may be left out)                 |
 *   +-- declined --+---------------------------------------------------------------+
 * ```
 * A session of mode `setup` goes the same way: what is called a payment here saves the card, charges nothing and ends as `succeeded`.
 * Only the screen's words differ.
 *
 * Three rules hold everywhere. One payment at a time: a second press finds the first one running. After silence, nobody guesses: the
 * session is opened anew and shows the payment that is in flight, the one that succeeded, or none, and only then may the customer try
 * again. A card message that the service calls stale is made anew once, unseen, if the session shows that the first one was not taken.
 */
import type { FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { BrowserFields, ChallengeWindowSize } from "@oriel/protocol/threeds";
import type { Alarm } from "./alarm.ts";
import type { CardFields } from "./card-fields.ts";
import type { Card } from "./check-card.ts";
import { encryptCard } from "./encrypt-card.ts";
import type { FrameApi, Outcome } from "./frame-api.ts";
import type { CallResult } from "./frame-call.ts";
import type { HostLink } from "./host-link.ts";
import type { Screen } from "./screen.ts";
import { lookUpAgain, retry } from "./text.ts";
import type { ChallengedPayment, RunningChallenge } from "./threeds/run-challenge.ts";

export interface PaymentFlow {
  /** Opens the session and shows where it stands. */
  begin(opening?: Promise<CallResult>): Promise<void>;
  pay(card: Card): Promise<void>;
  /** Asks the service where the session stands, unless a payment is being followed already. */
  refresh(): Promise<void>;
  cancelChallenge(): void;
  isBusy(): boolean;
}

export interface FlowWorld {
  api: FrameApi;
  screen: Screen;
  fields: CardFields;
  host: Pick<HostLink, "tell">;
  alarm: Alarm;
  crypto: Crypto;
  now(): number;
  browser(): BrowserFields;
  windowSize(): ChallengeWindowSize;
  runMethod(payment: Extract<FramePayment, { status: "three_ds" }>): Promise<void>;
  runChallenge(payment: ChallengedPayment): RunningChallenge;
  /** Called with every session that was opened, the first time and after. */
  opened(session: FrameSession["session"]): void;
}

const pollMs = 2_000;
/** How long "processing" is only a busy button. After that the page says not to pay again, and so does the host. */
const processingShownAfterMs = 5_000;
const reconnectDelaysMs = [1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000];
const followLimitMs = 2 * 60 * 60_000;
const authenticateLimit = 5;

export function createPaymentFlow(world: FlowWorld): PaymentFlow {
  const { api, screen, fields, host, alarm, now } = world;
  let isRunning = false;
  let challenge: RunningChallenge | null = null;

  /** Runs one thing at a time. A bug on the way leaves the outcome unknown, and says so. */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
    } catch (error) {
      host.tell("error", { code: "internal" });
      screen.result("unknown", { label: lookUpAgain, press: () => void alone(recover) });
      throw error;
    } finally {
      isRunning = false;
    }
  };

  const begin = async (opening?: Promise<CallResult>): Promise<void> => {
    const session = await api.open(opening);
    if (session.kind === "unreachable") {
      host.tell("error", { code: "network" });
      return screen.result("unreachable", { label: retry, press: () => void alone(() => begin()) });
    }
    return standing(session);
  };

  /** Shows where an opened session stands; `openNotice` is what to say above a form that may be used (again). */
  const standing = async (opened: Outcome<FrameSession>, openNotice: "notStarted" | null = null): Promise<void> => {
    if (opened.kind !== "answer") {
      host.tell("error", { code: "session_invalid" });
      fields.wipe();
      return screen.result("invalid");
    }
    const { session, payment } = opened.body;
    world.opened(session);
    if (payment && payment.status !== "declined") return follow(payment, true);
    switch (session.status) {
      case "open":
        screen.form();
        if (openNotice) screen.notice(openNotice);
        return;
      case "complete":
        return succeeded();
      case "expired":
      case "canceled":
        fields.wipe();
        host.tell("error", { code: session.status === "expired" ? "session_expired" : "session_invalid" });
        return screen.result(session.status);
    }
  };

  const attempt = async (card: Card): Promise<void> => {
    screen.busy("submitting");
    host.tell("submit", {});
    const triesBefore = api.session()?.attempts_left;
    let sent = await send(card);
    if (sent.kind === "refused" && sent.code === "card_message_stale") {
      // Browsers send a POST again by themselves when a kept-alive connection breaks (Chromium does), so a spent nonce can be the echo of a
      // message that was taken. Only a session in which nothing has happened since gets a second message.
      const opened = await api.open();
      if (opened.kind === "unreachable") return recover();
      const isUntouched = opened.kind === "answer" && opened.body.session.attempts_left === triesBefore && !opened.body.payment;
      if (!isUntouched || opened.body.session.status !== "open") return standing(opened, "notStarted");
      sent = await send(card);
    }
    if (sent.kind === "answer") return follow(sent.body, false);
    if (sent.kind === "unreachable") return recover();
    switch (sent.code) {
      case "rate_limited":
        screen.form();
        return screen.notice("rateLimited");
      case "card_message_stale":
      case "card_message_invalid":
        screen.form();
        return screen.notice("notAccepted");
      case "not_a_test_card":
        screen.form();
        return screen.notice("testCardsOnly");
      default:
        // The session is not what this page thought it was: closed, paid in another tab, unknown. Look.
        return recover();
    }
  };

  const send = async (card: Card): Promise<Outcome<FramePayment>> => {
    const session = api.session();
    const encryption = api.encryption();
    if (!session || !encryption) throw new Error("Bug: paying before the session is open");
    const message = { ...card, session_id: session.id, nonce: encryption.nonce };
    const jwe = await encryptCard(message, encryption, world.crypto);
    return api.pay({ card: jwe, browser: world.browser(), challenge_window_size: world.windowSize() });
  };

  /** After silence: ask until the service answers, and let nobody pay before it has. */
  const recover = async (): Promise<void> => {
    screen.busy("reconnecting");
    screen.notice("connectionLost");
    for (const delayMs of reconnectDelaysMs) {
      const opened = await api.open();
      if (opened.kind !== "unreachable") return standing(opened, "notStarted");
      await alarm.wait(delayMs);
    }
    host.tell("error", { code: "network" });
    screen.result("unknown", { label: lookUpAgain, press: () => void alone(recover) });
  };

  /** Follows a payment to its end. `resumed`: the page found it under way, so a wait is shown as what it is at once. */
  const follow = async (first: FramePayment, resumed: boolean): Promise<void> => {
    const startedAt = now();
    let payment = first;
    let processingSince: number | null = resumed ? startedAt - processingShownAfterMs : null;
    let saidProcessing = false;
    let authentications = 0;
    while (now() - startedAt < followLimitMs) {
      let next: FramePayment | null;
      switch (payment.status) {
        case "three_ds": {
          screen.busy("authenticating");
          if (++authentications === 1) await world.runMethod(payment);
          if (authentications > authenticateLimit) return recover();
          const asked = await api.authenticate(payment.id);
          next = asked.kind === "answer" ? asked.body : await poll(payment.id, startedAt);
          break;
        }
        case "authenticating":
          screen.busy("authenticating");
          next = await poll(payment.id, startedAt);
          break;
        case "challenge":
          challenge = world.runChallenge(payment);
          next = await challenge.result;
          challenge = null;
          break;
        case "processing":
          processingSince ??= now();
          if (now() - processingSince < processingShownAfterMs) screen.busy("confirming");
          else if (!saidProcessing) {
            saidProcessing = true;
            screen.result("processing");
            const session = api.session();
            if (session) host.tell("complete", { sessionId: session.id, status: "processing", returnUrl: session.return_url });
          }
          next = await poll(payment.id, startedAt);
          break;
        case "succeeded":
          return succeeded();
        case "requires_confirmation": {
          fields.wipe();
          const { payment_method_id: paymentMethodId, decision_id: decisionId } = payment;
          const session = api.session();
          if (session)
            host.tell("complete", {
              sessionId: session.id,
              status: "requires_confirmation",
              paymentMethodId,
              decisionId,
              returnUrl: session.return_url,
            });
          return screen.finished("requires_confirmation");
        }
        case "declined":
          return declined(payment);
      }
      if (!next) return recover();
      payment = next;
    }
    return screen.result("unknown", { label: lookUpAgain, press: () => void alone(recover) });
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

  const succeeded = () => {
    fields.wipe();
    const session = api.session();
    if (session) host.tell("complete", { sessionId: session.id, status: "complete", returnUrl: session.return_url });
    screen.finished("succeeded");
  };

  const declined = ({ reason, retryable, cardholder_info }: Extract<FramePayment, { status: "declined" }>) => {
    fields.wipeCvc();
    host.tell("decline", { code: reason, retryable, attemptsLeft: api.session()?.attempts_left ?? 0 });
    if (retryable) return screen.declined(reason, cardholder_info);
    fields.wipe();
    screen.result("ended");
  };

  return {
    begin: (opening) => alone(() => begin(opening)),
    pay: (card) => alone(() => attempt(card)),
    refresh: () =>
      alone(async () => {
        const opened = await api.open();
        if (opened.kind !== "unreachable") await standing(opened);
      }),
    cancelChallenge: () => challenge?.cancel(),
    isBusy: () => isRunning,
  };
}
