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
import type { CustomerReason } from "@oriel/protocol/declines";
import type { BillingDetails, FramePayment, FrameSession } from "@oriel/protocol/frame";
import type { BrowserFields, ChallengeWindowSize } from "@oriel/protocol/threeds";
import type { Submission } from "@oriel/protocol/windows";
import type { CardFields } from "./card-fields.ts";
import type { Card } from "./check-card.ts";
import { encryptCard } from "./encrypt-card.ts";
import type { Outcome } from "./frame-api.ts";
import { createPaymentFollower } from "./follow-payment.ts";
import type { FollowWorld } from "./follow-payment.ts";
import type { CallResult } from "./frame-call.ts";
import type { HostLink } from "./host-link.ts";
import { returnAddress } from "./return-address.ts";
import type { Screen } from "./screen.ts";

export interface PaymentFlow {
  /** Opens the session and shows where it stands. */
  begin(opening?: Promise<CallResult>): Promise<void>;
  /** Settles when the try is over, or when the customer was told that the bank takes its time. */
  pay(card: Card): Promise<Submission>;
  /** Asks the service where the session stands, unless a payment is being followed already, or only another document could go on. */
  refresh(): Promise<void>;
  cancelChallenge(): void;
  isBusy(): boolean;
}

export interface FlowWorld extends Omit<FollowWorld, "screen" | "processing"> {
  screen: Screen;
  host: Pick<HostLink, "tell">;
  fields: Pick<CardFields, "wipe" | "wipeCvc">;
  crypto: Crypto;
  browser(): BrowserFields;
  billing(): BillingDetails | undefined;
  windowSize(): ChallengeWindowSize;
  /** A card is on its way: what the bank may ask for is fetched meanwhile. */
  fetchBank(): void;
  /** What the customer reads after this refusal. */
  declineSentence(reason: CustomerReason): string;
  /** Called with every session that was opened, the first time and after. */
  opened(session: FrameSession["session"]): void;
  /** The service knows no such session, or not with this secret. */
  refused(): void;
  /** Begins anew with a document of its own. */
  reload(): void;
}

/** What `complete` tells beside the session. */
type Completed =
  | { status: "complete" | "processing" }
  | { status: "requires_confirmation"; paymentMethodId: string; decisionId: string };

/** After silence: asked nine times, a second apart at first, then two, four and eight. */
const reconnectTries = 9;
/** What stands above the form after a refusal that left the session as it was. */
const formNotices = new Map<string, "rateLimited" | "notAccepted" | "testCardsOnly">([
  ["rate_limited", "rateLimited"],
  ["card_message_stale", "notAccepted"],
  ["card_message_invalid", "notAccepted"],
  ["not_a_test_card", "testCardsOnly"],
  // What stands beside the card is not what it should be: an email of another form than ours allows, say.
  ["parameter_invalid", "notAccepted"],
]);
/** How often a customer may fail in one session: the service counts, and says how many are left. */
const attemptsInAll = 5;
/** The customer's clock may be behind the service's. */
const clockToleranceMs = 60_000;

