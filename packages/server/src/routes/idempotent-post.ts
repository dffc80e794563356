/**
 * Idempotency for POST routes of the API, as hooks in the order the rules want: parse, authenticate, look the key up, validate, execute. The
 * key is looked up before validation, so that a changed and invalid body still hears that the key is taken.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { finalCharge } from "../charges/charges.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { abandonKey, checkKeyFormat, claimKey, fingerprintOf, lookUpKey, storeAnswer } from "../idempotency/idempotency.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The key this request runs under, once it was claimed. */
    idempotencyKey: string | null;
  }
}

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
      while (!(await claimKey(context, request.tenant, key, fingerprint(request)))) {
        const answered = await answerFromKey(context, request, reply, key);
        if (answered !== undefined) return answered;
      }
      request.idempotencyKey = key;
      return undefined;
    },

    /** Keeps the answer, or leaves the key to be taken up again. The answer goes out only when that is written. */
    async onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
      const key = request.idempotencyKey;
      if (key === null || typeof payload !== "string") return payload;
      request.idempotencyKey = null; // an error in here would be sent through here again
      if (reply.statusCode >= 500) await abandonKey(context, request.tenant, key);
      else await storeAnswer(context, request.tenant, key, { status: reply.statusCode, body: payload });
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
      request.idempotencyKey = key;
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
