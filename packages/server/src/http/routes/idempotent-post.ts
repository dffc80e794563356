/**
 * Idempotency for POST routes of the API and of the dashboard. The steps are: parse, authenticate, look up the key,
 * validate, execute. The key is looked up before validation, so that a request whose body has changed and is invalid
 * still gets the error that the key is in use. There are two ways to execute:
 *
 * - `inOneTransaction`: the work and its stored response commit together.
 * - `withAcquirer`: a transaction writes an attempt and records it under the key. Then the attempt runs, and its
 *   outcome is the response.
 *
 * Both accept a last statement for their transaction. It writes the audit entry, which blocks other audit entries until
 * the commit.
 *
 * `inOneStatement` and `withAcquirerAtOnce` do the same for the most frequent requests, with `hooksAtOnce` instead of
 * `idempotentHooks`: one statement claims the key and does the work. If it changes nothing, because another request has
 * the key or the work is refused, the key is claimed on its own, and a transaction does the work or finds out why it's
 * refused.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { idOf, type AttemptToRun, type BegunAttempt } from "../../payments/attempts/subject.ts";
import { responseOfAttempt } from "../../payments/flow/wait-for-attempt.ts";
import type { Cause } from "../../platform/cause.ts";
import { ApiError } from "../../platform/errors.ts";
import {
  abandonKey,
  checkKeyFormat,
  claimKey,
  finishKey,
  findKey,
  keyToClaim,
  recordAttempt,
  storeResponse,
  type KeyClaim,
  type KnownKey,
  type NewKey,
} from "../../platform/idempotency/idempotency.ts";
import { fingerprintOf, type Fingerprint } from "../../platform/idempotency/request-fingerprint.ts";
import { successResponse, type StoredResponse } from "../../platform/idempotency/stored-response.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { Tenant } from "../../platform/tenant.ts";
import type { Context } from "../context.ts";
import { replaceByError } from "./errors-to-http.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set once this request holds the claim to its idempotency key. */
    keyClaim: KeyClaim | null;
    /** The request's idempotency key, once it was read. */
    newKey?: NewKey;
    /** What the statement that authenticated the request read about its key: null if the key was unused. */
    knownKey?: KnownKey | null;
  }
}

/**
 * The number of times a request tries to claim its key before it gives up. A round fails if another request claims the
 * key first.
 */
const maxRounds = 10;

interface KnownResponse extends StoredResponse {
  /** True if the response was stored when an earlier request ended. */
  isReplay: boolean;
}

/** Separates the idempotency keys of the API from those of the dashboard. */
export interface KeySpace {
  tenantOf(request: FastifyRequest): Tenant;
  /** Returns the name that a key is stored under. Names from different spaces never collide. */
  storedAs(key: string): string;
}

const keysOfApi: KeySpace = { tenantOf: ({ tenant }) => tenant, storedAs: (key) => key };

export type IdempotentHooks = ReturnType<typeof idempotentHooks>;

export function idempotentHooks(context: Context, space: KeySpace = keysOfApi) {
  return {
    /** Replays a stored response, waits for a running request, or refuses the key. A free key goes on to validation. */
    async preValidation(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      if (request.body === undefined) request.body = {}; // validation then reports the first missing parameter
      const key = readKey(request, space);
      if (key === null) return;
      const known = await findResponse(context, space.tenantOf(request), request, key, request.knownKey);
      if (known !== null) await sendResponse(reply, known);
    },

    /** Claims the key for a valid request. If another request holds it, waits for that request's response instead. */
    async preHandler(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const key = readKey(request, space);
      if (key === null) return;
      const won = await claimOrFindResponse(
        context,
        space.tenantOf(request),
        request,
        keyToClaim(key, fingerprint(request)),
      );
      if ("claim" in won) request.keyClaim = won;
      else await sendResponse(reply, won);
    },

    /** Stores the response or releases the key. The response is sent only after that is committed. */
    async onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
      const claim = request.keyClaim;
      if (claim === null || typeof payload !== "string") return payload;
      request.keyClaim = null; // an error thrown here would run this hook again
      // A rate limit or an invalid secret key doesn't depend on the request, and a 5xx error must be retryable.
      const isTemporary = reply.statusCode >= 500 || reply.statusCode === 429 || reply.statusCode === 401;
      try {
        if (isTemporary) await abandonKey(context, claim);
        else await storeResponse(context, claim, { status: reply.statusCode, body: payload });
        return payload;
      } catch (error) {
        // A response that couldn't be stored isn't final. Without the database, a 5xx can't end the key's lease.
        return replaceByError(error as Error, request, reply); // the database and its driver throw only errors
      }
    },
  };
}

