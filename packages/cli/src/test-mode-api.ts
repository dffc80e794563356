/**
 * A client of the API in test mode, for commands that developers use while building a shop.
 *
 * The secret key comes from the environment, because every user of the machine can see arguments. No message repeats
 * it. What responds at the URL may not be the service, so every response is checked against a schema. Live keys, URLs
 * with a path, redirects (which would leak the key) and responses of unlimited length are refused.
 */
import { createHash, randomUUID } from "node:crypto";
import Type, { type Static, type TSchema } from "typebox";
import { Check } from "typebox/value";
import { OperatorError } from "@oriel/commands/operator-error";
import { startTimeLimit } from "@oriel/time-limit";
import { parseJson } from "./parse-json.ts";

export interface TestModeApi {
  /** An origin, for example `http://localhost:4000`. */
  apiUrl: string;
  /** Identifies the key without revealing it. */
  keyHash: string;
  /**
   * Repeats the request while the API has a temporary error, until the deadline. Once the API has responded to any
   * request, a missing response is a temporary error too.
   *
   * @param path relative to `/api/v1/`, including the query
   * @throws ApiUnavailable, ApiRefusal
   */
  get<T extends TSchema>(path: string, schema: T, signal?: AbortSignal): Promise<Static<T>>;
  /**
   * Repeats the request like {@link get}, with the same idempotency key.
   *
   * @throws ApiUnavailable, ApiRefusal
   */
  post<T extends TSchema>(path: string, body: object, schema: T): Promise<Static<T>>;
}

/** How long a command keeps trying. */
export interface Deadline {
  /** Negative if the time is over. */
  remainingMs(): number;
  pause(ms: number): Promise<void>;
}

/** There was no response, or a temporary error. A GET can be sent again. */
export class ApiUnavailable extends OperatorError {
  readonly retryAfterSeconds: number;
  /** Whether there was a response to this request or an earlier one. If not, the URL may be wrong. */
  readonly hasResponded: boolean;
  constructor(message: string, retryAfterSeconds = 0, hasResponded = false) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.hasResponded = hasResponded;
  }
}

/** The API rejected the request. Retrying can't help. */
export class ApiRefusal extends OperatorError {
  /** For example `resource_missing`. Null if the response didn't come from the API. */
  readonly code: string | null;
  constructor(code: string | null, message: string) {
    super(message);
    this.code = code;
  }
}

/** A charge can wait for the acquirer for up to 10 s. */
const timeoutMs = 30_000;
/** A page of a list is a few hundred kilobytes long. */
const maxResponseBytes = 8_000_000;
const defaultApiUrl = "http://localhost:4000";

/** If a temporary error has no `Retry-After`. */
const repeatAfterSeconds = 1;
const noRetries: Deadline = { remainingMs: () => -1, pause: async () => {} };

/**
 * @param command shown in messages, for example `listen`
 * @param deadline for repeating requests; by default they aren't repeated
 */
export function openTestModeApi(
  command: string,
  env: NodeJS.ProcessEnv,
  apiUrlOption: string | undefined,
  deadline: Deadline = noRetries,
): TestModeApi {
  const apiUrl = readApiUrl(apiUrlOption ?? (env["ORIEL_API_URL"] || defaultApiUrl));
  const secretKey = readTestKey(command, env["ORIEL_SECRET_KEY"] ?? "");
  let hasResponded = false;

  async function call<T extends TSchema>(request: ApiRequest, schema: T): Promise<Static<T>> {
    const { status, retryAfterSeconds, body } = await send(apiUrl, secretKey, request, hasResponded);
    hasResponded = true;
    if (status >= 200 && status < 300 && Check(schema, body)) return body;
    const apiError = Check(ErrorBody, body) ? body.error : null;
    if (status === 408 || status === 429 || status >= 500) {
      throw new ApiUnavailable(
        `The API at ${apiUrl} returned status ${status}${messageOf(apiError)}`,
        retryAfterSeconds,
        true,
      );
    }
    if (apiError !== null) {
      const message = `The API at ${apiUrl} rejected the request (${apiError.code})${messageOf(apiError)}`;
      throw new ApiRefusal(apiError.code, message);
    }
    throw new ApiRefusal(
      null,
      `${apiUrl} doesn't provide this version of the Oriel API (HTTP ${status}). Set ORIEL_API_URL or --api-url to the API's URL.`,
    );
  }

  async function callUntilDeadline<T extends TSchema>(request: ApiRequest, schema: T): Promise<Static<T>> {
    for (;;) {
      try {
        return await call(request, schema);
      } catch (error) {
        if (!(error instanceof ApiUnavailable) || !error.hasResponded) throw error;
        const pauseMs = (error.retryAfterSeconds || repeatAfterSeconds) * 1_000;
        if (pauseMs > deadline.remainingMs()) throw error;
        await deadline.pause(pauseMs);
      }
    }
  }

  return {
    apiUrl,
    keyHash: createHash("sha256").update(secretKey).digest("hex").slice(0, 32),
    get: async (path, schema, signal) => await callUntilDeadline({ method: "GET", path, signal }, schema),
    post: async (path, body, schema) =>
      await callUntilDeadline({ method: "POST", path, body, idempotencyKey: randomUUID() }, schema),
  };
}

