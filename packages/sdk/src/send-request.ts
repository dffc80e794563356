/**
 * Sends one request to the API and turns whatever comes back into a result or an {@link OrielError}.
 *
 * Refused before anything is sent: a key or an idempotency key that could break a header (the runtime's own error would repeat the
 * header, and with it the key), an id that is not one path segment, an `apiUrl` with a path.
 */
import { randomUUID } from "node:crypto";
import type { ErrorBody } from "@oriel/protocol/errors";
import type { ClientOptions, CreateOptions, RequestOptions } from "./client.ts";
import { type ConnectionErrorCode, OrielError } from "./oriel-error.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

export interface Sender {
  get: <T>(path: readonly [resource: string, id?: string], query: Query, options?: RequestOptions) => Promise<T>;
  post: <T>(resource: string, params: object, options?: CreateOptions) => Promise<T>;
}

/** Answers larger than this are not read, in bytes. A page of 100 events has a few hundred thousand. */
const maxAnswerBytes = 8_000_000;

/** @throws TypeError for options that cannot work. */
export function createSender(options: ClientOptions): Sender {
  const base = readApiUrl(options.apiUrl);
  const authorization = `Bearer ${readSecretKey(options.secretKey)}`;
  const timeoutMs = readTimeout(options.timeoutMs ?? 30_000);
  const send = options.fetch ?? fetch;

  async function request<T>(url: string, init: RequestInit, signal: AbortSignal | undefined, key: string | null): Promise<T> {
    const timeout = AbortSignal.timeout(timeoutMs);
    let answer: Response;
    let text: string;
    try {
      answer = await send(url, { ...init, redirect: "error", signal: signal ? AbortSignal.any([timeout, signal]) : timeout });
      text = await readText(answer);
    } catch (cause) {
      if (timeout.aborted) throw noAnswer("timeout", `No answer within ${timeoutMs} ms.`, key, cause);
      if (signal?.aborted) throw noAnswer("canceled", "The call was given up.", key, cause);
      throw noAnswer("network", "The payment service could not be reached: look at apiUrl and the network.", key, cause);
    }
    const body = parse(text);
    // The service validates what it sends against the schemas these types come from; a caller names the type of its own endpoint.
    if (answer.ok && isRecord(body)) return body as T;
    throw refusal(answer, body, key);
  }

  return {
    async get(path, query, given = {}) {
      const url = new URL(path.map((segment) => readSegment(segment)).join("/"), base);
      for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
      return request(url.href, { method: "GET", headers: { authorization, accept: "application/json" } }, given.signal, null);
    },
    async post(resource, params, given = {}) {
      const key = readIdempotencyKey(given.idempotencyKey ?? randomUUID());
      const headers = { authorization, accept: "application/json", "content-type": "application/json", "idempotency-key": key };
      const body = JSON.stringify(params);
      return request(new URL(resource, base).href, { method: "POST", headers, body }, given.signal, key);
    },
  };
}

// --- what comes back ---------------------------------------------------------------------------------------------------------------

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new Error(`The answer is larger than ${maxAnswerBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusal(answer: Response, body: unknown, idempotencyKey: string | null): OrielError {
  const requestId = answer.headers.get("request-id");
  if (!isErrorBody(body)) {
    return new OrielError({
      type: "connection_error",
      code: "response_malformed",
      message: `HTTP ${answer.status} without the API's JSON: is apiUrl the payment service?`,
      param: null,
      declineCode: null,
      status: answer.status,
      requestId,
      idempotencyKey,
    });
  }
  const { type, code, message, param, decline_code } = body.error;
  return new OrielError({
    type,
    code,
    message,
    param: param ?? null,
    declineCode: decline_code ?? null,
    status: answer.status,
    requestId,
    idempotencyKey,
  });
}

function noAnswer(code: ConnectionErrorCode, message: string, idempotencyKey: string | null, cause: unknown): OrielError {
  return new OrielError(
    { type: "connection_error", code, message, param: null, declineCode: null, status: null, requestId: null, idempotencyKey },
    { cause },
  );
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (!isRecord(body) || !isRecord(body["error"])) return false;
  const { type, code, message } = body["error"];
  return [type, code, message].every((field) => typeof field === "string");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// --- what goes out -----------------------------------------------------------------------------------------------------------------

function readApiUrl(value: unknown): URL {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
  const plain = url && (url.protocol === "https:" || url.protocol === "http:") && url.href === `${url.origin}/`;
  if (!plain) throw new TypeError("Oriel: apiUrl must be an http(s) address without a path, as in https://api.pay.example.com");
  return new URL("/api/v1/", url);
}

function readSecretKey(value: unknown): string {
  if (typeof value === "string" && /^oriel_sk_(test|live)_[0-9A-Za-z_]{1,200}$/.test(value)) return value;
  throw new TypeError("Oriel: secretKey must be a whole oriel_sk_test_... or oriel_sk_live_... key.");
}

function readTimeout(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 600_000) return value;
  throw new TypeError("Oriel: timeoutMs must be a whole number from 1 to 600000.");
}

function readIdempotencyKey(value: unknown): string {
  if (typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new TypeError("Oriel: idempotencyKey must be 1 to 255 visible ASCII characters.");
}

function readSegment(value: unknown): string {
  if (typeof value === "string" && /^[0-9A-Za-z_]{1,100}$/.test(value)) return value;
  throw new TypeError("Oriel: pass an id, as in cs_01j9x.");
}