/**
 * Executes work that doesn't need the acquirer. The work and its stored response commit together.
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
  const response = await context.db.transaction().execute(async (tx) => {
    const done = successResponse(await work(tx, causeOfRequest(request)));
    if (claim !== null) await finishKey(context, tx, claim, done);
    await last?.(tx);
    return done;
  });
  request.keyClaim = null; // already stored
  await sendResponse(reply, response);
}

/**
 * Executes work that needs the acquirer.
 *
 * @param begin writes the attempt; also returns the response if it doesn't depend on the acquirer
 * @param last the last statement of the same transaction
 */
export async function withAcquirer(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  begin: (tx: Tx, cause: Cause) => Promise<AttemptToRun | { attemptId: string; response: object }>,
  last?: (tx: Tx, attemptId: string) => Promise<void>,
): Promise<void> {
  const claim = request.keyClaim;
  const { attempt, known } = await context.db.transaction().execute(async (tx) => {
    const begun = await begin(tx, causeOfRequest(request));
    const [attempt, known] =
      typeof begun === "object" && "response" in begun
        ? [begun.attemptId, successResponse(begun.response)]
        : [begun, null];
    if (claim !== null)
      await (known === null ? recordAttempt(tx, claim, idOf(attempt)) : finishKey(context, tx, claim, known));
    await last?.(tx, idOf(attempt));
    return { attempt, known };
  });
  const response = known ?? (await responseOfAttempt(context, attempt));
  request.keyClaim = null; // stored with the outcome
  await sendResponse(reply, response);
}

export function causeOfRequest({ id, keyClaim }: FastifyRequest): Cause {
  return { requestId: id, idempotencyKey: keyClaim?.key ?? null };
}

/** The hooks for {@link inOneStatement} and {@link withAcquirerAtOnce}, which claim the key themselves. */
export function hooksAtOnce({ preValidation, onSend }: IdempotentHooks): Omit<IdempotentHooks, "preHandler"> {
  return { preValidation, onSend };
}

/**
 * Executes work that doesn't need the acquirer.
 *
 * @param work one statement that claims `key`; returns undefined if it changed nothing. It runs again without a key, in
 *   a transaction, once the key is claimed.
 * @param refusalReason the error if it then still changes nothing
 * @returns false if another request had the key; its response was sent
 */
export async function inOneStatement(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (db: Db, key: NewKey | null) => Promise<object | undefined>,
  refusalReason?: (tx: Tx) => Promise<ApiError>,
): Promise<boolean> {
  const done = await work(context.db, newKeyOf(request));
  if (done !== undefined) {
    await sendResponse(reply, successResponse(done));
    return true;
  }
  if (!(await claimOrReplay(context, request, reply))) return false;
  await inOneTransaction(context, request, reply, async (tx) => {
    const later = await work(tx, null);
    if (later === undefined)
      throw (await refusalReason?.(tx)) ?? new Error("Bug: the work was refused without a reason");
    return later;
  });
  return true;
}

/**
 * Executes work that needs the acquirer.
 *
 * @param atOnce one statement that claims `key` and writes an attempt; returns undefined if it changed nothing
 * @param begin writes the attempt in a transaction, or says why not, once the key is claimed
 */
