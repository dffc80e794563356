/**
 * Records each API request of a merchant in the request log after the response. The entry has enough for a developer to
 * recognize the request, but nothing that may be secret: no body, no query, and no headers except `Idempotency-Key`.
 * Requests without a valid key belong to no account and aren't recorded.
 *
 * Paths, that header and field names come from the caller and could contain anything, such as a card number or a secret
 * key. They are recorded only if they have the expected format.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createRequestRecorder } from "../../merchants/request-log/request-recorder.ts";
import { cardDigits, countDigits, containsCardNumber } from "../../platform/card-data/card-number.ts";
import type { Tenant } from "../../platform/tenant.ts";
import type { Context } from "../context.ts";
import { errorCodeOf } from "./errors-to-http.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** ID of the request's secret key. */
    apiKeyId: string;
    /** The code in the error envelope. */
    errorCode: string | null;
    /** If the idempotency key belongs to another request: the names of the fields that differ. */
    differed: string[] | null;
  }
}

/** Logs requests to the routes that are registered on `app` after this call. */
export function logRequests(app: FastifyInstance, context: Context, everyMs?: number): void {
  const recorder = createRequestRecorder(context, everyMs);
  app.decorateRequest("apiKeyId", "");
  app.decorateRequest("errorCode", null);
  app.decorateRequest("differed", null);

  app.addHook("onSend", (request, reply, payload, done) => {
    if (reply.statusCode >= 400) request.errorCode = errorCodeOf(payload);
    done(null, payload);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const tenant: Tenant | null = request.tenant; // null if authentication failed
    if (tenant !== null) {
      const { id, apiKeyId, method, errorCode, differed } = request;
      recorder.record({
        id,
        account_no: tenant.accountNo,
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

/** Returns the URL without its query, or the route's pattern if the path contains something other than IDs. */
function pathOf({ url, routeOptions }: FastifyRequest): string {
  const [path = ""] = url.split("?");
  return path.split("/").every(isPlainSegment) ? path : (routeOptions.url ?? "");
}

/** Accepts words, `v1` and IDs. */
function isPlainSegment(segment: string): boolean {
  if (/^([a-z_]{0,40}|v1)$/.test(segment)) return true;
  return (
    /^[a-z]{2,5}_[0-9A-Za-z_]{1,80}$/.test(segment) && !isSecret(segment) && !/\d{12}/.test(segment.replaceAll("_", ""))
  );
}

/** Returns the key if the API would accept it. */
function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  return typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key) && !isSecret(key) && !containsCardNumber(key)
    ? key
    : null;
}

function isFieldName(name: string): boolean {
  return /^[\x20-\x7e]{1,100}$/.test(name) && !isSecret(name) && countDigits(name) < cardDigits;
}

function isSecret(text: string): boolean {
  return /oriel_sk_|whsec_/.test(text);
}
