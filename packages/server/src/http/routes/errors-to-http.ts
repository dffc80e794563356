/**
 * Turns errors into HTTP responses. An `ApiError` keeps its code and message. Anything else is a bug: it is logged, and
 * the response reveals nothing about it.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { formatAmount, isCurrency } from "@oriel/protocol/currency";
import { hiddenCharacter, hiddenInLines } from "@oriel/protocol/hidden-characters";
import { ApiError, serviceUnavailable } from "../../platform/errors.ts";
import { isDatabaseFailure } from "../../platform/storage/is-database-failure.ts";
import { routeUnknown, type IsOn } from "./hosts.ts";

export function sendErrorsAsEnvelopes(app: FastifyInstance, isOn: IsOn): void {
  const routes: { path: RegExp; method: string; route: RouteOptions }[] = [];
  app.addHook("onRoute", (route) => {
    for (const method of [route.method].flat()) routes.push({ path: pathPattern(route.url), method, route });
  });

  app.setErrorHandler((error: FastifyError | ApiError, request, reply) => {
    const refusal = error instanceof ApiError ? error : fromFastify(error, request);
    return send(reply, refusal ?? reportFailure(error, request));
  });

  // In `onSend`, so that replayed responses have the header too.
  app.addHook("onSend", async (request, reply, payload) => {
    const code = reply.statusCode >= 400 && isOn(request) ? errorCodeOf(payload) : null;
    if (code !== null) linkHelp(reply, code);
    return payload;
  });

  app.setNotFoundHandler((request, reply) => send(reply, wrongMethod(request) ?? routeUnknown()));

  function wrongMethod(request: FastifyRequest): ApiError | null {
    const path = request.url.split("?")[0] ?? "";
    const methods = routes
      .filter(
        ({ method, path: known, route }) =>
          method !== "HEAD" && known.test(path) && isOn(request, route.config?.surface),
      )
      .map(({ method }) => method);
    return methods.length === 0
      ? null
      : new ApiError("method_not_allowed", `${request.method} isn't allowed at this URL. Use ${methods.join(" or ")}.`);
  }
}

/**
 * Replaces a response in an `onSend` hook. If the hook threw the error, Fastify could send its message, because the error
 * handler has already run for the response that's replaced.
 *
 * @returns the new payload
 */
export function replaceByError(error: Error, request: FastifyRequest, reply: FastifyReply): string {
  const refusal = reportFailure(error, request);
  if (reply.hasHeader("link")) linkHelp(reply, refusal.code);
  request.errorCode = refusal.code;
  return prepare(reply, refusal);
}

function reportFailure(error: Error, request: FastifyRequest): ApiError {
  const code = "code" in error ? error.code : undefined;
  if (isDatabaseFailure(error)) {
    request.log.warn({ error: error.name, code, message: error.message }, "A database query failed");
    return serviceUnavailable();
  }
  request.log.error({ error: error.name, code, stack: error.stack }, "Unexpected error");
  return new ApiError(
    "internal_error",
    `Something went wrong on our side. If it happens again, contact the operator with the request ID ${request.id}.`,
  );
}

/** For a URL that the router can't decode. No hook runs for such a request. */
export function refuseUnreadableUrl(request: FastifyRequest, reply: FastifyReply, isOn: IsOn): void {
  if (isOn(request)) linkHelp(reply, "route_unknown");
  void send(reply.header("request-id", request.id), routeUnknown());
}

/**
 * Links to the code's section on the page that `docs.ts` serves (RFC 8288; the reference is relative to the request's
 * URL).
 */
function linkHelp(reply: FastifyReply, code: string): void {
  void reply.header("link", `</docs/errors#${code}>; rel="help"`);
}

/** Returns the code in an error envelope. No text from the caller precedes the code, so the first match is the code. */
export function errorCodeOf(payload: unknown): string | null {
  return typeof payload === "string" ? (/"code":"([a-z_0-9]+)"/.exec(payload)?.[1] ?? null) : null;
}

function send(reply: FastifyReply, error: ApiError): FastifyReply {
  return reply.send(prepare(reply, error));
}

/** Sets the status and the headers. @returns the payload */
function prepare(reply: FastifyReply, error: ApiError): string {
  if (error.details.retryAfterSeconds !== undefined)
    void reply.header("retry-after", String(error.details.retryAfterSeconds));
  if (error.status === 401) void reply.header("www-authenticate", 'Bearer realm="Oriel"');
  void reply.code(error.status).type("application/json; charset=utf-8");
  return JSON.stringify(error.toBody());
}