export function createPaymentFlow(world: FlowWorld): PaymentFlow {
  const { api, screen, fields, host, alarm, now } = world;
  let isRunning = false;
  /** The host page was told that something is on its way; once in all that runs as one. */
  let isToldOf = false;
  let isStuck = false;
  /** The form was up in this document: what ends now ends under the customer's eyes. */
  let wasOpen = false;
  /** How the try ends, for whoever asked for it. Whatever says nothing of its own on the way did not pay. */
  let ending: Submission = { type: "failed" };
  let answer: (submission: Submission) => void = () => {};
  const processing = () => {
    completed({ status: "processing" });
    answer(ending);
  };
  const follower = createPaymentFollower({ ...world, processing });

  /** Runs one thing at a time. A bug on the way leaves the outcome unknown, and says so. */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    isToldOf = false;
    try {
      await work();
    } catch (error) {
      host.tell("error", { code: "internal" });
      unknown();
      throw error;
    } finally {
      isRunning = false;
    }
  };

  const unknown = () => screen.result("unknown", { label: "lookUpAgain", press: () => void alone(recover) });

  const begin = async (opening?: Promise<CallResult>): Promise<void> => {
    const session = await api.open(opening);
    if (session.kind === "unreachable") {
      host.tell("error", { code: "network" });
      return screen.result("unreachable", { label: "retry", press: () => void alone(() => begin()) });
    }
    return standing(session);
  };

  /** Shows where an opened session stands; `openNotice` is what to say above a form that may be used (again). */
  const standing = async (opened: Outcome<FrameSession>, openNotice: "notStarted" | null = null): Promise<void> => {
    if (opened.kind !== "answer") {
      host.tell("error", { code: "session_invalid" });
      world.refused();
      fields.wipe();
      return screen.result("invalid");
    }
    const { session, payment } = opened.body;
    world.opened(session);
    wasOpen ||= session.status === "open";
    if (payment && payment.status !== "declined") {
      // Found under way, by a reload or from another tab: for the host page that is a try like any other.
      if (payment.status !== "succeeded" && payment.status !== "requires_confirmation") submitted();
      return follow(payment, true);
    }
    switch (session.status) {
      case "open":
        screen.form();
        if (openNotice) screen.notice(openNotice);
        return;
      case "complete":
        return succeeded();
      case "expired":
      case "canceled":
        return over(session, session.status);
    }
  };

  const attempt = async (card: Card): Promise<void> => {
    screen.busy("submitting");
    submitted();
    world.fetchBank();
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
    const notice = formNotices.get(sent.code);
    // The session is not what this page thought it was: closed, paid in another tab, unknown. Look.
    if (!notice) return recover();
    screen.form();
    screen.notice(notice);
  };

  const submitted = () => {
    if (!isToldOf) host.tell("submit", {});
    isToldOf = true;
  };

  const send = async (card: Card): Promise<Outcome<FramePayment>> => {
    const session = api.session();
    const encryption = api.encryption();
    if (!session || !encryption) throw new Error("Bug: paying before the session is open");
    const message = { ...card, session_id: session.id, nonce: encryption.nonce };
    const jwe = await encryptCard(message, encryption, world.crypto);
    const billing = world.billing();
    return api.pay({
      card: jwe,
      browser: world.browser(),
      challenge_window_size: world.windowSize(),
      ...(billing && { billing_details: billing }),
    });
  };

  /** After silence: ask until the service answers, and let nobody pay before it has. */
  const recover = async (): Promise<void> => {
    screen.busy("reconnecting");
    screen.notice("connectionLost");
    for (let tries = 0; tries < reconnectTries; tries++) {
      const opened = await api.open();
      if (opened.kind !== "unreachable") return standing(opened, "notStarted");
      await alarm.wait(Math.min(1_000 * 2 ** tries, 8_000));
    }
    host.tell("error", { code: "network" });
    unknown();
  };

  /** Follows a payment to its end and shows that. */
  const follow = async (first: FramePayment, resumed: boolean): Promise<void> => {
    const payment = await follower.follow(first, resumed);
    if (payment === "lost") return recover();
    if (payment === "endless") return unknown();
    if (payment === "missing") return stuck();
    switch (payment.status) {
      case "succeeded":
        return succeeded();
      case "requires_confirmation":
        fields.wipe();
        completed({ status: payment.status, paymentMethodId: payment.payment_method_id, decisionId: payment.decision_id });
        return screen.finished("requires_confirmation");
      case "declined":
        return declined(payment);
    }
  };

  /** The payment is the service's, and nothing more can be done for it in this document. */
  const stuck = () => {
    isStuck = true;
    host.tell("error", { code: "network" });
    screen.result("unknown", { label: "lookUpAgain", press: world.reload });
  };

  const completed = (told: Completed) => {
    const session = api.session();
    if (!session) throw new Error("Bug: a payment without a session");
    const returnUrl = session.return_url && returnAddress(session.return_url, session.id);
    host.tell("complete", { ...told, sessionId: session.id, returnUrl });
    ending = { type: told.status, sessionId: session.id };
  };

  const succeeded = () => {
    fields.wipe();
    completed({ status: "complete" });
    screen.finished("succeeded");
  };

  const declined = ({ reason, retryable, cardholder_info }: Extract<FramePayment, { status: "declined" }>) => {
    fields.wipeCvc();
    isToldOf = false;
    const session = api.session();
    const attemptsLeft = session?.attempts_left ?? 0;
    // Our own sentence, without the bank's: what the bank wrote is for the customer.
    const message = world.declineSentence(reason);
    host.tell("decline", { code: reason, message, retryable, attempt: attemptsInAll - attemptsLeft, attemptsLeft });
    ending = reason === "authentication_canceled" ? { type: "canceled" } : { type: "decline", code: reason, message, retryable };
    if (retryable) return screen.declined(reason, cardholder_info);
    // Paid from another tab meanwhile, or not what this page thinks: look.
    if (!session || session.status === "open" || session.status === "complete") return recover();
    return over(session, session.status);
  };

  /** Time that ran out is told as `expire`, which the shop may renew. Five failures, or the shop's own word, are an error: nothing renews those. */
  const over = ({ attempts_left, expires_at }: FrameSession["session"], status: "expired" | "canceled") => {
    fields.wipe();
    const isFailed = status === "expired" && attempts_left === 0;
    const isTimeOver = status === "expired" && !isFailed && wasOpen && now() >= expires_at * 1000 - clockToleranceMs;
    if (isTimeOver) host.tell("expire", {});
    else host.tell("error", { code: status === "expired" ? "session_expired" : "session_invalid" });
    screen.result(isFailed ? "ended" : status);
  };

  return {
    begin: (opening) => alone(() => begin(opening)),
    pay(card) {
      if (isRunning) return Promise.resolve({ type: "busy" });
      return new Promise((resolve) => {
        ending = { type: "failed" };
        answer = resolve;
        void alone(() => attempt(card)).finally(() => resolve(ending));
      });
    },
    refresh: () =>
      alone(async () => {
        if (isStuck) return;
        const opened = await api.open();
        if (opened.kind !== "unreachable") await standing(opened);
      }),
    cancelChallenge: () => follower.cancelChallenge(),
    isBusy: () => isRunning,
  };
}