/** Returns the code of a failed connection, such as `ECONNREFUSED`, from the error or any of its causes. */
export function reasonOf(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return "no connection";
}

/** Schemas here allow additional fields, which a newer service may send. */
const ErrorBody = Type.Object({
  error: Type.Object({ code: Type.String({ pattern: "^[a-z_]{1,60}$" }), message: Type.String() }),
});

function readApiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isPlain) {
    throw new OperatorError(
      `The API's URL must be http(s) without a path, such as ${defaultApiUrl}. Set ORIEL_API_URL or --api-url.`,
    );
  }
  return url.origin;
}

function readTestKey(command: string, key: string): string {
  if (key === "") {
    throw new OperatorError(
      "Set ORIEL_SECRET_KEY to a test key. `npm start` writes a test key to .oriel/demo.env, and `oriel-server account create` prints one.",
    );
  }
  if (key.startsWith("oriel_sk_live_")) {
    throw new OperatorError(
      `\`oriel ${command}\` accepts test keys only, but ORIEL_SECRET_KEY is a live key. Use a test key, so that live payments never reach a developer's machine.`,
    );
  }
  if (!/^oriel_sk_test_[0-9A-Za-z]{36}$/.test(key))
    throw new OperatorError("ORIEL_SECRET_KEY isn't a complete oriel_sk_test_... key. Copy the whole key.");
  return key;
}

type ApiRequest = { path: string } & (
  | { method: "GET"; signal: AbortSignal | undefined }
  | { method: "POST"; body: object; idempotencyKey: string }
);

interface ApiResponse {
  status: number;
  retryAfterSeconds: number;
  /** Null if it isn't JSON. */
  body: unknown;
}

async function send(
  apiUrl: string,
  secretKey: string,
  request: ApiRequest,
  hasResponded: boolean,
): Promise<ApiResponse> {
  const { method, path } = request;
  const limit = startTimeLimit(timeoutMs, method === "GET" ? request.signal : undefined);
  const headers = { authorization: `Bearer ${secretKey}`, accept: "application/json" };
  const posted =
    method === "GET"
      ? { headers }
      : {
          headers: { ...headers, "content-type": "application/json", "idempotency-key": request.idempotencyKey },
          body: JSON.stringify(request.body),
        };
  try {
    const response = await fetch(`${apiUrl}/api/v1/${path}`, {
      method,
      ...posted,
      redirect: "manual",
      signal: limit.signal,
    });
    const retryAfterSeconds = readSeconds(response.headers.get("retry-after"));
    return { status: response.status, retryAfterSeconds, body: parseJson(await readText(response)) };
  } catch (error) {
    const reason = limit.hasPassed() ? `no response within ${timeoutMs / 1000} s` : reasonOf(error);
    throw new ApiUnavailable(
      `The API at ${apiUrl} isn't responding (${reason}). Check that it's running and that the URL is correct.`,
      0,
      hasResponded,
    );
  } finally {
    limit.release();
  }
}

function readSeconds(retryAfter: string | null): number {
  return retryAfter !== null && /^[0-9]{1,4}$/.test(retryAfter) ? Number(retryAfter) : 0;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) return ""; // Leaving the loop cancels the stream.
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function messageOf(apiError: { message: string } | null): string {
  // Control characters and bidirectional marks in an untrusted message must not reach the terminal.
  return apiError === null ? "." : `: ${apiError.message.replace(/\p{C}/gu, " ").slice(0, 500)}`;
}