/** Translates an error that Fastify raised about the request. Returns null if the error is a bug. */
function fromFastify(error: FastifyError, request: FastifyRequest): ApiError | null {
  if (error.validation !== undefined) return fromValidation(error, request);
  switch (error.code) {
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new ApiError("body_malformed", "The body isn't valid JSON.");
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new ApiError("body_too_large", "The body is too large.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new ApiError("content_type_unsupported", "Send the body as JSON, with `Content-Type: application/json`.");
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? new ApiError("body_malformed", "The request can't be read.")
        : null;
  }
}

/** Reports the first validation error, with the field's path as a developer would write it. */
function fromValidation(error: FastifyError, { query, body }: FastifyRequest): ApiError {
  const [first] = error.validation ?? [];
  if (first === undefined) throw new Error("Bug: a validation error without a finding");
  const place = first.instancePath.split("/").slice(1).map(unescapePointer);
  const key = error.validation?.find(({ keyword }) => keyword === "propertyNames")?.params["propertyName"];
  if (typeof key === "string") return wrongKey(toPath(place), key);
  if (error.validationContext === "querystring" && isRepeated(query, place)) {
    const param = toPath(place);
    return new ApiError("parameter_invalid", `\`${param}\` was sent more than once. Send it once.`, { param });
  }
  if (error.validationContext === "body" && place.length === 0 && first.keyword === "type") {
    return new ApiError("body_malformed", "The body must be a JSON object.");
  }
  switch (first.keyword) {
    case "required": {
      const param = toPath([...place, String(first.params["missingProperty"])]);
      return new ApiError("parameter_missing", `\`${param}\` is missing.`, { param });
    }
    case "additionalProperties": {
      const param = toPath([...place, String(first.params["additionalProperty"])]);
      return new ApiError(
        "parameter_unknown",
        `\`${param}\` isn't a known parameter of this request. Check its spelling, or see /docs for a list of parameters.`,
        { param },
      );
    }
    default: {
      const param = toPath(place);
      if (param === "amount") {
        const message = `\`amount\` ${amountLimit(first, body) ?? whatIsWrong(first, param)}.`;
        return new ApiError("amount_invalid", `${message} Amounts are integers in the currency's smallest unit.`, {
          param,
        });
      }
      if (param === "currency" && first.keyword === "pattern") {
        return new ApiError("currency_unknown", '`currency` must be a lowercase ISO 4217 code such as "eur".', {
          param,
        });
      }
      return new ApiError("parameter_invalid", `\`${param}\` ${whatIsWrong(first, param)}.`, { param });
    }
  }
}

/** The values of a query parameter that was sent several times are a list. */
function isRepeated(query: unknown, [name]: string[]): boolean {
  return Object.entries(query ?? {}).some(([key, value]) => key === name && Array.isArray(value));
}

/** Only metadata has keys that the caller chooses. */
function wrongKey(param: string, key: string): ApiError {
  const message = `\`${param}\` contains the key ${JSON.stringify(key.slice(0, 100))}, but keys must have 1 to 40 characters and no square brackets.`;
  return new ApiError("parameter_invalid", message, { param });
}

type Finding = NonNullable<FastifyError["validation"]>[number];

/** Says what the value must be, if the validator's own message isn't clear enough. */
function whatIsWrong({ keyword, params, message }: Finding, param: string): string {
  const { allowedValues } = params;
  if (keyword === "enum" && Array.isArray(allowedValues)) return `must be one of ${allowedValues.join(", ")}`;
  if (keyword === "pattern" && param === "limit") return "must be a number from 1 to 100";
  if (keyword === "pattern" && param === "locale") return 'must be a BCP 47 tag such as "de-DE", or "auto"';
  const [, prefix] = /^\^([a-z]+_)\[0-9A-Za-z_\]/.exec(String(params["pattern"])) ?? [];
  if (prefix !== undefined) return `must be an ID that begins with \`${prefix}\``;
  const isForNames = [hiddenCharacter, hiddenInLines].some((hidden) => String(params["pattern"]).includes(hidden));
  if (isForNames)
    return "must not be blank, start with a space, or contain a secret key or hidden characters such as direction marks";
  if ((keyword === "minLength" || keyword === "minItems") && params["limit"] === 1) return "must not be empty";
  return message ?? "isn't valid";
}

/**
 * Describes the limit that an amount exceeds, as in "must be at least 1 (€0.01)". Returns null for other errors. The
 * body is invalid, so its currency may be missing or wrong.
 */
function amountLimit({ keyword, params }: Finding, body: unknown): string | null {
  if (keyword !== "minimum" && keyword !== "maximum") return null;
  const limit = Number(params["limit"]);
  const currency = typeof body === "object" && body !== null && "currency" in body ? body.currency : null;
  const isKnown = typeof currency === "string" && isCurrency(currency);
  const formatted = isKnown ? ` (${formatAmount(limit, currency, "en")})` : "";
  return `must be at ${keyword === "minimum" ? "least" : "most"} ${limit}${formatted}`;
}

/** ["line_items", "0", "amount"] -> `line_items[0].amount`. It's truncated, because the names come from the caller. */
function toPath(segments: string[]): string {
  const path = segments.reduce(
    (text, segment) => (/^\d+$/.test(segment) ? `${text}[${segment}]` : text === "" ? segment : `${text}.${segment}`),
    "",
  );
  return path.slice(0, 100);
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

function pathPattern(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/:[a-z_]+/g, "[^/]+")
    .replace(/\*/g, ".*");
  return new RegExp(`^${source}$`);
}

/**
 * Returns the response body for a request that can't be parsed: the headers are too large, or the bytes aren't HTTP.
 * Don't log the error: it carries the raw bytes, which may include a secret key.
 */
export function unreadableRequest({ code }: { code?: string }): string {
  const message = code === "HPE_HEADER_OVERFLOW" ? "The headers are too large." : "The request can't be read.";
  return JSON.stringify(new ApiError("body_malformed", message).toBody());
}
