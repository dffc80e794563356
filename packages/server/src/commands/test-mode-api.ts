/**
 * The API in test mode, for the commands that a developer runs beside a shop under development.
 *
 * The secret key comes from the environment, because arguments can be seen by every user of the machine; no message
 * repeats it. It trusts the service for what an answer means, and not that the service is what answered: an answer is
 * what its schema says, or a refusal. Refused: live keys, addresses with a path, redirects (they would carry the key
 * elsewhere), answers without a bound.
 */
import { createHash, randomUUID } from "node:crypto";
import Type, { type Static, type TSchema } from "typebox";
import { Check } from "typebox/value";
import { hasKeyFormat } from "../merchants/accounts/key-format.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { startTimeLimit } from "../platform/time-limit.ts";
import { parseJson } from "./parse-json.ts";

export interface TestModeApi {
  /** An origin, as in `http://localhost:4000`. */
  apiUrl: string;
  /** Tells one key from another and opens nothing. */
  keyHash: string;
  /**
   * @param path below `/api/v1/`, with its query
   * @throws ApiUnavailable, ApiRefusal
   */
  get<T extends TSchema>(path: string, answer: T, signal?: AbortSignal): Promise<Static<T>>;
  /** @throws ApiUnavailable, ApiRefusal */
  post<T extends TSchema>(path: string, body: object, answer: T): Promise<Static<T>>;
}

/** No answer, or one that may be another later: the same question can be asked again. */
export class ApiUnavailable extends OperatorError {
  readonly retryAfterSeconds: number;
  constructor(message: string, retryAfterSeconds = 0) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The API said no. Asking again changes nothing. */
export class ApiRefusal extends OperatorError {
  /** As in `resource_missing`; null for what is not the API's answer at all. */
  readonly code: string | null;
  constructor(code: string | null, message: string) {
    super(message);
    this.code = code;
  }
}

/** A charge waits for the bank up to 10 s. */
const timeoutMs = 30_000;
/** A page of a list has a few hundred thousand. */
const maxAnswerBytes = 8_000_000;
const defaultApiUrl = "http://localhost:4000";

/** @param command for the messages, as in `listen` */
export function openTestModeApi(
  command: string,
  env: NodeJS.ProcessEnv,
  apiUrlOption: string | undefined,
): TestModeApi {
  const apiUrl = readApiUrl(apiUrlOption ?? (env["ORIEL_API_URL"] || defaultApiUrl));
  const secretKey = readTestKey(command, env["ORIEL_SECRET_KEY"] ?? "");

  async function call<T extends TSchema>(question: Question, answer: T): Promise<Static<T>> {
    const { status, retryAfterSeconds, body } = await ask(apiUrl, secretKey, question);
    if (status >= 200 && status < 300 && Check(answer, body)) return body;
    const said = Check(ErrorAnswer, body) ? body.error : null;
    if (status === 408 || status === 429 || status >= 500) {
      throw new ApiUnavailable(`The API at ${apiUrl} answers ${status}${saying(said)}`, retryAfterSeconds);
    }
    if (said !== null) throw new ApiRefusal(said.code, `The API at ${apiUrl} refused (${said.code})${saying(said)}`);
    throw new ApiRefusal(
      null,
      `What answers at ${apiUrl} is not this version of the API (HTTP ${status}). Set ORIEL_API_URL or --api-url.`,
    );
  }

  return {
    apiUrl,
    keyHash: createHash("sha256").update(secretKey).digest("hex").slice(0, 32),
    get: async (path, answer, signal) => await call({ method: "GET", path, signal }, answer),
    post: async (path, body, answer) => await call({ method: "POST", path, body }, answer),
  };
}

/** The code of a failed connection, as in `ECONNREFUSED`, wherever in the chain of causes it stands. */
export function reasonOf(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return "no connection";
}

/** Every shape here lets more members in: a newer service may have some. */
const ErrorAnswer = Type.Object({
  error: Type.Object({ code: Type.String({ pattern: "^[a-z_]{1,60}$" }), message: Type.String() }),
});

function readApiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isPlain) {
    throw new OperatorError(
      `The API's address must be http(s) and have no path, as in ${defaultApiUrl}. Set ORIEL_API_URL or --api-url.`,
    );
  }
  return url.origin;
}

function readTestKey(command: string, key: string): string {
  if (key === "") {
    throw new OperatorError(
      "Set ORIEL_SECRET_KEY to a test key. `npm start` writes one to .oriel/demo.env, and `oriel account create` prints one.",
    );
  }
  if (key.startsWith("oriel_sk_live_")) {
    throw new OperatorError(
      `\`oriel ${command}\` is for test mode, and ORIEL_SECRET_KEY is a live key: the payments of real customers are no business of a developer's machine. Use a test key.`,
    );
  }
  if (!hasKeyFormat(key))
    throw new OperatorError("ORIEL_SECRET_KEY is not a whole oriel_sk_test_... key: part of it is wrong or missing.");
  return key;
}

interface Question {
  method: "GET" | "POST";
  path: string;
  body?: object;
  signal?: AbortSignal | undefined;
}

interface Answer {
  status: number;
  retryAfterSeconds: number;
  /** Null for what is no JSON. */
  body: unknown;
}

async function ask(apiUrl: string, secretKey: string, { method, path, body, signal }: Question): Promise<Answer> {
  const limit = startTimeLimit(timeoutMs, signal);
  const posted = { "content-type": "application/json", "idempotency-key": randomUUID() };
  try {
    const response = await fetch(`${apiUrl}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secretKey}`,
        accept: "application/json",
        ...(body === undefined ? {} : posted),
      },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "manual",
      signal: limit.signal,
    });
    const retryAfterSeconds = readSeconds(response.headers.get("retry-after"));
    return { status: response.status, retryAfterSeconds, body: parseJson(await readText(response)) };
  } catch (error) {
    const reason = limit.isOver() ? `nothing within ${timeoutMs / 1000} s` : reasonOf(error);
    throw new ApiUnavailable(
      `The API at ${apiUrl} does not answer (${reason}). Is it running, and is that its address?`,
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
    if (bytes > maxAnswerBytes) return ""; // Leaving the loop cancels the stream.
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function saying(said: { message: string } | null): string {
  // Whatever answered, it does not get to move the terminal's cursor.
  return said === null ? "." : `: ${said.message.replace(/\p{Cc}/gu, " ").slice(0, 500)}`;
}
