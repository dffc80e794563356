/**
 * Commands for the checkout iframe: opening sessions, paying with each kind of card, giving up, ending sessions, and
 * detaching saved cards.
 */
import { threeDSecureCards } from "@oriel/protocol/test-cards";
import { completeChallenge } from "../setup/at-the-bank.ts";
import { cardNumbers, openCheckout } from "../setup/customer.ts";
import type { ApiResponse } from "../setup/test-service.ts";
import { until } from "../setup/until.ts";
import { command, pick, pickFitting, type Command } from "./command.ts";
import { expectResponse } from "./compare.ts";
import type { Expected, ModelAttempt, ModelCard, ModelDecision, ModelPaymentMethod, ModelSession } from "./objects.ts";
import { challengeMs, decisionMs, type Reference } from "./reference.ts";
import type { World } from "./world.ts";

const cards: readonly ModelCard[] = [
  { name: cardNumbers.challenge, says: "approved", threeDS: "challenge" },
  { name: cardNumbers.approved, says: "approved" },
  { name: cardNumbers.declined, says: "generic_decline" },
  { name: cardNumbers.insufficientFunds, says: "insufficient_funds" },
  { name: cardNumbers.captureDeclined, says: "approved", refuses: "capture" },
  { name: cardNumbers.refundDeclined, says: "approved", refuses: "refund" },
  { name: cardNumbers.frictionless, says: "approved", threeDS: "frictionless" },
  { name: cardNumbers.frictionlessWithoutMethod, says: "approved", threeDS: "frictionless" },
  { name: threeDSecureCards.soft_decline[0], says: "approved", threeDS: "soft" },
];

export interface SessionOptions {
  mode: "payment" | "setup";
  captureMethod: "automatic" | "manual";
  confirmation: "automatic" | "server";
  saves: boolean;
  /** Whether its total is 0. */
  isFree: boolean;
}

const amount = 4900;
const tokenGraceMs = 60 * 60_000;

export function open(options: SessionOptions): Command {
  return command(
    `open(${describeOptions(options)})`,
    () => true,
    async (model, world) => void (await openSession(model, world, options)),
  );
}

/** Opens a session and pays at once. */
export function shop(options: SessionOptions, index: number): Command {
  return command(
    `shop(${describeOptions(options)}, ${pick(cards, index).name.slice(-4)})`,
    () => true,
    async (model, world) => await paySession(model, await openSession(model, world, options), pick(cards, index)),
  );
}

export function pay(index: number, cardIndex: number): Command {
  return command(`pay(${index}, ${pick(cards, cardIndex).name.slice(-4)})`, hasPage, async (model) => {
    const session = pickFitting(pages(model), index, ({ status, payment }) => status === "open" && payment === null);
    await paySession(model, session, pick(cards, cardIndex));
  });
}

/** The customer presses the button in a session with nothing to pay and no card to save. */
export function complete(index: number): Command {
  return command(
    `complete(${index})`,
    (model) => pagesWithoutCard(model).length > 0,
    async (model) => {
      const session = pick(pagesWithoutCard(model), index);
      if (session.status === "open" && session.expiresAt > model.now) {
        session.status = "complete";
        session.events.push("checkout_session.completed");
      }
      const isComplete = session.status === "complete";
      expectResponse(
        await session.checkout.complete(),
        isComplete
          ? { status: 200, body: { session: { status: "complete" } } }
          : { status: 400, code: "session_closed" },
      );
    },
  );
}

/** The runner reports that the 3DS Method has finished. */
export function authenticate(index: number): Command {
  return command(`authenticate(${index})`, hasPayment, async (model) => {
    const { decision, session } = pickFitting(
      payments(model),
      index,
      ({ decision }) => decision.authentication?.status === "method",
    );
    let attempt: ModelAttempt | null = null;
    if (decision.authentication?.status === "method") {
      const { isStepUp } = decision.authentication;
      if (decision.method.card.threeDS === "challenge" || isStepUp) {
        decision.authentication = { status: "challenge", deadline: model.now + challengeMs, isStepUp };
      } else attempt = model.conclude(decision, null);
    }
    const expected = runInFrame(model, attempt, decision, session);
    expectResponse(await session.checkout.authenticate(String(decision.id)), expected);
  });
}