export async function withAcquirerAtOnce(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  atOnce: (cause: Cause, key: NewKey | null) => Promise<BegunAttempt | undefined>,
  begin: (tx: Tx, cause: Cause) => Promise<BegunAttempt>,
): Promise<void> {
  const key = newKeyOf(request);
  const begun = await atOnce({ requestId: request.id, idempotencyKey: key?.key ?? null }, key);
  if (begun === undefined) {
    if (await claimOrReplay(context, request, reply)) await withAcquirer(context, request, reply, begin);
    return;
  }
  request.keyClaim = begun.keyClaim;
  const response = await responseOfAttempt(context, begun);
  request.keyClaim = null; // stored with the outcome
  await sendResponse(reply, response);
}

/**
 * Claims the key of a request that has none claimed yet, if it has one.
 *
 * @returns false if another request has the key; its response has then been sent
 */
export async function claimOrReplay(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const key = newKeyOf(request);
  if (key === null) return true;
  const won = await claimOrFindResponse(context, request.tenant, request, key);
  if (!("claim" in won)) {
    await sendResponse(reply, won);
    return false;
  }
  request.keyClaim = won;
  return true;
}

/** The request's key for the API, or null if it has none. */
export function newKeyOf(request: FastifyRequest): NewKey | null {
  if (request.newKey !== undefined) return request.newKey;
  const key = readKey(request, keysOfApi);
  return key === null ? null : (request.newKey = keyToClaim(key, fingerprint(request)));
}

/** Resolves when the response has been sent. A Fastify reply is a thenable that resolves to undefined at that time. */
async function sendResponse(
  reply: FastifyReply,
  { status, body, isReplay }: StoredResponse & { isReplay?: boolean },
): Promise<void> {
  if (isReplay) void reply.header("idempotent-replayed", "true");
  await reply.code(status).type("application/json; charset=utf-8").send(body);
}

/** Returns the claim to the key, or the response of the request that won it. */
async function claimOrFindResponse(
  context: Context,
  tenant: Tenant,
  request: FastifyRequest,
  key: NewKey,
): Promise<KeyClaim | KnownResponse> {
  for (let round = 0; round < maxRounds; round++) {
    const won = (await claimKey(context, tenant, key)) ?? (await findResponse(context, tenant, request, key.key));
    if (won !== null) return won;
  }
  throw new ApiError(
    "idempotent_request_in_progress",
    "Too many requests are using this Idempotency-Key at the same time. Send this request again in one second.",
    { retryAfterSeconds: 1 },
  );
}

/** Waits for the response of the request that uses the key. Returns null if the key is free. */
async function findResponse(
  context: Context,
  tenant: Tenant,
  request: FastifyRequest,
  key: string,
  knownKey?: KnownKey | null,
): Promise<KnownResponse | null> {
  const found = await findKey(context, tenant, key, fingerprint(request), knownKey);
  switch (found.state) {
    case "free":
      return null;
    case "finished":
      return { ...found.response, isReplay: true };
    case "begun":
      return { ...(await responseOfAttempt(context, found.attemptId, { wanted: true })), isReplay: false };
    case "taken":
      request.differed = found.differed;
      throw new ApiError(
        "idempotency_key_in_use",
        "This Idempotency-Key was already used for a different request. Use a new key for each new request.",
        { param: "Idempotency-Key" },
      );
  }
}

/** Returns the request's key under its stored name, or null if there is none. @throws ApiError */
function readKey(request: FastifyRequest, space: KeySpace): string | null {
  const { rawHeaders } = request.raw; // alternating names and values; `headers` would join duplicates
  const values = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "idempotency-key");
  if (values.length === 0) return null;
  if (values.length !== 1)
    throw new ApiError("idempotency_key_invalid", "Send only one Idempotency-Key header.", {
      param: "Idempotency-Key",
    });
  const key = values[0] ?? "";
  checkKeyFormat(key);
  return space.storedAs(key);
}

function fingerprint(request: FastifyRequest): Fingerprint {
  return fingerprintOf(request.method, request.url.split("?")[0] ?? "", request.body);
}
