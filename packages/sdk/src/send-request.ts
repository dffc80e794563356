/**
 * Sends one call to the API: builds the request once, so that every retry is the same bytes under the same idempotency
 * key, and sees to it that whatever comes of it is a result or an {@link OrielError}.
 *
 * Refused: an id that is not one path segment (nothing is sent), and redirects (they would carry the secret key
 * elsewhere).
 */
import { randomUUID } from "node:crypto";
import {
  type ClientSettings,
  readIdempotencyKey,
  readMaxRetries,
  type RequestOptions,
  type WriteOptions,
} from "./client-options.ts";
import { OrielConnectionError, OrielError } from "./oriel-error.ts";
import { readAnswer } from "./read-answer.ts";
import { startTimeLimit } from "./time-limit.ts";
import { withRetries } from "./with-retries.ts";

type Path = readonly [resource: string, id?: string, action?: string];

export interface Sender {
  get: <T>(path: Path, query: object, options?: RequestOptions) => Promise<T>;
  post: <T>(path: Path, params: object, options?: WriteOptions) => Promise<T>;
  /** Says what is to be so. Sent twice it does no more than once, so it needs no key. */
  patch: <T>(path: Path, params: object, options?: RequestOptions) => Promise<T>;
  del: <T>(path: Path, options?: RequestOptions) => Promise<T>;
}

export function createSender(settings: ClientSettings): Sender {
  const { base, authorization } = settings;

  async function call<T>(
    url: URL,
    init: RequestInit,
    options: RequestOptions,
    idempotencyKey: string | null,
  ): Promise<T> {
    const { signal } = options;
    const maxRetries = readMaxRetries(options.maxRetries ?? settings.maxRetries);
    const sendOnce = async (retries: number, timeoutMs: number): Promise<T> => {
      const limit = startTimeLimit(timeoutMs, signal);
      try {
        const answer = await settings.fetch(url.href, { ...init, redirect: "manual", signal: limit.signal });
        return await readAnswer<T>(answer, { idempotencyKey, retries });
      } catch (cause) {
        if (cause instanceof OrielError) throw cause;
        // The signal is asked first: what the caller has given up is not sent again.
        const fault = signal?.aborted
          ? faults.canceled()
          : limit.isOver()
            ? faults.timeout(timeoutMs)
            : faults.network();
        throw new OrielConnectionError({ ...fault, idempotencyKey, retries }, { cause });
      } finally {
        limit.letGo();
      }
    };
    return withRetries(sendOnce, { ...settings, maxRetries, signal });
  }

  const plain = { authorization, accept: "application/json" };
  const withBody = { ...plain, "content-type": "application/json" };

  return {
    async get(path, query, options = {}) {
      const url = new URL(readPath(path), base);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value));
      return call(url, { method: "GET", headers: plain }, options, null);
    },
    async post(path, params, options = {}) {
      const key = readIdempotencyKey(options.idempotencyKey ?? randomUUID());
      const headers = { ...withBody, "idempotency-key": key };
      return call(
        new URL(readPath(path), base),
        { method: "POST", headers, body: JSON.stringify(params) },
        options,
        key,
      );
    },
    async patch(path, params, options = {}) {
      const init = { method: "PATCH", headers: withBody, body: JSON.stringify(params) };
      return call(new URL(readPath(path), base), init, options, null);
    },
    async del(path, options = {}) {
      return call(new URL(readPath(path), base), { method: "DELETE", headers: plain }, options, null);
    },
  };
}

const faults = {
  canceled: () => ({ code: "canceled", message: "The call was given up." }) as const,
  timeout: (timeoutMs: number) => ({ code: "timeout", message: `No answer within ${timeoutMs} ms.` }) as const,
  network: () =>
    ({
      code: "network",
      message: "The payment service could not be reached: look at apiUrl and the network.",
    }) as const,
};

function readPath(path: Path): string {
  return path.map((segment) => readSegment(segment)).join("/");
}

function readSegment(value: unknown): string {
  if (typeof value === "string" && /^[0-9A-Za-z_]{1,100}$/.test(value)) return value;
  throw new TypeError("Oriel: pass an id, as in cs_01j9x.");
}