/** The customer completes the challenge page or cancels there. */
export function endChallenge(index: number, isRight: boolean): Command {
  return command(
    `endChallenge(${index}, ${isRight ? "right" : "cancel"})`,
    isChallenged,
    async (model, { service }) => {
      const open = payments(model).filter(({ decision }) => decision.authentication?.status === "challenge");
      const { decision, session } = pick(open, index);
      const isOverdue = (decision.authentication?.deadline ?? 0) <= model.now;
      if (isOverdue) model.conclude(decision, "authentication_timed_out");
      const shown = runInFrame(model, null, decision, session);
      const { body, ...rest } = await session.checkout.payment(String(decision.id));
      expectResponse({ body, ...rest }, shown);
      if (isOverdue) return;
      const attempt = model.conclude(decision, isRight ? null : "authentication_canceled");
      if (attempt !== null) model.call(attempt, false);
      await completeChallenge(service, body["payment"] ?? {}, isRight ? { code: "111111" } : "cancel");
      // The bank sends the result to the service by itself.
      const { db } = service.context;
      await until("the result of the challenge", async () => {
        const own = db.selectFrom("authentication").select("id").where("decision_id", "=", String(decision.id));
        return (await own.where("status", "=", "challenge").executeTakeFirst()) === undefined ? true : null;
      });
    },
  );
}

/** The customer gives up in the iframe. */
export function giveUp(index: number): Command {
  return command(`giveUp(${index})`, hasPayment, async (model) => {
    const { decision, session } = pickFitting(payments(model), index, ({ decision }) => isWaiting(decision));
    model.conclude(decision, "authentication_canceled");
    const expected = runInFrame(model, null, decision, session);
    expectResponse(await session.checkout.cancel(String(decision.id)), expected);
  });
}

export function endSession(index: number, status: "expired" | "canceled"): Command {
  const verb = status === "expired" ? "expire" : "cancel";
  return command(`${verb}Session(${index})`, hasSessions, async (model, { service }) => {
    const session = pick(model.sessions, index);
    const { payment } = session;
    const isInFlight = payment !== null && !isEnded(payment, model.now);
    const refusal = session.status !== "open" ? "session_closed" : isInFlight ? "session_payment_in_progress" : null;
    if (refusal === null) {
      if (payment !== null) model.expireDecision(payment);
      model.endSession(session, status);
    }
    const response = await service.call("POST", `/api/v1/checkout_sessions/${session.id}/${verb}`, {});
    expectResponse(response, refusal === null ? { status: 200, body: { status } } : { status: 400, code: refusal });
  });
}

export function detach(index: number): Command {
  return command(
    `detach(${index})`,
    ({ methods }) => methods.some(({ id }) => id !== null),
    async (model, { service }) => {
      const method = pick(
        model.methods.filter(({ id }) => id !== null),
        index,
      );
      method.reusable = false;
      method.detached = true;
      const response = await service.call("POST", `/api/v1/payment_methods/${method.id}/detach`, {});
      expectResponse(response, { status: 200, body: { id: method.id, reusable: false } });
    },
  );
}

/** The status of a session as its page and its merchant see it. */
export function shownStatus({ status, payment, expiresAt }: ModelSession, now: number): ModelSession["status"] {
  return status === "open" && payment === null && expiresAt <= now ? "expired" : status;
}

async function openSession(model: Reference, { service }: World, options: SessionOptions): Promise<ModelSession> {
  const isSetup = options.mode === "setup";
  const order = isSetup
    ? { mode: "setup" }
    : {
        capture_method: options.captureMethod,
        confirmation: options.confirmation,
        save_payment_method: options.saves,
        ...(options.isFree && { amount: 0 }),
      };
  const checkout = await openCheckout(service, order);
  const session: ModelSession = {
    ...options,
    ...(isSetup ? { confirmation: "automatic", captureMethod: "automatic", saves: true, isFree: false } : {}),
    id: checkout.sessionId,
    events: [],
    checkout,
    status: "open",
    paymentStatus: isSetup ? "none" : "unpaid",
    failed: 0,
    payment: null,
    expiresAt: model.now + 60 * 60_000,
  };
  model.sessions.push(session);
  return session;
}

async function paySession(model: Reference, session: ModelSession, card: ModelCard): Promise<void> {
  const { checkout } = session;
  const predicted = beginPayment(model, session, card);
  let response: ApiResponse = await checkout.pay(card.name);
  // The page's key and nonce were too old, so it encrypts again.
  if (String(response.body["error"]?.["code"]) === "card_message_stale") response = await checkout.pay(card.name);
  expectResponse(response, predicted);
}

