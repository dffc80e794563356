/**
 * Commands for what happens without a request: the acquirer goes silent and recovers, the process dies, time passes, a
 * worker runs. Reads are here too, which change nothing.
 */
import { expectRecordsAgree } from "./bank-audit.ts";
import { command, compareAll, pick, type Command } from "./command.ts";
import { expectResponse } from "./compare.ts";
import { shownStatus } from "./customer-commands.ts";
import type { ModelAttempt } from "./objects.ts";
import { runsOut, showCharge, showRefund, type Reference } from "./reference.ts";
import type { When, World } from "./world.ts";

/**
 * The acquirer doesn't respond to the next request, or to any. `before`: it did nothing. `after`: it did everything.
 */
export function silence(when: When, always: boolean): Command {
  return command(
    `silence(${when}${always ? ", until it is back" : ""})`,
    () => true,
    async (model, world) => {
      model.fault = { when, always };
      await world.setFault(model.fault);
    },
  );
}

export function recoverBank(): Command {
  return command(
    "recoverBank",
    ({ fault }) => fault !== null,
    async (model, world) => {
      model.fault = null;
      await world.setFault(null);
    },
  );
}

/**
 * The process dies at its next request to the acquirer. `before`: between transaction A and the acquirer. `after`:
 * between the acquirer and transaction B.
 */
export function die(when: When): Command {
  return command(
    `die(${when})`,
    () => true,
    async (model, world) => {
      model.death = when;
      world.dieAt(when);
    },
  );
}

export function later(ms: number): Command {
  return command(
    `later(${ms / 1000} s)`,
    () => true,
    async (_model, world) => world.later(ms),
  );
}

export function work(): Command {
  return command(
    "work",
    () => true,
    async (model, world) => {
      model.work();
      await world.work();
    },
  );
}

type Readable = "charge" | "refund" | "session" | "decision";

export function read(what: Readable, index: number): Command {
  return command(
    `read(${what} ${index})`,
    (model) => listOf(model, what).length > 0,
    async (model, { service }) => {
      const { path, open, body } = reading(model, what, index);
      const isDead = open !== undefined && model.call(open, true) === "died";
      const response = await service.call("GET", `/api/v1${path}`);
      expectResponse(response, isDead ? { status: 500, code: "internal_error" } : { status: 200, body: body() });
    },
  );
}

/** Reads the acquirer's records. */
export function audit(): Command {
  return command(
    "audit",
    () => true,
    async (_model, world) => await expectRecordsAgree(world),
  );
}

/** Everything works again and a worker finishes all attempts: nothing is left open, and both sides' records agree. */
export async function finishEverything(model: Reference, world: World): Promise<void> {
  model.fault = null;
  model.death = null;
  await world.setFault(null);
  world.dieAt(null);
  // After the second wait, it is too late to send anything that never reached the acquirer.
  for (const ms of [31_000, 21 * 60_000]) {
    world.later(ms);
    for (const attempt of model.attempts) model.call(attempt, true);
    await world.resume();
    await world.settled();
    await compareAll(model, world);
  }
  const open = model.attempts.filter(({ outcome }) => outcome === null);
  if (open.length > 0) throw new Error(`${open.length} attempts are still open, although the acquirer is back`);
  await expectRecordsAgree(world);
}

interface Reading {
  path: string;
  /** The attempt, if its outcome still has to come from the acquirer. */
  open?: ModelAttempt | undefined;
  body: () => object;
}

function reading(model: Reference, what: Readable, index: number): Reading {
  switch (what) {
    case "charge": {
      const charge = pick(model.charges, index);
      const kinds = ["authorize", "capture", "cancel"];
      const open = model.attempts.find(
        (attempt) => attempt.charge === charge && kinds.includes(attempt.kind) && attempt.outcome === null,
      );
      return { path: `/charges/${charge.id}`, open, body: () => showCharge(charge) };
    }
    case "refund": {
      const refund = pick(model.refunds, index);
      const open = model.attempts.find((attempt) => attempt.refund === refund && attempt.outcome === null);
      return { path: `/refunds/${refund.id}`, open, body: () => showRefund(refund) };
    }
    case "session": {
      const session = pick(model.sessions, index);
      const status = shownStatus(session, model.now);
      const payment_status = session.isFree ? "no_payment_required" : session.paymentStatus;
      const body = { status, payment_status, attempts_left: 5 - session.failed };
      return { path: `/checkout_sessions/${session.id}`, body: () => body };
    }
    case "decision": {
      const decision = pick(model.decisions, index);
      const { id, status, amount } = decision;
      const isEnded = runsOut(decision) && decision.expiresAt <= model.now;
      return { path: `/decisions/${id}`, body: () => ({ status: isEnded ? "expired" : status, amount }) };
    }
  }
}

function listOf(model: Readonly<Reference>, what: Readable): readonly object[] {
  const { charges, refunds, sessions, decisions } = model;
  return { charge: charges, refund: refunds, session: sessions, decision: decisions }[what];
}
