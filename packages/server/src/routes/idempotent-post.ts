/**
 * Idempotency for POST routes of the API, as hooks in the order the rules want: parse, authenticate, look the key up, validate, execute. The
 * key is looked up before validation, so that a changed and invalid body still hears that the key is taken. Execution is one of two kinds:
 *
 * - `inOneTransaction`: the work and its stored answer commit together.
 * - `withTheBank`: a transaction writes an attempt and notes it under the key; the attempt is run, and its outcome is the answer.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { answerOfAttempt } from "../attempts/wait-for-attempt.ts";
import type { Cause, Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import {
  abandonKey,
  checkKeyFormat,
  claimKey,
  finishKey,
  lookUpKey,
  noteAttempt,
  storeAnswer,
  type KeyClaim,
} from "../idempotency/idempotency.ts";
import { fingerprintOf, type Fingerprint } from "../idempotency/request-fingerprint.ts";
import { successAnswer, type StoredAnswer } from "../idempotency/stored-answer.ts";
import type { Tx } from "../storage/database.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** This request's right to its idempotency key, once it has one. */
    keyClaim: KeyClaim | null;
  }
}

/** Each round ends because somebody else got the key; more than a few cannot be bad luck. */
const maxRounds = 10;

export type IdempotentHooks = ReturnType<typeof idempotentHooks>;

export function idempotentHooks(context: Context) {
  return {
    /** Replays, waits or refuses; a free key goes on to validation. */
    async preValidation(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
      if (request.body === undefined) request.body = {}; // nothing sent is nothing asked for; a route that needs more says what is missing
      const key = readKey(request);
      return key === null ? undefined : await answerFromKey(context, request, reply, key);
    },

    /** The request is valid: from here on it is the one that runs under the key, or it waits for the one that does. */
    async preHandler(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
      const key = readKey(request);
      if (key === null) return undefined;
      for (let round = 0; round < maxRounds; round++) {
        request.keyClaim = await claimKey(context, request.tenant, key, fingerprint(request));
        if (request.keyClaim !== null) return undefined;
        const answered = await answerFromKey(context, request, reply, key);
        if (answered !== undefined) return answered;
      }
      throw new ApiError(
        "idempotent_request_in_progress",
        "Too many requests with this Idempotency-Key at once. Send this one again shortly.",
        {
          retryAfterSeconds: 1,
        },
      );
    },

    /** Keeps the answer, or leaves the key to be taken up again. The answer goes out only when that is written. */
    async onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
      const claim = request.keyClaim;
      if (claim === null || typeof payload !== "string") return payload;
      request.keyClaim = null; // an error in here would be sent through here again
      // A limit and a key that is not valid any more say nothing about the request; 5xx leaves it to be taken up again.
      const isOfTheMoment = reply.statusCode >= 500 || reply.statusCode === 429 || reply.statusCode === 401;
      if (isOfTheMoment) await abandonKey(context, claim);
      else await storeAnswer(context, claim, { status: reply.statusCode, body: payload });
      return payload;
    },
  };
}

/** Work that needs no bank: it is done and its answer is stored in one commit, or neither is. */
export async function inOneTransaction(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx, cause: Cause) => Promise<object>,
): Promise<FastifyReply> {
  const claim = request.keyClaim;
  const answer = await context.db.transaction().execute(async (tx) => {
    const done = successAnswer(await work(tx, causeOf(request)));
    if (claim !== null) await finishKey(context, tx, claim, done);
    return done;
  });
  request.keyClaim = null; // stored already
  return sendAnswer(reply, answer);
}

/** Work that the bank takes part in. @param begin writes the attempt and returns its id */
export async function withTheBank(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  begin: (tx: Tx, cause: Cause) => Promise<string>,
): Promise<FastifyReply> {
  const claim = request.keyClaim;
  const attemptId = await context.db.transaction().execute(async (tx) => {
    const begun = await begin(tx, causeOf(request));
    if (claim !== null) await noteAttempt(tx, claim, begun);
    return begun;
  });
  const answer = await answerOfAttempt(context, attemptId);
  request.keyClaim = null; // stored with the outcome
  return sendAnswer(reply, answer);
}

export function causeOf({ id, keyClaim }: FastifyRequest): Cause {
  return { requestId: id, idempotencyKey: keyClaim?.key ?? null };
}

function sendAnswer(reply: FastifyReply, { status, body }: StoredAnswer): FastifyReply {
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

async function answerFromKey(context: Context, request: FastifyRequest, reply: FastifyReply, key: string): Promise<unknown> {
  const found = await lookUpKey(context, request.tenant, key, fingerprint(request));
  switch (found.state) {
    case "free":
      return undefined;
    case "finished":
      return sendAnswer(reply.header("idempotent-replayed", "true"), found.answer);
    case "begun":
      return sendAnswer(reply, await answerOfAttempt(context, found.attemptId));
  }
}

function readKey(request: FastifyRequest): string | null {
  const values = request.raw.headersDistinct["idempotency-key"];
  if (values === undefined) return null;
  if (values.length !== 1)
    throw new ApiError("idempotency_key_invalid", "Send one Idempotency-Key header.", { param: "Idempotency-Key" });
  const key = values[0] ?? "";
  checkKeyFormat(key);
  return key;
}

function fingerprint(request: FastifyRequest): Fingerprint {
  return fingerprintOf(request.method, request.url.split("?")[0] ?? "", request.body);
}