function beginPayment(model: Reference, session: ModelSession, card: ModelCard): Expected {
  const { payment } = session;
  const isTimeUp = session.expiresAt <= model.now;
  if (session.status !== "open" || (payment === null && isTimeUp)) return { status: 400, code: "session_closed" };
  if (isTimeUp) return { status: 400, code: "session_closed" };
  if (session.isFree && !session.saves) return { status: 400, code: "parameter_invalid", param: "card" };
  if (payment !== null && !isEnded(payment, model.now)) return { status: 400, code: "session_payment_in_progress" };
  if (payment !== null) model.expireDecision(payment);

  const method: ModelPaymentMethod = { id: null, card, reusable: false, detached: false };
  model.methods.push(method);
  const takesPart = card.threeDS !== undefined;
  const decision: ModelDecision = {
    id: null,
    session,
    method,
    amount: session.mode === "setup" || session.isFree ? 0 : amount,
    status: takesPart ? "requires_action" : "approved",
    expiresAt: model.now + decisionMs,
    declineCode: null,
    authentication: takesPart ? { status: "method", deadline: model.now + challengeMs, isStepUp: false } : null,
    attempt: null,
  };
  model.decisions.push(decision);
  session.payment = decision;
  return runInFrame(model, takesPart ? null : model.goOn(decision, session), decision, session);
}

/** Runs the attempt, if there is one, and returns the expected response to the iframe. */
function runInFrame(
  model: Reference,
  attempt: ModelAttempt | null,
  decision: ModelDecision,
  session: ModelSession,
): Expected {
  if (attempt !== null && model.call(attempt, false) === "died") return { status: 500, code: "internal_error" };
  const shown = { status: shownStatus(session, model.now), attempts_left: 5 - session.failed };
  return { status: 200, body: { payment: { status: shownPayment(decision, model.now) }, session: shown } };
}

function shownPayment({ status, authentication, attempt, expiresAt }: ModelDecision, now: number): string {
  const withCustomer = authentication?.status === "challenge" ? "challenge" : "three_ds";
  switch (status) {
    case "requires_action":
      return withCustomer;
    case "approved":
      return expiresAt <= now ? "declined" : "requires_confirmation";
    case "declined":
    case "expired":
      return "declined";
    case "consumed":
      if (authentication?.isStepUp && authentication.status !== "complete") return withCustomer;
      if (attempt?.outcome === "approved") return "succeeded";
      return attempt?.outcome === null ? "processing" : "declined";
  }
}

/** The issuer must still be contacted or hasn't responded yet. */
function isWaiting({ authentication }: ModelDecision): boolean {
  return authentication !== null && authentication.status !== "complete";
}

/** An approved decision that wasn't used in time, whether or not it has been marked expired. */
function isEnded({ status, expiresAt }: ModelDecision, now: number): boolean {
  return status === "approved" && expiresAt <= now;
}

function describeOptions({ mode, captureMethod, confirmation, saves, isFree }: SessionOptions): string {
  if (mode === "setup") return "setup";
  return [isFree ? "free" : "", captureMethod, confirmation === "server" ? "by the server" : "", saves ? "saving" : ""]
    .filter(Boolean)
    .join(" ");
}

/** Sessions whose page still has a working token. */
function pages({ sessions, now }: Readonly<Reference>): ModelSession[] {
  return sessions.filter(({ expiresAt }) => expiresAt + tokenGraceMs > now + 1);
}

function pagesWithoutCard(model: Readonly<Reference>): ModelSession[] {
  return pages(model).filter(({ isFree, saves }) => isFree && !saves);
}

function hasPage(model: Readonly<Reference>): boolean {
  return pages(model).length > 0;
}

function payments(model: Readonly<Reference>): { decision: ModelDecision; session: ModelSession }[] {
  const open = new Set(pages(model));
  return model.decisions.flatMap((decision) => {
    const { session } = decision;
    return session !== null && open.has(session) ? [{ decision, session }] : [];
  });
}

function hasPayment(model: Readonly<Reference>): boolean {
  return payments(model).length > 0;
}

function isChallenged(model: Readonly<Reference>): boolean {
  return payments(model).some(({ decision }) => decision.authentication?.status === "challenge");
}

function hasSessions({ sessions }: Readonly<Reference>): boolean {
  return sessions.length > 0;
}
