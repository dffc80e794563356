/**
 * Idempotency for POST routes of the API and of the dashboard, as hooks in the order the rules want: parse,
 * authenticate, look the key up, validate, execute. The key is looked up before validation, so that a changed and
 * invalid body still hears that the key is taken. Execution is one of two kinds:
 *
 * - `inOneTransaction`: the work and its stored answer commit together.
 * - `withTheBank`: a transaction writes an attempt and notes it under the key; the attempt is run, and its outcome is
 *   the answer.
 *
 * Either takes a last statement for its transaction: an audit entry, which has others wait for it from there to the
 * commit.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { answerOfAttempt } from "../../payments/flow/wait-for-attempt.ts";
import type { Cause } from "../../platform/cause.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../../platform/errors.ts";
import {
  abandonKey,
  checkKeyFormat,
  claimKey,
  finishKey,
  lookUpKey,
  noteAttempt,
  storeAnswer,
  type KeyClaim,
} from "../../platform/idempotency/idempotency.ts";
import { fingerprintOf, type Fingerprint } from "../../platform/idempotency/request-fingerprint.ts";
import { successAnswer, type StoredAnswer } from "../../platform/idempotency/stored-answer.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Tenant } from "../../platform/tenant.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** This request's right to its idempotency key, once it has one. */
    keyClaim: KeyClaim | null;
  }
}

/** Each round ends because somebody else got the key; more than a few cannot be bad luck. */
const maxRounds = 10;

interface KnownAnswer extends StoredAnswer {
  /** It was stored when the first request ended. */
  isReplay: boolean;
}

/** Whose keys a request's key is among. */
export interface KeySpace {
  tenantOf(request: FastifyRequest): Tenant;
  /** What a key that came is called where it is kept: one space's names are none of another's. */
  keptAs(key: string): string;
}

const keysOfApi: KeySpace = { tenantOf: ({ tenant }) => tenant, keptAs: (key) => key };

export type IdempotentHooks = ReturnType<typeof idempotentHooks>;

export function idempotentHooks(context: Context, space: KeySpace = keysOfApi) {
  return {
    /** Replays, waits or refuses; a free key goes on to validation. */
    async preValidation(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      if (request.body === undefined) request.body = {}; // nothing sent is nothing asked for; a route that needs more says what is missing
      const key = readKey(request, space);
      if (key === null) return;
      const known = await findAnswer(context, space.tenantOf(request), request, key);
      if (known !== null) await sendAnswer(reply, known);
    },

    /** The request is valid: from here on it is the one that runs under the key, or it waits for the one that does. */
    async preHandler(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const key = readKey(request, space);
      if (key === null) return;
      const won = await claimOrFindAnswer(context, space.tenantOf(request), request, key);
      if ("claim" in won) request.keyClaim = won;
      else await sendAnswer(reply, won);
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

/**
 * Work that needs no bank: it is done and its answer is stored in one commit, or neither is.
 * @param last the transaction's last statement
 */
export async function inOneTransaction(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx, cause: Cause) => Promise<object>,
  last?: (tx: Tx) => Promise<void>,
): Promise<void> {
  const claim = request.keyClaim;
  const answer = await context.db.transaction().execute(async (tx) => {
    const done = successAnswer(await work(tx, causeOf(request)));
    if (claim !== null) await finishKey(context, tx, claim, done);
    await last?.(tx);
    return done;
  });
  request.keyClaim = null; // stored already
  await sendAnswer(reply, answer);
}

/**
 * Work that the bank takes part in.
 *
 * @param begin writes the attempt and returns its id; with the answer, where that does not wait for the bank
 * @param last the last statement of the same transaction
 */
export async function withTheBank(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  begin: (tx: Tx, cause: Cause) => Promise<string | { attemptId: string; answer: object }>,
  last?: (tx: Tx, attemptId: string) => Promise<void>,
): Promise<void> {
  const claim = request.keyClaim;
  const { attemptId, known } = await context.db.transaction().execute(async (tx) => {
    const begun = await begin(tx, causeOf(request));
    const { attemptId, known } =
      typeof begun === "string" ? { attemptId: begun, known: null } : { ...begun, known: successAnswer(begun.answer) };
    if (claim !== null)
      await (known === null ? noteAttempt(tx, claim, attemptId) : finishKey(context, tx, claim, known));
    await last?.(tx, attemptId);
    return { attemptId, known };
  });
  const answer = known ?? (await answerOfAttempt(context, attemptId));
  request.keyClaim = null; // stored with the outcome
  await sendAnswer(reply, answer);
}

export function causeOf({ id, keyClaim }: FastifyRequest): Cause {
  return { requestId: id, idempotencyKey: keyClaim?.key ?? null };
}

/**
 * Resolves when the response has been sent. A Fastify reply is a thenable that does so too, and resolves to undefined.
 */
async function sendAnswer(
  reply: FastifyReply,
  { status, body, isReplay }: StoredAnswer & { isReplay?: boolean },
): Promise<void> {
  if (isReplay) void reply.header("idempotent-replayed", "true");
  await reply.code(status).type("application/json; charset=utf-8").send(body);
}

/** The claim to the key, or the answer of the request that won it. */
async function claimOrFindAnswer(
  context: Context,
  tenant: Tenant,
  request: FastifyRequest,
  key: string,
): Promise<KeyClaim | KnownAnswer> {
  for (let round = 0; round < maxRounds; round++) {
    const won =
      (await claimKey(context, tenant, key, fingerprint(request))) ?? (await findAnswer(context, tenant, request, key));
    if (won !== null) return won;
  }
  throw new ApiError(
    "idempotent_request_in_progress",
    "Too many requests with this Idempotency-Key at once. Send this one again shortly.",
    { retryAfterSeconds: 1 },
  );
}

/** Waits for the answer of the request that uses the key. Null: the key is free. */
async function findAnswer(
  context: Context,
  tenant: Tenant,
  request: FastifyRequest,
  key: string,
): Promise<KnownAnswer | null> {
  const found = await lookUpKey(context, tenant, key, fingerprint(request));
  switch (found.state) {
    case "free":
      return null;
    case "finished":
      return { ...found.answer, isReplay: true };
    case "begun":
      return { ...(await answerOfAttempt(context, found.attemptId)), isReplay: false };
    case "taken":
      request.differed = found.differed;
      throw new ApiError(
        "idempotency_key_in_use",
        "This Idempotency-Key was used for another request. Use a new key for a new request.",
        { param: "Idempotency-Key" },
      );
  }
}

/** As it is kept; null without one. */
function readKey(request: FastifyRequest, space: KeySpace): string | null {
  const { rawHeaders } = request.raw; // names and values in turn, as they came: two of one name are joined elsewhere
  const values = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "idempotency-key");
  if (values.length === 0) return null;
  if (values.length !== 1)
    throw new ApiError("idempotency_key_invalid", "Send one Idempotency-Key header.", { param: "Idempotency-Key" });
  const key = values[0] ?? "";
  checkKeyFormat(key);
  return space.keptAs(key);
}

function fingerprint(request: FastifyRequest): Fingerprint {
  return fingerprintOf(request.method, request.url.split("?")[0] ?? "", request.body);
}
