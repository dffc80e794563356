/**
 * Hands each request of a merchant over to the request log, once it has been answered. Of the request it takes what
 * tells a developer which one it was, and nothing that may be secret: no body, no query, no header but the
 * Idempotency-Key. Whoever came without a good key has no account, and no log.
 *
 * What stands in a path, in that header or in a field's name is the caller's own, and may be anything: a card's number,
 * a secret key. It is taken as it is only where it looks like what belongs there.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { cardDigits, countDigits, holdsCardNumber } from "../../platform/card-data/card-number.ts";
import type { Context } from "../context.ts";
import { createRequestRecorder } from "../../merchants/request-log/request-recorder.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { errorCodeOf } from "./errors-to-http.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Of the secret key that came with the request. */
    apiKeyId: string;
    /** What the envelope of a refusal says. */
    errorCode: string | null;
    /** Set where the idempotency key was another request's: the names of the fields that were not the same. */
    differed: string[] | null;
  }
}

/** For the routes that are registered on `app` from here on. */
export function logRequests(app: FastifyInstance, context: Context): void {
  const recorder = createRequestRecorder(context);
  app.decorateRequest("apiKeyId", "");
  app.decorateRequest("errorCode", null);
  app.decorateRequest("differed", null);

  app.addHook("onSend", (request, reply, payload, done) => {
    if (reply.statusCode >= 400) request.errorCode = errorCodeOf(payload);
    done(null, payload);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const tenant: Tenant | null = request.tenant; // null as long as nobody is known
    if (tenant !== null) {
      const { id, apiKeyId, method, errorCode, differed } = request;
      recorder.record({
        id,
        account_id: tenant.accountId,
        livemode: tenant.livemode,
        api_key_id: apiKeyId,
        method,
        path: pathOf(request),
        status: reply.statusCode,
        error_code: errorCode,
        idempotency_key: idempotencyKeyOf(request),
        differed: differed?.filter(isFieldName).slice(0, maxNames) ?? null,
        duration_ms: Math.round(reply.elapsedTime),
        created_at: new Date(context.now().getTime() - reply.elapsedTime),
      });
    }
    done();
  });
  app.addHook("onClose", () => recorder.close());
}

const maxNames = 50;

/** The address without its query, or the route's pattern where something else than an id stands in it. */
function pathOf({ url, routeOptions }: FastifyRequest): string {
  const [path = ""] = url.split("?");
  return path.split("/").every(isPlainSegment) ? path : (routeOptions.url ?? "");
}

/** Words, `v1`, and ids. */
function isPlainSegment(segment: string): boolean {
  if (/^([a-z_]{0,40}|v1)$/.test(segment)) return true;
  return (
    /^[a-z]{2,5}_[0-9A-Za-z_]{1,80}$/.test(segment) && !isSecret(segment) && !/\d{12}/.test(segment.replaceAll("_", ""))
  );
}

/** As the API accepts it. */
function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  return typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key) && !isSecret(key) && !holdsCardNumber(key)
    ? key
    : null;
}

function isFieldName(name: string): boolean {
  return /^[\x20-\x7e]{1,100}$/.test(name) && !isSecret(name) && countDigits(name) < cardDigits;
}

function isSecret(text: string): boolean {
  return /oriel_sk_|whsec_/.test(text);
}
