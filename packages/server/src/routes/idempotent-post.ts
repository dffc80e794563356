/**
 * Idempotency for POST routes of the API, as hooks in the order the rules want: parse, authenticate, look the key up, validate, execute. The
 * key is looked up before validation, so that a changed and invalid body still hears that the key is taken.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { finalCharge } from "../charges/charges.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import {
  abandonKey,
  checkKeyFormat,
  claimCharged,
  claimKey,
  fingerprintOf,
  lookUpKey,
  storeAnswer,
  type KeyClaim,
} from "../idempotency/idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** This request's right to its idempotency key, once it has one. */
    keyClaim: KeyClaim | null;
  }
}

/** Each round ends because somebody else got the key; more than a few cannot be bad luck. */
const maxRounds = 10;

export function idempotentHooks(context: Context) {
  return {
    /** Replays, waits or refuses; a free key goes on to validation. */
    async preValidation(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
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
      if (reply.statusCode >= 500) await abandonKey(context, claim);
      else await storeAnswer(context, claim, { status: reply.statusCode, body: payload });
      return payload;
    },
  };
}

async function answerFromKey(context: Context, request: FastifyRequest, reply: FastifyReply, key: string): Promise<unknown> {
  const found = await lookUpKey(context, request.tenant, key, fingerprint(request));
  switch (found.state) {
    case "free":
      return undefined;
    case "finished":
      return reply
        .code(found.answer.status)
        .header("idempotent-replayed", "true")
        .type("application/json; charset=utf-8")
        .send(found.answer.body);
    case "charged": {
      request.keyClaim = await claimCharged(context, request.tenant, key, found.chargeId);
      return reply.send(await finalCharge(context, request.tenant, found.chargeId));
    }
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

function fingerprint(request: FastifyRequest): Buffer {
  return fingerprintOf(request.method, request.url.split("?")[0] ?? "", request.body);
}
